// SPDX-License-Identifier: GPL-2.0-only
/* A captured host: its recorded answers, its clock, its files, and the programs that record. */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <signal.h>

#include "helper_util.h"
#include "host_clock.h"
#include "nl.h"
#include "nl_record.h"
#include "nl_replay.h"
#include "now.h"
#include "program.h"
#include "reader.h"
#include "say.h"
#include "sysroot.h"

#define A(name)	INSTINCT_VFIO_A_##name
#define FAMILY	0x2a

static _Alignas(8) char buffer[4096];
static struct bytes answers;

static struct nlmsghdr *begin(uint16_t type, uint8_t command)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(memset(buffer, 0, sizeof(buffer)));
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = type;
	nlh->nlmsg_seq = 99;
	genl->cmd = command;
	return nlh;
}

static void end(const struct nlmsghdr *nlh)
{
	bytes_add(&answers, nlh, nlh->nlmsg_len);
	bytes_add(&answers, "\0\0\0", MNL_ALIGN(nlh->nlmsg_len) - nlh->nlmsg_len);
}

static void store(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "host/" NL_RECORDS "/%s", name);
	util_write_bytes(path, answers.size ? answers.data : "", answers.size);
	bytes_free(&answers);
}

static void put_family(uint32_t version)
{
	struct nlmsghdr *nlh = begin(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);

	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, INSTINCT_VFIO_FAMILY_NAME);
	mnl_attr_put_u32(nlh, CTRL_ATTR_VERSION, version);
	end(nlh);
	store("GETFAMILY");
}

static void put_event(uint64_t seq, const char *bdf)
{
	struct nlmsghdr *nlh = begin(FAMILY, INSTINCT_VFIO_CMD_EVENT);

	nlh->nlmsg_flags = NLM_F_MULTI | NLM_F_DUMP_INTR;
	mnl_attr_put_u64(nlh, A(EVENT_SEQ), seq);
	mnl_attr_put_u64(nlh, A(EVENT_EPOCH), 5);
	mnl_attr_put_u64(nlh, A(EVENT_TIME), 1);
	mnl_attr_put_u32(nlh, A(EVENT_KIND), INSTINCT_VFIO_EVENT_DEVICE_LOST);
	mnl_attr_put_strz(nlh, A(EVENT_BDF), bdf);
	mnl_attr_put_u64(nlh, A(EVENT_SERIAL), 0);
	mnl_attr_put_u32(nlh, A(EVENT_STATE), INSTINCT_VFIO_STATE_LOST);
	mnl_attr_put_u32(nlh, A(EVENT_CAUSE), 0);
	mnl_attr_put_u32(nlh, A(EVENT_METHOD), 0);
	mnl_attr_put_u64(nlh, A(EVENT_DURATION), 0);
	end(nlh);
}

static void on_event(const struct event *event, void *data)
{
	*(uint64_t *)data += event->seq;
}

static void test_no_capture(void)
{
	int error;

	CHECK(!nl_is_recorded());
	mkdir("host", 0755);
	opt_sysroot = "host";
	CHECK(!nl_is_recorded());
	CHECK(!nl_open(&error));
	CHECK_INT(error, ENOENT);
	mkdir("host/instinct-vfio", 0755);
	mkdir("host/" NL_RECORDS, 0755);
	CHECK(nl_is_recorded());
	CHECK(!nl_open(&error));
	CHECK_INT(error, ENOENT);
}

