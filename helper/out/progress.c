// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "now.h"
#include "progress.h"
#include "say.h"

#define PATIENCE_MS	2000	/* after which one wants to know */

/* What is being done; of what, which one of how many; since when; what is shown. */
static struct {
	const char *doing;
	char what[TEXT_BYTES];
	size_t number;
	size_t count;
	int64_t began;
	int shown;
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
 * progress_begin() - something begins that may take long
 * @doing: what, such as "resetting"; NULL: nothing that is to be shown
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
 * progress_step() - what comes next
 * @what: it, such as a device
 * @number: which one, from 1
 * @count: of how many
 */
void progress_step(const char *what, size_t number, size_t count)
{
	snprintf(progress.what, sizeof(progress.what), "%s", what);
	progress.number = number;
	progress.count = count;
}

/**
 * progress_is_shown() - would anybody see that time passes?
 *
 * Return: true if so.
 */
bool progress_is_shown(void)
{
	return progress.doing;
}

/**
 * progress_tick() - time passes
 * @waiting: it is still being waited for; else the line goes, since something may
 *	be printed now
 *
 * Only carriage returns and blanks are written, so NO_COLOR has nothing to forbid.
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
	/* Blanks over what was longer before. */
	fprintf(stderr, "\r%-*s", progress.shown, text);
	fflush(stderr);
	if ((int)at > progress.shown)
		progress.shown = at;
}

/**
 * progress_end() - it is done
 */
void progress_end(void)
{
	erase();
	progress.doing = NULL;
}
