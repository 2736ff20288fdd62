// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "host_base.h"
#include "host_change.h"
#include "host_disk.h"
#include "core/pure.h"

#define PATH_BYTES	1024	/* the fuzzer makes no longer ones */
#define POINTERS_MAX	64
#define CONFIG_EXTENDED	0x100

/* An entry of the changed host. */
struct item {
	struct tree_entry entry;
	bool own;	/* path and data are allocated, not shared with the base */
	bool special;	/* pipe, socket, device or sparse file: only on disk */
};

static struct item *items;
static size_t item_count, item_room;
static struct tree_entry *entries;
static struct tree tree;
static size_t specials;
static bool disk;	/* apply changes on disk, too */

static size_t lower_bound(const char *path)
{
	size_t from = 0, to = item_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (strcmp(items[middle].entry.path, path) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static struct item *find(const char *path)
{
	size_t at = lower_bound(path);

	return at < item_count && !strcmp(items[at].entry.path, path) ? &items[at] : NULL;
}

static void item_free(struct item *item)
{
	specials -= item->special;
	if (!item->own)
		return;
	free(item->entry.path);
	bytes_free(&item->entry.data);
}

static void cut_out(size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++)
		item_free(&items[i]);
	memmove(&items[from], &items[to], (item_count - to) * sizeof(*items));
	item_count -= to - from;
}

/* Removes an entry and all entries below it. */
static void take_out(const char *path)
{
	size_t at = lower_bound(path), end, length = strlen(path);
	char prefix[PATH_BYTES + 2];

	if (at < item_count && !strcmp(items[at].entry.path, path))
		cut_out(at, at + 1);
	snprintf(prefix, sizeof(prefix), "%s/", path);
	for (at = end = lower_bound(prefix); end < item_count; end++)
		if (strncmp(items[end].entry.path, prefix, length + 1))
			break;
	cut_out(at, end);
}

static struct item *put_in(const char *path, enum tree_kind kind, const void *data, size_t size)
{
	size_t at;

	take_out(path);
	at = lower_bound(path);
	if (item_count == item_room) {
		item_room += 64;
		items = realloc(items, item_room * sizeof(*items));
		REQUIRE(items);
	}
	memmove(&items[at + 1], &items[at], (item_count - at) * sizeof(*items));
	item_count++;
	items[at] = (struct item) {
		.entry = { .path = strdup(path), .kind = kind }, .own = true,
	};
	bytes_add(&items[at].entry.data, data, size);
	return &items[at];
}

/* Makes the folders that lead to @path; false if an entry is in the way or the path too long. */
static bool has_folder(const char *path)
{
	char part[PATH_BYTES], *slash;
	struct item *item;

	if (snprintf(part, sizeof(part), "%s", path) >= PATH_BYTES)
		return false;
	for (slash = strchr(part, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		item = find(part);
		if (item && (item->special || item->entry.kind != TREE_FOLDER))
			return false;
		if (!item) {
			item = put_in(part, TREE_FOLDER, "", 0);
			if (disk)
				host_disk_make(part, &item->entry);
		}
		*slash = '/';
	}
	return true;
}

static void put(const char *path, enum tree_kind kind, const void *data, size_t size)
{
	struct item *item;

	if (!has_folder(path))
		return;
	item = put_in(path, kind, data, size);
	if (disk)
		host_disk_make(path, &item->entry);
}

static void put_special(const char *path, mode_t type, off_t size)
{
	if (!has_folder(path))
		return;
	put_in(path, TREE_FILE, "", 0)->special = true;
	specials++;
	if (disk && type == S_IFREG)
		host_disk_sparse(path, size);
	else if (disk)
		host_disk_special(path, type);
}

/* symlink() takes neither an empty target nor one of PATH_MAX bytes. */
static void put_link(const char *path, const char *target)
{
	if (*target && strlen(target) < PATH_MAX)
		put(path, TREE_LINK, target, strlen(target));
}

static void link_text(const char *path, const uint8_t *data, size_t size)
{
	char *target = strndup((const char *)data, size);

	REQUIRE(target);
	put_link(path, target);
	free(target);
}

static size_t number(const uint8_t *data, size_t size, size_t at)
{
	return at + 1 < size ? data[at] | data[at + 1] << 8 : 0;
}

static void link_to(const char *path, const uint8_t *data, size_t size)
{
	const char *to = host_base_find(number(data, size, 0))->path;
	char target[2 * PATH_BYTES];
	const char *part = path;
	size_t at = 0;

	if (size > 2 && data[2] & 1) {
		snprintf(target, sizeof(target), "/%s", to);
	} else {
		for (; (part = strchr(part, '/')); part++)
			at += sprintf(target + at, "../");
		snprintf(target + at, sizeof(target) - at, "%s", to);
	}
	put_link(path, target);
}

static void link_out(const char *path, uint8_t way)
{
	const char *const places[] = { host_disk_outside(), "/etc/passwd", "/proc/self/environ" };
	const char *const ways[] = {
		"", "../../../../../../../../../../../../../../../..", "/..", "/proc/self/root",
	};
	char target[PATH_MAX];

	snprintf(target, sizeof(target), "%s%s", ways[way / 4 % ARRAY_SIZE(ways)],
		 places[way % ARRAY_SIZE(places)]);
	put_link(path, target);
}

static void put_deep(const char *path, size_t depth)
{
	char deep[PATH_BYTES];
	size_t at = snprintf(deep, sizeof(deep), "%s", path);

	put(path, TREE_FOLDER, "", 0);
	while (depth-- && at + 3 < sizeof(deep))
		at += sprintf(deep + at, "/d");
	put(deep, TREE_FILE, "1\n", 2);
}

static bool is_name(const char *name, size_t length)
{
	return length && length <= NAME_MAX && (length != 1 || *name != '.') &&
	       (length != 2 || strncmp(name, "..", 2));
}

static void put_beside(const char *path, const struct tree_entry *was, const uint8_t *data,
		       size_t size)
{
	const char *slash = strrchr(path, '/');
	char name[PATH_BYTES], beside[2 * PATH_BYTES], *at;

	size = size < NAME_MAX ? size : NAME_MAX;
	memcpy(name, data, size);
	name[size] = '\0';
	while ((at = strchr(name, '/')))
		*at = '_';
	if (!is_name(name, strlen(name)))
		return;
	snprintf(beside, sizeof(beside), "%.*s/%s", slash ? (int)(slash - path) : 0, path, name);
	if (slash && strlen(beside) < PATH_BYTES)
		put(beside, was->kind, was->data.data, was->data.size);
}

static void put_anywhere(const uint8_t *data, size_t size)
{
	size_t length = strnlen((const char *)data, size), part;
	char path[PATH_BYTES];
	const char *at;

	if (!length || length >= sizeof(path))
		return;
	memcpy(path, data, length);
	path[length] = '\0';
	for (at = path; *at; at += part + (at[part] == '/' && at[part + 1])) {
		part = strcspn(at, "/");
		if (!is_name(at, part))
			return;
	}
	if (length == size)
		put(path, TREE_FOLDER, "", 0);
	else
		put(path, TREE_FILE, data + length + 1, size - length - 1);
}

/* Finds the offsets of the capability pointers in a config space. */
static size_t find_pointers(const uint8_t *config, size_t size, size_t *places)
{
	size_t count = 0, at;

	for (at = 0x34; at < size && at < CONFIG_EXTENDED && count < POINTERS_MAX / 2;
	     at = config[at] + 1)
		places[count++] = at;
	for (at = CONFIG_EXTENDED; at + 3 < size && count < POINTERS_MAX; at = config[at + 3] << 4) {
		places[count++] = at + 3;
		if (config[at + 3] << 4 <= (int)at)
			break;
	}
	return count;
}

/* @data has four bytes: index of the pointer, kind of change, new value, unused. */
static void set_pointer(uint8_t *config, size_t size, const uint8_t *data, size_t bytes)
{
	size_t places[POINTERS_MAX], count = find_pointers(config, size, places), at;

	if (!count || bytes < 4)
		return;
	at = places[data[0] % count];
	switch (data[1] % 4) {
	case 0:
		/* The capability points to itself. */
		config[at] = at >= CONFIG_EXTENDED ? at >> 4 : at - 1;
		break;
	case 1:
		config[at] = at >= CONFIG_EXTENDED ? CONFIG_EXTENDED >> 4 : config[0x34];
		break;
	case 2:
		config[at] = data[2];
		break;
	default:
		/* The ID of the capability changes, not its pointer. */
		config[at & ~3u] = data[2];
	}
}

/* Replaces a file by a changed copy. @was is the file, or that of the base if it is gone. */
static void change_data(const char *path, const struct tree_entry *was, enum host_change what,
			const uint8_t *data, size_t size)
{
	size_t at = number(data, size, 0), bytes = was->data.size;
	struct bytes copy = { 0 };

	bytes_add(&copy, was->data.data ?: "", bytes);
	if (what == HOST_CUT) {
		bytes = at < bytes ? at : bytes;
	} else if (what == HOST_REPEAT && bytes) {
		while (copy.size < at)
			bytes_add(&copy, was->data.data, bytes);
		bytes = at;
	} else if (what == HOST_PATCH && size > 2 && bytes) {
		at %= bytes;
		size = size - 2 < bytes - at ? size - 2 : bytes - at;
		memcpy(copy.data + at, data + 2, size);
	} else if (what == HOST_POINTER) {
		set_pointer((uint8_t *)copy.data, bytes, data, size);
	}
	put(path, TREE_FILE, copy.data, bytes);
	bytes_free(&copy);
}

static void change(enum host_change what, const struct tree_entry *in_base,
		   const uint8_t *data, size_t size)
{
	const char *path = in_base->path;
	const struct item *item = find(path);
	const struct tree_entry *was = item && !item->special ? &item->entry : in_base;
	uint8_t first = size ? data[0] : 0;

	switch (what) {
	case HOST_TEXT:
		put(path, TREE_FILE, data, size);
		break;
	case HOST_PATCH ... HOST_POINTER:
		if (was->kind == TREE_FILE)
			change_data(path, was, what, data, size);
		break;
	case HOST_LINK:
		link_text(path, data, size);
		break;
	case HOST_LINK_TO:
		link_to(path, data, size);
		break;
	case HOST_LINK_OUT:
		link_out(path, first);
		break;
	case HOST_FOLDER:
		put(path, TREE_FOLDER, "", 0);
		break;
	case HOST_DEEP:
		put_deep(path, first);
		break;
	case HOST_GONE:
		take_out(path);
		if (disk)
			host_disk_gone(path);
		break;
	case HOST_NAME:
		put_beside(path, was, data, size);
		break;
	case HOST_ADD:
		put_anywhere(data, size);
		break;
	case HOST_PIPE:
		put_special(path, S_IFIFO, 0);
		break;
	case HOST_SOCKET:
		put_special(path, S_IFSOCK, 0);
		break;
	case HOST_DEVICE:
		put_special(path, S_IFCHR, 0);
		break;
	case HOST_SPARSE:
		put_special(path, S_IFREG, (off_t)1 << (12 + first % 30));
		break;
	case HOST_CHANGES:
		break;
	}
}

static void begin(void)
{
	const struct tree *base = host_base();
	size_t i;

	if (item_room < base->count) {
		item_room = base->count + 64;
		items = realloc(items, item_room * sizeof(*items));
		REQUIRE(items);
	}
	for (i = 0; i < base->count; i++)
		items[i] = (struct item) { .entry = base->list[i] };
	item_count = base->count;
}

static void change_all(const uint8_t *data, size_t size)
{
	size_t changes, bytes;

	for (changes = 0; changes < HOST_CHANGES_MAX && size >= 5; changes++) {
		bytes = number(data, size, 3);
		if (bytes > size - 5)
			bytes = size - 5;
		change(data[0] % HOST_CHANGES, host_base_find(number(data, size, 1)), data + 5,
		       bytes);
		data += 5 + bytes;
		size -= 5 + bytes;
	}
}

/**
 * host_make() - apply changes to the base
 * @data: changes, encoded as enum host_change describes
 * @size: of @data in bytes
 * @on_disk: whether to apply them on disk, too; assumed if an entry can only be there
 */
void host_make(const uint8_t *data, size_t size, bool on_disk)
{
	disk = on_disk;
	begin();
	change_all(data, size);
	if (!specials || disk)
		return;
	host_end();
	disk = true;
	begin();
	change_all(data, size);
}

/**
 * host_is_plain() - tell whether an archive could hold the changed host
 *
 * Return: false if some entries can only be on disk.
 */
bool host_is_plain(void)
{
	return !specials;
}

/**
 * host_tree() - get the changed host in memory
 *
 * Return: sorted tree of the host, valid until host_end().
 */
const struct tree *host_tree(void)
{
	size_t i;

	entries = realloc(entries, (item_count + 1) * sizeof(*entries));
	REQUIRE(entries);
	for (i = 0; i < item_count; i++)
		entries[i] = items[i].entry;
	tree = (struct tree) { entries, item_count };
	return &tree;
}

/**
 * host_end() - undo the changes
 */
void host_end(void)
{
	cut_out(0, item_count);
	host_disk_undo();
}
