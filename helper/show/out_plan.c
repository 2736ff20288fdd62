// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/profile.h"
#include "out_pairs.h"
#include "out_plan.h"
#include "out_topo.h"
#include "say.h"
#include "wrap.h"

#define GIB	(1ull << 30)

static void print_part(const struct topo *topo, const struct choice_part *part)
{
	struct way_found way;
	char text[OUT_TOPO_TEXT];
	enum rank rank;
	int through;

	out_topo_describe(topo, part->index, true, text, sizeof(text));
	if (part->index == part->gpu) {
		printf("%s\n", text);
		return;
	}
	rank = rank_through(topo, part->gpu, part->index, &through);
	printf("  %s\n    %s", text, rank_texts[rank]);
	if (through >= 0)
		printf(", through %s", topo->host.function[through].bdf);
	way = way_find(topo, through >= 0 ? through : part->index, part->gpu);
	if (way.way != WAY_ROOT) {
		out_way_text(topo, &way, text, sizeof(text));
		printf(", %s", text);
	}
	puts(part->tier ? "; slow" : "");
}

/* Prints a GPU and the devices that go with it. */
static void print_gpu(const struct topo *topo, const struct choice *choice, int gpu)
{
	int kind;
	size_t i;

	for (kind = 0; kind < TOPO_KINDS; kind++)
		for (i = 0; i < choice->best[kind].count; i++)
			if (choice->best[kind].list[i].gpu == gpu)
				print_part(topo, &choice->best[kind].list[i]);
}

static void print_nodes(const struct topo *topo, const struct choice *choice)
{
	int node[NUMA_NODES_MAX], count = vmm_nodes(topo, choice, node), i;

	for (i = 0; i < count; i++) {
		const struct numa_node *numa = numa_find(&topo->numa, node[i]);

		if (!numa) {
			puts("NUMA node: the host does not tell");
			continue;
		}
		printf("NUMA node %d%s%s", numa->number, *numa->cpus ? ": pin to CPUs " : "",
		       numa->cpus);
		if (numa->memory)
			printf(", memory %" PRIu64 " GiB", (uint64_t)(numa->memory / GIB));
		putchar('\n');
	}
	if (count > 1)
		printf("The guest needs %d NUMA nodes, in this order.\n", count);
}

static char *arguments(enum vmm vmm, const struct topo *topo, const struct choice *choice)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out)
		vmm_write(out, vmm, topo, choice);
	if (!out || fclose(out)) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	return text;
}

static void print_left(const struct topo *topo, const struct choice *choice)
{
	size_t i;

	for (i = 0; i < choice->lefts; i++)
		printf("left out: %s, %s\n", topo->host.function[choice->left[i].index].bdf,
		       choice->left[i].why);
}

static void print_words(const struct topo *topo, const struct choice *choice, enum vmm only)
{
	enum vmm vmm;

	for (vmm = 0; vmm < VMMS; vmm++) {
		if (only != VMMS && vmm != only)
			continue;
		printf("\n%s:\n", vmm_titles[vmm]);
		vmm_write(stdout, vmm, topo, choice);
	}
}

/**
 * out_plan_text() - print a choice as text
 * @topo: host
 * @choice: made by choice_make()
 * @only: the VMM whose settings to print; VMMS for those of all
 */
void out_plan_text(const struct topo *topo, const struct choice *choice, enum vmm only)
{
	char text[TEXT_BYTES];
	size_t i;

	for (i = 0; i < choice->best[TOPO_GPU].count; i++)
		print_gpu(topo, choice, choice->best[TOPO_GPU].list[i].index);
	choice_slow_text(choice, text, sizeof(text));
	if (*text)
		puts(text);
	print_nodes(topo, choice);
	print_left(topo, choice);
	print_words(topo, choice, only);
}

static json_t *part_json(const struct topo *topo, const struct choice_part *part)
{
	const char *bdf = topo->host.function[part->index].bdf;
	struct way_found way;
	enum rank rank;
	int through;

	if (part->index == part->gpu)
		return json_pack("{s:s}", "bdf", bdf);
	rank = rank_through(topo, part->gpu, part->index, &through);
	way = way_find(topo, through >= 0 ? through : part->index, part->gpu);
	return json_pack("{s:s, s:s, s:s, s:o}", "bdf", bdf, "gpu",
			 topo->host.function[part->gpu].bdf, "rank", rank_names[rank], "to_gpu",
			 out_way_json(topo, &way));
}

static json_t *parts_json(const struct topo *topo, const struct choice_list *parts)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < parts->count; i++)
		json_array_append_new(list, part_json(topo, &parts->list[i]));
	return list;
}

