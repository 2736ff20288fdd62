// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <libkmod.h>
#include <stdio.h>
#include <string.h>

#include "library.h"
#include "module.h"

#define LIBRARY	"libkmod.so.2"

LIBRARY_NOTE("modules", "required", "\"" LIBRARY "\"");

/*
 * libkmod pulls in libcrypto, a megabyte and a half of memory that the daemon would hold for
 * ever. instinctctl therefore loads libkmod only for the time of a call.
 */
static struct kmod {
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

static const struct library_call calls[] = {
	{ "kmod_new", offsetof(struct kmod, new) },
	{ "kmod_unref", offsetof(struct kmod, unref) },
	{ "kmod_set_log_priority", offsetof(struct kmod, set_log_priority) },
	{ "kmod_module_new_from_lookup", offsetof(struct kmod, lookup) },
	{ "kmod_list_next", offsetof(struct kmod, next) },
	{ "kmod_module_get_module", offsetof(struct kmod, module) },
	{ "kmod_module_probe_insert_module", offsetof(struct kmod, insert) },
	{ "kmod_module_unref", offsetof(struct kmod, unref_module) },
	{ "kmod_module_unref_list", offsetof(struct kmod, unref_list) },
	{ "kmod_module_get_info", offsetof(struct kmod, info) },
	{ "kmod_module_info_get_key", offsetof(struct kmod, key) },
	{ "kmod_module_info_get_value", offsetof(struct kmod, value) },
	{ "kmod_module_info_free_list", offsetof(struct kmod, free_info) },
};

/* Look up the modules with a name or alias; -ENOENT if none is installed. */
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

/* Load libkmod, call @act and unload libkmod. */
static int with_library(int (*act)(struct kmod_ctx *ctx, const char *name, void *data),
			const char *name, void *data)
{
	const char *missing;
	void *library = library_open(LIBRARY, calls, sizeof(calls) / sizeof(calls[0]), &kmod, &missing);
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
 * @name: name of the module
 *
 * Return: 0 or a negative errno; -ENOENT if it is not installed, -EACCES if it is
 * blacklisted, -ELIBACC without libkmod.
 */
int module_load(const char *name)
{
	return with_library(insert, name, NULL);
}

/**
 * module_installed() - get the version of an installed module
 * @name: name of the module
 * @version: receives the version, empty if the module has none
 *
 * Return: 0 or a negative errno; -ENOENT if none is installed for the running kernel,
 * -ELIBACC without libkmod.
 */
int module_installed(const char *name, struct module_version *version)
{
	*version->text = '\0';
	return with_library(look, name, version);
}
