// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/genetlink.h>
#include <stddef.h>

#include "nl_table.h"

/* Named as in include/uapi/instinct_vfio.yaml; the test "nl-table" compares them. */
#define ATTR(_attr, _name, ...)	\
	[INSTINCT_VFIO_A_##_attr] = { .name = (_name), __VA_ARGS__ }
#define PLAIN(_attr, _name, _kind)	ATTR(_attr, _name, .kind = NL_##_kind)
#define HEX(_attr, _name, _kind)	ATTR(_attr, _name, .kind = NL_##_kind, .hex = true)
#define ENUM(_attr, _name, _enum)	\
	ATTR(_attr, _name, .kind = NL_U32, .names = &_enum##_names)
/* Of the key of a policy that has such values. */
#define WORD(_attr, _name, _key)	\
	ATTR(_attr, _name, .kind = NL_U32, .key = &instinct_policy_keys[INSTINCT_KEY_##_key])
#define MASK(_attr, _name, _enum)	\
	ATTR(_attr, _name, .kind = NL_U32, .names = &_enum##_names, .mask = true)
#define NEST(_attr, _name, _of)	ATTR(_attr, _name, .kind = NL_NEST, .nest = &_of##_set)
#define SET(_of, ...)								\
	static const struct nl_attr_info _of##_attrs[] = { __VA_ARGS__ };	\
	static const struct nl_attr_set _of##_set = {				\
		.name = #_of, .attr = _of##_attrs,				\
		.count = sizeof(_of##_attrs) / sizeof(_of##_attrs[0]),		\
	}

SET(info,
	PLAIN(INFO_VERSION, "version", STRING),
	PLAIN(INFO_EPOCH, "epoch", U64),
	PLAIN(INFO_OLDEST_SEQ, "oldest-seq", U64),
	PLAIN(INFO_NEWEST_SEQ, "newest-seq", U64),
	PLAIN(INFO_CAPACITY, "capacity", U32),
	PLAIN(INFO_POLICY_REQUIRED, "policy-required", FLAG));
SET(port,
	PLAIN(PORT_BDF, "bdf", STRING),
	HEX(PORT_VENDOR, "vendor", U32),
	HEX(PORT_DEVICE, "device", U32),
	ENUM(PORT_ROLE, "role", role));
SET(policy,
	PLAIN(POLICY_BDF, "bdf", STRING),
	PLAIN(POLICY_DEFAULTS, "defaults", FLAG),
	ENUM(POLICY_METHOD, "method", method),
	WORD(POLICY_TENANCY, "tenancy", TENANCY),
	WORD(POLICY_BUS_PORT, "bus-port", BUS_PORT),
	PLAIN(POLICY_READY_TIMEOUT, "ready-timeout", U32),
	HEX(POLICY_MAILBOX, "mailbox", U32),
	WORD(POLICY_OVERLAP, "overlap", OVERLAP),
	WORD(POLICY_SCOPE, "scope", SCOPE),
	PLAIN(POLICY_HIVE, "hive", U32),
	WORD(POLICY_RESCAN, "rescan", RESCAN),
	WORD(POLICY_CONFIG_VERIFY, "config-verify", CONFIG_VERIFY),
	WORD(POLICY_CONFIG_UNBLOCK, "config-unblock", CONFIG_UNBLOCK),
	PLAIN(POLICY_CONFIG_TIMEOUT, "config-timeout", U32),
	WORD(POLICY_ACS, "acs", ACS),
	HEX(POLICY_ACS_ROOT_PORT, "acs-root-port", U32),
	HEX(POLICY_ACS_SWITCH_UPSTREAM, "acs-switch-upstream", U32),
	HEX(POLICY_ACS_DOWNSTREAM, "acs-downstream", U32),
	HEX(POLICY_ACS_PEER_DOWNSTREAM, "acs-peer-downstream", U32),
	HEX(POLICY_ACS_PACKAGE, "acs-package", U32),
	WORD(POLICY_ISOLATION_LOSS, "isolation-loss", ISOLATION_LOSS),
	WORD(POLICY_ATS, "ats", ATS),
	PLAIN(POLICY_CHECK_INTERVAL, "check-interval", U32),
	PLAIN(POLICY_PEER, "peer", STRING),
	PLAIN(POLICY_WAITING, "waiting", FLAG),
	PLAIN(POLICY_RULED, "ruled", FLAG));
SET(apply,
	NEST(APPLY_POLICY, "policy", policy));
SET(resets,
	PLAIN(RESETS_HARDWARE, "hardware", U64),
	PLAIN(RESETS_COALESCED, "coalesced", U64),
	PLAIN(RESETS_QUIESCED, "quiesced", U64),
	PLAIN(RESETS_FAILED, "failed", U64));
SET(config,
	PLAIN(CONFIG_BLOCKED, "blocked", U64),
	PLAIN(CONFIG_RETRIED, "retried", U64),
	PLAIN(CONFIG_VERIFIED, "verified", U64),
	PLAIN(CONFIG_FORCED, "forced", U64),
	PLAIN(CONFIG_FAILED, "failed", U64),
	PLAIN(CONFIG_LONGEST, "longest", U64));
SET(dev,
	PLAIN(DEV_BDF, "bdf", STRING),
	HEX(DEV_SERIAL, "serial", U64),
	HEX(DEV_VENDOR, "vendor", U32),
	HEX(DEV_DEVICE, "device", U32),
	PLAIN(DEV_MODEL, "model", STRING),
	PLAIN(DEV_FAMILY, "family", STRING),
	ENUM(DEV_STATE, "state", state),
	PLAIN(DEV_REASON, "reason", STRING),
	PLAIN(DEV_NUMA_NODE, "numa-node", S32),
	PLAIN(DEV_OPEN, "open", U32),
	MASK(DEV_LOST_BY, "lost-by", method),
	NEST(DEV_PORT, "port", port),
	NEST(DEV_POLICY, "policy", policy),
	NEST(DEV_RESETS, "resets", resets),
	NEST(DEV_CONFIG, "config", config));
SET(step,
	ENUM(STEP_METHOD, "method", method),
	PLAIN(STEP_REFUSAL, "refusal", STRING));
SET(reset,
	PLAIN(RESET_BDF, "bdf", STRING),
	ENUM(RESET_METHOD, "method", method),
	PLAIN(RESET_DURATION, "duration", U64),
	PLAIN(RESET_DRY_RUN, "dry-run", FLAG),
	PLAIN(RESET_COALESCED, "coalesced", FLAG),
	NEST(RESET_STEP, "step", step),
	PLAIN(RESET_READY_TIMEOUT, "ready-timeout", U32),
	WORD(RESET_BUS_PORT, "bus-port", BUS_PORT));
SET(phase,
	ENUM(PHASE_NAME, "name", phase),
	PLAIN(PHASE_DURATION, "duration", U64));
SET(event,
	PLAIN(EVENT_SEQ, "seq", U64),
	PLAIN(EVENT_EPOCH, "epoch", U64),
	PLAIN(EVENT_TIME, "time", U64),
	ENUM(EVENT_KIND, "kind", event),
	PLAIN(EVENT_BDF, "bdf", STRING),
	HEX(EVENT_SERIAL, "serial", U64),
	ENUM(EVENT_STATE, "state", state),
	ENUM(EVENT_CAUSE, "cause", cause),
	ENUM(EVENT_METHOD, "method", method),
	PLAIN(EVENT_ERROR, "error", U32),
	PLAIN(EVENT_DURATION, "duration", U64),
	NEST(EVENT_PHASE, "phase", phase),
	PLAIN(EVENT_REASON, "reason", STRING),
	HEX(EVENT_REGISTER, "register", U32),
	PLAIN(EVENT_PORT, "port", STRING),
	HEX(EVENT_FOUND, "found", U32),
	HEX(EVENT_WANTED, "wanted", U32),
	ENUM(EVENT_SENSOR, "sensor", sensor),
	ENUM(EVENT_SOURCE, "source", source),
	PLAIN(EVENT_TEMPERATURE, "temperature", S32),
	ENUM(EVENT_ALARM, "alarm", alarm),
	PLAIN(EVENT_THRESHOLD, "threshold", S32));
SET(iso,
	PLAIN(ISO_BDF, "bdf", STRING),
	ENUM(ISO_ROLE, "role", acs_role),
	HEX(ISO_CAPABLE, "capable", U32),
	HEX(ISO_FOUND, "found", U32),
	HEX(ISO_WANTED, "wanted", U32),
	HEX(ISO_MASK, "mask", U32),
	HEX(ISO_BEFORE, "before", U32),
	PLAIN(ISO_OF, "of", STRING),
	WORD(ISO_ATS, "ats", ATS),
	ENUM(ISO_ATS_STATE, "ats-state", ats_state),
	PLAIN(ISO_DRIFTS, "drifts", U64));
SET(histogram,
	PLAIN(HISTOGRAM_OF, "of", U32),
	PLAIN(HISTOGRAM_COUNT, "count", U64),
	PLAIN(HISTOGRAM_SUM, "sum", U64),
	PLAIN(HISTOGRAM_BUCKET, "bucket", U64));
SET(tally,
	ENUM(TALLY_METHOD, "method", method),
	ENUM(TALLY_CAUSE, "cause", cause),
	ENUM(TALLY_RESULT, "result", result),
	ENUM(TALLY_EVENT, "event", event),
	PLAIN(TALLY_COUNT, "count", U64));
SET(stats,
	PLAIN(STATS_BOUND, "bound", U64),
	NEST(STATS_DURATION, "duration", histogram),
	NEST(STATS_PHASE, "phase", histogram),
	PLAIN(STATS_BDF, "bdf", STRING),
	NEST(STATS_RESET, "reset", tally),
	NEST(STATS_EVENT, "event", tally),
	PLAIN(STATS_POLICY_TIME, "policy-time", U64));

#define COMMAND(_command, _of)	\
	[INSTINCT_VFIO_CMD_##_command] = { #_command, &_of##_set }

const struct nl_command_info nl_commands[] = {
	COMMAND(INFO_GET, info),
	COMMAND(DEV_GET, dev),
	COMMAND(POLICY_GET, policy),
	COMMAND(POLICY_SET, policy),
	COMMAND(RESET, reset),
	COMMAND(RELEASE, dev),
	COMMAND(EVENT_GET, event),
	COMMAND(EVENT, event),
	COMMAND(ISOLATION_CHECK, iso),
	COMMAND(ISOLATION_GET, iso),
	COMMAND(ALARM, event),
	COMMAND(STATS_GET, stats),
	COMMAND(POLICY_APPLY, apply),
};

const size_t nl_commands_count = sizeof(nl_commands) / sizeof(nl_commands[0]);

/* Of the controller, as far as it is asked: which family has which number. */
static const struct nl_attr_info group_attrs[] = {
	[CTRL_ATTR_MCAST_GRP_NAME] = { .name = "name", .kind = NL_STRING },
	[CTRL_ATTR_MCAST_GRP_ID] = { .name = "id", .kind = NL_U32 },
};

static const struct nl_attr_set group_set = {
	.name = "group", .attr = group_attrs,
	.count = sizeof(group_attrs) / sizeof(group_attrs[0]),
};

static const struct nl_attr_info control_attrs[] = {
	[CTRL_ATTR_FAMILY_ID] = { .name = "family-id", .kind = NL_U16 },
	[CTRL_ATTR_FAMILY_NAME] = { .name = "family-name", .kind = NL_STRING },
	[CTRL_ATTR_VERSION] = { .name = "version", .kind = NL_U32 },
	[CTRL_ATTR_HDRSIZE] = { .name = "header-size", .kind = NL_U32 },
	[CTRL_ATTR_MAXATTR] = { .name = "max-attr", .kind = NL_U32 },
	[CTRL_ATTR_OPS] = { .name = "operations", .kind = NL_BINARY },
	[CTRL_ATTR_MCAST_GROUPS] = { .name = "groups", .kind = NL_ARRAY, .nest = &group_set },
};

const struct nl_attr_set nl_control_set = {
	.name = "control", .attr = control_attrs,
	.count = sizeof(control_attrs) / sizeof(control_attrs[0]),
};
