// SPDX-License-Identifier: GPL-2.0-only
/* Netlink messages: those that the module sends, and malformed ones. */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>

#include "conf.h"
#include "nl_parse.h"
#include "nl_policy.h"
#include "unit.h"

#define A(name)	INSTINCT_VFIO_A_##name

static _Alignas(8) char buffer[8192];
static struct nlmsghdr *nlh;

static void begin(uint16_t type, uint8_t command)
{
	struct genlmsghdr *genl;

	memset(buffer, 0, sizeof(buffer));
	nlh = mnl_nlmsg_put_header(buffer);
	nlh->nlmsg_type = type;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
}

static void put_policy(void)
{
	const uint32_t peer[] = { INSTINCT_VFIO_PEER_ID, 0x15b31021 };

	mnl_attr_put_u32(nlh, A(POLICY_METHOD), INSTINCT_VFIO_METHOD_BUS);
	mnl_attr_put_u32(nlh, A(POLICY_TENANCY), INSTINCT_VFIO_TENANCY_MULTI);
	mnl_attr_put_u32(nlh, A(POLICY_BUS_PORT), INSTINCT_VFIO_BUS_PORT_SWITCH);
	mnl_attr_put_u32(nlh, A(POLICY_READY_TIMEOUT), 2000);
	mnl_attr_put_u32(nlh, A(POLICY_MAILBOX), 0x58000);
	mnl_attr_put_u32(nlh, A(POLICY_OVERLAP), INSTINCT_VFIO_OVERLAP_ALL);
	mnl_attr_put_u32(nlh, A(POLICY_SCOPE), INSTINCT_VFIO_SCOPE_HIVE);
	mnl_attr_put_u32(nlh, A(POLICY_HIVE), 7);
	mnl_attr_put_u32(nlh, A(POLICY_CONFIG_VERIFY), INSTINCT_VFIO_VERIFY_OFF);
	mnl_attr_put_u32(nlh, A(POLICY_PARTITION), INSTINCT_VFIO_PARTITION_NPS4);
	mnl_attr_put_u32(nlh, A(POLICY_FIRST_RESET), INSTINCT_VFIO_FIRST_RESET_ALWAYS);
	mnl_attr_put_u32(nlh, A(POLICY_XGMI), INSTINCT_VFIO_XGMI_SHARED);
	mnl_attr_put_u32(nlh, A(POLICY_CONTAIN), INSTINCT_VFIO_CONTAIN_ALWAYS);
	mnl_attr_put_u32(nlh, A(POLICY_CONFIG_UNBLOCK), INSTINCT_VFIO_UNBLOCK_BUSES);
	mnl_attr_put_u32(nlh, A(POLICY_CONFIG_TIMEOUT), 2500);
	mnl_attr_put(nlh, A(POLICY_PEER), sizeof(peer), peer);
	mnl_attr_put_u32(nlh, A(POLICY_ACS), INSTINCT_VFIO_ACS_VM_P2P);
	mnl_attr_put_u32(nlh, A(POLICY_ACS_ROOT_PORT), 0x1d);
	mnl_attr_put_u32(nlh, A(POLICY_ACS_SWITCH_UPSTREAM), INSTINCT_VFIO_ACS_BITS_PRESET);
	mnl_attr_put_u32(nlh, A(POLICY_ACS_DOWNSTREAM), INSTINCT_VFIO_ACS_BITS_PRESET);
	mnl_attr_put_u32(nlh, A(POLICY_ACS_PEER_DOWNSTREAM), 0x5d);
	mnl_attr_put_u32(nlh, A(POLICY_ACS_PACKAGE), INSTINCT_VFIO_ACS_BITS_PRESET);
	mnl_attr_put_u32(nlh, A(POLICY_ISOLATION_LOSS), INSTINCT_VFIO_ISOLATION_LOSS_NO);
	mnl_attr_put_u32(nlh, A(POLICY_ATS), INSTINCT_VFIO_ATS_REQUIRED);
	mnl_attr_put_u32(nlh, A(POLICY_CHECK_INTERVAL), 1000);
}