static void test_answers(void)
{
	struct devices devices = { 0 };
	struct nl_info info;
	uint64_t sum = 0;
	struct nl *nl;
	int error;

	put_family(INSTINCT_VFIO_FAMILY_VERSION);
	nl = nl_open(&error);
	CHECK(nl);
	CHECK_INT(nl_version(nl), INSTINCT_VFIO_FAMILY_VERSION);
	CHECK_INT(nl_fd(nl), -1);
	/* The capture has no such answer. */
	CHECK_INT(nl_info_get(nl, &info), -ENOENT);
	CHECK_STR(nl_message(nl), "the capture does not have the module's answer");
	/* The helper changes nothing, even if the capture has an answer. */
	store("RESET");
	store("RELEASE");
	CHECK_INT(nl_release(nl, "0000:c1:00.0", 0), -EROFS);
	CHECK_STR(nl_message(nl), "a captured host cannot be changed");
	CHECK_INT(nl_events_join(nl), -EROFS);
	/* A replay can be repeated, and ignores that the recorded dump was interrupted. */
	put_event(3, "0000:c1:00.0");
	put_event(4, "0000:c2:00.0");
	store("EVENT_GET");
	CHECK_INT(nl_events_replay(nl, 1, on_event, &sum), 0);
	CHECK_INT(nl_events_replay(nl, 1, on_event, &sum), 0);
	CHECK_INT(sum, 14);
	store("DEV_GET");
	CHECK_INT(nl_devices_get(nl, &devices), 0);
	CHECK_INT(devices.count, 0);
	nl_close(nl);
}

static int replay_events(void)
{
	uint64_t sum = 0;
	int error, ret;
	struct nl *nl = nl_open(&error);

	if (!nl)
		return -error;
	ret = nl_events_replay(nl, 1, on_event, &sum);
	nl_close(nl);
	return ret;
}

static void test_hostile_answers(void)
{
	struct nlmsghdr head = { .nlmsg_len = 15, .nlmsg_type = FAMILY };
	size_t size;

	bytes_add(&answers, &head, sizeof(head));
	store("EVENT_GET");
	CHECK_INT(replay_events(), -EBADMSG);
	head.nlmsg_len = UINT32_MAX;
	bytes_add(&answers, &head, sizeof(head));
	store("EVENT_GET");
	CHECK_INT(replay_events(), -EBADMSG);
	/* A message that is longer than allowed. */
	head.nlmsg_len = 65536;
	bytes_add(&answers, &head, sizeof(head));
	for (size = 0; size < 16; size++)
		bytes_add(&answers, buffer, sizeof(buffer));
	store("EVENT_GET");
	CHECK_INT(replay_events(), -EBADMSG);
	/* A truncated message, and one of another family. */
	put_event(3, "0000:c1:00.0");
	answers.size -= 8;
	store("EVENT_GET");
	CHECK_INT(replay_events(), -EBADMSG);
	end(begin(FAMILY + 1, INSTINCT_VFIO_CMD_EVENT));
	store("EVENT_GET");
	CHECK_INT(replay_events(), -EBADMSG);
	bytes_add(&answers, "x", 1);
	store("EVENT_GET");
	CHECK_INT(replay_events(), -EBADMSG);
}

static void on_answer(const char *name, int error, const struct bytes *recorded, void *data)
{
	char path[128];
	FILE *in;

	if (error)
		return;
	++*(int *)data;
	snprintf(path, sizeof(path), "host/" NL_RECORDS "/%s", name);
	in = fopen(path, "r");
	CHECK(in);
	if (!in)
		return;
	CHECK_INT(fread(buffer, 1, sizeof(buffer), in), recorded->size);
	fclose(in);
}

/* The helper can record a replayed answer again. */
static void test_record(void)
{
	int count = 0, error;
	struct nl *nl;

	put_event(3, "0000:c1:00.0");
	store("EVENT_GET");
	nl = nl_open(&error);
	nl_record_all(nl, on_answer, &count);
	CHECK_INT(count, 3);
	nl_close(nl);
}

static void test_clock(void)
{
	struct host_clock clock = { 1795312455859862651, 42 };
	char text[128];

	CHECK(host_clock_now().realtime > 1000000000000000000);
	host_clock_text(&clock, text, sizeof(text));
	util_write("host/" HOST_CLOCK_FILE, text);
	CHECK(host_clock_now().realtime == clock.realtime);
	CHECK(host_clock_now().boottime == clock.boottime);
}

