// SPDX-License-Identifier: GPL-2.0-only
/* What others read in place of what a function holds. */
#include <linux/pci.h>
#include <linux/slab.h>

#include "bridge_header.h"
#include "guard_state.h"

/**
 * instinct_guard_hold_bridge() - a port shows its bus numbers and Bridge Control as they were
 * @guard: of a port of the package
 * @buses: dword at PCI_PRIMARY_BUS; 0: it answers what it holds
 *
 * Linux looks at them when a bus is enumerated anew, for whatever reason. Of a port that
 * has none, because it is in reset or its device is lost, it would think that firmware
 * has forgotten it, give it others, and leave behind all that is below it. Of one that
 * cannot be reached it reads ones; it would clear its bus numbers, and write ones back to
 * its Bridge Control, where one of them is a bus reset: both would land once the port is
 * back. So it is shown Bridge Control, too, as it was.
 *
 * Context: under the reset_lock of the GPU.
 */
void instinct_guard_hold_bridge(struct instinct_guard *guard, u32 buses)
{
	u32 bridge;

	if (buses && !guard->buses) {
		bridge = instinct_guard_peek(guard, PCI_INTERRUPT_LINE, 4);
		if (bridge != ~0u)
			WRITE_ONCE(guard->bridge, bridge & ~(PCI_BRIDGE_CTL_BUS_RESET << 16));
	}
	WRITE_ONCE(guard->buses, buses);
	WRITE_ONCE(guard->answers, buses);
}

static u32 read_cap(void *data, int where)
{
	struct instinct_guard *guard = data;

	return guard->io.read(guard->io.data, where, 4);
}

/**
 * instinct_guard_hold_caps() - answer what capabilities there are once and for all
 * @guard: of the GPU
 *
 * For vfio-pci-core, which believes what it reads while it opens a device: with a
 * capability behind whose end the config space has none, it writes behind its own table of
 * bytes (seen with 6.1; 6.12 does the same). What is in order is shown as it is.
 *
 * Context: may sleep; until instinct_guard_let_caps() not again.
 *
 * Return: 0, -ENOMEM, or -EIO if the function does not answer.
 */
int instinct_guard_hold_caps(struct instinct_guard *guard)
{
	struct instinct_guard_caps *caps = kmalloc(sizeof(*caps), GFP_KERNEL);

	if (!caps)
		return -ENOMEM;
	instinct_cap_list_build(&caps->list, read_cap, guard);
	if (read_cap(guard, PCI_VENDOR_ID) == ~0u) {
		kfree(caps);
		return -EIO;
	}
	if (caps->list.flaws)
		dev_warn_ratelimited(&guard->pdev->dev, "its capability lists are out of order in %u places: what goes on behind their end, lies on another or leads back is hidden from its user\n",
				     caps->list.flaws);
	rcu_assign_pointer(guard->caps, caps);
	WRITE_ONCE(guard->answers, true);
	return 0;
}

/**
 * instinct_guard_let_caps() - undo instinct_guard_hold_caps()
 * @guard: of the GPU
 *
 * Context: may sleep.
 */
void instinct_guard_let_caps(struct instinct_guard *guard)
{
	struct instinct_guard_caps *caps = rcu_dereference_protected(guard->caps, true);

	WRITE_ONCE(guard->answers, false);
	RCU_INIT_POINTER(guard->caps, NULL);
	kfree_rcu(caps, rcu);
}

/* A port that has lost its bus numbers, or to which there is no way. */
static bool answer_bridge(struct instinct_guard *guard, int where, int size, u32 *val)
{
	u32 buses = READ_ONCE(guard->buses), now;
	bool numbers = where / 4 == PCI_PRIMARY_BUS / 4;

	if (!buses || (!numbers && where / 4 != PCI_INTERRUPT_LINE / 4))
		return false;
	now = instinct_guard_peek(guard, where & ~3, 4);
	if (now == ~0u)
		now = numbers ? buses : READ_ONCE(guard->bridge);
	else if (numbers && !(now & INSTINCT_BRIDGE_BUSES))
		now |= buses;
	*val = instinct_config_extract(now, where, size);
	return true;
}

/**
 * instinct_guard_answer() - answer a config read in place of the function
 * @guard: of the function
 * @where: offset
 * @size: bytes: 1, 2 or 4
 * @val: the answer
 *
 * Context: atomic; under rcu_read_lock_sched(); the config space's own locks may be held.
 *
 * Return: false if the function is to answer.
 */
bool instinct_guard_answer(struct instinct_guard *guard, int where, int size, u32 *val)
{
	struct instinct_guard_caps *caps = rcu_dereference_sched(guard->caps);

	return (caps && instinct_cap_list_answer(&caps->list, where, size, val)) ||
	       answer_bridge(guard, where, size, val);
}
