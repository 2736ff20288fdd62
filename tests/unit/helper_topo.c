// SPDX-License-Identifier: GPL-2.0-only
/* Distances of devices, the choice of devices for a guest, and the topology that it sees. */
#include <linux/pci_regs.h>

#include "choice.h"
#include "guest_fold.h"
#include "guest_form.h"
#include "guest_path.h"
#include "guest_tree.h"
#include "helper_util.h"
#include "say.h"
#include "split.h"

/*
 * Two sockets of one NUMA node each. A node has two root complexes, and each of these a switch
 * with a GPU in its package, a NIC, and one more NIC below another switch.
 */
#define GROUP		12	/* functions of a root complex */
#define GROUPS		4
#define GPU(group)	((group) * GROUP + 5)
#define SWITCH(group)	((group) * GROUP + 1)
#define NIC_PORT(group)	((group) * GROUP + 6)
#define NIC(group)	((group) * GROUP + 7)
#define FAR_NIC(group)	((group) * GROUP + 11)

static struct instinct_node nodes[GROUP * GROUPS];
static struct host_function functions[GROUP * GROUPS];
static struct reach_port ports[GROUP * GROUPS];
static enum topo_kind kinds[GROUP * GROUPS];
static int physfns[GROUP * GROUPS];
static int partners[GROUP * GROUPS];
static int chips[GROUP * GROUPS];
static struct topo_nic nics[GROUP * GROUPS];

static struct topo topo = {
	.host = {
		.topology = { nodes, GROUP * GROUPS }, .node = nodes, .function = functions,
		.port = ports, .count = GROUP * GROUPS,
	},
	.numa = {
		.node = {
			{ .number = 0, .socket = 0 }, { .number = 1, .socket = 1 },
		},
		.count = 2,
	},
	.kind = kinds, .physfn = physfns, .partner = partners, .chip = chips, .nic = nics,
};

static void make(void)
{
	static const struct {
		int above;
		enum instinct_node_kind kind;
		bool package;
		enum topo_kind device;
	} group[GROUP] = {
		{ -1, INSTINCT_NODE_ROOT_PORT, false, TOPO_PORT },
		{ 0, INSTINCT_NODE_UPSTREAM, false, TOPO_PORT },
		{ 1, INSTINCT_NODE_DOWNSTREAM, false, TOPO_PORT },
		{ 2, INSTINCT_NODE_UPSTREAM, true, TOPO_PORT },
		{ 3, INSTINCT_NODE_DOWNSTREAM, true, TOPO_PORT },
		{ 4, INSTINCT_NODE_ENDPOINT, false, TOPO_GPU },
		{ 1, INSTINCT_NODE_DOWNSTREAM, false, TOPO_PORT },
		{ 6, INSTINCT_NODE_ENDPOINT, false, TOPO_NIC },
		{ 1, INSTINCT_NODE_DOWNSTREAM, false, TOPO_PORT },
		{ 8, INSTINCT_NODE_UPSTREAM, false, TOPO_PORT },
		{ 9, INSTINCT_NODE_DOWNSTREAM, false, TOPO_PORT },
		{ 10, INSTINCT_NODE_ENDPOINT, false, TOPO_NIC },
	};
	int i;

	for (i = 0; i < GROUP * GROUPS; i++) {
		int base = i / GROUP * GROUP, above = group[i % GROUP].above;

		nodes[i].parent = above < 0 ? INSTINCT_NODE_NONE : base + above;
		nodes[i].kind = group[i % GROUP].kind;
		nodes[i].package = group[i % GROUP].package;
		functions[i].numa = i / GROUP / 2;
		functions[i].bridge = i / GROUP;
		functions[i].readable = true;
		guest_bdf(functions[i].bdf, 0, i / GROUP, i % GROUP, 0);
		kinds[i] = group[i % GROUP].device;
		physfns[i] = -1;
		partners[i] = -1;
		nics[i] = (struct topo_nic) { .rdma = true, .speed = 64 };
		chips[i] = nodes[i].kind == INSTINCT_NODE_UPSTREAM && !nodes[i].package ? i : -1;
		functions[i].link = (struct host_link) { 32000, 16, 32000, 16 };
	}
}