static void put_device(void)
{
	struct nlattr *nest;

	begin(0x20, INSTINCT_VFIO_CMD_DEV_GET);
	mnl_attr_put_strz(nlh, A(DEV_BDF), "0000:c1:00.0");
	mnl_attr_put_u64(nlh, A(DEV_SERIAL), 0x1122334455667788);
	mnl_attr_put_strz(nlh, A(DEV_MODEL), "MI300X");
	mnl_attr_put_strz(nlh, A(DEV_FAMILY), "mi300x");
	mnl_attr_put_u32(nlh, A(DEV_STATE), INSTINCT_VFIO_STATE_LOST);
	mnl_attr_put_strz(nlh, A(DEV_REASON), "it does not answer");
	mnl_attr_put_u32(nlh, A(DEV_OPEN), 1);
	mnl_attr_put_u32(nlh, A(DEV_LOST_BY), 1u << INSTINCT_VFIO_METHOD_MODE1);
	mnl_attr_put_u32(nlh, A(DEV_SECURE_OS), INSTINCT_VFIO_SECURE_OS_RUNNING);
	mnl_attr_put_u32(nlh, A(DEV_HIVE_NODES), 8);
	mnl_attr_put_u32(nlh, A(DEV_HIVE_NODE), 7);
	mnl_attr_put_u32(nlh, A(DEV_PARTITION), INSTINCT_VFIO_PARTITION_NPS1);
	mnl_attr_put(nlh, A(DEV_PARTITION_NEXT), 0, NULL);
	mnl_attr_put_u32(nlh, A(DEV_COMPUTE), INSTINCT_VFIO_COMPUTE_CPX);
	mnl_attr_put_u32(nlh, A(DEV_FINGERPRINT), 0x12345678);
	mnl_attr_put_u32(nlh, A(DEV_C2PMSG_33), 0x80000000);
	mnl_attr_put_u32(nlh, A(DEV_C2PMSG_35), 0x80000001);
	nest = mnl_attr_nest_start(nlh, A(DEV_POLICY));
	put_policy();
	mnl_attr_nest_end(nlh, nest);
	nest = mnl_attr_nest_start(nlh, A(DEV_RESETS));
	mnl_attr_put_u64(nlh, A(RESETS_HARDWARE), 1);
	mnl_attr_put_u64(nlh, A(RESETS_COALESCED), 2);
	mnl_attr_put_u64(nlh, A(RESETS_QUIESCED), 3);
	mnl_attr_put_u64(nlh, A(RESETS_FAILED), 4);
	mnl_attr_nest_end(nlh, nest);
	nest = mnl_attr_nest_start(nlh, A(DEV_CONFIG));
	mnl_attr_put_u64(nlh, A(CONFIG_BLOCKED), 6);
	mnl_attr_put_u64(nlh, A(CONFIG_RETRIED), 7);
	mnl_attr_put_u64(nlh, A(CONFIG_VERIFIED), 8);
	mnl_attr_put_u64(nlh, A(CONFIG_FAILED), 10);
	mnl_attr_put_u64(nlh, A(CONFIG_LONGEST), 11);
	mnl_attr_nest_end(nlh, nest);
}

static const uint64_t phases[] = {
	[INSTINCT_VFIO_PHASE_QUIESCE] = 1000, [INSTINCT_VFIO_PHASE_READY] = 4000, [PHASES_MAX] = 1
};

static void put_phases(size_t count)
{
	mnl_attr_put(nlh, A(EVENT_PHASES), count * sizeof(*phases), phases);
}

static void put_event(void)
{
	begin(0x20, INSTINCT_VFIO_CMD_EVENT);
	mnl_attr_put_u64(nlh, A(EVENT_SEQ), 12);
	mnl_attr_put_u64(nlh, A(EVENT_EPOCH), 99);
	mnl_attr_put_u64(nlh, A(EVENT_TIME), 1000000007);
	mnl_attr_put_u32(nlh, A(EVENT_KIND), INSTINCT_VFIO_EVENT_RESET_DONE);
	mnl_attr_put_strz(nlh, A(EVENT_BDF), "0000:c1:00.0");
	mnl_attr_put_u64(nlh, A(EVENT_SERIAL), 7);
	mnl_attr_put_u32(nlh, A(EVENT_STATE), INSTINCT_VFIO_STATE_READY);
	mnl_attr_put_u32(nlh, A(EVENT_CAUSE), INSTINCT_VFIO_CAUSE_CLOSE);
	mnl_attr_put_u32(nlh, A(EVENT_METHOD), INSTINCT_VFIO_METHOD_MODE1);
	mnl_attr_put_u32(nlh, A(EVENT_ERROR), EIO);
	mnl_attr_put_u64(nlh, A(EVENT_DURATION), 5000);
	mnl_attr_put_strz(nlh, A(EVENT_REASON), "as asked");
	put_phases(__INSTINCT_VFIO_PHASE_MAX);
}

