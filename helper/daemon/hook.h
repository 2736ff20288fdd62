/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running one executable for an event. */
#ifndef HOOK_H
#define HOOK_H

#include <systemd/sd-event.h>

#include "model.h"

struct hook;

/**
 * typedef hook_end_t - called when a hook has ended
 * @status: status as from waitpid()
 * @timed_out: the daemon has killed the hook after its timeout
 * @data: data of hook_start()
 */
typedef void (*hook_end_t)(int status, bool timed_out, void *data);

int hook_find(const char *folder, const char *name, char *path, size_t size,
	      const char **why);
struct hook *hook_start(sd_event *loop, const char *path, const struct event *event,
			uint32_t timeout, hook_end_t end, void *data, int *error);
void hook_stop(struct hook *hook);

#endif /* HOOK_H */