static void test_ranks(void)
{
	CHECK_INT(rank_of(&topo, GPU(0), NIC(0)), RANK_SWITCH);
	CHECK_INT(rank_of(&topo, NIC(0), GPU(0)), RANK_SWITCH);
	CHECK_INT(rank_of(&topo, GPU(0), FAR_NIC(0)), RANK_STACKED);
	CHECK_INT(rank_of(&topo, NIC(0), FAR_NIC(0)), RANK_STACKED);
	CHECK_INT(rank_of(&topo, GPU(0), GPU(1)), RANK_NODE);
	CHECK_INT(rank_of(&topo, GPU(0), GPU(2)), RANK_OTHER_SOCKET);
	functions[GPU(1)].bridge = functions[GPU(0)].bridge;
	CHECK_INT(rank_of(&topo, GPU(0), GPU(1)), RANK_ROOT_COMPLEX);
	chips[SWITCH(1)] = chips[SWITCH(0)];
	CHECK_INT(rank_of(&topo, GPU(0), GPU(1)), RANK_CHIP);
	CHECK_INT(rank_of(&topo, FAR_NIC(0), GPU(1)), RANK_CHIP);
	CHECK_INT(rank_of(&topo, GPU(0), GPU(2)), RANK_OTHER_SOCKET);
	topo.numa.node[1].socket = 0;
	CHECK_INT(rank_of(&topo, GPU(0), GPU(2)), RANK_OTHER_NODE);
	topo.numa.node[1].socket = NUMA_NONE;
	CHECK_INT(rank_of(&topo, GPU(0), GPU(2)), RANK_OTHER_NODE);
	functions[GPU(2)].numa = -1;
	CHECK_INT(rank_of(&topo, GPU(0), GPU(2)), RANK_UNKNOWN);
	topo.numa.node[1].socket = 1;
	make();
}

/* A NIC may be nearer through its data-direct function. */
static void test_through(void)
{
	int through;

	CHECK_INT(rank_through(&topo, GPU(0), NIC(2), &through), RANK_OTHER_SOCKET);
	CHECK_INT(through, -1);
	kinds[FAR_NIC(0)] = TOPO_DATA_DIRECT;
	partners[NIC(2)] = FAR_NIC(0);
	partners[FAR_NIC(0)] = NIC(2);
	CHECK_INT(rank_through(&topo, GPU(0), NIC(2), &through), RANK_STACKED);
	CHECK_INT(through, FAR_NIC(0));
	CHECK_INT(rank_through(&topo, GPU(2), NIC(2), &through), RANK_SWITCH);
	CHECK_INT(through, -1);
	make();
}

static void test_ways(void)
{
	struct way_found way = way_find(&topo, NIC(0), GPU(0));

	CHECK_INT(way.way, WAY_UNCHECKED);
	ports[NIC_PORT(0)] = (struct reach_port) { .has_acs = true, .control = PCI_ACS_RR };
	way = way_find(&topo, NIC(0), GPU(0));
	CHECK_INT(way.way, WAY_REDIRECTED);
	CHECK_INT(way.bit, PCI_ACS_RR);
	functions[NIC(0)].has_ats = true;
	functions[NIC(0)].ats = PCI_ATS_CTRL_ENABLE;
	CHECK_INT(way_find(&topo, NIC(0), GPU(0)).way, WAY_REDIRECTED);
	ports[NIC_PORT(0)].control |= PCI_ACS_DT;
	CHECK_INT(way_find(&topo, NIC(0), GPU(0)).way, WAY_DIRECT);
	ports[NIC_PORT(0)].control |= PCI_ACS_TB;
	CHECK_INT(way_find(&topo, NIC(0), GPU(0)).way, WAY_BLOCKED);
	CHECK_INT(way_find(&topo, NIC(0), GPU(1)).way, WAY_BLOCKED);
	CHECK_INT(way_find(&topo, NIC(1), GPU(0)).way, WAY_ROOT);
	ports[NIC_PORT(0)] = (struct reach_port) { .isolates = true };
	CHECK_INT(way_find(&topo, NIC(0), GPU(0)).way, WAY_ROOT);
	functions[NIC(0)].readable = false;
	CHECK_INT(way_find(&topo, NIC(0), GPU(0)).way, WAY_UNKNOWN);
	CHECK_INT(way_find(&topo, NIC(0), GPU(1)).way, WAY_ROOT);
	ports[NIC_PORT(0)] = (struct reach_port) { 0 };
	functions[NIC(0)].has_ats = false;
	make();
}