static int parse_device(struct device *dev)
{
	memset(dev, 0, sizeof(*dev));
	return nl_parse_device(nlh, dev);
}

static void test_device(void)
{
	struct device dev;

	put_device();
	CHECK_INT(parse_device(&dev), 0);
	CHECK_STR(dev.bdf, "0000:c1:00.0");
	CHECK_INT(dev.serial, 0x1122334455667788);
	CHECK_STR(dev.model, "MI300X");
	CHECK_INT(dev.state, INSTINCT_VFIO_STATE_LOST);
	CHECK_STR(dev.reason, "it does not answer");
	CHECK_INT(dev.open, 1);
	CHECK_INT(dev.lost_by, 1 << INSTINCT_VFIO_METHOD_MODE1);
	CHECK_INT(dev.secure_os, INSTINCT_VFIO_SECURE_OS_RUNNING);
	CHECK_INT(dev.hive_nodes, 8);
	CHECK_INT(dev.hive_node, 7);
	CHECK_INT(dev.partition, INSTINCT_VFIO_PARTITION_NPS1);
	CHECK(dev.partition_next);
	CHECK_INT(dev.compute, INSTINCT_VFIO_COMPUTE_CPX);
	CHECK_INT(dev.fingerprint, 0x12345678);
	CHECK_INT(dev.c2pmsg_33, 0x80000000);
	CHECK_INT(dev.c2pmsg_35, 0x80000001);
	CHECK_INT(dev.policy.partition, INSTINCT_VFIO_PARTITION_NPS4);
	CHECK_INT(dev.policy.first_reset, INSTINCT_VFIO_FIRST_RESET_ALWAYS);
	CHECK_INT(dev.policy.xgmi, INSTINCT_VFIO_XGMI_SHARED);
	CHECK_INT(dev.policy.contain, INSTINCT_VFIO_CONTAIN_ALWAYS);
	CHECK_INT(dev.policy.method, INSTINCT_VFIO_METHOD_BUS);
	CHECK_INT(dev.policy.mailbox, 0x58000);
	CHECK_INT(dev.policy.hive, 7);
	CHECK_INT(dev.policy.overlap, INSTINCT_VFIO_OVERLAP_ALL);
	CHECK_INT(dev.policy.config_verify, INSTINCT_VFIO_VERIFY_OFF);
	CHECK_INT(dev.policy.config_timeout, 2500);
	CHECK_INT(dev.policy.acs, INSTINCT_VFIO_ACS_VM_P2P);
	CHECK_INT(dev.policy.acs_peer_downstream, 0x5d);
	CHECK_INT(dev.policy.ats, INSTINCT_VFIO_ATS_REQUIRED);
	CHECK_STR(text_of(dev.policy.peer), "15b3:1021");
	CHECK_INT(dev.policy.memory_critical, 105000);
	CHECK_INT(dev.config.blocked, 6);
	CHECK_INT(dev.config.longest, 11);
}

static void test_event(void)
{
	struct event event;

	put_event();
	CHECK_INT(nl_parse_event(nlh, &event), 0);
	CHECK_INT(event.seq, 12);
	CHECK_INT(event.epoch, 99);
	CHECK_INT(event.kind, INSTINCT_VFIO_EVENT_RESET_DONE);
	CHECK_INT(event.error, EIO);
	CHECK_INT(event.phases, 2);
	CHECK_INT(event.phase[1].name, INSTINCT_VFIO_PHASE_READY);
	CHECK_INT(event.phase[1].duration, 4000);
	CHECK_STR(event.reason, "as asked");
}

