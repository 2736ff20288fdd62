// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the parsers of netlink messages. Each parser gets each message of an input, in a copy
 * without spare bytes, so that ASan sees each read outside of it. Most parsers get it twice,
 * with different bytes in the result, so that the test sees fields that a parser leaves unset.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <string.h>

#include "conf_key.h"
#include "fuzz.h"
#include "netlink_change.h"
#include "nl_debug.h"
#include "nl_parse.h"
#include "nl_policy.h"
#include "nl_replay.h"
#include "policy_files.h"
#include "sysfs.h"
#include "core/pure.h"
#include "words.h"

/* nl_devices_get() has the place of a device from sysfs, which no message tells. */
void sysfs_place(struct device *dev)
{
	(void)dev;
}

/* Bytes of a result before the first and the second parse. */
static const int before[] = { 0x55, 0xaa };

/* A parser takes a message or fails with -EBADMSG, and with no other error. */
static bool taken(int ret)
{
	REQUIRE(!ret || ret == -EBADMSG);
	return !ret;
}

/* A text is NUL-terminated and printable ASCII, fit for a terminal and for JSON. */
static void require_text(const char *text, size_t size)
{
	REQUIRE(memchr(text, '\0', size));
	for (; *text; text++)
		REQUIRE(*text >= ' ' && *text <= '~');
}

#define TEXT(field)	require_text(field, sizeof(field))

/* nl_policies_blame() turns any offset from the kernel into a change, or into none (the count). */
static void take_offset(uint32_t offset)
{
	static uint32_t request[1024];
	struct nlmsghdr *nlh = (struct nlmsghdr *)request;
	struct change list[2] = { { .bdf = "0000:c1:00.0" }, { .bdf = "0000:c2:00.0" } };
	struct changes changes = { list, ARRAY_SIZE(list) };
	struct nl_blame blame;

	if (!nlh->nlmsg_len) {
		nlh = mnl_nlmsg_put_header(request);
		mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
		REQUIRE(!nl_policies_put(nlh, sizeof(request), &changes));
	}
	nl_policies_blame(nlh, offset, &blame);
	REQUIRE(blame.change <= changes.count);
}

static bool take_end(const struct nlmsghdr *nlh)
{
	char words[64] = "";
	uint32_t offset = 0;
	int ret = nl_parse_end(nlh, words, sizeof(words), &offset);

	REQUIRE(ret <= 0);
	TEXT(words);
	take_offset(offset);
	return *words && offset;
}

static bool take_family(const struct nlmsghdr *nlh)
{
	struct nl_family family[2];
	int i;

	for (i = 0; i < 2; i++) {
		memset(&family[i], before[i], sizeof(family[i]));
		if (!taken(nl_parse_family(nlh, &family[i])))
			return false;
		nl_parse_is_gone(nlh, &family[i]);
	}
	REQUIRE(family[0].id == family[1].id && family[0].group == family[1].group &&
		family[0].version == family[1].version);
	return true;
}

static bool take_notice(const struct nlmsghdr *nlh)
{
	static const struct nl_family family = { .id = 0x20 };

	return nl_parse_is_new(nlh) || nl_parse_is_gone(nlh, &family);
}

static bool take_info(const struct nlmsghdr *nlh)
{
	struct nl_info info[2];
	int i;

	for (i = 0; i < 2; i++) {
		memset(&info[i], before[i], sizeof(info[i]));
		if (!taken(nl_parse_info(nlh, &info[i])))
			return false;
		TEXT(info[i].version);
	}
	REQUIRE(!strcmp(info[0].version, info[1].version));
	REQUIRE(info[0].epoch == info[1].epoch && info[0].oldest == info[1].oldest &&
		info[0].newest == info[1].newest && info[0].capacity == info[1].capacity);
	return true;
}

/* Each value of a policy has a printable form. */
static void require_policy(const struct policy *policy)
{
	char text[2 * TEXT_BYTES];
	size_t key;

	for (key = 0; key < CONF_KEYS; key++) {
		conf_key_format(&conf_keys[key], conf_key_get(&conf_keys[key], policy),
				text, sizeof(text));
		TEXT(text);
	}
}

static bool take_policy(const struct nlmsghdr *nlh)
{
	struct device dev[2];
	int i;

	for (i = 0; i < 2; i++) {
		memset(&dev[i], before[i], sizeof(dev[i]));
		if (!taken(nl_parse_policy(nlh, &dev[i])))
			return false;
		TEXT(dev[i].bdf);
	}
	REQUIRE(!strcmp(dev[0].bdf, dev[1].bdf) && dev[0].unmanaged == dev[1].unmanaged &&
		dev[0].pending == dev[1].pending && dev[0].policy_set == dev[1].policy_set);
	REQUIRE(!memcmp(&dev[0].policy, &dev[1].policy, sizeof(dev[0].policy)));
	require_policy(&dev[0].policy);
	return true;
}

static bool take_device(const struct nlmsghdr *nlh)
{
	struct device dev = { 0 };
	unsigned int i;

	if (!taken(nl_parse_device(nlh, &dev)))
		return false;
	TEXT(dev.bdf);
	TEXT(dev.model);
	TEXT(dev.family);
	TEXT(dev.reason);
	REQUIRE(dev.state >= 0 && dev.ports <= PORTS_MAX && dev.sensors <= SENSORS_MAX);
	for (i = 0; i < dev.ports; i++)
		TEXT(dev.port[i].bdf);
	require_policy(&dev.policy);
	return true;
}