static json_t *nodes_json(const struct topo *topo, const struct choice *choice)
{
	int node[NUMA_NODES_MAX], count = vmm_nodes(topo, choice, node), i;
	json_t *list = json_array();

	for (i = 0; i < count; i++) {
		const struct numa_node *numa = numa_find(&topo->numa, node[i]);

		if (numa)
			json_array_append_new(list, json_pack("{s:i, s:i, s:s, s:I}",
				"guest_node", i, "node", numa->number, "cpus", numa->cpus,
				"memory_bytes", (json_int_t)numa->memory));
	}
	return list;
}

static json_t *left_json(const struct topo *topo, const struct choice *choice)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < choice->lefts; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}",
			"bdf", topo->host.function[choice->left[i].index].bdf,
			"why", choice->left[i].why));
	return list;
}

static json_t *words_json(const struct topo *topo, const struct choice *choice)
{
	json_t *words = json_object();
	int vmm;

	for (vmm = 0; vmm < VMMS; vmm++) {
		char *text = arguments(vmm, topo, choice);

		json_object_set_new(words, name_of(&vmm_names, vmm), json_string(text));
		free(text);
	}
	return words;
}

/**
 * out_plan_json() - convert a choice to JSON
 * @topo: host
 * @choice: made by choice_make()
 *
 * Return: an object.
 */
json_t *out_plan_json(const struct topo *topo, const struct choice *choice)
{
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "version", 1,
			 "gpus", parts_json(topo, &choice->best[TOPO_GPU]),
			 "nics", parts_json(topo, &choice->best[TOPO_NIC]),
			 "nvme", parts_json(topo, &choice->best[TOPO_NVME]),
			 "numa_nodes", nodes_json(topo, choice),
			 "left_out", left_json(topo, choice),
			 "arguments", words_json(topo, choice));
}

/* Unverified on hardware where several guests have GPUs of one hive. */
static const char *const unverified[] = {
	"that a mode-1 reset of one GPU leaves the other GPUs of its hive at work: AMD's drivers reset all of them together",
	"that amdgpu starts in a guest with a part of the hive: in such a guest it does not reset a GPU whose secure OS still runs, and stays in minimal init",
};

#define UNVERIFIED	(sizeof(unverified) / sizeof(unverified[0]))
#define SPLIT_PRICE	"nothing in this project cuts XGMI, and AMD says that by default each GPU's memory is visible to all others of its hive: give such guests to one tenant"

/* The family of a GPU that may be in a hive, or NULL. */
static const char *family_of(const struct topo *topo, int index)
{
	const struct instinct_node *node = &topo->host.node[index];
	const struct instinct_profile *profile = instinct_profile_find(node->vendor, node->device);

	return profile && !profile->family->solitary && topo->physfn[index] < 0 ?
	       profile->family->name : NULL;
}

/* The policy that a split needs, for free(); "" if the defaults do. */
static char *split_policy(const struct topo *topo, const struct split *split)
{
	const char *family, *last = "";
	char *text = NULL;
	size_t size, guest, i;
	FILE *out = open_memstream(&text, &size);

	for (guest = 0; out && guest < split->guests && split->guests > 1; guest++)
		for (i = 0; i < split->guest[guest].best[TOPO_GPU].count; i++) {
			family = family_of(topo, split->guest[guest].best[TOPO_GPU].list[i].index);
			if (!family || !strcmp(family, last))
				continue;
			fprintf(out, "[family %s]\n"
				"xgmi = shared      # several guests have GPUs of one hive\n"
				"scope = device     # a reset concerns one GPU: other guests have the others\n"
				"hive = auto        # one hive, as the hardware counts its GPUs\n",
				family);
			last = family;
		}
	if (!out || fclose(out)) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	return text;
}

static void print_policy(const struct topo *topo, const struct split *split)
{
	char *policy = split_policy(topo, split);
	size_t i;

	if (!*policy && split->guests == 1) {
		puts("\npolicy: the defaults do, since one guest has all GPUs");
	} else if (!*policy) {
		printf("\npolicy: %s\n", host_is_known(&topo->host, split->guest[0].best[TOPO_GPU].list[0].index) ?
		       "the defaults do, since these GPUs are in no hive" :
		       "instinct-vfio does not know these GPUs, and has none for them");
	} else {
		printf("\npolicy that this split needs, for /etc/instinct-vfio/policy.d/50-split.conf:\n%s",
		       policy);
		fputs("COSTS ISOLATION: ", stdout);
		wrap_print(stdout, strlen("COSTS ISOLATION: "), 2, SPLIT_PRICE);
		for (i = 0; i < UNVERIFIED; i++) {
			fputs("unverified on hardware: ", stdout);
			wrap_print(stdout, strlen("unverified on hardware: "), 2, unverified[i]);
		}
	}
	free(policy);
}