/* Parsers with one signature, so that one test serves all messages. */
static int as_device(void)
{
	struct device dev;

	return parse_device(&dev);
}

static int as_event(void)
{
	struct event event;

	return nl_parse_event(nlh, &event);
}

static int as_policy(void)
{
	struct device dev = { 0 };

	return nl_parse_policy(nlh, &dev);
}

static int as_info(void)
{
	struct nl_info info;

	return nl_parse_info(nlh, &info);
}

static int as_reset(void)
{
	struct nl_reset_done done;

	return nl_parse_reset(nlh, &done);
}

static void make_policy(void)
{
	begin(0x20, INSTINCT_VFIO_CMD_POLICY_GET);
	mnl_attr_put_strz(nlh, A(POLICY_BDF), "0000:c1:00.0");
	put_policy();
	mnl_attr_put(nlh, A(POLICY_PENDING), 0, NULL);
}

static void test_policy(void)
{
	struct device dev = { 0 };

	make_policy();
	CHECK_INT(nl_parse_policy(nlh, &dev), 0);
	CHECK_STR(dev.bdf, "0000:c1:00.0");
	CHECK_INT(dev.policy.config_timeout, 2500);
	CHECK(!dev.unmanaged && dev.pending && !dev.policy_set);
	mnl_attr_put(nlh, A(POLICY_SET), 0, NULL);
	CHECK_INT(nl_parse_policy(nlh, &dev), 0);
	CHECK(!dev.unmanaged && dev.pending && dev.policy_set);
}

/* An endpoint of another driver has isolation keys alone, and cannot be pending. */
static void test_unmanaged_policy(void)
{
	struct device dev = { 0 };
	int i;

	for (i = 0; i < 2; i++) {
		size_t key;

		begin(0x20, INSTINCT_VFIO_CMD_POLICY_GET);
		mnl_attr_put_strz(nlh, A(POLICY_BDF), "0000:c2:00.0");
		for (key = 0; key < CONF_KEYS; key++)
			if (conf_keys[key].isolation && conf_keys[key].text)
				mnl_attr_put(nlh, conf_keys[key].attr, 0, NULL);
			else if (conf_keys[key].isolation)
				mnl_attr_put_u32(nlh, conf_keys[key].attr, 1);
		if (i)
			mnl_attr_put(nlh, A(POLICY_PENDING), 0, NULL);
		CHECK_INT(nl_parse_policy(nlh, &dev), i ? -EBADMSG : 0);
		CHECK(dev.unmanaged);
	}
	CHECK_INT(dev.policy.ats, 1);
	CHECK_INT(dev.policy.config_timeout, conf_keys[CONF_CONFIG_TIMEOUT].fallback);
}

static void make_info(void)
{
	begin(0x20, INSTINCT_VFIO_CMD_INFO_GET);
	mnl_attr_put_strz(nlh, A(INFO_VERSION), "0.1.0");
	mnl_attr_put_u64(nlh, A(INFO_EPOCH), 1);
	mnl_attr_put_u64(nlh, A(INFO_NEWEST_SEQ), 3);
	mnl_attr_put_u32(nlh, A(INFO_CAPACITY), 4096);
}

static void make_reset(void)
{
	begin(0x20, INSTINCT_VFIO_CMD_RESET);
	mnl_attr_put_u32(nlh, A(RESET_METHOD), 1);
	mnl_attr_put_u64(nlh, A(RESET_DURATION), 2);
}

static void put_duration(int type, uint32_t of)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, type);

	mnl_attr_put_u32(nlh, A(DURATION_OF), of);
	mnl_attr_put_u64(nlh, A(DURATION_COUNT), 3);
	mnl_attr_put_u64(nlh, A(DURATION_SUM), 6000);
	mnl_attr_nest_end(nlh, nest);
}

static void make_host_stats(void)
{
	begin(0x20, INSTINCT_VFIO_CMD_STATS_GET);
	put_duration(A(STATS_DURATION), INSTINCT_VFIO_METHOD_MODE1);
	put_duration(A(STATS_PHASE), INSTINCT_VFIO_PHASE_READY);
}

