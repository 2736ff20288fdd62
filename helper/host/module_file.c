// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <libkmod.h>
#include <stdio.h>
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
	typeof(&kmod_module_get_info) info;
	typeof(&kmod_module_info_get_key) key;
	typeof(&kmod_module_info_get_value) value;
	typeof(&kmod_module_info_free_list) free_info;
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
	    symbol(library, "kmod_module_unref_list", &kmod.unref_list) &&
	    symbol(library, "kmod_module_get_info", &kmod.info) &&
	    symbol(library, "kmod_module_info_get_key", &kmod.key) &&
	    symbol(library, "kmod_module_info_get_value", &kmod.value) &&
	    symbol(library, "kmod_module_info_free_list", &kmod.free_info))
		return library;
	dlclose(library);
	return NULL;
}

/* Modules by this name; -ENOENT if none is installed. */
static int lookup(struct kmod_ctx *ctx, const char *name, struct kmod_list **list)
{
	int ret = kmod.lookup(ctx, name, list);

	if (ret < 0)
		return ret;
	return *list ? 0 : -ENOENT;
}

static int insert(struct kmod_ctx *ctx, const char *name, void *nothing)
{
	struct kmod_list *list = NULL, *at;
	int ret = lookup(ctx, name, &list);

	(void)nothing;
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

static void version_of(struct kmod_module *module, struct module_version *version)
{
	struct kmod_list *list = NULL, *at;

	if (kmod.info(module, &list) < 0)
		return;
	for (at = list; at; at = kmod.next(list, at))
		if (!strcmp(kmod.key(at), "version"))
			snprintf(version->text, sizeof(version->text), "%s",
				 kmod.value(at));
	kmod.free_info(list);
}

static int look(struct kmod_ctx *ctx, const char *name, void *version)
{
	struct kmod_list *list = NULL;
	int ret = lookup(ctx, name, &list);

	if (!ret) {
		struct kmod_module *module = kmod.module(list);

		version_of(module, version);
		kmod.unref_module(module);
	}
	kmod.unref_list(list);
	return ret;
}

/* What @act does with libkmod, which is there meanwhile. */
static int with_library(int (*act)(struct kmod_ctx *ctx, const char *name, void *data),
			const char *name, void *data)
{
	void *library = library_open();
	struct kmod_ctx *ctx;
	int ret = -ENOMEM;

	if (!library)
		return -ELIBACC;
	ctx = kmod.new(NULL, NULL);
	if (ctx) {
		kmod.set_log_priority(ctx, 0);
		ret = act(ctx, name, data);
		kmod.unref(ctx);
	}
	dlclose(library);
	return ret < 0 ? ret : 0;
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
	return with_library(insert, name, NULL);
}

/**
 * module_installed() - which version of a module would be loaded today
 * @name: of it
 * @version: set; empty if the module has none
 *
 * Return: 0 or a negative errno; -ENOENT if none is installed for the running kernel,
 * -ELIBACC without libkmod.
 */
int module_installed(const char *name, struct module_version *version)
{
	*version->text = '\0';
	return with_library(look, name, version);
}
