// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out_pairs.h"
#include "out_plan.h"
#include "out_topo.h"
#include "say.h"

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

/**
 * out_plan_text() - print a choice as text
 * @topo: host
 * @choice: made by choice_make()
 * @only: the VMM whose settings to print; VMMS for those of all
 */
void out_plan_text(const struct topo *topo, const struct choice *choice, enum vmm only)
{
	char text[TEXT_BYTES];
	enum vmm vmm;
	size_t i;

	for (i = 0; i < choice->best[TOPO_GPU].count; i++)
		print_gpu(topo, choice, choice->best[TOPO_GPU].list[i].index);
	choice_slow_text(choice, text, sizeof(text));
	if (*text)
		puts(text);
	print_nodes(topo, choice);
	for (i = 0; i < choice->lefts; i++)
		printf("left out: %s, %s\n", topo->host.function[choice->left[i].index].bdf,
		       choice->left[i].why);
	for (vmm = 0; vmm < VMMS; vmm++) {
		if (only != VMMS && vmm != only)
			continue;
		printf("\n%s:\n", vmm_titles[vmm]);
		vmm_write(stdout, vmm, topo, choice);
	}
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

/**
 * out_plan_json() - convert a choice to JSON
 * @topo: host
 * @choice: made by choice_make()
 *
 * Return: an object.
 */
json_t *out_plan_json(const struct topo *topo, const struct choice *choice)
{
	json_t *words = json_object();
	int vmm;

	for (vmm = 0; vmm < VMMS; vmm++) {
		char *text = arguments(vmm, topo, choice);

		json_object_set_new(words, name_of(&vmm_names, vmm), json_string(text));
		free(text);
	}
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "version", 1,
			 "gpus", parts_json(topo, &choice->best[TOPO_GPU]),
			 "nics", parts_json(topo, &choice->best[TOPO_NIC]),
			 "nvme", parts_json(topo, &choice->best[TOPO_NVME]),
			 "numa_nodes", nodes_json(topo, choice),
			 "left_out", left_json(topo, choice), "arguments", words);
}