static void offer(struct choice *choice, const int *index, size_t count)
{
	size_t i;

	*choice = (struct choice) { 0 };
	for (i = 0; i < count; i++)
		choice_offer(choice, &topo, index[i]);
}

/* The choice takes one GPU from the node with fewer free GPUs, so the other stays whole. */
static void test_choice_leaves_nodes_whole(void)
{
	const int free[] = { GPU(0), GPU(1), GPU(3) };
	const size_t one[TOPO_KINDS] = { [TOPO_GPU] = 1 }, two[TOPO_KINDS] = { [TOPO_GPU] = 2 };
	struct choice choice;

	offer(&choice, free, 3);
	CHECK(choice_make(&choice, &topo, one));
	CHECK_INT(choice.best[TOPO_GPU].list[0].index, GPU(3));
	CHECK(choice_make(&choice, &topo, two));
	CHECK_INT(choice.best[TOPO_GPU].list[0].index, GPU(0));
	CHECK_INT(choice.best[TOPO_GPU].list[1].index, GPU(1));
	choice_free(&choice);
}

/* The choice prefers a GPU whose NIC is free. */
static void test_choice_has_nics(void)
{
	const int free[] = { GPU(0), GPU(1), GPU(2), NIC(1), FAR_NIC(2) };
	const size_t one[TOPO_KINDS] = { [TOPO_GPU] = 1, [TOPO_NIC] = 1 };
	const size_t three[TOPO_KINDS] = { [TOPO_GPU] = 3, [TOPO_NIC] = 2 };
	const size_t many[TOPO_KINDS] = { [TOPO_GPU] = 1, [TOPO_NIC] = 3 };
	struct choice choice;

	offer(&choice, free, 5);
	CHECK(choice_make(&choice, &topo, one));
	CHECK_INT(choice.best[TOPO_GPU].list[0].index, GPU(1));
	CHECK_INT(choice.best[TOPO_NIC].list[0].index, NIC(1));
	CHECK(choice_make(&choice, &topo, three));
	CHECK_INT(choice.best[TOPO_NIC].count, 2);
	CHECK_INT(choice.best[TOPO_NIC].list[0].gpu, GPU(1));
	CHECK_INT(choice.best[TOPO_NIC].list[1].gpu, GPU(2));
	CHECK(!choice_make(&choice, &topo, many));
	choice_free(&choice);
}

/* A NIC without RDMA, or with a quarter of another one's link, is the last resort at any distance. */
static void test_choice_of_fast_nics(void)
{
	static const int free_devices[] = { GPU(0), NIC(0), FAR_NIC(0), NIC(2) };
	size_t wanted[TOPO_KINDS] = { [TOPO_GPU] = 1, [TOPO_NIC] = 1 };
	struct choice choice;
	char text[TEXT_BYTES];

	nics[NIC(0)].speed = 16;
	nics[FAR_NIC(0)].rdma = false;
	offer(&choice, free_devices, 4);
	CHECK(choice_make(&choice, &topo, wanted));
	CHECK_INT(choice.best[TOPO_NIC].list[0].index, NIC(2));
	choice_slow_text(&choice, text, sizeof(text));
	CHECK(!*text);
	choice_free(&choice);
	nics[NIC(0)].speed = 17;
	offer(&choice, free_devices, 4);
	CHECK(choice_make(&choice, &topo, wanted));
	CHECK_INT(choice.best[TOPO_NIC].list[0].index, NIC(0));
	choice_free(&choice);
	wanted[TOPO_NIC] = 3;
	offer(&choice, free_devices, 4);
	CHECK(choice_make(&choice, &topo, wanted));
	CHECK_INT(choice.best[TOPO_NIC].list[2].index, FAR_NIC(0));
	CHECK_INT(choice.best[TOPO_NIC].list[2].tier, 1);
	choice_slow_text(&choice, text, sizeof(text));
	CHECK(strstr(text, "1 of the 3 NICs has no RDMA"));
	choice_free(&choice);
	make();
}

