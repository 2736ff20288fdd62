/* SPDX-License-Identifier: GPL-2.0-only */
/* A host that an input describes: the base with changes, in memory and on disk. */
#ifndef HOST_CHANGE_H
#define HOST_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tree.h"

#define HOST_CHANGES_MAX	16

/*
 * What may be done to an entry. In an input a change is one of these, the base's hash
 * of a path and the length of what follows, in two bytes each.
 */
enum host_change {
	HOST_TEXT,	/* what follows is in it */
	HOST_PATCH,	/* two bytes: where in it; the rest is written there */
	HOST_CUT,	/* two bytes: so long it is */
	HOST_REPEAT,	/* two bytes: so long it is, with what is in it again and again */
	HOST_POINTER,	/* of a config space: which capability's pointer, and to where */
	HOST_LINK,	/* to what follows */
	HOST_LINK_TO,	/* to another entry: its hash; a byte: in which way */
	HOST_LINK_OUT,	/* out of the tree: a byte: in which way */
	HOST_FOLDER,	/* an empty one in place of it */
	HOST_DEEP,	/* folders in folders; a byte: how many */
	HOST_GONE,
	HOST_NAME,	/* one more beside it: its name, and the same in it */
	HOST_ADD,	/* wherever: its path, a NUL, what is in it */
	HOST_PIPE,
	HOST_SOCKET,
	HOST_DEVICE,
	HOST_SPARSE,	/* a byte: how big */
	HOST_CHANGES
};

void host_make(const uint8_t *data, size_t size, bool on_disk);
bool host_is_plain(void);
const struct tree *host_tree(void);
void host_end(void);

#endif /* HOST_CHANGE_H */
