// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "dump.h"
#include "manifest.h"
#include "mask.h"
#include "now.h"
#include "progress.h"
#include "reader.h"
#include "say.h"
#include "shorten.h"
#include "sysfs.h"
#include "take.h"

#define STEPS		5

/* The name of this host, or of a captured one; "" if the capture does not have it. */
static void name_of_host(char *name, size_t size)
{
	struct utsname host;
	char path[PATH_MAX];
	ssize_t n;

	if (!*opt_sysroot) {
		uname(&host);
		snprintf(name, size, "%s", host.nodename);
	} else {
		snprintf(path, sizeof(path), "%s/proc/sys/kernel/hostname", opt_sysroot);
		n = sysfs_read(path, name, size - 1);
		name[n < 0 ? 0 : n] = '\0';
	}
	name[strcspn(name, ".\n")] = '\0';
}

static void make_top(struct dump *dump, const char *host)
{
	time_t second = dump->when.realtime / NS_PER_S;
	struct tm utc;
	char date[32];
	size_t i;

	gmtime_r(&second, &utc);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &utc);
	snprintf(dump->top, sizeof(dump->top), "instinct-vfio-%.64s-%s",
		 dump->masked ? "masked" : *host ? host : "host", date);
	/* A hostname may hold any byte; keep those that are safe in a file name. */
	for (i = 0; dump->top[i]; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-",
			    dump->top[i]))
			dump->top[i] = '-';
}

static void mask(struct dump *dump, const char *host)
{
	struct mask masks = { 0 };

	mask_add_host(&masks, host);
	mask_tree(&masks, &dump->tree);
	mask_free(&masks);
	/* Masking may have renamed entries. */
	tree_sort(&dump->tree);
}

static void take(struct dump *dump)
{
	struct tree *tree = &dump->tree;
	struct devices managed = { 0 };

	take_power(tree);
	tree_sort(tree);
	reader_run(tree);
	take_clock(tree, &dump->when);
	progress_step("the module", 1, STEPS);
	take_module(tree, &managed);
	progress_step("the host", 2, STEPS);
	take_functions(tree, &managed);
	take_host(tree, dump->mask);
	take_policy(tree);
	take_use(tree, dump->mask);
	devices_free(&managed);
	tree_sort(tree);
	reader_run(tree);
	shorten(tree);
	progress_step("the log and versions", 3, STEPS);
	if (*opt_sysroot) {
		take_notes(tree);
		tree_sort(tree);
		reader_run(tree);
	} else {
		take_log(tree, dump->all_log);
		take_programs(tree);
		tree_sort(tree);
	}
}

/**
 * dump_take() - take a capture of this host, or copy a captured one
 * @dump: dump with its options set; the caller must call dump_free() in any case
 * @run: callback that runs a command of instinctctl, whose output is added
 */
void dump_take(struct dump *dump, show_run_t run)
{
	char host[128] = "";

	dump->when = host_clock_now();
	dump->masked = dump->mask || manifest_says_masked();
	name_of_host(host, sizeof(host));
	make_top(dump, host);
	take(dump);
	if (dump->mask)
		mask(dump, host);
	progress_step("the output of instinctctl", 4, STEPS);
	show_all(&dump->tree, dump->top, run);
	tree_sort(&dump->tree);
	manifest_add(dump);
	tree_sort(&dump->tree);
	progress_step("the archive", STEPS, STEPS);
}

/**
 * dump_free() - free the files of a dump
 * @dump: dump, taken or zeroed
 */
void dump_free(struct dump *dump)
{
	tree_free(&dump->tree);
}
