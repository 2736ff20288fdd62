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
 * Kinds of changes of an entry. An input encodes a change as its kind (one byte), the hash of
 * the entry's path in the base and the payload's length (two bytes each), and the payload.
 */
enum host_change {
	HOST_TEXT,	/* new contents */
	HOST_PATCH,	/* overwrite contents: two bytes: offset; the rest: new contents */
	HOST_CUT,	/* truncate: two bytes: new size */
	HOST_REPEAT,	/* repeat the contents: two bytes: new size */
	HOST_POINTER,	/* change a capability of a config space: see set_pointer() */
	HOST_LINK,	/* replace by a link: its target */
	HOST_LINK_TO,	/* replace by a link to another entry: its hash; a byte: 1 for absolute */
	HOST_LINK_OUT,	/* replace by a link out of the tree: a byte: target and way there */
	HOST_FOLDER,	/* replace by an empty folder */
	HOST_DEEP,	/* replace by nested folders: a byte: depth */
	HOST_GONE,
	HOST_NAME,	/* copy to the same folder: name of the copy */
	HOST_ADD,	/* add any file: path, a NUL, contents */
	HOST_PIPE,
	HOST_SOCKET,
	HOST_DEVICE,
	HOST_SPARSE,	/* replace by a sparse file: a byte: size */
	HOST_CHANGES
};

void host_make(const uint8_t *data, size_t size, bool on_disk);
bool host_is_plain(void);
const struct tree *host_tree(void);
void host_end(void);

#endif /* HOST_CHANGE_H */
