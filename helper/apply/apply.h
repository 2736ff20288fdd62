/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts a policy in force: plans the changes, carries out all or none, and reads them back. */
#ifndef APPLY_H
#define APPLY_H

#include "conf.h"
#include "nl_policy.h"
#include "plan.h"

/* shorter than the start timeout of instinct-vfio-apply.service */
#define APPLY_PATIENCE_MS	100000

struct apply;

/**
 * struct apply_calls - access to the host and the module; apply_live outside tests
 * @list: lists the devices that policy can cover, as inventory_get() does
 * @set: as nl_policies_apply()
 * @read: as nl_policies_get()
 * @look: as nl_isolation_check()
 * @ports: as nl_isolation_get()
 * @message: as nl_message()
 * @now: as now_ms()
 * @pause: waits for a time in ms
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
 * struct apply - one run that applies a policy
 * @calls: access to the host and the module
 * @nl: socket for @calls
 * @conf: the policy
 * @dry_run: only plan
 * @changed: called with the plan of a dry run, or with each plan that the module has carried out, or
 *	NULL
 * @patience: how long to wait for a busy device in ms, 0 for APPLY_PATIENCE_MS
 * @devices: devices of the host that can be put under policy
 * @left: all other devices, by left_out() or because they are in @silent
 * @silent: devices that do not answer, as reported by the module
 * @wanted: policy for each of @devices
 * @changes: the plan
 * @checked: the policy has been checked against the host
 * @written: number of policies that were sent
 * @disputed: how often a policy did not read back as it was set
 * @culprit: device that the module's last refusal named
 * @why: text of that refusal
 * @applied: the policy is in force on @devices
 * @verified: all of the policy has been read back from the module and the ports
 */
struct apply {
	const struct apply_calls *calls;
	struct nl *nl;
	struct conf *conf;
	bool dry_run;
	void (*changed)(const struct apply *apply);
	unsigned int patience;
	struct devices devices;
	struct devices left;
	struct devices silent;
	struct policy *wanted;
	struct changes changes;
	bool checked;
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
