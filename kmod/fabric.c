// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/slab.h>

#include "device.h"
#include "endpoint.h"
#include "fabric.h"
#include "profile.h"

#define RETRAIN_POLLS	50
#define RETRAIN_POLL_US	1000

static enum instinct_vfio_role port_role(struct pci_dev *port)
{
	return instinct_profile_role(port->vendor, port->device,
				     pci_is_pcie(port) ? pci_pcie_type(port) : -1);
}

/**
 * instinct_fabric_walk() - find the ports above a GPU
 * @fabric: filled in
 * @gpu: function; its driver's probe or remove holds the device lock, which
 *	keeps the ports
 * @lock: the GPU's reset_lock
 *
 * Return: 0, or -E2BIG for a path longer than INSTINCT_PORTS_MAX.
 */
int instinct_fabric_walk(struct instinct_fabric *fabric, struct pci_dev *gpu, struct mutex *lock)
{
	struct pci_bus *below = gpu->bus;
	struct pci_dev *pdev;

	for (pdev = pci_upstream_bridge(gpu); pdev; pdev = pci_upstream_bridge(pdev)) {
		struct instinct_port *port = &fabric->port[fabric->count];

		if (fabric->count == INSTINCT_PORTS_MAX) {
			instinct_fabric_free(fabric);
			return -E2BIG;
		}
		port->pdev = pci_dev_get(pdev);
		port->below = below;
		below = pdev->bus;
		port->role = port_role(pdev);
		fabric->count++;
	}

	/* Only right above the GPU are they those of its package. */
	if (fabric->count >= 2 && fabric->port[0].role == INSTINCT_VFIO_ROLE_SWDS &&
	    fabric->port[1].role == INSTINCT_VFIO_ROLE_SWUS) {
		fabric->swds = &fabric->port[0];
		fabric->swus = &fabric->port[1];
		instinct_config_setup(&fabric->swds->config, fabric->swds->pdev, fabric->swds,
				      lock);
		instinct_config_setup(&fabric->swus->config, fabric->swus->pdev, fabric->swus,
				      lock);
	}
	return 0;
}

/**
 * instinct_fabric_free() - let go of the ports
 * @fabric: may be empty
 */
void instinct_fabric_free(struct instinct_fabric *fabric)
{
	unsigned int i;

	for (i = 0; i < fabric->count; i++) {
		kfree(fabric->port[i].config.baseline);
		pci_dev_put(fabric->port[i].pdev);
	}
	*fabric = (struct instinct_fabric) { };
}

/**
 * instinct_fabric_has_package() - is there a package switch above the GPU?
 * @fabric: path
 *
 * Return: true if both its ports are known.
 */
bool instinct_fabric_has_package(const struct instinct_fabric *fabric)
{
	return fabric->swus && fabric->swds;
}

/**
 * instinct_fabric_bus_port() - the port at which to do a secondary bus reset
 * @fabric: path with a package
 * @where: policy's choice
 *
 * Return: the port, or NULL if there is none above the package.
 */
struct pci_dev *instinct_fabric_bus_port(const struct instinct_fabric *fabric,
					 enum instinct_vfio_bus_port where)
{
	if (where == INSTINCT_VFIO_BUS_PORT_SWDS)
		return fabric->swds->pdev;
	return fabric->count > 2 ? fabric->port[2].pdev : NULL;
}

/**
 * instinct_fabric_link_port() - the port above the package, or above the GPU
 * @fabric: path
 *
 * Return: the port at the other end of the link that it is on, or NULL.
 */
struct pci_dev *instinct_fabric_link_port(const struct instinct_fabric *fabric)
{
	unsigned int above = instinct_fabric_has_package(fabric) ? 2 : 0;

	return above < fabric->count ? fabric->port[above].pdev : NULL;
}

/**
 * instinct_fabric_link_up() - is the link to the package up?
 * @fabric: path
 *
 * Return: false if the port above says that it is not; true where it cannot
 * say so (PCIe r6.0 sec 7.5.3.6, Data Link Layer Link Active Reporting).
 */