/* The choice takes two VFs of one device only if no other device is free. */
static void test_choice_shares_no_device(void)
{
	const int free[] = { GPU(0), GPU(1), GPU(3), NIC(0), FAR_NIC(0), NIC(3) };
	const size_t two[TOPO_KINDS] = { [TOPO_GPU] = 2, [TOPO_NIC] = 2 };
	struct choice choice;

	/* The first two GPUs are VFs of a third one, and the first two NICs are VFs of one NIC. */
	physfns[GPU(0)] = physfns[GPU(1)] = GPU(2);
	physfns[NIC(0)] = physfns[FAR_NIC(0)] = NIC(2);
	offer(&choice, free, 6);
	CHECK(choice_make(&choice, &topo, two));
	CHECK_INT(choice.best[TOPO_GPU].list[0].index, GPU(0));
	CHECK_INT(choice.best[TOPO_GPU].list[1].index, GPU(3));
	choice_free(&choice);
	make();
	/* The same holds for equals within a rank. */
	physfns[NIC(2)] = physfns[FAR_NIC(2)] = NIC(1);
	offer(&choice, (const int []) { GPU(0), GPU(1), NIC(2), FAR_NIC(2), NIC(3) }, 5);
	CHECK(choice_make(&choice, &topo, two));
	CHECK_INT(choice.best[TOPO_NIC].list[0].index, NIC(2));
	CHECK_INT(choice.best[TOPO_NIC].list[1].index, NIC(3));
	choice_free(&choice);
	make();
}

static void check_cpus(const char *cpus, size_t part, size_t parts, const char *wanted)
{
	char text[64];

	split_cpus(cpus, part, parts, text, sizeof(text));
	CHECK_STR(text, wanted);
}

/* Both threads of a core stay together, and no CPU is in two parts. */
static void test_split_cpus(void)
{
	check_cpus("0-95,192-287", 0, 1, "0-95,192-287");
	check_cpus("0-95,192-287", 0, 2, "0-47,192-239");
	check_cpus("0-95,192-287", 1, 2, "48-95,240-287");
	check_cpus("0-9", 0, 4, "0-1");
	check_cpus("0-9", 1, 4, "2-4");
	check_cpus("0-9", 2, 4, "5-6");
	check_cpus("0-9", 3, 4, "7-9");
	check_cpus("4", 0, 2, "4");
	check_cpus("4", 1, 2, "4");
	check_cpus("1,3,8-9", 1, 2, "1,3,9");
	check_cpus("", 0, 2, "");
	check_cpus("9-1", 0, 2, "9-1");
}

static void test_split_parse(void)
{
	static const char *const wrong[] = { "", "2", "2x", "x4", "0x4", "2x0", "2x4x1", "2x-4", "65x1", "two" };
	struct split split = { 0 };
	char text[64];
	size_t i;

	CHECK(split_parse(&split, "2x4"));
	CHECK_INT(split.guests, 2);
	CHECK_INT(split.gpus, 4);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!split_parse(&split, wrong[i]));
	split_fitting(8, text, sizeof(text));
	CHECK_STR(text, "1x8, 2x4, 4x2 or 8x1");
	split_fitting(1, text, sizeof(text));
	CHECK_STR(text, "1x1");
	split_fitting(0, text, sizeof(text));
	CHECK_STR(text, "");
}

