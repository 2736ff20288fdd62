// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"
#include "each.h"
#include "out.h"
#include "progress.h"
#include "say.h"

/**
 * each_target() - call a function for each device
 * @targets: the devices
 * @one: acts on a device, reports the result, and returns an exit code
 * @data: passed to @one
 *
 * A failure does not keep each_target() from the remaining devices.
 *
 * Return: the exit code of the first failure, or 0.
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

/* The request of each_managed(). */
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

	code = ret ? nl_refused(nl, "list", "devices", ret) : EXIT_OK;
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
	say_error(ERROR_NO_MODULE, "%s: the module is not loaded, so no GPU is managed (instinctctl bind %s)",
		  bdf, bdf);
	return EXIT_ERROR;
}

/* Report each device as failed: the module is not loaded, and must not be loaded. */
static int none_managed(const struct targets *targets, bool all)
{
	if (!all)
		return each_target(targets, complain, NULL);
	warn_of_none();
	return EXIT_OK;
}

/**
 * each_managed() - send the module a request for each device
 * @argc: number of words after the options
 * @argv: PCI addresses
 * @all: the command line has --all, which means all managed devices
 * @when: whether to load the module if it is not loaded
 * @method: passed to @one
 * @one: sends the request, reports the result, and returns an exit code
 *
 * Return: the exit code of the first failure, or 0.
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
	/* The list is empty after an error. */
	if (request.nl) {
		code = code ?: each_target(&targets, ask, &request);
		nl_close(request.nl);
	}
	targets_free(&targets);
	return code;
}
