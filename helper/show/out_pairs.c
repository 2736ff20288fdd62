// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "conf_key.h"
#include "out_pairs.h"
#include "out_topo.h"
#include "say.h"

#define NAMES_WIDTH	20

/**
 * out_way_text() - describe a path in a few words
 * @topo: host
 * @way: path
 * @text: set
 * @size: of @text in bytes
 */
void out_way_text(const struct topo *topo, const struct way_found *way, char *text, size_t size)
{
	const char *port = way->port >= 0 ? topo->host.function[way->port].bdf : "";

	switch (way->way) {
	case WAY_DIRECT:
		snprintf(text, size, "direct, by ATS");
		break;
	case WAY_UNCHECKED:
		snprintf(text, size, "direct, past the IOMMU: RR off at %s", port);
		break;
	case WAY_REDIRECTED:
		snprintf(text, size, "redirected through the root: RR on at %s, %s", port,
			 way->ats ? "DT off" : "ATS off");
		break;
	case WAY_ROOT:
		snprintf(text, size, "through the root complex");
		break;
	case WAY_BLOCKED:
		snprintf(text, size, "blocked: TB on at %s", port);
		break;
	default:
		snprintf(text, size, "not known: %s", *opt_sysroot ?
			 "the config space is not in the capture" : "reading the config space takes root");
		break;
	}
}

/**
 * out_way_json() - convert a path to JSON
 * @topo: host
 * @way: path
 *
 * Return: an object.
 */
json_t *out_way_json(const struct topo *topo, const struct way_found *way)
{
	char bit[16];

	acs_format(way->bit, bit, sizeof(bit));
	return json_pack("{s:s, s:b, s:s?, s:s?}", "way", way_names[way->way], "ats", way->ats,
			 "port", way->port >= 0 ? topo->host.function[way->port].bdf : NULL,
			 "bit", way->bit ? bit : NULL);
}

static void print_pair(const struct topo *topo, int gpu, const struct pair *pair)
{
	const struct host_function *function = &topo->host.function[pair->device];
	struct way_found way = way_find(topo, pair->through >= 0 ? pair->through : pair->device, gpu);
	bool bad = way.way == WAY_BLOCKED || way.way == WAY_REDIRECTED ||
		   way.way == WAY_UNCHECKED;
	const char *names = topo_names(topo, pair->device);
	char text[128], own[BDF_BYTES + 4];

	if (topo->kind[pair->device] == TOPO_DATA_DIRECT && topo->partner[pair->device] >= 0) {
		snprintf(own, sizeof(own), "of %s",
			 topo->host.function[topo->partner[pair->device]].bdf);
		names = own;
	}
	printf("  %-4s %s %-*s %s%s%s\n", out_topo_what(topo, pair->device), function->bdf,
	       NAMES_WIDTH, names, rank_texts[pair->rank], pair->through >= 0 ? ", through " : "",
	       pair->through >= 0 ? topo->host.function[pair->through].bdf : "");
	out_way_text(topo, &way, text, sizeof(text));
	if (way.way != WAY_ROOT || pair->rank <= RANK_STACKED)
		printf("       %s%s%s\n", bad && opt_color ? "\033[33m" : "", text,
		       bad && opt_color ? "\033[0m" : "");
}

/**
 * out_pairs_text() - print the partners of a GPU as text
 * @topo: host
 * @pairs: partners
 */
void out_pairs_text(const struct topo *topo, const struct pairs *pairs)
{
	const struct host_function *gpu = &topo->host.function[pairs->gpu];
	char text[OUT_TOPO_TEXT];
	size_t i;

	out_topo_describe(topo, pairs->gpu, true, text, sizeof(text));
	if (gpu->numa >= 0)
		printf("%s, NUMA node %d\n", text, gpu->numa);
	else
		printf("%s, NUMA node unknown\n", text);
	for (i = 0; i < pairs->count; i++)
		print_pair(topo, pairs->gpu, &pairs->pair[i]);
	if (!pairs->count)
		puts("  no NIC and no NVMe drive on this host");
}

static json_t *pair_json(const struct topo *topo, int gpu, const struct pair *pair)
{
	int end = pair->through >= 0 ? pair->through : pair->device;
	struct way_found to = way_find(topo, end, gpu), from = way_find(topo, gpu, end);

	return json_pack("{s:s, s:s, s:s, s:s?, s:o, s:o}",
			 "bdf", topo->host.function[pair->device].bdf,
			 "kind", topo_kind_names[topo->kind[pair->device]],
			 "rank", rank_names[pair->rank], "through",
			 pair->through >= 0 ? topo->host.function[pair->through].bdf : NULL,
			 "to_gpu", out_way_json(topo, &to),
			 "from_gpu", out_way_json(topo, &from));
}

/**
 * out_pairs_json() - convert the partners of a GPU to JSON
 * @topo: host
 * @pairs: partners
 *
 * Return: an object.
 */
json_t *out_pairs_json(const struct topo *topo, const struct pairs *pairs)
{
	const struct host_function *gpu = &topo->host.function[pairs->gpu];
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < pairs->count; i++)
		json_array_append_new(list, pair_json(topo, pairs->gpu, &pairs->pair[i]));
	return json_pack("{s:s, s:o, s:o}", "bdf", gpu->bdf, "numa_node", gpu->numa < 0 ?
			 json_null() : json_integer(gpu->numa), "partners", list);
}