static void make_device_stats(void)
{
	struct nlattr *nest;

	begin(0x20, INSTINCT_VFIO_CMD_STATS_GET);
	mnl_attr_put_strz(nlh, A(STATS_BDF), "0000:c1:00.0");
	nest = mnl_attr_nest_start(nlh, A(STATS_RESET));
	mnl_attr_put_u32(nlh, A(TALLY_METHOD), INSTINCT_VFIO_METHOD_MODE1);
	mnl_attr_put_u32(nlh, A(TALLY_CAUSE), INSTINCT_VFIO_CAUSE_OPEN);
	mnl_attr_put_u32(nlh, A(TALLY_RESULT), INSTINCT_VFIO_RESULT_FAILED);
	mnl_attr_put_u64(nlh, A(TALLY_COUNT), 4);
	mnl_attr_nest_end(nlh, nest);
	nest = mnl_attr_nest_start(nlh, A(STATS_EVENT));
	mnl_attr_put_u32(nlh, A(TALLY_EVENT), INSTINCT_VFIO_EVENT_RESET_DONE);
	mnl_attr_put_u64(nlh, A(TALLY_COUNT), 5);
	mnl_attr_nest_end(nlh, nest);
	mnl_attr_put_u64(nlh, A(STATS_POLICY_TIME), 1700000000);
}

static int as_stats(void)
{
	struct stats stats = { 0 };
	int ret = nl_parse_stats(nlh, &stats);

	stats_free(&stats);
	return ret;
}

static void test_stats(void)
{
	struct stats stats = { 0 };

	make_host_stats();
	CHECK_INT(nl_parse_stats(nlh, &stats), 0);
	make_device_stats();
	CHECK_INT(nl_parse_stats(nlh, &stats), 0);
	CHECK_INT(stats.durations, 1);
	CHECK_INT(stats.duration[0].count, 3);
	CHECK_INT(stats.phase[0].of, INSTINCT_VFIO_PHASE_READY);
	CHECK_INT(stats.phase[0].sum, 6000);
	CHECK_INT(stats.devices, 1);
	CHECK_STR(stats.device[0].bdf, "0000:c1:00.0");
	CHECK_INT(stats.device[0].resets, 1);
	CHECK_INT(stats.device[0].reset[0].result, INSTINCT_VFIO_RESULT_FAILED);
	CHECK_INT(stats.device[0].reset[0].count, 4);
	CHECK_INT(stats.device[0].event[0].event, INSTINCT_VFIO_EVENT_RESET_DONE);
	CHECK_INT(stats.device[0].policy_time, 1700000000);
	stats_free(&stats);
}

#define OPTIONAL_MAX	6

static const struct message {
	void (*make)(void);
	int (*parse)(void);
	unsigned int optional[OPTIONAL_MAX];	/* types that may be missing */
} messages[] = {
	{ make_host_stats, as_stats, { A(STATS_DURATION), A(STATS_PHASE) } },
	{ make_device_stats, as_stats, { A(STATS_BDF), A(STATS_RESET), A(STATS_EVENT),
					 A(STATS_POLICY_TIME) } },
	{ put_device, as_device, { A(DEV_HIVE_NODES), A(DEV_HIVE_NODE), A(DEV_PARTITION_NEXT),
				   A(DEV_C2PMSG_33), A(DEV_C2PMSG_35) } },
	{ put_event, as_event, { A(EVENT_ERROR), A(EVENT_REASON), A(EVENT_PHASES) } },
	{ make_policy, as_policy, { 0 } },
	{ make_info, as_info, { 0 } },
	{ make_reset, as_reset, { 0 } },
};

#define MESSAGES	(sizeof(messages) / sizeof(messages[0]))

static struct nlattr *nth(unsigned int n)
{
	struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (!n--)
			return attr;
	return NULL;
}

static bool optional(const struct message *message, unsigned int type)
{
	unsigned int i;

	for (i = 0; i < OPTIONAL_MAX; i++)
		if (type == message->optional[i])
			return true;
	return false;
}

/* Replaces each attribute in turn by one that this helper does not know. */
static void test_missing_attributes(void)
{
	unsigned int i, n;

	for (i = 0; i < MESSAGES; i++)
		for (n = 0; ; n++) {
			struct nlattr *attr;
			unsigned int type;

			messages[i].make();
			CHECK_INT(messages[i].parse(), 0);
			attr = nth(n);
			if (!attr)
				break;
			type = mnl_attr_get_type(attr);
			attr->nla_type = 1000;
			CHECK_INT(messages[i].parse(),
				  optional(&messages[i], type) ? 0 : -EBADMSG);
		}
}

