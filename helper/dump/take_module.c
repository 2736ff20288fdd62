// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host_clock.h"
#include "nl_record.h"
#include "nl_replay.h"
#include "say.h"
#include "take.h"

static void on_answer(const char *name, int error, const struct bytes *answers, void *data)
{
	struct tree *tree = data;
	char path[128];

	snprintf(path, sizeof(path), NL_RECORDS "/%s", name);
	if (error)
		tree_miss(tree, path, strerror(-error));
	else
		bytes_add(&tree_add(tree, path, TREE_FILE)->data, answers->data, answers->size);
}

/**
 * take_clock() - add the time of the capture to it
 * @tree: files of the capture; extended
 * @now: time from host_clock_now()
 */
void take_clock(struct tree *tree, const struct host_clock *now)
{
	char text[128];

	host_clock_text(now, text, sizeof(text));
	bytes_add(&tree_add(tree, HOST_CLOCK_FILE, TREE_FILE)->data, text, strlen(text));
}

/**
 * take_module() - add the module's answers to all read-only requests to a capture
 * @tree: files of the capture; extended
 * @managed: empty list, filled with the GPUs that the module manages
 *
 * An empty folder for the answers means that the module is not loaded. A capture without the
 * folder does not tell whether the module was loaded.
 */
void take_module(struct tree *tree, struct devices *managed)
{
	struct nl *nl;
	int error;

	nl = nl_open(&error);
	if (*opt_sysroot && !nl_is_recorded()) {
		tree_miss(tree, NL_RECORDS, "the capture does not have the module's answers");
	} else if (!nl && error == ENOENT) {
		tree_add(tree, NL_RECORDS, TREE_FOLDER);
		tree_miss(tree, NL_RECORDS "/GETFAMILY", "the module is not loaded");
	} else if (!nl) {
		tree_miss(tree, NL_RECORDS, strerror(error));
	} else {
		nl_record_all(nl, on_answer, tree);
		if (nl_devices_get(nl, managed))
			devices_free(managed);
		nl_close(nl);
	}
}

/**
 * take_notes() - copy logs and versions from one capture into another
 * @tree: files of the new capture; extended
 */
void take_notes(struct tree *tree)
{
	take_glob(tree, "instinct-vfio/*.log");
	take_glob(tree, "instinct-vfio/units.txt");
	take_glob(tree, "instinct-vfio/versions.txt");
}
