// SPDX-License-Identifier: GPL-2.0-only
/* --debug: the text of valid, malformed and random messages. */
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>

#include "nl_debug.h"
#include "nl_table.h"
#include "unit.h"

#define A(name)	INSTINCT_VFIO_A_##name
#define FAMILY	0x20

static _Alignas(8) char buffer[65536];
static struct nlmsghdr *nlh;
static char *text;

static void begin(uint16_t type, uint16_t flags, uint8_t command)
{
	struct genlmsghdr *genl;

	memset(buffer, 0, sizeof(buffer));
	nlh = mnl_nlmsg_put_header(buffer);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	nlh->nlmsg_seq = 7;
	if (type < NLMSG_MIN_TYPE)
		return;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
}

/* Prints from a heap block of exactly that size, so that ASan finds a read beyond it. */
static const char *print(char direction, size_t bytes)
{
	void *copy = malloc(bytes ? bytes : 1);
	size_t size;
	FILE *out;

	free(text);
	out = open_memstream(&text, &size);
	memcpy(copy, buffer, bytes);
	nl_debug_print(out, direction, copy, bytes);
	fclose(out);
	free(copy);
	return text;
}

static void test_request(void)
{
	const uint32_t peer[] = { INSTINCT_VFIO_PEER_ID, 0x15b31021 };
	struct nlattr *nest;

	begin(FAMILY, NLM_F_REQUEST | NLM_F_ACK, INSTINCT_VFIO_CMD_POLICY_APPLY);
	nest = mnl_attr_nest_start(nlh, A(APPLY_POLICY));
	mnl_attr_put_strz(nlh, A(POLICY_BDF), "0000:c1:00.0");
	mnl_attr_put(nlh, A(POLICY_DEFAULTS), 0, NULL);
	mnl_attr_put_u32(nlh, A(POLICY_METHOD), INSTINCT_VFIO_METHOD_BUS);
	mnl_attr_put_u32(nlh, A(POLICY_READY_TIMEOUT), 90000);
	mnl_attr_put_u32(nlh, A(POLICY_HIVE), INSTINCT_VFIO_HIVE_NONE);
	mnl_attr_put_u32(nlh, A(POLICY_ISOLATION_LOSS), INSTINCT_VFIO_ISOLATION_LOSS_YES);
	mnl_attr_put(nlh, A(POLICY_PEER), sizeof(peer), peer);
	mnl_attr_nest_end(nlh, nest);
	CHECK_STR(print(NL_SENT, nlh->nlmsg_len),
		  "> POLICY_APPLY seq 7 flags REQUEST|ACK 92 bytes\n"
		  "  policy:\n"
		  "    bdf: 0000:c1:00.0\n"
		  "    defaults\n"
		  "    method: bus\n"
		  "    ready_timeout: 90s\n"
		  "    hive: none\n"
		  "    allow_isolation_loss: yes\n"
		  "    peer: 15b3:1021\n");
}

static void test_reply(void)
{
	begin(FAMILY, NLM_F_MULTI, INSTINCT_VFIO_CMD_DEV_GET);
	mnl_attr_put_u64(nlh, A(DEV_SERIAL), 0x1122334455667788);
	mnl_attr_put_u32(nlh, A(DEV_STATE), INSTINCT_VFIO_STATE_LOST);
	mnl_attr_put_u32(nlh, A(DEV_LOST_BY), 1u << INSTINCT_VFIO_METHOD_MODE1 |
			 1u << INSTINCT_VFIO_METHOD_BUS);
	CHECK_STR(print(NL_RECEIVED, nlh->nlmsg_len),
		  "< DEV_GET seq 7 flags MULTI 48 bytes\n"
		  "  serial: 0x1122334455667788\n"
		  "  state: lost\n"
		  "  lost-by: mode1|bus\n");
}

static void test_dump(void)
{
	begin(FAMILY, NLM_F_REQUEST | NLM_F_DUMP, INSTINCT_VFIO_CMD_STATS_GET);
	CHECK_STR(print(NL_SENT, nlh->nlmsg_len),
		  "> STATS_GET seq 7 flags REQUEST|DUMP 20 bytes\n");
}

/* An error's attributes follow the header of the request that it answers. */
static void put_error(int error, uint32_t offset, const char *message)
{
	struct nlmsgerr *err;

	begin(NLMSG_ERROR, NLM_F_CAPPED | (message ? NLM_F_ACK_TLVS : 0), 0);
	err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err));
	err->error = error;
	err->msg.nlmsg_len = 5120;
	if (!message)
		return;
	mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, message);
	mnl_attr_put_u32(nlh, NLMSGERR_ATTR_OFFS, offset);
}