/* Unknown attributes change nothing. */
static void test_newer_module(void)
{
	unsigned int i;

	for (i = 0; i < MESSAGES; i++) {
		messages[i].make();
		mnl_attr_put_u32(nlh, 63, 1);
		mnl_attr_put_u32(nlh, 64, 1);
		mnl_attr_put_strz(nlh, 9999, "later");
		CHECK_INT(messages[i].parse(), 0);
	}
}

/* Each attribute one byte short: its size is wrong, or its string has no end. */
static void test_short_attributes(void)
{
	unsigned int i, n;

	for (i = 0; i < MESSAGES; i++)
		for (n = 0; ; n++) {
			struct nlattr *attr;
			unsigned int type;
			int ret;

			messages[i].make();
			attr = nth(n);
			if (!attr)
				break;
			type = mnl_attr_get_type(attr);
			attr->nla_len--;
			ret = messages[i].parse();
			if (!optional(&messages[i], type) || type == A(EVENT_PHASES))
				CHECK_INT(ret, -EBADMSG);
		}
}

/* Messages cut anywhere; the heap block ends there, so that ASan finds a read beyond it. */
static void test_truncated(void)
{
	unsigned int i, length;

	for (i = 0; i < MESSAGES; i++) {
		messages[i].make();
		for (length = nlh->nlmsg_len - 1; length >= NLMSG_HDRLEN; length--) {
			struct nlmsghdr *whole = nlh;

			nlh = malloc(length);
			memcpy(nlh, whole, length);
			nlh->nlmsg_len = length;
			messages[i].parse();
			free(nlh);
			nlh = whole;
		}
	}
}

static void test_noise(void)
{
	unsigned int i, round, flips;

	srandom(1);
	for (round = 0; round < 20000; round++) {
		struct nlmsghdr *copy;
		uint32_t length;

		i = round % MESSAGES;
		messages[i].make();
		length = nlh->nlmsg_len;
		for (flips = 1 + random() % 8; flips; flips--)
			buffer[NLMSG_HDRLEN + random() % (length - NLMSG_HDRLEN)] = random();
		copy = malloc(length);
		memcpy(copy, nlh, length);
		nlh = copy;
		messages[i].parse();
		free(copy);
	}
}

static void test_phases(void)
{
	struct event event;

	put_event();
	put_phases(1);
	CHECK_INT(nl_parse_event(nlh, &event), 0);
	CHECK_INT(event.phases, 1);
	/* A newer module may know more phases, up to a limit. */
	put_event();
	put_phases(PHASES_MAX + 1);
	CHECK_INT(nl_parse_event(nlh, &event), -EBADMSG);
	put_event();
	mnl_attr_put(nlh, A(EVENT_PHASES), sizeof(*phases) + 1, phases);
	CHECK_INT(nl_parse_event(nlh, &event), -EBADMSG);
}

/* The parser replaces bytes that could harm a terminal or JSON. */
static void test_text_is_made_harmless(void)
{
	struct device dev;

	put_device();
	mnl_attr_put_strz(nlh, A(DEV_REASON), "\033[2J caf\xc3\xa9\n\xff");
	CHECK_INT(parse_device(&dev), 0);
	CHECK_STR(dev.reason, "?[2J caf???" "?");
	put_device();
	mnl_attr_put_u32(nlh, A(DEV_STATE), 0xffffffff);
	CHECK_INT(parse_device(&dev), 0);
	CHECK_STR(name_of(&state_names, dev.state), "unknown");
	CHECK(dev.state >= 0);
}

static void make_end(uint16_t type, int error, uint16_t flags)
{
	memset(buffer, 0, sizeof(buffer));
	nlh = mnl_nlmsg_put_header(buffer);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	if (type == NLMSG_ERROR)
		((struct nlmsgerr *)mnl_nlmsg_put_extra_header(nlh,
			sizeof(struct nlmsgerr)))->error = error;
	else
		*(int *)mnl_nlmsg_put_extra_header(nlh, sizeof(int)) = error;
}

