/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What NCCL and RCCL are told, by the environment and by their files. */
#ifndef NCCL_ENVIRONMENT_H
#define NCCL_ENVIRONMENT_H

#include <stddef.h>

#define NCCL_VALUE_BYTES	512

/**
 * struct nccl_setting - a variable
 * @name: of it, such as NCCL_TOPO_FILE
 * @value: of it
 * @origin: the file that it is from, or "the environment"
 */
struct nccl_setting {
	char name[64];
	char value[NCCL_VALUE_BYTES];
	char origin[NCCL_VALUE_BYTES];
};

/**
 * struct nccl_environment - all of them
 * @list: the first of a name counts
 * @count: how many
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
