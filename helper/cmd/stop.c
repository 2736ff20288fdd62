// SPDX-License-Identifier: GPL-2.0-or-later
#include "stop.h"

/* A signal, or the command itself, has asked the command to end. */
volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/**
 * stop_on() - let signals set stop
 * @signals: the signals
 * @count: number of signals
 * @before: set to the mask for ppoll(); the signals arrive only there, so that none is missed
 *	between a check of stop and ppoll()
 *
 * stop_on() also ignores SIGPIPE, so that a write to a reader that has left returns EPIPE.
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
