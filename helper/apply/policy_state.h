/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges whether the whole installed policy is in force. */
#ifndef POLICY_STATE_H
#define POLICY_STATE_H

#include "conf.h"

/**
 * enum policy_state - how the policy in force relates to the installed one
 * @POLICY_STATE_UNASKED: the host is a captured one, which has no policy in force
 * @POLICY_STATE_UNKNOWN: unknown, because serial numbers cannot be read
 * @POLICY_STATE_WHOLE: each device has the policy of the files
 * @POLICY_STATE_DIFFERS: some devices have another policy
 * @POLICY_STATE_NONE: no policy has been applied since the module was loaded
 * @POLICY_STATE_WRONG: the files contain errors
 * @POLICY_STATE_NO_FILE: no policy is installed
 * @POLICY_STATE_NO_GPU: the host has no device that a policy could apply to
 */
enum policy_state {
	POLICY_STATE_UNASKED,
	POLICY_STATE_UNKNOWN,
	POLICY_STATE_WHOLE,
	POLICY_STATE_DIFFERS,
	POLICY_STATE_NONE,
	POLICY_STATE_WRONG,
	POLICY_STATE_NO_FILE,
	POLICY_STATE_NO_GPU,
};

/**
 * struct policy_verdict - the result of the comparison
 * @state: the overall state
 * @gpus: number of GPUs, managed or pending
 * @astray: number of devices that have another policy than they should
 * @unsure: number of devices whose state is unknown
 * @ports: number of ports that have not accepted their ACS settings
 * @devices: number of devices compared
 * @no_module: the module is not loaded
 */
struct policy_verdict {
	enum policy_state state;
	size_t gpus;
	size_t astray;
	size_t unsure;
	size_t ports;
	size_t devices;
	bool no_module;
};

void policy_state_judge(struct policy_verdict *verdict, struct conf *conf,
			const struct devices *devices,
			const struct isolation *isolation);
const char *policy_state_name(enum policy_state state);
void policy_state_print(const struct policy_verdict *verdict, const struct conf *conf);

#endif /* POLICY_STATE_H */