/* Each guest gets the GPUs and the CPUs of one node; two guests of one node share its CPUs. */
static void test_split(void)
{
	const int free[] = { GPU(0), GPU(1), GPU(2), GPU(3), NIC(0), NIC(1), NIC(2), NIC(3) };
	const size_t two[TOPO_KINDS] = { [TOPO_GPU] = 2, [TOPO_NIC] = 2 };
	const size_t one[TOPO_KINDS] = { [TOPO_GPU] = 1 }, many[TOPO_KINDS] = { [TOPO_GPU] = 1, [TOPO_NIC] = 2 };
	struct split split = { 0 };
	struct choice offered;
	int a, b;
	size_t i;

	for (i = 0; i < GROUP * GROUPS; i++)
		functions[i].group = GROUP_NONE;
	strcpy(topo.numa.node[0].cpus, "0-7");
	strcpy(topo.numa.node[1].cpus, "8-15");
	topo.numa.node[0].memory = 64;
	offer(&offered, free, 8);
	CHECK_INT(split_gpus(&topo), 4);
	CHECK(split_parse(&split, "2x2"));
	CHECK(split_make(&split, &topo, &offered, two));
	CHECK_INT(split.guest[0].best[TOPO_GPU].list[0].index, GPU(0));
	CHECK_INT(split.guest[0].best[TOPO_GPU].list[1].index, GPU(1));
	CHECK_INT(split.guest[1].best[TOPO_GPU].list[0].index, GPU(2));
	CHECK_INT(split.guest[1].best[TOPO_NIC].list[1].index, NIC(3));
	CHECK_STR(split.numa[0].node[0].cpus, "0-7");
	CHECK_STR(split.numa[1].node[1].cpus, "8-15");
	CHECK(!split_has_group(&split, &topo, &a, &b));
	functions[GPU(1)].group = functions[NIC(2)].group = 5;
	CHECK(split_has_group(&split, &topo, &a, &b));
	CHECK_INT(a, GPU(1));
	CHECK_INT(b, NIC(2));
	split_free(&split);
	CHECK(split_parse(&split, "4x1"));
	CHECK(split_make(&split, &topo, &offered, one));
	CHECK_STR(split.numa[0].node[0].cpus, "0-3");
	CHECK_STR(split.numa[1].node[0].cpus, "4-7");
	CHECK_INT(split.numa[1].node[0].memory, 32);
	CHECK_STR(split.numa[3].node[1].cpus, "12-15");
	split_free(&split);
	CHECK(!split_make(&split, &topo, &offered, many));
	split_free(&split);
	choice_free(&offered);
	make();
}

static void test_folds(void)
{
	struct guest_folds folds;

	guest_fold(&folds, "0000:05:00.0");
	CHECK_INT(folds.count, 0);
	guest_fold(&folds, "0000:05:00.1");
	CHECK_INT(folds.count, 1);
	CHECK_STR(folds.busid[0], "0000:05:00.0");
	guest_fold(&folds, "0001:00:1a.3");
	CHECK_INT(folds.count, 3);
	CHECK_STR(folds.busid[0], "0001:00:00.0");
	CHECK_STR(folds.busid[1], "0001:00:10.0");
	CHECK_STR(folds.busid[2], "0001:00:1a.0");
}

static void add_to(struct guest_map *map, int index, const char *guest)
{
	struct guest_device *dev = guest_map_add(map, "test", 0);

	snprintf(dev->guest, sizeof(dev->guest), "%s", guest);
	snprintf(dev->host, sizeof(dev->host), "%s", functions[index].bdf);
	dev->index = index;
}

static void test_folds_are_free(void)
{
	struct guest_map map = { 0 };
	char folded[BDF_BYTES];
	int count;

	add_to(&map, NIC(0), "0000:01:02.0");
	CHECK(guest_fold_is_free(&topo, &map, &map.list[0], "0000:01:00.0"));
	add_to(&map, FAR_NIC(0), "0000:01:03.0");
	CHECK(!guest_fold_is_free(&topo, &map, &map.list[0], "0000:01:00.0"));
	add_to(&map, GPU(0), "0000:02:00.0");
	add_to(&map, NIC(1), "0000:02:01.0");
	CHECK(!guest_fold_is_free(&topo, &map, &map.list[3], "0000:02:00.0"));
	CHECK(guest_fold_any(&topo, &map, true, folded, &count) == &map.list[0]);
	CHECK_INT(count, 3);
	CHECK_STR(folded, "0000:01:00.0");
	guest_map_free(&map);
}

