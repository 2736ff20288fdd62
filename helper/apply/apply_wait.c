// SPDX-License-Identifier: GPL-2.0-or-later
#include "apply_parts.h"
#include "progress.h"
#include "say.h"

#define SETTLE_MS	10000	/* limit for devices that come and go */
#define PAUSE_MS	50	/* first pause */
#define PAUSE_MAX_MS	1000
#define NOTICE_MS	2000	/* wait after which the user is told */

static int give_up(const struct apply *apply, int reason, int64_t ms)
{
	if (reason == BUSY)
		say_error(ERROR_BUSY, "%s has been bound, unbound or reset for %lld s; nothing has been changed, try again",
			  apply->culprit, (long long)ms / 1000);
	else if (*apply->why)
		say_error(ERROR_REFUSED, "%s: %s", apply->culprit, apply->why);
	else
		say_error(ERROR_BUSY, "devices come and go while the policy is applied; run it again when that is over");
	return EXIT_ERROR;
}

/* On a terminal, the line of progress makes the warning superfluous. */
static void notice(const struct apply *apply, struct patience *patience)
{
	if (!patience->noticed && !progress_is_shown())
		say_warning("%s is being bound, unbound or reset; its policy waits for that",
			    apply->culprit);
	patience->noticed = true;
}

/**
 * patience_begin() - start without any wait
 * @patience: set
 */
void patience_begin(struct patience *patience)
{
	*patience = (struct patience) { .pause = PAUSE_MS };
}

/**
 * patience_wait() - pause before the next attempt
 * @patience: waits so far
 * @apply: the run
 * @reason: AGAIN or BUSY
 *
 * Return: 0 to try again, or an exit code after printing the reason.
 */
int patience_wait(struct patience *patience, const struct apply *apply, int reason)
{
	int64_t limit = reason == BUSY ? apply->patience ?: APPLY_PATIENCE_MS : SETTLE_MS;
	int64_t now = apply->calls->now(), waited;
	int64_t *since = &patience->since[-reason];

	/* Time spent on a busy device must not count against the limit for a changing host. */
	if (reason == BUSY)
		patience->since[-AGAIN] = 0;
	if (!*since)
		*since = now;
	waited = now - *since;
	if (waited >= limit)
		return give_up(apply, reason, waited);
	if (reason == BUSY && waited >= NOTICE_MS)
		notice(apply, patience);
	apply->calls->pause(patience->pause);
	patience->pause *= 2;
	if (patience->pause > PAUSE_MAX_MS)
		patience->pause = PAUSE_MAX_MS;
	return EXIT_OK;
}
