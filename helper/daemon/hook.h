/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One executable that is run for an event. */
#ifndef HOOK_H
#define HOOK_H

#include <systemd/sd-event.h>

#include "model.h"

struct hook;

/**
 * typedef hook_end_t - a hook has ended
 * @status: as of waitpid()
 * @timed_out: it was killed because it took too long
 * @data: given to hook_start()
 */
typedef void (*hook_end_t)(int status, bool timed_out, void *data);

int hook_find(const char *folder, const char *name, char *path, size_t size,
	      const char **why);
struct hook *hook_start(sd_event *loop, const char *path, const struct event *event,
			uint32_t timeout, hook_end_t end, void *data, int *error);
void hook_stop(struct hook *hook);

#endif /* HOOK_H */
