// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "user.h"
#include "users.h"

/* libvirt keeps the XML of a running VM here, with the addresses that it has assigned. */
#define LIBVIRT_FOLDER	"/run/libvirt/qemu"

static void take_address(struct user *user, const char *bdf, const struct guest_map *map)
{
	size_t i;

	for (i = 0; i < map->count && !*user->guest; i++)
		if (!strcmp(map->list[i].host, bdf))
			memcpy(user->guest, map->list[i].guest, sizeof(user->guest));
}

static void ask_libvirt(struct user *user, const char *bdf)
{
	struct guest_map_files files = { .count = 1 };
	char path[sizeof(LIBVIRT_FOLDER) + sizeof(user->vm) + 8];
	struct guest_map map = { 0 };

	if (strcmp(user->manager, "libvirt") || !*user->vm || strchr(user->vm, '/'))
		return;
	snprintf(path, sizeof(path), LIBVIRT_FOLDER "/%s.xml", user->vm);
	if (access(path, R_OK))
		return;
	files.name[0] = path;
	say_hush(true);
	if (!guest_map_read(&map, &files))
		take_address(user, bdf, &map);
	say_hush(false);
	guest_map_free(&map);
}

static void add_addresses(struct device *dev, const struct guest_map *map)
{
	size_t i;

	for (i = 0; i < dev->users.count; i++) {
		take_address(&dev->users.list[i], dev->bdf, map);
		if (!*dev->users.list[i].guest)
			ask_libvirt(&dev->users.list[i], dev->bdf);
	}
}

/**
 * users_drop() - free the users that users_add() has added
 * @devices: the GPUs
 */
void users_drop(struct devices *devices)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		users_free(&devices->list[i].users);
}

/**
 * users_add() - add the users of GPUs
 * @devices: GPUs of this host; their users are set, for users_drop()
 * @map: addresses of GPUs in guests, as the operator gave them
 */
void users_add(struct devices *devices, const struct guest_map *map)
{
	struct user_search *search = array_new(devices->count, sizeof(*search));
	size_t count = 0, i;

	for (i = 0; i < devices->count; i++) {
		struct device *dev = &devices->list[i];

		dev->users_known = true;
		if (!dev->unmanaged && (dev->open || dev->state < 0))
			search[count++] = (struct user_search) {
				.bdf = dev->bdf,
				.open = dev->state >= 0 ? (int)dev->open : OPEN_UNKNOWN,
				.users = &dev->users,
			};
	}
	user_list(search, count);
	free(search);
	for (i = 0; i < devices->count; i++)
		add_addresses(&devices->list[i], map);
}
