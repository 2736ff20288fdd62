// SPDX-License-Identifier: GPL-2.0-or-later
#include "stop.h"

/* Somebody wants it to end, be it the command itself. */
volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/**
 * stop_on() - let signals set stop
 * @signals: which
 * @count: how many
 * @before: set to the mask for ppoll(), in which alone they arrive, so that none is
 *	missed before it
 *
 * A reader who has gone is no signal any more.
 */
void stop_on(const int *signals, size_t count, sigset_t *before)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t caught;
	size_t i;

	sigemptyset(&caught);
	for (i = 0; i < count; i++)
		sigaddset(&caught, signals[i]);
	sigprocmask(SIG_BLOCK, &caught, before);
	for (i = 0; i < count; i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}