static bool take_reset(const struct nlmsghdr *nlh)
{
	struct nl_reset_done done[2];
	int i;

	for (i = 0; i < 2; i++) {
		memset(&done[i], before[i], sizeof(done[i]));
		done[i].coalesced = i;
		if (!taken(nl_parse_reset(nlh, &done[i])))
			return false;
	}
	REQUIRE(done[0].method == done[1].method && done[0].duration == done[1].duration &&
		done[0].coalesced == done[1].coalesced);
	return true;
}

static bool take_plan(const struct nlmsghdr *nlh)
{
	struct nl_reset_done done = { 0 };
	unsigned int i;

	if (!taken(nl_parse_plan(nlh, &done)))
		return false;
	REQUIRE(done.steps <= NL_STEPS_MAX);
	for (i = 0; i < done.steps; i++)
		TEXT(done.step[i].refusal);
	return done.steps;
}

static bool take_event(const struct nlmsghdr *nlh)
{
	struct event event[2];
	int i;

	for (i = 0; i < 2; i++) {
		memset(&event[i], before[i], sizeof(event[i]));
		if (!taken(nl_parse_event(nlh, &event[i])))
			return false;
	}
	REQUIRE(event[0].seq == event[1].seq && event[0].error == event[1].error &&
		event[0].phases == event[1].phases &&
		event[0].thermal == event[1].thermal &&
		event[0].has_register == event[1].has_register);
	TEXT(event[0].bdf);
	TEXT(event[0].reason);
	TEXT(event[0].port);
	REQUIRE(event[0].phases <= PHASES_MAX);
	return true;
}

static bool take_isolated(const struct nlmsghdr *nlh)
{
	struct isolated item = { 0 };

	if (!taken(nl_parse_isolated(nlh, &item)))
		return false;
	TEXT(item.bdf);
	TEXT(item.of);
	return true;
}

/* The parser adds to the statistics, even if it refuses the message halfway. */
static bool take_stats(const struct nlmsghdr *nlh)
{
	struct stats stats = { 0 };
	bool any;
	size_t i;

	any = taken(nl_parse_stats(nlh, &stats)) &&
	      (stats.durations || stats.phases || stats.devices);
	taken(nl_parse_stats(nlh, &stats));
	for (i = 0; any && i < stats.devices; i++)
		TEXT(stats.device[i].bdf);
	stats_free(&stats);
	return any;
}

/* --debug prints whole lines of printable ASCII for any message. */
static void take_debug(const struct nlmsghdr *nlh)
{
	const char *text;

	words_catch();
	nl_debug_print(stderr, nlh->nlmsg_seq & 1 ? NL_SENT : NL_RECEIVED, nlh,
		       nlh->nlmsg_len);
	text = words_caught();
	REQUIRE(*text && text[strlen(text) - 1] == '\n');
	for (; *text; text++)
		REQUIRE(*text == '\n' || (*text >= ' ' && *text <= '~'));
}

/* To add a parser, write a function take_NAME() above and add NAME here. */
#define PARSERS(X)							\
	X(end) X(family) X(notice) X(info) X(policy) X(device)	\
	 X(reset) X(plan) X(event) X(isolated) X(stats)

#define TAKE(name)	take_##name,
#define NAME(name)	#name,

static bool (*const parsers[])(const struct nlmsghdr *nlh) = { PARSERS(TAKE) NULL };

const char *const fuzz_ways[] = { "refused", PARSERS(NAME) NULL };

static void take_message(const uint8_t *data, size_t length)
{
	struct nlmsghdr *nlh = malloc(length);
	unsigned int i, ways = 0;

	REQUIRE(nlh);
	memcpy(nlh, data, length);
	texts_forget();
	take_debug(nlh);
	for (i = 0; parsers[i]; i++)
		if (parsers[i](nlh)) {
			fuzz_went(1 + i);
			ways++;
		}
	if (!ways)
		fuzz_went(0);
	free(nlh);
}

/* From any capture, a replay gives only whole messages, and then ends. */
static void take_replay(const uint8_t *data, size_t size)
{
	static _Alignas(NLMSG_ALIGNTO) char buffer[4096];
	struct nl_replay replay = { .dump = size & 1 };
	const struct nlmsghdr *nlh = (void *)buffer;
	size_t messages = 0;
	ssize_t got;

	bytes_add(&replay.answers, data, size);
	while ((got = nl_replay_receive(&replay, buffer, sizeof(buffer))) >= 0) {
		REQUIRE(got >= (ssize_t)sizeof(*nlh) && got <= (ssize_t)sizeof(buffer));
		REQUIRE(nlh->nlmsg_len >= sizeof(*nlh) && nlh->nlmsg_len <= got);
		REQUIRE(messages++ <= size / sizeof(*nlh));
	}
	REQUIRE(errno == EBADMSG);
	bytes_free(&replay.answers);
}

/* This fuzzer has no captured host. */
int __wrap_sysroot_stat(const char *path, bool follow, struct stat *st)
{
	(void)path;
	(void)follow;
	(void)st;
	return -ENOENT;
}

int __wrap_sysroot_open_file(const char *path)
{
	(void)path;
	return -ENOENT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at, length;

	fuzz_input();
	take_replay(data, size);
	for (at = 0; (length = netlink_message(data, size, at)); at += NLMSG_ALIGN(length))
		take_message(data + at, length);
	return 0;
}
