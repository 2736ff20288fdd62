// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"
#include "each.h"
#include "out.h"
#include "progress.h"
#include "say.h"

/**
 * each_target() - do something to each device
 * @targets: they
 * @one: does it, says how it went, and returns an exit code
 * @data: for @one
 *
 * To all of them, whatever becomes of one.
 *
 * Return: the exit code of the first that failed.
 */
int each_target(const struct targets *targets, int (*one)(const char *bdf, void *data),
		void *data)
{
	int code = EXIT_OK, ret;
	size_t i;

	for (i = 0; i < targets->count; i++) {
		progress_step(targets->bdf[i], i + 1, targets->count);
		ret = one(targets->bdf[i], data);
		if (ret)
			out_failed(targets->bdf[i], ret);
		code = code ? code : ret;
	}
	return code;
}

/* What each_managed() asks for each of them. */
struct request {
	struct nl *nl;
	int method;
	int (*one)(struct nl *nl, const char *bdf, int method);
};

static int ask(const char *bdf, void *data)
{
	const struct request *request = data;

	return request->one(request->nl, bdf, request->method);
}

static void warn_of_none(void)
{
	say_warning("no GPU is managed (see instinctctl bind)");
}

static int list_managed(struct nl *nl, struct targets *targets)
{
	struct devices managed = { 0 };
	int ret = nl_devices_get(nl, &managed), code;
	size_t i;

	code = ret ? cmd_failed(nl, "list", "devices", ret) : EXIT_OK;
	for (i = 0; !code && i < managed.count; i++)
		targets_add(targets, managed.list[i].bdf);
	if (!code && !managed.count)
		warn_of_none();
	devices_free(&managed);
	return code;
}

static int complain(const char *bdf, void *data)
{
	(void)data;
	say_error("%s: the module is not loaded, so no GPU is managed (instinctctl bind %s)",
		  bdf, bdf);
	return EXIT_ERROR;
}

/* Without the module, which is not to be loaded. */
static int none_managed(const struct targets *targets, bool all)
{
	if (!all)
		return each_target(targets, complain, NULL);
	warn_of_none();
	return EXIT_OK;
}

/**
 * each_managed() - ask the module something for each device
 * @argc: words after the options
 * @argv: PCI addresses
 * @all: --all was given: all managed devices
 * @when: what to do if the module is not there
 * @method: for @one
 * @one: asks, says how it went, and returns an exit code
 *
 * Return: the exit code of the first that failed.
 */
int each_managed(int argc, char *argv[], bool all, enum module_when when, int method,
		 int (*one)(struct nl *nl, const char *bdf, int method))
{
	struct request request = { .method = method, .one = one };
	struct targets targets;
	int code;

	code = targets_parse(&targets, argc, argv, all);
	if (code)
		return code;
	request.nl = module_open(when, &code);
	if (!request.nl && !code)
		code = none_managed(&targets, all);
	if (request.nl && all)
		code = list_managed(request.nl, &targets);
	/* None, if they cannot be listed. */
	if (request.nl) {
		code = code ?: each_target(&targets, ask, &request);
		nl_close(request.nl);
	}
	targets_free(&targets);
	return code;
}
