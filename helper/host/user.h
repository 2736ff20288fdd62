/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has a device open. */
#ifndef USER_H
#define USER_H

#include "model.h"

/**
 * struct user - a process that has a device open
 * @pid: of it
 * @comm: its name
 */
struct user {
	int pid;
	char comm[64];
};

bool user_find(const char *bdf, struct user *user);

#endif /* USER_H */
