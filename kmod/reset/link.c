// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/pci.h>

#include "device/device.h"
#include "reset/reset.h"

#define LINK_SETTLES_MS	100

#define SPEED_AND_WIDTH	(PCI_EXP_LNKSTA_CLS | PCI_EXP_LNKSTA_NLW)

static u16 link_cap(struct pci_dev *pdev)
{
	u32 cap = 0;

	pcie_capability_read_dword(pdev, PCI_EXP_LNKCAP, &cap);
	return cap == U32_MAX ? 0 : cap & SPEED_AND_WIDTH;
}

/* Combines the lower speed and the smaller width of two, encoded as in Link Status. */
static u16 both(u16 a, u16 b)
{
	return min(a & PCI_EXP_LNKSTA_CLS, b & PCI_EXP_LNKSTA_CLS) |
	       min(a & PCI_EXP_LNKSTA_NLW, b & PCI_EXP_LNKSTA_NLW);
}

static const char *speed_name(u16 link)
{
	static const char *const names[] = {
		"?", "2.5 GT/s", "5 GT/s", "8 GT/s", "16 GT/s", "32 GT/s", "64 GT/s",
	};
	unsigned int speed = link & PCI_EXP_LNKSTA_CLS;

	return names[speed < ARRAY_SIZE(names) ? speed : 0];
}

static void tell(struct instinct_device *dev, struct instinct_port *port, u16 found, u16 wanted)
{
	struct instinct_event event = {
		.kind = port->degraded ? INSTINCT_VFIO_EVENT_LINK_DEGRADED :
					 INSTINCT_VFIO_EVENT_LINK_RESTORED,
		.found = found,
		.wanted = wanted,
	};

	strscpy(event.port, pci_name(port->pdev), sizeof(event.port));
	snprintf(event.reason, sizeof(event.reason),
		 "link below %s runs at %s x%u, its ends can do %s x%u", pci_name(port->pdev),
		 speed_name(found), FIELD_GET(PCI_EXP_LNKSTA_NLW, found),
		 speed_name(wanted), FIELD_GET(PCI_EXP_LNKSTA_NLW, wanted));
	if (port->degraded)
		pci_warn(dev->pdev, "%s\n", event.reason);
	instinct_device_emit(dev, &event);
}

/* Reads speed and width. Returns false if the link is down or in training. */
static bool trained(struct pci_dev *port, u16 *link)
{
	u16 status;

	if (pcie_capability_read_word(port, PCI_EXP_LNKSTA, &status) || status == U16_MAX ||
	    (status & PCI_EXP_LNKSTA_LT) || !(status & PCI_EXP_LNKSTA_NLW))
		return false;
	*link = status & SPEED_AND_WIDTH;
	return true;
}

static void look(struct instinct_device *dev, struct instinct_port *port, struct pci_dev *below)
{
	u16 wanted = both(link_cap(port->pdev), link_cap(below)), status;
	bool degraded;

	if (!wanted || !trained(port->pdev, &status))
		return;
	degraded = both(status, wanted) != wanted;
	if (degraded && !port->degraded) {
		/* The link may still be on its way to its full speed and width. */
		msleep(LINK_SETTLES_MS);
		if (!trained(port->pdev, &status))
			return;
		degraded = both(status, wanted) != wanted;
	}
	if (degraded == port->degraded)
		return;
	port->degraded = degraded;
	tell(dev, port, status, wanted);
}

/**
 * instinct_link_look() - look at the links from the root port to the package
 * @dev: device that answers, with its reset_lock held
 *
 * An event reports a link that has become slower or narrower than both its ends allow, and a link
 * that has recovered. The function skips the link inside the package: the registers of its ends are
 * the package's internal matter. Each GPU below a shared link reports it.
 *
 * Context: may sleep.
 */
void instinct_link_look(struct instinct_device *dev)
{
	struct instinct_path *path = &dev->path;
	unsigned int i;

	lockdep_assert_held(&dev->reset_lock);
	for (i = 0; i < path->count; i++) {
		struct instinct_port *port = &path->port[i];
		int type = pci_pcie_type(port->pdev);

		if (port->role != INSTINCT_VFIO_ROLE_SWDS &&
		    (type == PCI_EXP_TYPE_ROOT_PORT || type == PCI_EXP_TYPE_DOWNSTREAM))
			look(dev, port, i ? path->port[i - 1].pdev : dev->pdev);
	}
}
