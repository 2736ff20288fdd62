// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes instinctctl's reading of a captured host. An input is a command and changes of a host
 * (host_change.h). The command reads the host in memory, as from an archive, or on disk; on
 * both, its output must be the same. Some files, such as pipes, can only be on disk.
 * FUZZ_SHOW=1 build/fuzz/capture INPUT prints the output.
 */
#include <string.h>

#include "command.h"
#include "fuzz.h"
#include "host_base.h"
#include "host_change.h"
#include "host_disk.h"
#include "core/pure.h"
#include "work.h"

#define HEAD_BYTES	2	/* index of the command; flags */
#define WITH_JSON	1
#define ON_DISK		2	/* in addition; takes ten times as long */

#define POLICY	"policy.conf"
#define MAP	"guest.map"
#define XML	"topo.xml"

/* Add new commands at the end, because inputs select them by index. */
#define COMMANDS(X)							\
	X("status") X("check", POLICY) X("diff", POLICY) X("check")	\
	X("show-policy", "--origin")					\
	X("isolation", "--why", "23:00.0", "26:00.0")			\
	X("isolation", "--config-acs")					\
	X("topo", "show", "--all") X("topo", "show", "--svg")		\
	X("topo", "pairs", "--all")					\
	X("topo", "plan", "--gpus", "1", "--nics", "1")		\
	X("topo", "plan", "--gpus", "1", "--vmm", "libvirt")		\
	X("topo", "xml", "--flavor", "rccl", "--map", MAP)		\
	X("topo", "check", "--map", MAP, XML)				\
	X("doctor") X("doctor", "--guest") X("sensors", "--all")	\
	X("monitor") X("export") X("explain", "26:00.0")		\
	X("topo", "plan", "--split", "1x1")

#define WORDS(...)	{ __VA_ARGS__, NULL },
#define NAME(...)	"output of: " #__VA_ARGS__,

static const char *commands[][10] = { COMMANDS(WORDS) };

enum { SILENT, MEMORY, BOTH, DISK, SAYS };

const char *const fuzz_ways[] = {
	[SILENT] = "no output",
	[MEMORY] = "in memory",
	[BOTH] = "in memory and on disk",
	[DISK] = "on disk only",
	COMMANDS(NAME)
	NULL
};

static const struct {
	const char *name;
	const char *text;
} given[] = {
	{ POLICY, "[default]\nisolation = p2p\nats = on\n" },
	{ MAP, "0000:26:00.0 0000:01:00.0\n0000:23:00.0 0000:02:00.0\n" },
	{ XML, "<system version=\"1\">\n"
	  "<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\">\n"
	  "<pci busid=\"0000:01:00.0\" class=\"0x120000\" link_width=\"16\"/>\n"
	  "</cpu></system>\n" },
};

/* Writes a file for commands, and replaces its name in them by its path. */
static void write_given(const char *name, const char *text)
{
	const char *path = work_given(name, text, strlen(text));
	size_t command, word;

	for (command = 0; command < ARRAY_SIZE(commands); command++)
		for (word = 0; commands[command][word]; word++)
			if (!strcmp(commands[command][word], name))
				commands[command][word] = path;
}

static void begin(void)
{
	static bool begun;
	size_t i;

	if (begun)
		return;
	begun = true;
	host_disk_begin();
	for (i = 0; i < ARRAY_SIZE(given); i++)
		write_given(given[i].name, given[i].text);
	command_begin(work_given_folder());
}

/* Tells whether the command accepts --json and then prints JSON. */
static bool has_json(const char *const command[])
{
	return strcmp(command[0], "export") && strcmp(command[1] ?: "", "xml") &&
	       strcmp(command[2] ?: "", "--svg") && strcmp(command[4] ?: "", "--vmm");
}

/* A command prints the same for the folder and for the tree in memory. */
static void require_same(const struct printed *a, const struct printed *b)
{
	bool same = a->code == b->code && !strcmp(a->out, b->out) && !strcmp(a->err, b->err);

	if (!same) {
		said_show(a);
		said_show(b);
	}
	REQUIRE(same);
}

/* Runs the command on the host on disk, or on the one in memory. */
static void look(const char *const command[], bool json, bool on_disk, struct printed *said)
{
	command_run(said, on_disk ? NULL : host_tree(), host_disk_root(), json, command);
	if (getenv("FUZZ_SHOW"))
		said_show(said);
	said_require(said, json);
}

static unsigned int look_at(const char *const command[], bool json, bool on_disk,
			    struct printed *said)
{
	struct printed other;

	look(command, json, !host_is_plain(), said);
	if (!host_is_plain())
		return DISK;
	if (!on_disk)
		return MEMORY;
	look(command, json, true, &other);
	require_same(&other, said);
	said_free(&other);
	return BOTH;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct printed said;
	unsigned int where;
	size_t command;

	begin();
	fuzz_input();
	if (size < HEAD_BYTES)
		return 0;
	command = data[0] % ARRAY_SIZE(commands);
	host_make(data + HEAD_BYTES, size - HEAD_BYTES, data[1] & ON_DISK);
	where = look_at(commands[command], data[1] & WITH_JSON && has_json(commands[command]),
			data[1] & ON_DISK, &said);
	fuzz_went(*said.out ? where : SILENT);
	if (*said.out)
		fuzz_went(SAYS + command);
	said_free(&said);
	host_end();
	return 0;
}