bool instinct_fabric_link_up(const struct instinct_fabric *fabric)
{
	struct pci_dev *port = instinct_fabric_link_port(fabric);
	u32 capabilities;
	u16 status;

	if (!port)
		return true;
	pcie_capability_read_dword(port, PCI_EXP_LNKCAP, &capabilities);
	if (!(capabilities & PCI_EXP_LNKCAP_DLLLARC))
		return true;
	pcie_capability_read_word(port, PCI_EXP_LNKSTA, &status);
	return status & PCI_EXP_LNKSTA_DLLLA;
}

/**
 * instinct_fabric_retrain() - retrain the link to the package
 * @fabric: path
 *
 * Does not wait: whoever waits for the device sees it come back.
 */
void instinct_fabric_retrain(const struct instinct_fabric *fabric)
{
	struct pci_dev *port = instinct_fabric_link_port(fabric);

	if (port)
		pcie_capability_set_word(port, PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_RL);
}

/**
 * instinct_port_window() - a window that Linux has given a port
 * @port: any on the path
 * @pref: the prefetchable one, not the other
 *
 * Return: the window; not open if the port forwards nothing by it.
 */
struct instinct_window instinct_port_window(const struct instinct_port *port, bool pref)
{
	struct resource *res = &port->pdev->resource[pref ? PCI_BRIDGE_PREF_MEM_WINDOW :
							    PCI_BRIDGE_MEM_WINDOW];
	struct pci_bus_region region;

	if (!(res->flags & IORESOURCE_MEM) || res->flags & IORESOURCE_UNSET ||
	    res->flags & IORESOURCE_DISABLED || !resource_size(res))
		return (struct instinct_window) { };
	pcibios_resource_to_bus(port->pdev->bus, &region, res);
	return (struct instinct_window) {
		.start = region.start,
		.end = region.end,
		.open = true,
	};
}

/**
 * instinct_port_buses() - a port's bus numbers
 * @port: any on the path
 *
 * Those of the bus on which Linux has what is below the port, whatever it has done to
 * the port since: who enumerates while the port has lost its numbers hangs another bus
 * below it, and leaves the first one where it was.
 *
 * Return: the dword at PCI_PRIMARY_BUS, with secondary latency timer 0.
 */
u32 instinct_port_buses(const struct instinct_port *port)
{
	const struct resource *below = &port->below->busn_res;

	return port->pdev->bus->number | below->start << 8 | below->end << 16;
}

static bool port_has_buses(const struct instinct_port *port)
{
	u32 buses;

	pci_read_config_dword(port->pdev, PCI_PRIMARY_BUS, &buses);
	return (buses & INSTINCT_BRIDGE_BUSES) == instinct_port_buses(port);
}

/**
 * instinct_port_intact() - does a port have its bus numbers, and its window?
 * @port: of the package
 *
 * Return: false if it has lost them.
 */
bool instinct_port_intact(const struct instinct_port *port)
{
	return port->pdev->subordinate && instinct_config_intact(&port->config);
}

/**
 * instinct_fabric_intact() - do config cycles find their way to the GPU?
 * @fabric: path
 *
 * Return: false if a port of the package has lost its bus numbers.
 */
bool instinct_fabric_intact(const struct instinct_fabric *fabric)
{
	return !instinct_fabric_has_package(fabric) ||
	       (instinct_port_intact(fabric->swus) && instinct_port_intact(fabric->swds));
}

/**
 * instinct_fabric_keep() - remember the config state of the package's ports
 * @fabric: path
 *
 * Does nothing for a path that is broken: what was kept before stays.
 *
 * Context: as instinct_config_keep().
 */
void instinct_fabric_keep(struct instinct_fabric *fabric)
{
	if (!instinct_fabric_has_package(fabric) || !instinct_fabric_intact(fabric))
		return;
	instinct_config_set_base(&fabric->swus->config);
	instinct_config_set_base(&fabric->swds->config);
}

/**
 * instinct_port_restore() - write a port of the package back
 * @port: port, SWUS before SWDS, as amdgpu_device_load_switch_state() does
 *
 * Context: as instinct_config_restore().
 */
void instinct_port_restore(struct instinct_port *port)
{
	if (!port->pdev->subordinate)
		return;
	port->restored = true;
	instinct_config_restore(&port->config, port->config.baseline, true);
}

/**
 * instinct_fabric_restore() - write both ports of the package back, whatever they read
 * @fabric: path
 *
 * Context: as instinct_config_restore().
 */
