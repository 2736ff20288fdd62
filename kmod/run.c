// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>

#include "run.h"

/**
 * instinct_run_tell() - tell of a reset, with what its phases took until now
 * @run: the reset
 * @kind: of the event
 * @error: negative errno, or 0
 * @why: reason, for people; empty if there is none
 *
 * Context: under the device's reset_lock.
 */
void instinct_run_tell(struct instinct_run *run, enum instinct_vfio_event kind,
		       int error, const char *why)
{
	struct instinct_event event = run->attempt.event;

	event.kind = kind;
	event.cause = run->reset->cause;
	event.method = run->attempt.method;
	event.error = -error;
	if (kind == INSTINCT_VFIO_EVENT_RESET_FAILED)
		event.duration = ktime_get_ns() - run->began;
	strscpy(event.reason, why, sizeof(event.reason));
	instinct_device_emit(run->dev, &event);
}
