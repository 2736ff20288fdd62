// SPDX-License-Identifier: GPL-2.0-only
#include "acs_port.h"
#include "device.h"

/* Both registers in one access. Return: false if the port does not answer. */
static bool port_read(struct instinct_acs_port *port)
{
	struct pci_dev *pdev = port->pdev;
	u32 both;

	if (pci_read_config_dword(pdev, pdev->acs_cap + PCI_ACS_CAP, &both) ||
	    PCI_POSSIBLE_ERROR(both))
		return false;
	port->capable = instinct_acs_capable(both & 0xffff);
	port->found = both >> 16;
	return true;
}

/**
 * instinct_acs_port_learn() - read a port that policy begins to speak of
 * @port: port
 *
 * Context: process.
 */
void instinct_acs_port_learn(struct instinct_acs_port *port)
{
	if (port->known)
		return;
	if (port->pdev->acs_cap) {
		if (!port_read(port))
			return;
		port->before = port->found;
		port->fresh = true;
	}
	port->known = true;
}

static bool is_same(const struct instinct_planned *a, const struct instinct_planned *b)
{
	return a->spoken == b->spoken && a->role == b->role && a->loss == b->loss &&
	       a->wish.set == b->wish.set && a->wish.clear == b->wish.clear &&
	       a->wish.rest == b->wish.rest;
}

/**
 * instinct_acs_port_plan() - what a port is to carry from now on
 * @port: port
 * @planned: that
 *
 * It is @due where that is something new.
 */
void instinct_acs_port_plan(struct instinct_acs_port *port,
			    const struct instinct_planned *planned)
{
	u16 mask = instinct_acs_mask(&port->planned.wish, port->capable);

	if (is_same(&port->planned, planned))
		return;
	port->due = true;
	/* To be put back it must be known where policy had a say. */
	if (!planned->spoken) {
		port->planned.spoken = false;
		return;
	}
	port->planned = *planned;
	port->returned = (port->returned | mask) &
			 ~instinct_acs_mask(&planned->wish, port->capable);
}

/**
 * instinct_acs_port_loss() - what IOMMU groups would miss
 * @port: port, known
 *
 * Return: bits.
 */
u16 instinct_acs_port_loss(const struct instinct_acs_port *port)
{
	if (!port->known)
		return 0;
	return instinct_isolation_loss(&port->planned, port->capable, port->before);
}

static void port_tell(struct instinct_acs_port *port, enum instinct_vfio_event kind,
		      u16 found)
{
	struct instinct_event event = {
		.kind = kind,
		.found = found,
		.wanted = port->wanted,
	};

	strscpy(event.port, pci_name(port->pdev), sizeof(event.port));
	snprintf(event.reason, sizeof(event.reason), "ACS of %s is %#06x, wanted %#06x",
		 pci_name(port->pdev), found, port->wanted);
	instinct_device_emit_of(port->of, &event);
}

static bool port_mend(struct instinct_acs_port *port)
{
	struct pci_dev *pdev = port->pdev;

	pci_write_config_word(pdev, pdev->acs_cap + PCI_ACS_CTRL, port->wanted);
	return port_read(port) && port->found == port->wanted;
}

static void port_failed(struct instinct_acs_port *port)
{
	if (port->stubborn)
		return;
	port->stubborn = true;
	pci_warn(port->pdev, "ACS stays %#06x though %#06x was written\n",
		 port->found, port->wanted);
	port_tell(port, INSTINCT_VFIO_EVENT_ACS_FAILED, port->found);
}

/* Found as planned: after trouble, that is news. */
static void port_is_right(struct instinct_acs_port *port)
{
	port->returned = 0;
	if (port->adrift || port->stubborn)
		port_tell(port, INSTINCT_VFIO_EVENT_ACS_REPAIRED, port->found);
	port->adrift = false;
	port->stubborn = false;
}

static void port_drifted(struct instinct_acs_port *port)
{
	if (port->adrift)
		return;
	port->adrift = true;
	port->drifts++;
	pci_notice(port->pdev, "ACS is %#06x, policy wants %#06x\n", port->found,
		   port->wanted);
	port_tell(port, INSTINCT_VFIO_EVENT_ACS_DRIFT, port->found);
}

/* As it is, with the bits as before that policy speaks of no longer. */
static u16 port_returned(const struct instinct_acs_port *port)
{
	return (port->found & ~port->returned) | (port->before & port->returned);
}

/**
 * instinct_acs_port_look() - is a port as planned? Else mend it
 * @port: port
 * @expected: that it is not would be no news: its package was reset
 *
 * What IOMMU groups rely on stays on, whatever is planned, unless policy allows
 * that it goes. One read if all is well.
 *
 * Context: process.
 */
void instinct_acs_port_look(struct instinct_acs_port *port, bool expected)
{
	instinct_acs_port_learn(port);
	if (!port->known || !port->pdev->acs_cap || !port->planned.spoken ||
	    (!port->fresh && !port_read(port)))
		return;
	port->fresh = false;
	port->wanted = instinct_acs_value(&port->planned.wish, port->capable,
					  port_returned(port)) |
		       instinct_acs_port_loss(port);
	expected |= port->due;
	port->due = false;
	if (port->found == port->wanted) {
		port_is_right(port);
		return;
	}
	if (!expected)
		port_drifted(port);
	if (port_mend(port))
		port_is_right(port);
	else
		port_failed(port);
}

/**
 * instinct_acs_port_put_back() - policy speaks of a port no longer
 * @port: port; what it carried before is written, where policy had a say
 *
 * Context: process.
 */
void instinct_acs_port_put_back(struct instinct_acs_port *port)
{
	struct pci_dev *pdev = port->pdev;
	u16 mask, value;

	if (!port->known || !pdev->acs_cap || !port_read(port))
		return;
	mask = instinct_acs_mask(&port->planned.wish, port->capable) | port->returned;
	value = (port->found & ~mask) | (port->before & mask);
	if (value != port->found)
		pci_write_config_word(pdev, pdev->acs_cap + PCI_ACS_CTRL, value);
}