static void test_ends(void)
{
	static const uint16_t types[] = { NLMSG_ERROR, NLMSG_DONE };
	char message[64] = "";
	uint32_t at;
	int i;

	for (i = 0; i < 2; i++) {
		at = 0;
		make_end(types[i], 0, 0);
		CHECK_INT(nl_parse_end(nlh, message, sizeof(message), &at), 0);
		CHECK_STR(message, "");
		make_end(types[i], -ENODEV, NLM_F_ACK_TLVS | NLM_F_CAPPED);
		mnl_attr_put_u32(nlh, NLMSGERR_ATTR_OFFS, 20);
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, "no such device");
		CHECK_INT(nl_parse_end(nlh, message, sizeof(message), &at), -ENODEV);
		CHECK_STR(message, "no such device");
		CHECK_INT(at, 20);
		message[0] = '\0';
		/* The kernel never sends these. */
		make_end(types[i], 5, 0);
		CHECK_INT(nl_parse_end(nlh, message, sizeof(message), &at), -EBADMSG);
		nlh->nlmsg_len = NLMSG_HDRLEN + 2;
		CHECK_INT(nl_parse_end(nlh, message, sizeof(message), &at), -EBADMSG);
	}
}

/* Without NETLINK_CAP_ACK, an error message carries the whole request. */
static void test_uncapped_ack(void)
{
	static const uint32_t lengths[] = { 0, 15, 0x7fffffff, 0xffffffff, 1000 };
	char message[64] = "";
	struct nlmsgerr *err;
	uint32_t at = 0;
	size_t i;

	make_end(NLMSG_ERROR, -ERANGE, NLM_F_ACK_TLVS);
	err = mnl_nlmsg_get_payload(nlh);
	err->msg.nlmsg_len = sizeof(err->msg) + 6;
	mnl_nlmsg_put_extra_header(nlh, 8);
	mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, "too much");
	CHECK_INT(nl_parse_end(nlh, message, sizeof(message), &at), -ERANGE);
	CHECK_STR(message, "too much");
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		message[0] = '\0';
		err->msg.nlmsg_len = lengths[i];
		CHECK_INT(nl_parse_end(nlh, message, sizeof(message), &at), -ERANGE);
		CHECK_STR(message, "");
	}
}

static struct change plan[3] = {
	{ .bdf = "0000:c1:00.0" },
	{ .bdf = "0000:c2:00.0", .unmanaged = true },
	{ .bdf = "0000:c3:00.0", .pending = true },
};
static const struct changes changes = { plan, 3 };

static void make_apply(void)
{
	size_t i;

	for (i = 0; i < changes.count; i++)
		conf_defaults(&plan[i].wanted);
	plan[2].wanted.peer = text_intern("0000:c4:00.0 15b3:1021");
	begin(0x20, INSTINCT_VFIO_CMD_POLICY_APPLY);
}

/* The request holds whole policies, and never exceeds the given size. */
static void test_apply(void)
{
	const struct nlattr *nest, *attr;
	size_t i = 0;

	make_apply();
	CHECK_INT(nl_policies_put(nlh, nl_policies_bytes(&changes), &changes), 0);
	mnl_attr_for_each(nest, nlh, sizeof(struct genlmsghdr)) {
		size_t keys = 0, flags = 0;

		CHECK_INT(mnl_attr_get_type(nest), A(APPLY_POLICY));
		mnl_attr_for_each_nested(attr, nest) {
			uint16_t type = mnl_attr_get_type(attr);

			if (type == A(POLICY_BDF))
				CHECK_STR(mnl_attr_get_str(attr), plan[i].bdf);
			else if (type == A(POLICY_DEFAULTS) || type == A(POLICY_PENDING))
				flags++;
			else
				keys++;
		}
		CHECK_INT(flags, plan[i].unmanaged ? 1 : 2);
		CHECK_INT(keys, i == 1 ? CONF_PEER - CONF_ACS + 1 : CONF_HOTSPOT_WARNING);
		i++;
	}
	CHECK_INT(i, 3);
	for (i = nlh->nlmsg_len - 1; i > NLMSG_HDRLEN + GENL_HDRLEN; i--) {
		make_apply();
		CHECK_INT(nl_policies_put(nlh, i, &changes), -EMSGSIZE);
	}
}

