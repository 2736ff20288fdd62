// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "guest_fold.h"

static void add(struct guest_folds *folds, const char *busid, unsigned int domain,
		unsigned int bus, unsigned int slot)
{
	char folded[BDF_BYTES];
	int i;

	guest_bdf(folded, domain, bus, slot, 0);
	for (i = 0; i < folds->count; i++)
		if (!strcmp(folds->busid[i], folded))
			return;
	if (strcmp(folded, busid))
		memcpy(folds->busid[folds->count++], folded, sizeof(folded));
}

/**
 * guest_fold() - the other addresses of a NIC
 * @folds: set
 * @busid: its address in the guest
 *
 * The InfiniBand transport takes functions and devices of a bus for VFs of one NIC, and
 * hands the topology code that one's path: NCCL and RCCL since 6.2 that of device 0, unless
 * NCCL_IB_MERGE_VFS=0 is set, and then function 0 of the device; RCCL 5.4 that with the last
 * digit of the device zero (ncclIbGetPciPath() in src/transport/net_ib.cc and net_ib/init.cc).
 */
void guest_fold(struct guest_folds *folds, const char *busid)
{
	unsigned int domain, bus, slot;

	*folds = (struct guest_folds) { .count = 0 };
	if (sscanf(busid, "%x:%x:%x.", &domain, &bus, &slot) != 3)
		return;
	add(folds, busid, domain, bus, 0);
	add(folds, busid, domain, bus, slot & ~0xfu);
	add(folds, busid, domain, bus, slot);
}

static bool folds_to(const char *busid, const char *folded)
{
	struct guest_folds folds;
	int i;

	guest_fold(&folds, busid);
	for (i = 0; i < folds.count; i++)
		if (!strcmp(folds.busid[i], folded))
			return true;
	return !strcmp(busid, folded);
}

/**
 * guest_fold_is_free() - does an address stand for one NIC alone?
 * @topo: host
 * @map: devices of the guest, settled
 * @nic: one of them
 * @folded: one of its other addresses
 *
 * Return: false if a NIC of another switch is looked for there, too, or is there, or a device
 * that is no NIC.
 */
bool guest_fold_is_free(const struct topo *topo, const struct guest_map *map,
			const struct guest_device *nic, const char *folded)
{
	size_t i;

	for (i = 0; i < map->count; i++) {
		const struct guest_device *other = &map->list[i];

		if (other == nic || !folds_to(other->guest, folded))
			continue;
		if (topo->kind[other->index] != TOPO_NIC ? !strcmp(other->guest, folded) :
		    topo_switch(topo, other->index) != topo_switch(topo, nic->index))
			return false;
	}
	return true;
}

/*
 * The libraries ask sysfs first whether what they look for is a PCI device, and if not,
 * never look into the file. A root bus has its host bridge there; another has device 0 only
 * if that is one of the guest's own.
 */
static bool is_root(const char *folded)
{
	unsigned int domain, bus, slot;

	return sscanf(folded, "%x:%x:%x.", &domain, &bus, &slot) == 3 && !bus && !slot;
}

/**
 * guest_fold_helps() - is a NIC found at another address, if a file has it there?
 * @topo: host
 * @map: devices of the guest, settled
 * @nic: one of them
 * @folded: the address at which it is looked for
 *
 * Return: true if so.
 */
bool guest_fold_helps(const struct topo *topo, const struct guest_map *map,
		      const struct guest_device *nic, const char *folded)
{
	return (is_root(folded) || guest_map_has(map, folded)) &&
	       guest_fold_is_free(topo, map, nic, folded);
}

/**
 * guest_fold_any() - a NIC that the libraries may not find at its address
 * @topo: host
 * @map: devices of the guest, settled
 * @merged: other addresses that are free are in the file, and found
 * @folded: of BDF_BYTES, set to where they look for it
 * @count: set to how many there are
 *
 * Return: the first of them, or NULL.
 */
const struct guest_device *guest_fold_any(const struct topo *topo, const struct guest_map *map,
					  bool merged, char *folded, int *count)
{
	const struct guest_device *first = NULL;
	struct guest_folds folds;
	size_t i;

	*count = 0;
	for (i = 0; i < map->count; i++) {
		const struct guest_device *nic = &map->list[i];

		if (topo->kind[nic->index] != TOPO_NIC)
			continue;
		guest_fold(&folds, nic->guest);
		/* Another NIC is in the file in any case. */
		if (!folds.count || ((merged || guest_map_has(map, folds.busid[0])) &&
				     guest_fold_helps(topo, map, nic, folds.busid[0])))
			continue;
		if (!first)
			memcpy(folded, folds.busid[0], BDF_BYTES);
		first = first ? first : nic;
		(*count)++;
	}
	return first;
}