/* Links resolve below the root of the captured host, and never lead out of it. */
static void test_links(void)
{
	char path[PATH_MAX];

	CHECK(!mkdir("host/a", 0755) && !mkdir("host/a/b", 0755));
	CHECK(!symlink("a/b", "host/link") && !symlink("../..", "host/up"));
	CHECK(sysroot_realpath("host/link", path));
	CHECK_STR(path, "/a/b");
	CHECK(sysroot_realpath("host/up/a", path));
	CHECK_STR(path, "/a");
	CHECK(!sysroot_realpath("host/none", path));
	CHECK(sysroot_readlink("host/link", path));
	CHECK_STR(path, "a/b");
	CHECK(!sysroot_readlink("host/a", path));
	opt_sysroot = "/";
	CHECK(sysroot_realpath("//dev/null", path));
	CHECK_STR(path, "/dev/null");
	opt_sysroot = "host";
}

static void test_reader(void)
{
	struct tree tree = { 0 };
	int i;

	for (i = 0; i < 40; i++)
		bytes_add(&answers, buffer, sizeof(buffer));
	util_write_bytes("host/whole", answers.data, answers.size);
	CHECK(!truncate("host/whole", TREE_FILE_BYTES));
	util_write_bytes("host/big", "x", 1);
	CHECK(!truncate("host/big", TREE_FILE_BYTES + 1));
	util_write("host/empty", "");
	CHECK(!mkfifo("host/fifo", 0600));
	tree_want(&tree, "absent");
	tree_want(&tree, "big");
	tree_want(&tree, "empty");
	tree_want(&tree, "fifo");
	tree_want(&tree, "whole");
	reader_run(&tree);
	CHECK_STR(tree.list[0].why, "No such file or directory");
	CHECK_STR(tree.list[1].why, "too big");
	CHECK(!tree.list[2].why && !tree.list[2].data.size);
	CHECK_STR(tree.list[3].why, "no regular file");
	CHECK(!tree.list[4].why);
	CHECK_INT(tree.list[4].data.size, TREE_FILE_BYTES);
	CHECK(!memcmp(tree.list[4].data.data, answers.data, answers.size));
	tree_free(&tree);
	bytes_free(&answers);
}

static void test_program(void)
{
	char shell[] = "/bin/sh", flag[] = "-c", good[] = "echo $LC_ALL $HOME; cat; exit 3",
	     slow[] = "echo begun; sleep 100", loud[] = "yes", absent[] = "/nowhere/at/all",
	     crash[] = "kill -SEGV $$", mute[] = "exec >&- 2>&-; sleep 100";
	int64_t began = now_ms();
	struct bytes output = { 0 };

	CHECK_INT(program_run((char *[]) { shell, flag, good, NULL }, 5000, 100, &output), 3);
	CHECK_STR(output.data, "C.UTF-8\n");
	CHECK_INT(program_run((char *[]) { shell, flag, slow, NULL }, 3000, 100, &output),
		  -ETIMEDOUT);
	CHECK_STR(output.data, "C.UTF-8\nbegun\n");
	CHECK_INT(program_run((char *[]) { shell, flag, loud, NULL }, 5000, 1000, &output), -EFBIG);
	CHECK_INT(program_run((char *[]) { absent, NULL }, 5000, 1000, &output), 127);
	CHECK_INT(program_run((char *[]) { shell, flag, crash, NULL }, 5000, 1000, &output),
		  128 + SIGSEGV);
	CHECK_INT(program_run((char *[]) { shell, flag, mute, NULL }, 300, 1000, &output),
		  -ETIMEDOUT);
	CHECK(now_ms() - began < 60000);
	bytes_free(&output);
}

int main(void)
{
	util_begin();
	RUN(test_no_capture);
	RUN(test_answers);
	RUN(test_hostile_answers);
	RUN(test_record);
	RUN(test_clock);
	RUN(test_links);
	RUN(test_reader);
	RUN(test_program);
	return unit_end();
}
