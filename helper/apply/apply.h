/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy put in force: planned, carried out whole or not at all, read back. */
#ifndef APPLY_H
#define APPLY_H

#include "conf.h"
#include "nl_policy.h"
#include "plan.h"

/* Below the time that the unit has to start. */
#define APPLY_PATIENCE_MS	100000

struct apply;

/**
 * struct apply_calls - what is asked of the host and of the module; but in tests
 *	apply_live
 * @list: the devices that policy can speak of, as inventory_get()
 * @set: as nl_policies_apply()
 * @read: as nl_policies_get()
 * @look: as nl_isolation_check()
 * @ports: as nl_isolation_get()
 * @message: as nl_message()
 * @now: as now_ms()
 * @pause: time is to pass, ms
 */
struct apply_calls {
	int (*list)(struct nl *nl, struct devices *devices);
	int (*set)(struct nl *nl, const struct changes *changes, struct nl_blame *blame);
	int (*read)(struct nl *nl, struct devices *devices);
	int (*look)(struct nl *nl);
	int (*ports)(struct nl *nl, struct isolation *isolation);
	const char *(*message)(const struct nl *nl);
	int64_t (*now)(void);
	void (*pause)(unsigned int ms);
};

extern const struct apply_calls apply_live;

/**
 * struct apply - one run
 * @calls: see there
 * @nl: for them
 * @conf: the policy
 * @dry_run: only plan
 * @planned: called with each plan before it is carried out, or NULL
 * @patience: ms that a device which is busy is waited for, 0: APPLY_PATIENCE_MS
 * @devices: that were found, and can be put under policy
 * @left: the others: left_out(), or the module says so
 * @silent: those of which the module says that they do not answer
 * @wanted: policy of each
 * @changes: the plan
 * @checked: the files have been, against the host
 * @told: changes of the plan that @planned was called with last
 * @written: policies that were sent
 * @disputed: times that it did not read back as it was set
 * @culprit: whom the last refusal was about
 * @why: and its words, if it was what will be over
 * @applied: the policy is in force on @devices
 * @verified: and that has been read back
 */
struct apply {
	const struct apply_calls *calls;
	struct nl *nl;
	struct conf *conf;
	bool dry_run;
	void (*planned)(const struct apply *apply);
	unsigned int patience;
	struct devices devices;
	struct devices left;
	struct devices silent;
	struct policy *wanted;
	struct changes changes;
	bool checked;
	size_t told;
	size_t written;
	unsigned int disputed;
	char culprit[BDF_BYTES];
	char why[TEXT_BYTES];
	bool applied;
	bool verified;
};

int apply_needs_module(struct conf *conf, bool *needed);
int apply_run(struct apply *apply);
void apply_free(struct apply *apply);

#endif /* APPLY_H */
