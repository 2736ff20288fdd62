/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the choice for a guest as options or XML of its VMM. */
#ifndef VMM_H
#define VMM_H

#include <stdio.h>

#include "choice.h"

enum vmm {
	VMM_QEMU,
	VMM_LIBVIRT,
	VMM_CLOUD_HYPERVISOR,
	VMMS,
};

/* Word for all of them. */
#define VMM_ALL_NAME	"all"

extern const struct names vmm_names;
extern const char *const vmm_titles[VMMS];

enum vmm vmm_installed(void);
int vmm_check_room(const struct topo *topo, const struct choice *choice);
int vmm_without_bars(const struct topo *topo, const struct choice *choice);
void vmm_write(FILE *out, enum vmm vmm, const struct topo *topo, const struct choice *choice);
void vmm_write_map(FILE *out, const struct topo *topo, const struct choice *choice);
int vmm_nodes(const struct topo *topo, const struct choice *choice, int *node);

#endif /* VMM_H */
