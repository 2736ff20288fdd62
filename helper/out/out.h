/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices, policies and events as text for users and as JSON for programs. */
#ifndef OUT_H
#define OUT_H

#include <jansson.h>

#include "model.h"

/**
 * struct fold_event - an event that is not printed yet, or only as part of a line for its hive
 * @event: RESET_BEGUN or RESET_DONE
 * @printed: the user has seen it
 */
struct fold_event {
	struct event event;
	bool printed;
};

/**
 * struct fold - resets that overlap, on their way to one line
 * @held: their events, in order
 * @count: number of entries in @held
 * @begun: number of GPUs whose reset has begun
 * @done: number of these whose reset is done
 * @since: time of the first event, in ms of now_ms()
 */
struct fold {
	struct fold_event *held;
	size_t count;
	size_t begun;
	size_t done;
	int64_t since;
};

void out_devices_text(const struct devices *devices, bool wide);
json_t *out_devices_json(const struct devices *devices);
void out_policy_text(const char *section, const struct policy *policy,
		     const struct policy *base, bool own);
json_t *out_policy_json(const struct policy *policy, bool own);
const char *out_reason(const char *reason, char text[TEXT_BYTES]);
void out_event_text(const struct event *event);
void out_fold_event(struct fold *fold, const struct event *event);
int64_t out_fold_due(const struct fold *fold);
void out_fold_late(struct fold *fold);
void out_fold_end(struct fold *fold);
const char *out_time(uint64_t ns);
const char *out_event_time(const struct event *event);
char *out_event_message(const struct event *event);
json_t *out_event_json(const struct event *event);
json_t *out_gap_json(const struct gap *gap);
json_t *out_persist_json(enum persist persist);
void out_done(const char *bdf, json_t *more);
int out_failed(const char *bdf, int code);
json_t *out_serial_json(uint64_t serial);
json_t *out_lost_by_json(const struct device *dev);
json_t *out_hardware_json(const struct device *dev);
void out_json(json_t *json, size_t flags);
void out_end(bool quiet);
json_t *out_said_json(void);

#endif /* OUT_H */
