// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "heat.h"
#include "host_clock.h"
#include "http.h"
#include "listener.h"
#include "metrics.h"
#include "module.h"
#include "say.h"
#include "stop.h"
#include "sysroot.h"
#include "textfile.h"

#define STATE_FILE	"/var/lib/instinct-vfio/monitor.json"

/**
 * struct export - the options of export
 * @textfile: file to write, or NULL
 * @listen: address to serve at, or NULL
 * @state: the monitor's state file, or NULL for its default
 */
struct export {
	const char *textfile;
	const char *listen;
	const char *state;
};

/* sysroot_open_file() opens regular files only: a captured host may hold anything here. */
static int load_default(char *name, size_t size, struct place *place)
{
	int fd;

	snprintf(name, size, "%s" STATE_FILE, opt_sysroot);
	fd = sysroot_open_file(name);
	*place = (struct place) { 0 };
	return fd < 0 ? fd : place_load_fd(fd, place);
}

/* Without a readable state file export leaves the monitor's own metrics out. */
static bool load_place(const struct export *export, struct place *place)
{
	char name[PATH_MAX];
	int ret = export->state ? place_load(export->state, place) :
		  load_default(name, sizeof(name), place);

	if (ret && ret != -ENOENT && ret != -EACCES)
		say_warning("%s is left out: %s", export->state ? export->state : name,
			    ret == -EBADMSG ? "it is not understood" : strerror(-ret));
	return !ret;
}

/* Make the text; NULL after a reported failure to query the module. */
static char *make_text(const struct export *export, struct nl *nl, size_t *length)
{
	struct snapshot snapshot;
	struct place place;
	struct heat heat;
	char *text = NULL;
	int ret;

	ret = snapshot_take(nl, load_place(export, &place) ? &place : NULL, &snapshot);
	heat_load(&heat);
	heat_fill(&heat, &snapshot.devices, host_clock_now().boottime);
	snapshot.heat = &heat;
	if (ret)
		nl_refused(nl, "ask for", "metrics", ret);
	else
		text = metrics_text(&snapshot, length);
	heat_free(&heat);
	snapshot_free(&snapshot);
	return text;
}

/*
 * Open a socket for each request, since the module may have been loaded or unloaded meanwhile.
 * nl_open() comes first because module_open() would warn of another version each time.
 */
static char *make_page(size_t *length, void *data)
{
	int code = EXIT_OK, error;
	struct nl *nl = nl_open(&error);
	char *text;

	if (!nl)
		nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl && code)
		return NULL;
	text = make_text(data, nl, length);
	if (nl)
		nl_close(nl);
	return text;
}

static int serve(struct export *export)
{
	static const int signals[] = { SIGINT, SIGTERM };
	int code = EXIT_OK;
	struct http *http;
	sigset_t before;
	char why[512];

	stop_on(signals, sizeof(signals) / sizeof(signals[0]), &before);
	http = http_open(export->listen, make_page, export, why, sizeof(why));
	if (!http) {
		say_error(ERROR_IO, "%s", why);
		return EXIT_ERROR;
	}
	while (!stop && !code) {
		struct pollfd fd = { .fd = http_fd(http), .events = POLLIN };
		int ms = http_timeout_ms(http);
		struct timespec wait = { ms / 1000, ms % 1000 * 1000000l };

		if (ppoll(&fd, 1, ms < 0 ? NULL : &wait, &before) < 0 && errno != EINTR) {
			say_error(error_code_of(errno, ERROR_IO), "cannot wait for connections: %s", strerror(errno));
			code = EXIT_ERROR;
		}
		http_run(http);
	}
	http_close(http);
	return code;
}

static int put(const struct export *export, const char *text, size_t length)
{
	int ret;

	if (!export->textfile) {
		if (fwrite(text, 1, length, stdout) == length && !fflush(stdout))
			return EXIT_OK;
		say_error(error_code_of(errno, ERROR_IO), "cannot write metrics: %s", strerror(errno));
		return EXIT_ERROR;
	}
	ret = textfile_write(export->textfile, text, length);
	if (ret)
		say_error(error_code_of(-ret, ERROR_IO), "cannot write %s: %s", export->textfile,
			  ret == -EINVAL ? "it is there and is no regular file" :
					   strerror(-ret));
	return exit_code_of(-ret);
}

static int once(struct export *export)
{
	int code;
	/* Only a live host, or a capture with the module's answers, tells that it is not loaded. */
	struct nl *nl = module_open(module_is_told_of() ? MODULE_IF_LOADED : MODULE_LOAD,
				    &code);
	size_t length;
	char *text;

	if (!nl && code)
		return code;
	text = make_text(export, nl, &length);
	code = text ? put(export, text, length) : EXIT_ERROR;
	free(text);
	if (nl)
		nl_close(nl);
	return code;
}

/**
 * cmd_export() - run instinctctl export
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_export(int argc, char *argv[])
{
	struct export export = { 0 };
	char why[512];
	int option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 't')
			export.textfile = optarg;
		else if (option == 'l')
			export.listen = optarg;
		else
			export.state = optarg;
	}
	if (optind < argc)
		return cmd_usage("takes no devices, found \"%s\"", argv[optind]);
	if (export.textfile && export.listen)
		return cmd_usage("--textfile and --listen do not go together");
	if (export.listen && *opt_sysroot)
		return cmd_usage("--listen and --sysroot do not go together");
	if (export.listen && !listener_check(export.listen, why, sizeof(why)))
		return cmd_usage("%s", why);
	if (opt_json)
		return cmd_usage("prints Prometheus' format only; for JSON there is instinctctl status --json");
	return export.listen ? serve(&export) : once(&export);
}
