// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "left_out.h"
#include "plan.h"
#include "policy_state.h"

static const char *const words[] = {
	[POLICY_STATE_UNKNOWN] = "unknown",
	[POLICY_STATE_WHOLE] = "whole",
	[POLICY_STATE_DIFFERS] = "differs",
	[POLICY_STATE_NONE] = "none",
	[POLICY_STATE_WRONG] = "wrong",
	[POLICY_STATE_NO_FILE] = "no-file",
	[POLICY_STATE_NO_GPU] = "no-gpu",
};

/* A device without any policy counts as astray, even if its section is unknown. */
static void judge_one(struct policy_verdict *verdict, const struct conf *conf,
		      const struct device *dev)
{
	enum left_out left = left_out(conf, dev);
	struct policy wanted;

	conf_merge(conf, dev, &wanted);
	if (left == LEFT_OUT_UNSURE && !dev->silent && (dev->policy_set || dev->unmanaged))
		verdict->unsure++;
	else if (left || !plan_is_done(dev, &wanted))
		verdict->astray++;
}

static void count(struct policy_verdict *verdict, const struct conf *conf,
		  const struct devices *all, size_t *policy_set)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		judge_one(verdict, conf, &all->list[i]);
		verdict->gpus += !all->list[i].unmanaged;
		*policy_set += all->list[i].policy_set;
	}
	verdict->devices = all->count;
}

static enum policy_state state_of(const struct policy_verdict *verdict, size_t policy_set)
{
	if (!verdict->devices)
		return POLICY_STATE_NO_GPU;
	if (verdict->astray && !policy_set)
		return POLICY_STATE_NONE;
	if (verdict->astray || verdict->ports)
		return POLICY_STATE_DIFFERS;
	return verdict->unsure ? POLICY_STATE_UNKNOWN : POLICY_STATE_WHOLE;
}

/**
 * policy_state_judge() - compare the policy in force with the installed one
 * @verdict: set, except for @no_module
 * @conf: the installed policy, as far as it could be read; the function checks it
 * @devices: from inventory_get()
 * @isolation: from nl_isolation_get()
 */
void policy_state_judge(struct policy_verdict *verdict, struct conf *conf,
			const struct devices *devices,
			const struct isolation *isolation)
{
	struct devices all = { 0 };
	size_t policy_set = 0, i;

	*verdict = (struct policy_verdict) {
		.state = POLICY_STATE_WRONG,
		.no_module = verdict->no_module,
	};
	conf_check(conf, devices);
	if (conf->errors)
		return;
	/* The function adds devices to a copy, since the caller's list is const. */
	devices_append(&all, devices);
	conf_add_unmanaged(conf, &all);
	count(verdict, conf, &all, &policy_set);
	devices_free(&all);
	for (i = 0; i < isolation->count; i++)
		verdict->ports += !plan_port_is_right(&isolation->list[i]);
	verdict->state = state_of(verdict, policy_set);
}

/**
 * policy_state_name() - get the name of a state for JSON
 * @state: the state
 *
 * Return: the name, NULL for POLICY_STATE_UNASKED.
 */
const char *policy_state_name(enum policy_state state)
{
	return words[state];
}

static void print_whole(const struct policy_verdict *verdict, const struct conf *conf)
{
	const char *noun = verdict->devices > verdict->gpus ? "device" : "GPU";
	bool one = verdict->devices == 1;
	size_t hollow = conf_files_hollow(&conf->found);

	printf("policy: in force on %s%zu %s%s (%s", one ? "" : "all ", verdict->devices,
	       noun, one ? "" : "s", conf->name);
	if (conf->dropins)
		printf(" and %zu drop-in%s", conf->dropins, conf->dropins == 1 ? "" : "s");
	if (hollow)
		printf(", %zu masked by an empty file: instinctctl check", hollow);
	puts(")");
}

static void print_differs(const struct policy_verdict *verdict)
{
	if (verdict->astray)
		printf("policy: NOT in force on %zu of %zu %s (instinctctl diff)\n",
		       verdict->astray, verdict->devices,
		       verdict->devices > verdict->gpus ? "devices" : "GPUs");
	else
		printf("policy: NOT in force: %zu port%s not taken %s ACS (instinctctl check)\n",
		       verdict->ports, verdict->ports == 1 ? " has" : "s have",
		       verdict->ports == 1 ? "its" : "their");
}

/**
 * policy_state_print() - print the state as a line of text
 * @verdict: from policy_state_judge()
 * @conf: the installed policy
 */
void policy_state_print(const struct policy_verdict *verdict, const struct conf *conf)
{
	switch (verdict->state) {
	case POLICY_STATE_WHOLE:
		print_whole(verdict, conf);
		break;
	case POLICY_STATE_DIFFERS:
		print_differs(verdict);
		break;
	case POLICY_STATE_NONE:
		puts(verdict->no_module ?
		     "policy: none is in force, the module is not loaded (instinctctl apply)" :
		     "policy: none has been applied since the module was loaded (instinctctl apply)");
		break;
	case POLICY_STATE_WRONG:
		puts("policy: wrong, see instinctctl check");
		break;
	case POLICY_STATE_NO_FILE:
		printf("policy: no file is installed (%s)\n", CONF_INSTALLED);
		break;
	case POLICY_STATE_UNKNOWN:
		printf("policy: unknown for %zu of %zu GPUs: reading their serial numbers requires root\n",
		       verdict->unsure, verdict->gpus);
		break;
	case POLICY_STATE_NO_GPU:
		puts("policy: in force on nothing, there is no GPU that instinct-vfio knows");
		break;
	case POLICY_STATE_UNASKED:
		break;
	}
}
