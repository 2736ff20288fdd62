/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of NCCL and RCCL from the environment and from their files. */
#ifndef NCCL_ENVIRONMENT_H
#define NCCL_ENVIRONMENT_H

#include <stddef.h>

#define NCCL_VALUE_BYTES	512

/**
 * struct nccl_setting - a setting
 * @name: name of the variable, such as NCCL_TOPO_FILE
 * @value: its value
 * @origin: path of the file that sets it, or "the environment"
 */
struct nccl_setting {
	char name[64];
	char value[NCCL_VALUE_BYTES];
	char origin[NCCL_VALUE_BYTES];
};

/**
 * struct nccl_environment - all settings
 * @list: settings in order of precedence: the first one with a name applies
 * @count: number of settings
 */
struct nccl_environment {
	struct nccl_setting *list;
	size_t count;
};

void nccl_environment_read(struct nccl_environment *environment);
const struct nccl_setting *nccl_environment_find(const struct nccl_environment *environment,
						 const char *name);
const char *nccl_environment_value(const struct nccl_environment *environment,
				   const char *name);
void nccl_environment_free(struct nccl_environment *environment);

#endif /* NCCL_ENVIRONMENT_H */
