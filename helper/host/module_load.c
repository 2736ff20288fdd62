// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <libkmod.h>
#include <string.h>

#include "module.h"

#define LIBRARY	"libkmod.so.2"

/*
 * libkmod takes libcrypto with it, a megabyte and a half of memory that the daemon
 * would hold for ever; so it is there only while a module is loaded.
 */
static struct {
	typeof(&kmod_new) new;
	typeof(&kmod_unref) unref;
	typeof(&kmod_set_log_priority) set_log_priority;
	typeof(&kmod_module_new_from_lookup) lookup;
	typeof(&kmod_list_next) next;
	typeof(&kmod_module_get_module) module;
	typeof(&kmod_module_probe_insert_module) insert;
	typeof(&kmod_module_unref) unref_module;
	typeof(&kmod_module_unref_list) unref_list;
} kmod;

static bool symbol(void *library, const char *name, void *pointer)
{
	void *found = dlsym(library, name);

	memcpy(pointer, &found, sizeof(found));
	return found;
}

static void *library_open(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return NULL;
	if (symbol(library, "kmod_new", &kmod.new) &&
	    symbol(library, "kmod_unref", &kmod.unref) &&
	    symbol(library, "kmod_set_log_priority", &kmod.set_log_priority) &&
	    symbol(library, "kmod_module_new_from_lookup", &kmod.lookup) &&
	    symbol(library, "kmod_list_next", &kmod.next) &&
	    symbol(library, "kmod_module_get_module", &kmod.module) &&
	    symbol(library, "kmod_module_probe_insert_module", &kmod.insert) &&
	    symbol(library, "kmod_module_unref", &kmod.unref_module) &&
	    symbol(library, "kmod_module_unref_list", &kmod.unref_list))
		return library;
	dlclose(library);
	return NULL;
}

static int insert(struct kmod_ctx *ctx, const char *name)
{
	struct kmod_list *list = NULL, *at;
	int ret = kmod.lookup(ctx, name, &list);

	if (ret < 0)
		return ret;
	if (!list)
		return -ENOENT;
	for (at = list; at; at = kmod.next(list, at)) {
		struct kmod_module *module = kmod.module(at);

		ret = kmod.insert(module, KMOD_PROBE_APPLY_BLACKLIST, NULL, NULL, NULL,
				  NULL);
		kmod.unref_module(module);
		if (ret == KMOD_PROBE_APPLY_BLACKLIST)
			ret = -EACCES;
		if (ret < 0)
			break;
	}
	kmod.unref_list(list);
	return ret;
}

/**
 * module_load() - load a module, as modprobe would
 * @name: of it
 *
 * Return: 0 or a negative errno; -ENOENT if it is not installed, -EACCES if it is
 * blacklisted, -ELIBACC without libkmod.
 */
int module_load(const char *name)
{
	void *library = library_open();
	struct kmod_ctx *ctx;
	int ret = -ENOMEM;

	if (!library)
		return -ELIBACC;
	ctx = kmod.new(NULL, NULL);
	if (ctx) {
		kmod.set_log_priority(ctx, 0);
		ret = insert(ctx, name);
		kmod.unref(ctx);
	}
	dlclose(library);
	return ret < 0 ? ret : 0;
}