void instinct_fabric_restore(struct instinct_fabric *fabric)
{
	if (!instinct_fabric_has_package(fabric))
		return;
	if (instinct_endpoint_answers(fabric->swus->pdev))
		instinct_port_restore(fabric->swus);
	if (instinct_endpoint_answers(fabric->swds->pdev))
		instinct_port_restore(fabric->swds);
}

static void port_unblock(const struct instinct_port *port, enum instinct_vfio_unblock rung)
{
	struct pci_dev *pdev = port->pdev;
	u32 ignored;

	pci_read_config_dword(pdev, PCI_VENDOR_ID, &ignored);
	if (rung < INSTINCT_VFIO_UNBLOCK_BUSES || !pdev->subordinate)
		return;
	/* Lost with all else: for who restores all of it, after a reset or an error. */
	if (!port_has_buses(port))
		return;
	pci_write_config_dword(pdev, PCI_PRIMARY_BUS, instinct_port_buses(port));
}

/* In as many steps as a link that is up takes to come up again. */
static void link_retrain(const struct instinct_fabric *fabric)
{
	unsigned int i;

	instinct_fabric_retrain(fabric);
	for (i = 0; i < RETRAIN_POLLS; i++) {
		usleep_range(RETRAIN_POLL_US, 2 * RETRAIN_POLL_US);
		if (instinct_fabric_link_up(fabric))
			return;
	}
}

/**
 * instinct_fabric_unblock() - bring a switch to let config writes through
 * @fabric: path
 * @below: whose writes are blocked: the GPU, or a port of its package
 * @rung: how far to go
 *
 * At the ports between the function and the end of its package's link: those
 * further up carry other devices' traffic.
 *
 * Context: may sleep.
 */
void instinct_fabric_unblock(const struct instinct_fabric *fabric, struct pci_dev *below,
			     enum instinct_vfio_unblock rung)
{
	struct pci_dev *last = instinct_fabric_link_port(fabric);
	unsigned int i = 0;

	while (i < fabric->count && fabric->port[i].below != below->bus)
		i++;
	for (; i < fabric->count; i++) {
		port_unblock(&fabric->port[i], rung);
		if (fabric->port[i].pdev == last)
			break;
	}
	if (rung == INSTINCT_VFIO_UNBLOCK_RETRAIN)
		link_retrain(fabric);
}

#define LINK_SETTLES_MS	100

#define SPEED_AND_WIDTH	(PCI_EXP_LNKSTA_CLS | PCI_EXP_LNKSTA_NLW)

static u16 link_cap(struct pci_dev *pdev)
{
	u32 cap = 0;

	pcie_capability_read_dword(pdev, PCI_EXP_LNKCAP, &cap);
	return cap == U32_MAX ? 0 : cap & SPEED_AND_WIDTH;
}

/* The slower and the narrower of two, as in Link Status. */
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

static unsigned int width_of(u16 link)
{
	return (link & PCI_EXP_LNKSTA_NLW) >> PCI_EXP_LNKSTA_NLW_SHIFT;
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
		 speed_name(found), width_of(found), speed_name(wanted), width_of(wanted));
	if (port->degraded)
		pci_warn(dev->pdev, "%s\n", event.reason);
	instinct_device_emit(dev, &event);
}

/* Return: false for a link that is down or in training. */
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
		/* It may still be on its way to what it can do. */
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
 * Tells of one that has become slower or narrower than both its ends can do, and
 * of one that is not any more. The link inside the package is not looked at: what
 * its ends say of themselves there is the package's own affair. GPUs that share a
 * link each tell of it.
 *
 * Context: may sleep.
 */
void instinct_link_look(struct instinct_device *dev)
{
	struct instinct_fabric *fabric = &dev->fabric;
	unsigned int i;

	lockdep_assert_held(&dev->reset_lock);
	for (i = 0; i < fabric->count; i++) {
		struct instinct_port *port = &fabric->port[i];
		int type = pci_pcie_type(port->pdev);

		if (port->role != INSTINCT_VFIO_ROLE_SWDS &&
		    (type == PCI_EXP_TYPE_ROOT_PORT || type == PCI_EXP_TYPE_DOWNSTREAM))
			look(dev, port, i ? fabric->port[i - 1].pdev : dev->pdev);
	}
}
