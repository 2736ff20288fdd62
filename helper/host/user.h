/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that have a device open. */
#ifndef USER_H
#define USER_H

#include "model.h"

#define OPEN_UNKNOWN	(-1)

/* The knowledge of a device's users. */
enum use {
	USE_NONE,	/* no process has the device open */
	USE_SEEN,	/* these processes have it open */
	USE_MAYBE,	/* one of these processes has it open */
	USE_HIDDEN,	/* it is open, and no process shows that */
};

/**
 * struct user_search - a device whose users are wanted
 * @bdf: address of the device
 * @open: number of its VFIO users as the module knows it, or OPEN_UNKNOWN
 * @users: empty list, which receives the processes
 * @use: receives how much is known of the users
 */
struct user_search {
	const char *bdf;
	int open;
	struct users *users;
	enum use use;
};

void user_list(struct user_search *list, size_t count);
const char *user_hidden_why(void);
void user_describe(const struct user *user, char *text, size_t size);
void user_name_vm(const char *command, size_t size, struct user *user);
bool user_mapping_of(const char *line, uint64_t *offset);

#endif /* USER_H */