/* A library that folds a function of a NIC onto the first one finds the same NIC. */
static void test_folds_of_one_nic(void)
{
	struct guest_map map = { 0 };
	char folded[BDF_BYTES];
	int count;

	add_to(&map, GPU(0), "0000:01:00.0");
	add_to(&map, NIC(0), "0000:02:00.0");
	add_to(&map, NIC(0), "0000:02:00.1");
	CHECK(guest_fold_helps(&topo, &map, &map.list[2], "0000:02:00.0"));
	CHECK(!guest_fold_any(&topo, &map, false, folded, &count));
	CHECK(!guest_fold_any(&topo, &map, true, folded, &count));
	/* The fold does not help if the first function is another NIC. */
	map.list[1].index = NIC(1);
	CHECK(!guest_fold_helps(&topo, &map, &map.list[2], "0000:02:00.0"));
	CHECK(guest_fold_any(&topo, &map, false, folded, &count) == &map.list[2]);
	guest_map_free(&map);
}

/* A GPU uses the NIC with the shortest path, unless another path is faster. */
static void test_paths(void)
{
	struct guest_map map = { 0 };
	struct guest_tree tree;
	struct guest_file file;
	int nic[2], gpu;
	bool used[2];

	add_to(&map, GPU(0), "0000:01:00.0");
	add_to(&map, NIC(0), "0000:02:00.0");
	add_to(&map, FAR_NIC(0), "0000:03:00.0");
	CHECK_INT(guest_tree_make(&tree, &topo, &map, false), 0);
	file = guest_path_file(&tree, &topo);
	gpu = guest_file_find(&file, "0000:01:00.0");
	nic[0] = guest_file_find(&file, "0000:02:00.0");
	nic[1] = guest_file_find(&file, "0000:03:00.0");
	guest_path_nics(&file, gpu, nic, used, 2);
	CHECK(used[0] && !used[1]);
	file.list[nic[0]].link.max_speed = 16000;
	guest_path_nics(&file, gpu, nic, used, 2);
	CHECK(!used[0] && used[1]);
	/* A NIC that is in no file counts as the farthest. */
	nic[1] = -1;
	guest_path_nics(&file, gpu, nic, used, 2);
	CHECK(used[0] && !used[1]);
	guest_path_nics(&file, -1, nic, used, 2);
	CHECK(used[0] && used[1]);
	guest_file_free(&file);
	guest_tree_free(&tree);
	guest_map_free(&map);
}

/* The host's nodes of the guest's devices become the guest's nodes 0, 1 … */
static void test_tree(void)
{
	struct guest_map map = { 0 };
	const char *said;
	struct guest_tree tree;

	add_to(&map, GPU(2), "0000:01:00.0");
	add_to(&map, FAR_NIC(2), "0000:02:00.0");
	CHECK_INT(guest_tree_make(&tree, &topo, &map, false), 0);
	CHECK_INT(tree.count, 5);
	CHECK_INT(tree.list[0].part, GUEST_NODE);
	CHECK_INT(tree.list[0].numa, 0);
	CHECK_STR(tree.list[1].busid, "ffff:ff:01.0");
	CHECK_INT(tree.list[2].parent, 1);
	CHECK_STR(tree.list[3].busid, "ffff:ff:02.0");
	CHECK_INT(tree.list[3].parent, 1);
	CHECK_INT(tree.list[4].parent, 3);
	guest_tree_free(&tree);
	/* One switch cannot be in two nodes, nor two NICs of two switches in one slot. */
	util_catch(STDERR_FILENO);
	map.list[0].node = 0;
	map.list[1].node = 1;
	CHECK_INT(guest_tree_make(&tree, &topo, &map, false), EXIT_ERROR);
	guest_tree_free(&tree);
	map.list[0].node = map.list[1].node = NUMA_NONE;
	add_to(&map, NIC(2), "0000:02:00.1");
	CHECK_INT(guest_tree_make(&tree, &topo, &map, false), EXIT_ERROR);
	guest_tree_free(&tree);
	/* Devices of three host nodes do not fit a guest with two. */
	map.nodes = 2;
	add_to(&map, GPU(0), "0000:03:00.0");
	map.list[2].index = GPU(3);
	CHECK_INT(guest_tree_make(&tree, &topo, &map, false), 0);
	guest_tree_free(&tree);
	functions[GPU(3)].numa = 2;
	CHECK_INT(guest_tree_make(&tree, &topo, &map, false), EXIT_ERROR);
	guest_tree_free(&tree);
	make();
	said = util_caught_text();
	CHECK(strstr(said, "no topology can show that"));
	CHECK(strstr(said, "the guest has 2 NUMA nodes"));
	CHECK(strstr(said, "RCCL would take them for one NIC"));
	guest_map_free(&map);
}

