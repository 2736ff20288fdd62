// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf_files.h"
#include "nl_replay.h"
#include "say.h"
#include "show.h"
#include "sysroot.h"
#include "tree_path.h"

#define OUTPUT_BYTES	(8u << 20)

static const struct show shows[] = {
	{ .file = "instinct-vfio/status.txt", .argv = { "status" } },
	{ .file = "instinct-vfio/status.json", .argv = { "status" }, .json = true },
	{ .file = "instinct-vfio/check.txt", .argv = { "check" }, .policy = true },
	{ .file = "instinct-vfio/check.json", .argv = { "check" }, .json = true, .policy = true },
	{ .file = "instinct-vfio/sensors.txt", .argv = { "sensors", "--all" } },
	{ .file = "instinct-vfio/policy-in-force.conf", .argv = { "show-policy", "--all" }, .module = true },
	{ .file = "instinct-vfio/events.jsonl", .argv = { "monitor" }, .json = true, .module = true },
	{ .file = "instinct-vfio/events.txt", .argv = { "monitor" }, .module = true },
	{ .file = "instinct-vfio/metrics.prom", .argv = { "export" } },
};

static void __attribute__((noreturn)) print(const struct tree *tree, const struct show *show,
					    const char *top, int fd, show_run_t run)
{
	bool for_people = !show->json && strcmp(show->argv[0], "export");
	int argc = 0, none = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char *argv[SHOW_WORDS + 1] = { NULL };

	for (; argc < SHOW_WORDS && show->argv[argc]; argc++)
		argv[argc] = show->argv[argc];
	if (none < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
	    dup2(for_people ? fd : none, STDERR_FILENO) < 0)
		_exit(EXIT_ERROR);
	sysroot_set(top, tree);
	opt_json = show->json;
	opt_color = false;
	opt_debug = false;
	/* glibc: 0 makes getopt_long() start again. */
	optind = 0;
	run(argc, argv);
	fflush(NULL);
	_exit(EXIT_OK);
}

/* Run the command in a child process, whose --sysroot is the capture. */
static void show_one(const struct tree *tree, struct tree *said, const struct show *show,
		     const char *top, show_run_t run)
{
	int fd = memfd_create("show", MFD_CLOEXEC), status;
	struct bytes output = { 0 };
	pid_t child;

	fflush(NULL);
	child = fd < 0 ? -1 : fork();
	if (!child)
		print(tree, show, top, fd, run);
	if (child > 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	if (child > 0 && WIFEXITED(status) && !lseek(fd, 0, SEEK_SET) &&
	    bytes_read(&output, fd, OUTPUT_BYTES) >= 0) {
		tree_add(said, show->file, TREE_FILE)->data = output;
	} else {
		bytes_free(&output);
		tree_miss(said, show->file, "the command failed");
	}
	if (fd >= 0)
		close(fd);
}

static bool has_module(const struct tree *tree)
{
	return tree_find(tree, NL_RECORDS "/GETFAMILY");
}

/* check needs the policy in force or policy files. */
static bool has_policy(void)
{
	return !*opt_sysroot || nl_is_recorded() || conf_files_exist();
}

/**
 * show_all() - run commands of instinctctl on a capture, and add their output to it
 * @tree: sorted files of the capture; extended
 * @top: top folder of the capture, by which the commands name it in messages
 * @run: callback that runs a command
 */
void show_all(struct tree *tree, const char *top, show_run_t run)
{
	bool module = has_module(tree), policy = has_policy();
	struct tree said = { 0 };
	size_t i;

	for (i = 0; i < sizeof(shows) / sizeof(shows[0]); i++)
		if ((!shows[i].module || module) && (!shows[i].policy || policy))
			show_one(tree, &said, &shows[i], top, run);
	tree_move(tree, &said);
}
