// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "now.h"
#include "progress.h"
#include "say.h"

#define PATIENCE_MS	2000	/* shorter operations are not shown */

/* The operation under way; doing is NULL if there is none to show. */
static struct {
	const char *doing;
	char what[TEXT_BYTES];	/* current item, such as a device */
	size_t number;		/* of the item, from 1 */
	size_t count;		/* of items */
	int64_t began;		/* ms */
	int shown;		/* columns on the terminal */
} progress;

static void erase(void)
{
	if (!progress.shown)
		return;
	fprintf(stderr, "\r%*s\r", progress.shown, "");
	fflush(stderr);
	progress.shown = 0;
}

/**
 * progress_begin() - begin an operation that may take long
 * @doing: verb, such as "resetting"; NULL if nothing is to be shown
 */
void progress_begin(const char *doing)
{
	memset(&progress, 0, sizeof(progress));
	if (!doing || !is_terminal(STDERR_FILENO))
		return;
	progress.doing = doing;
	progress.began = now_ms();
}

/**
 * progress_step() - name the item that the operation works on next
 * @what: item, such as a device
 * @number: number of the item, from 1
 * @count: number of all items
 */
void progress_step(const char *what, size_t number, size_t count)
{
	snprintf(progress.what, sizeof(progress.what), "%s", what);
	progress.number = number;
	progress.count = count;
}

/**
 * progress_is_shown() - tell whether progress_tick() has a line to show
 *
 * Return: true between progress_begin() and progress_end() on a terminal.
 */
bool progress_is_shown(void)
{
	return progress.doing;
}

/**
 * progress_tick() - update the line as time passes
 * @waiting: the operation still runs; otherwise the line is erased, since the caller may
 *	print now
 *
 * The line uses carriage returns and blanks only, so NO_COLOR does not concern it.
 */
void progress_tick(bool waiting)
{
	int64_t ms = progress.doing ? now_ms() - progress.began : 0;
	char text[TEXT_BYTES + 128];
	size_t at;

	if (!waiting || ms < PATIENCE_MS) {
		erase();
		return;
	}
	at = snprintf(text, sizeof(text), "%s%s%s: %lld s", progress.doing,
		      *progress.what ? " " : "", progress.what, (long long)ms / 1000);
	if (progress.count > 1)
		at += snprintf(text + at, sizeof(text) - at, " (%zu of %zu)",
			       progress.number, progress.count);
	/* The padding overwrites the rest of a longer previous line. */
	fprintf(stderr, "\r%-*s", progress.shown, text);
	fflush(stderr);
	if ((int)at > progress.shown)
		progress.shown = at;
}

/**
 * progress_end() - end the operation and erase its line
 */
void progress_end(void)
{
	erase();
	progress.doing = NULL;
}