/* Each offset in the request belongs to a key, to a policy, or to neither. */
static void test_blame(void)
{
	const struct nlattr *nest, *attr;
	struct nl_blame blame;
	size_t i = 0;

	make_apply();
	nl_policies_put(nlh, sizeof(buffer), &changes);
	mnl_attr_for_each(nest, nlh, sizeof(struct genlmsghdr)) {
		nl_policies_blame(nlh, (char *)nest - buffer, &blame);
		CHECK_INT(blame.change, i);
		CHECK(!blame.key);
		mnl_attr_for_each_nested(attr, nest) {
			uint16_t type = mnl_attr_get_type(attr);

			nl_policies_blame(nlh, (char *)attr - buffer, &blame);
			CHECK_INT(blame.change, i);
			CHECK(blame.key ? blame.key->attr == type :
			      type == A(POLICY_BDF) || type == A(POLICY_DEFAULTS) ||
			      type == A(POLICY_PENDING));
			nl_policies_blame(nlh, (char *)attr - buffer + 1, &blame);
			CHECK(blame.change == i && !blame.key);
		}
		i++;
	}
	for (i = 0; i < NLMSG_HDRLEN + GENL_HDRLEN; i++) {
		nl_policies_blame(nlh, i, &blame);
		CHECK(blame.change == changes.count && !blame.key);
	}
	nl_policies_blame(nlh, nlh->nlmsg_len, &blame);
	CHECK_INT(blame.change, changes.count);
	nl_policies_blame(nlh, UINT32_MAX, &blame);
	CHECK_INT(blame.change, changes.count);
}

static void put_group(const char *name, uint32_t id)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, 1);

	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, name);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, id);
	mnl_attr_nest_end(nlh, nest);
}

static void make_family(uint8_t command)
{
	struct nlattr *nest;

	begin(GENL_ID_CTRL, command);
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, 0x21);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, INSTINCT_VFIO_FAMILY_NAME);
	mnl_attr_put_u32(nlh, CTRL_ATTR_VERSION, 3);
	nest = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	put_group("later", 5);
	put_group(INSTINCT_VFIO_MCGRP_EVENTS, 6);
	put_group("latest", 7);
	mnl_attr_nest_end(nlh, nest);
}

static void test_family(void)
{
	struct nl_family family, other = { .id = 0x22 };

	make_family(CTRL_CMD_NEWFAMILY);
	CHECK_INT(nl_parse_family(nlh, &family), 0);
	CHECK_INT(family.id, 0x21);
	CHECK_INT(family.version, 3);
	CHECK_INT(family.group, 6);
	CHECK(!nl_parse_is_gone(nlh, &family));
	CHECK(nl_parse_is_new(nlh));
	make_family(CTRL_CMD_DELFAMILY);
	CHECK(!nl_parse_is_new(nlh));
	CHECK(nl_parse_is_gone(nlh, &family));
	CHECK(!nl_parse_is_gone(nlh, &other));
	begin(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	mnl_attr_put_u32(nlh, CTRL_ATTR_FAMILY_ID, 0x21);
	mnl_attr_put_u32(nlh, CTRL_ATTR_VERSION, 3);
	CHECK_INT(nl_parse_family(nlh, &family), -EBADMSG);
	CHECK(!nl_parse_is_new(nlh));
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, INSTINCT_VFIO_FAMILY_NAME "2");
	CHECK(!nl_parse_is_new(nlh));
}

int main(void)
{
	RUN(test_device);
	RUN(test_event);
	RUN(test_stats);
	RUN(test_policy);
	RUN(test_unmanaged_policy);
	RUN(test_missing_attributes);
	RUN(test_newer_module);
	RUN(test_short_attributes);
	RUN(test_truncated);
	RUN(test_noise);
	RUN(test_phases);
	RUN(test_text_is_made_harmless);
	RUN(test_ends);
	RUN(test_uncapped_ack);
	RUN(test_apply);
	RUN(test_blame);
	RUN(test_family);
	return unit_end();
}