static void test_ends(void)
{
	int error = -11;

	put_error(0, 0, NULL);
	CHECK_STR(print(NL_RECEIVED, nlh->nlmsg_len), "< ack\n");
	put_error(-22, 1204, "hive must be\033[2J 1 to 255");
	CHECK_STR(print(NL_RECEIVED, nlh->nlmsg_len),
		  "< error -22 (EINVAL) at offset 1204: hive must be?[2J 1 to 255\n");
	begin(NLMSG_DONE, NLM_F_MULTI, 0);
	memcpy(mnl_nlmsg_put_extra_header(nlh, sizeof(error)), &error, sizeof(error));
	CHECK_STR(print(NL_RECEIVED, nlh->nlmsg_len), "< error -11 (EAGAIN)\n");
	begin(NLMSG_ERROR, 0, 0);
	CHECK_STR(print(NL_RECEIVED, nlh->nlmsg_len), "< error, malformed: \n");
}

/* Malformed parts appear as hex bytes. */
static void test_malformed(void)
{
	begin(FAMILY, 0, INSTINCT_VFIO_CMD_EVENT);
	mnl_attr_put_u16(nlh, A(EVENT_KIND), 3);
	mnl_attr_put(nlh, A(EVENT_BDF), 3, "abc");
	mnl_attr_put_u32(nlh, 999, 0x04030201);
	mnl_attr_put_u32(nlh, A(EVENT_STATE), 77);
	nlh->nlmsg_len += 2;
	CHECK_STR(print(NL_RECEIVED, nlh->nlmsg_len),
		  "< EVENT seq 7 54 bytes\n"
		  "  kind: malformed: 03 00\n"
		  "  bdf: malformed: 61 62 63\n"
		  "  attribute 999: 01 02 03 04\n"
		  "  state: 77\n"
		  "  malformed: 00 00\n");
	nlh->nlmsg_len = 5000;
	CHECK_STR(print(NL_RECEIVED, 20),
		  "< malformed: 88 13 00 00 20 00 00 00 07 00 00 00 00 00 00 00 08 00 00 00\n");
	begin(GENL_ID_CTRL, NLM_F_REQUEST, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, "instinct_vfio");
	CHECK_STR(print(NL_SENT, nlh->nlmsg_len),
		  "> CONTROL GETFAMILY seq 7 flags REQUEST 40 bytes\n  family-name: instinct_vfio\n");
	begin(FAMILY, 0, 200);
	CHECK_STR(print(NL_RECEIVED, nlh->nlmsg_len), "< COMMAND 200 seq 7 20 bytes\n");
}

/* Deeply nested and very many attributes: the output is limited. */
static void test_bounded(void)
{
	struct nlattr *nest[64];
	const char *at;
	size_t lines = 0;
	int i;

	begin(FAMILY, 0, INSTINCT_VFIO_CMD_DEV_GET);
	for (i = 0; i < 64; i++)
		nest[i] = mnl_attr_nest_start(nlh, A(DEV_POLICY));
	while (i--)
		mnl_attr_nest_end(nlh, nest[i]);
	CHECK(strlen(print(NL_RECEIVED, nlh->nlmsg_len)) < 2000);

	begin(FAMILY, 0, INSTINCT_VFIO_CMD_DEV_GET);
	for (i = 0; i < 10000; i++)
		mnl_attr_put(nlh, A(DEV_OPEN), 0, NULL);
	for (at = print(NL_RECEIVED, nlh->nlmsg_len); (at = strchr(at, '\n')); at++)
		lines++;
	CHECK(lines < 2100);
}

/* Each length of a message, each byte of it changed, and random bytes. */
static void test_hostile(void)
{
	size_t size, i;

	test_reply();
	size = nlh->nlmsg_len;
	for (i = 0; i <= size; i++)
		print(NL_RECEIVED, i);
	for (i = 0; i < size * 256; i++) {
		char before = buffer[i / 256];

		buffer[i / 256] = i % 256;
		print(NL_RECEIVED, size);
		buffer[i / 256] = before;
	}
	srand(1);
	for (i = 0; i < 20000; i++) {
		size_t n;

		for (n = 0; n < 128; n++)
			buffer[n] = rand();
		/* Plausible lengths make the printer read further. */
		memcpy(buffer, &(uint32_t){ 128 }, 4);
		buffer[16] = rand() % 16;
		buffer[20] = rand() % 128;
		buffer[21] = 0;
		print(NL_RECEIVED, 128);
	}
}

int main(void)
{
	RUN(test_request);
	RUN(test_reply);
	RUN(test_dump);
	RUN(test_ends);
	RUN(test_malformed);
	RUN(test_bounded);
	RUN(test_hostile);
	free(text);
	return unit_end();
}