/* A guest's view: the host with the guest's share of CPUs and memory. */
static struct topo view_of(const struct topo *topo, const struct split *split, size_t guest)
{
	struct topo view = *topo;

	view.numa = split->numa[guest];
	return view;
}

/**
 * out_split_text() - print a host shared out to guests as text
 * @topo: host
 * @split: made by split_make()
 * @offered: has the devices that must not be chosen
 * @only: the VMM whose settings to print; VMMS for those of all
 */
void out_split_text(const struct topo *topo, const struct split *split, const struct choice *offered,
		    enum vmm only)
{
	size_t guest, i;

	for (guest = 0; guest < split->guests; guest++) {
		const struct choice *choice = &split->guest[guest];
		struct topo view = view_of(topo, split, guest);

		printf("%sguest %zu of %zu\n", guest ? "\n" : "", guest + 1, split->guests);
		for (i = 0; i < choice->best[TOPO_GPU].count; i++)
			print_gpu(&view, choice, choice->best[TOPO_GPU].list[i].index);
		print_nodes(&view, choice);
		print_words(&view, choice, only);
		puts("\nmap, for topo xml --map beside QEMU's query-pci (libvirt: virsh dumpxml alone):");
		vmm_write_map(stdout, &view, choice);
	}
	print_left(topo, offered);
	print_policy(topo, split);
}

/**
 * out_split_vmm() - print one VMM's settings for each guest of a split
 * @topo: host
 * @split: made by split_make()
 * @vmm: the VMM
 */
void out_split_vmm(const struct topo *topo, const struct split *split, enum vmm vmm)
{
	size_t guest;

	for (guest = 0; guest < split->guests; guest++) {
		printf(vmm == VMM_LIBVIRT ? "<!-- guest %zu of %zu -->\n" : "# guest %zu of %zu\n",
		       guest + 1, split->guests);
		vmm_write(stdout, vmm, topo, &split->guest[guest]);
	}
}

/**
 * out_split_warn() - warn of the policy that a split needs, of its cost, and of what is unverified
 * @topo: host
 * @split: made by split_make()
 */
void out_split_warn(const struct topo *topo, const struct split *split)
{
	char *policy = split_policy(topo, split), *rest = policy, *line;
	size_t i;

	if (*policy) {
		say_warning("this split needs a policy, for /etc/instinct-vfio/policy.d/50-split.conf:");
		while ((line = strsep(&rest, "\n")))
			if (*line)
				say_warning("policy: %s", line);
		say_warning("COSTS ISOLATION: " SPLIT_PRICE);
		for (i = 0; i < UNVERIFIED; i++)
			say_warning("unverified on hardware: %s", unverified[i]);
	}
	free(policy);
}

static json_t *map_json(const struct topo *topo, const struct choice *choice)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *json;

	if (out)
		vmm_write_map(out, topo, choice);
	if (!out || fclose(out)) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	json = json_string(text);
	free(text);
	return json;
}

/**
 * out_split_json() - convert a host shared out to guests to JSON
 * @topo: host
 * @split: made by split_make()
 * @offered: has the devices that must not be chosen
 *
 * Return: an object.
 */
json_t *out_split_json(const struct topo *topo, const struct split *split,
		       const struct choice *offered)
{
	json_t *guests = json_array(), *doubts = json_array();
	char *policy = split_policy(topo, split);
	size_t i;

	for (i = 0; i < split->guests; i++) {
		const struct choice *choice = &split->guest[i];
		struct topo view = view_of(topo, split, i);

		json_array_append_new(guests, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
			"gpus", parts_json(&view, &choice->best[TOPO_GPU]),
			"nics", parts_json(&view, &choice->best[TOPO_NIC]),
			"nvme", parts_json(&view, &choice->best[TOPO_NVME]),
			"numa_nodes", nodes_json(&view, choice),
			"arguments", words_json(&view, choice), "map", map_json(&view, choice)));
	}
	for (i = 0; i < UNVERIFIED && *policy; i++)
		json_array_append_new(doubts, json_string(unverified[i]));
	guests = json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "version", 1, "guests", guests,
			   "left_out", left_json(topo, offered),
			   "policy", *policy ? json_string(policy) : json_null(),
			   "price", *policy ? json_string(SPLIT_PRICE) : json_null(),
			   "unverified", doubts);
	free(policy);
	return guests;
}