/* XML that the libraries accept, and XML that they refuse. */
static void test_form(void)
{
	static const struct {
		const char *text, *why;
		int line;
	} cases[] = {
		{ "<system version=\"2\">\r\n  <cpu  numaid=\"0\" />\n</system>\n", NULL, 0 },
		{ "<a><!-- b=c, 'd', &e; --></a><!--f-->", NULL, 0 },
		{ "<a b=\"it's >\"/>", NULL, 0 },
		{ "<a>\n<!--b=c--></a>", "a comment", 2 },
		{ "<a>\n<b c=\"d\"\n e=\"f\"/></a>", "another line", 2 },
		{ "<a\r\n b=\"c\"/>", "another line", 1 },
		{ "<a\tb=\"c\"/>", "a tab", 1 },
		{ "<a>\n\t<b/></a>", "a tab", 2 },
		{ "<a b =\"c\"/>", "a blank beside =", 1 },
		{ "<a b= \"c\"/>", "a blank beside =", 1 },
		{ "<a b='c'/>", "single quotes", 1 },
		{ "<a b=\"&amp;\"/>", "an entity", 1 },
		{ "<a>\n</a >", "a closing tag", 2 },
		{ "<a>b</a>", "text between elements", 1 },
		{ "<a><![CDATA[b]]></a>", "CDATA", 1 },
		{ "<!DOCTYPE a>\n<a/>", "a DOCTYPE", 1 },
		{ "<?xml version=\"1.0\"?>\n<a/>", "an XML declaration", 1 },
		{ "\xef\xbb\xbf<a/>", "text between elements", 1 },
		{ "<a 1=\"\" 2=\"\" 3=\"\" 4=\"\" 5=\"\" 6=\"\" 7=\"\" 8=\"\" 9=\"\" 10=\"\" 11=\"\" 12=\"\" 13=\"\" 14=\"\" 15=\"\" 16=\"\" />", NULL, 0 },
		{ "<a           11=\"\" 12=\"\" 13=\"\" 14=\"\" 15=\"\" 16=\"\" 17=\"\"/>", "more than 16 attributes", 1 },
		{ "<a", "another line", 1 },
		{ "<a b=\"c", "another line", 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int line = 0;
		const char *why = guest_form_wrong(cases[i].text, &line);

		CHECK(!why == !cases[i].why);
		CHECK(!why || (cases[i].why && strstr(why, cases[i].why)));
		CHECK_INT(line, cases[i].line);
	}
}

static void test_toward(void)
{
	const struct instinct_topology *host = &topo.host.topology;

	CHECK_INT(reach_toward(host, 1, GPU(0)), 2);
	CHECK_INT(reach_toward(host, INSTINCT_NODE_NONE, GPU(0)), 0);
	CHECK_INT(reach_toward(host, 4, GPU(0)), GPU(0));
	/* The way up from the GPU never meets the NIC's port. */
	CHECK_INT(reach_toward(host, NIC_PORT(0), GPU(0)), 0);
	/* The walk ends even in a loop, which faulty hardware could report. */
	nodes[0].parent = 4;
	reach_toward(host, INSTINCT_NODE_NONE, GPU(0));
	nodes[0].parent = INSTINCT_NODE_NONE;
}

int main(void)
{
	util_begin();
	make();
	RUN(test_toward);
	RUN(test_ranks);
	RUN(test_through);
	RUN(test_ways);
	RUN(test_choice_leaves_nodes_whole);
	RUN(test_choice_has_nics);
	RUN(test_choice_of_fast_nics);
	RUN(test_choice_shares_no_device);
	RUN(test_split_cpus);
	RUN(test_split_parse);
	RUN(test_split);
	RUN(test_folds);
	RUN(test_folds_are_free);
	RUN(test_folds_of_one_nic);
	RUN(test_paths);
	RUN(test_tree);
	RUN(test_form);
	return unit_end();
}
