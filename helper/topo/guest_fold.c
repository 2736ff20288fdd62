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
 * guest_fold() - list the other addresses of a NIC
 * @folds: set
 * @busid: the NIC's address in the guest
 *
 * The InfiniBand transport takes functions and devices of one bus for VFs of one NIC, and
 * gives the topology code the path of a common address. NCCL, and RCCL since 6.2, use device
 * 0 of the bus; with NCCL_IB_MERGE_VFS=0 they use function 0 of the device. RCCL 5.4 sets the
 * last digit of the device number to zero (ncclIbGetPciPath() in src/transport/net_ib.cc and
 * net_ib/init.cc).
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
 * guest_fold_is_free() - check that an address stands for one NIC only
 * @topo: host
 * @map: devices of the guest, settled
 * @nic: a NIC of @map
 * @folded: one of the other addresses of @nic
 *
 * Return: false if a device that is not a NIC has the address, or if a NIC below another
 * switch has it or is looked for there.
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
 * The libraries look an address up in sysfs first, and never search the file if no PCI device
 * is there. Bus 0 has the host bridge as its device 0; any other bus has a device 0 only if it
 * is one of the devices passed to the guest.
 */
static bool is_root(const char *folded)
{
	unsigned int domain, bus, slot;

	return sscanf(folded, "%x:%x:%x.", &domain, &bus, &slot) == 3 && !bus && !slot;
}

/**
 * guest_fold_helps() - check whether an entry at another address lets the libraries find a NIC
 * @topo: host
 * @map: devices of the guest, settled
 * @nic: a NIC of @map
 * @folded: the address at which the libraries look for @nic
 *
 * Return: true if the libraries find the NIC there.
 */
bool guest_fold_helps(const struct topo *topo, const struct guest_map *map,
		      const struct guest_device *nic, const char *folded)
{
	return (is_root(folded) || guest_map_has(map, folded)) &&
	       guest_fold_is_free(topo, map, nic, folded);
}

/**
 * guest_fold_any() - find a NIC that the libraries may not find at its address
 * @topo: host
 * @map: devices of the guest, settled
 * @merged: the file also has the NICs at their other addresses, as far as these are free
 * @folded: of BDF_BYTES, set to the address at which the libraries look for the NIC
 * @count: set to the number of such NICs
 *
 * Return: the first such NIC, or NULL.
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
		/* If another NIC has that address, the file has an entry there in any case. */
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
