/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is the installed policy in force, as a whole? */
#ifndef POLICY_STATE_H
#define POLICY_STATE_H

#include "conf.h"

/**
 * enum policy_state - how the policy in force relates to the installed one
 * @POLICY_STATE_UNASKED: of a captured host, which has none in force
 * @POLICY_STATE_UNKNOWN: nobody can tell, as serial numbers cannot be read
 * @POLICY_STATE_WHOLE: each device has what the files say
 * @POLICY_STATE_DIFFERS: some have not
 * @POLICY_STATE_NONE: none has been applied since the module was loaded
 * @POLICY_STATE_WRONG: the files hold errors
 * @POLICY_STATE_NO_FILE: no policy is installed
 * @POLICY_STATE_NO_GPU: there is nothing that it could be in force on
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
 * struct policy_verdict - the answer
 * @state: it
 * @gpus: how many there are, managed or waiting
 * @astray: how many devices have another policy than they should
 * @unsure: of how many that cannot be told
 * @ports: how many ports have not taken their ACS
 * @devices: of so many
 * @no_module: it is not loaded
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
