// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kind.h"
#include "out_topo.h"
#include "core/profile.h"
#include "pci_ids.h"
#include "say.h"

#define COLUMN		68	/* column of the links, in lines that are short enough */
#define DEPTH_MAX	64
#define NAME_BYTES	22	/* of a name from pci.ids, in a line of 80 columns */

/**
 * out_topo_is_shown() - check whether the output includes a function
 * @topo: host
 * @index: index of the function
 * @all: the output includes all functions
 *
 * Without @all, the output has no line of its own for a VF, since print_vfs() counts VFs
 * below their PF.
 *
 * Return: true if @all, or if the function is such a device or has one below it.
 */
bool out_topo_is_shown(const struct topo *topo, int index, bool all)
{
	int child;

	if (all)
		return true;
	if (topo_is_device(topo->kind[index]))
		return topo->physfn[index] < 0;
	for (child = topo->child[index]; child >= 0; child = topo->sibling[child])
		if (out_topo_is_shown(topo, child, all))
			return true;
	return false;
}

/**
 * out_topo_what() - get the word for a function
 * @topo: host
 * @index: index of the function
 *
 * Return: a word such as "NIC".
 */
const char *out_topo_what(const struct topo *topo, int index)
{
	const struct instinct_node *node = &topo->host.node[index];

	switch (node->kind) {
	case INSTINCT_NODE_ROOT_PORT:
		return "root port";
	case INSTINCT_NODE_UPSTREAM:
		return node->package ? "package" : "switch";
	case INSTINCT_NODE_DOWNSTREAM:
		return "port";
	case INSTINCT_NODE_BRIDGE:
		return "bridge";
	default:
		break;
	}
	switch (topo->kind[index]) {
	case TOPO_GPU:
		return topo->physfn[index] < 0 ? "GPU" : "GPU VF";
	case TOPO_NIC:
		return topo->physfn[index] < 0 ? "NIC" : "NIC VF";
	case TOPO_NVME:
		return topo->physfn[index] < 0 ? "NVMe" : "NVMe VF";
	case TOPO_NVSWITCH:
		return "NVSwitch";
	case TOPO_DATA_DIRECT:
		return "NIC DD";
	default:
		return kind_is_accelerator(node->class) ? "accelerator" : "function";
	}
}

/* Gets a name from the list of PCI devices, cut at a blank if it is too long. */
static void name_of_model(const struct instinct_node *node, char *text, size_t size)
{
	char name[PCI_IDS_NAME], *blank;

	pci_ids_name(node->vendor, node->device, name, sizeof(name));
	if (strlen(name) >= size) {
		name[size - 1] = '\0';
		blank = strrchr(name, ' ');
		if (blank)
			*blank = '\0';
	}
	snprintf(text, size, "%s", name);
}

/**
 * out_topo_describe() - describe a function in a few words
 * @topo: host
 * @index: index of the function
 * @named: with its name in the list of PCI devices, if that has one
 * @text: set
 * @size: of @text in bytes
 */
void out_topo_describe(const struct topo *topo, int index, bool named, char *text, size_t size)
{
	const struct host_function *function = &topo->host.function[index];
	const struct instinct_node *node = &topo->host.node[index];
	const struct instinct_profile *profile = instinct_profile_find(node->vendor, node->device);
	char model[NAME_BYTES] = "";
	const char *names;
	size_t at;

	at = snprintf(text, size, "%s %s", out_topo_what(topo, index), function->bdf);
	if (node->kind == INSTINCT_NODE_DOWNSTREAM || node->kind == INSTINCT_NODE_ROOT_PORT ||
	    at >= size)
		return;
	at += snprintf(text + at, size - at, " [%04x:%04x]", node->vendor, node->device);
	if (profile)
		snprintf(model, sizeof(model), "%s", profile->model);
	else if (named)
		name_of_model(node, model, sizeof(model));
	if (*model && at < size)
		at += snprintf(text + at, size - at, " %s", model);
	if (node->kind != INSTINCT_NODE_ENDPOINT || at >= size)
		return;
	names = topo_names(topo, index);
	/* The kernel's names imply its driver. */
	if (!*names)
		names = function->driver;
	snprintf(text + at, size - at, "%s%s", *names ? " " : "", names);
}

/**
 * out_topo_link() - describe a link in a few words
 * @link: link
 * @text: set to a text such as "32 GT/s x16", or to ""
 * @size: of @text in bytes
 */
void out_topo_link(const struct host_link *link, char *text, size_t size)
{
	*text = '\0';
	if (!link->speed || !link->width)
		return;
	if (link->speed % 1000)
		snprintf(text, size, "%u.%u GT/s x%u", link->speed / 1000,
			 link->speed % 1000 / 100, link->width);
	else
		snprintf(text, size, "%u GT/s x%u", link->speed / 1000, link->width);
}

static void print_line(const struct topo *topo, int index, int depth)
{
	struct host_link link = host_link_best(&topo->host, index);
	bool degraded = host_link_is_degraded(&topo->host, index);
	char text[OUT_TOPO_TEXT], now[32], best[32];
	int at, above = topo->host.node[index].parent;

	out_topo_describe(topo, index, true, text, sizeof(text));
	if (2 * depth + strlen(text) >= COLUMN)
		out_topo_describe(topo, index, false, text, sizeof(text));
	out_topo_link(&link, now, sizeof(now));
	at = printf("%*s%s", 2 * depth, "", text);
	/* Links inside a package are of interest only if they are degraded. */
	if (*now && (degraded || above < 0 || !topo->host.node[above].package))
		printf("%*s%s", at < COLUMN ? COLUMN - at : 2, "", now);
	putchar('\n');
	if (!degraded)
		return;
	link.speed = link.max_speed;
	link.width = link.max_width;
	out_topo_link(&link, best, sizeof(best));
	printf("%*s%sdegraded: both ends can do %s%s\n", 2 * depth + 2, "",
	       opt_color ? "\033[31m" : "", best, opt_color ? "\033[0m" : "");
}

#define VFS_MAX	1024

/* Prints the range of a PF's VFs and the number of VFs that each driver has. */
static void print_vfs(const struct topo *topo, int pf, int depth)
{
	int vf[VFS_MAX], count = topo_vfs(topo, pf, vf, VFS_MAX), i, k;
	bool told[VFS_MAX] = { false };

	if (!count)
		return;
	if (count > VFS_MAX)
		count = VFS_MAX;
	printf("%*s%d VF%s, %s%s%s:", 2 * depth, "", count, plural(count),
	       topo->host.function[vf[0]].bdf, count > 1 ? " to " : "",
	       count > 1 ? topo->host.function[vf[count - 1]].bdf : "");
	for (i = 0; i < count; i++) {
		const char *driver = topo->host.function[vf[i]].driver;
		int same = 0;

		for (k = i; k < count && !told[i]; k++) {
			if (strcmp(topo->host.function[vf[k]].driver, driver))
				continue;
			same++;
			told[k] = k > i;
		}
		if (same)
			printf(" %d %s", same, *driver ? driver : "without a driver");
	}
	putchar('\n');
}

static void print_below(const struct topo *topo, int first, int depth, bool all)
{
	int i;

	for (i = first; i >= 0 && depth < DEPTH_MAX; i = topo->sibling[i]) {
		if (!out_topo_is_shown(topo, i, all))
			continue;
		print_line(topo, i, depth);
		if (!all && topo_is_device(topo->kind[i]))
			print_vfs(topo, i, depth + 1);
		print_below(topo, topo->child[i], depth + 1, all);
	}
}

static bool is_in(const struct topo *topo, int index, int numa)
{
	return topo->host.function[index].numa == numa;
}

static void print_root_complexes(const struct topo *topo, int numa, bool all)
{
	int i, last = -2;

	for (i = topo->top; i >= 0; i = topo->sibling[i]) {
		const struct host_function *function = &topo->host.function[i];

		if (!is_in(topo, i, numa) || !out_topo_is_shown(topo, i, all))
			continue;
		if (function->bridge != last && function->bridge >= 0)
			printf("  root complex %04x:%02x\n", function->bridge >> 8,
			       function->bridge & 0xff);
		else if (function->bridge != last)
			puts("  root complex unknown");
		last = function->bridge;
		print_line(topo, i, 2);
		if (!all && topo_is_device(topo->kind[i]))
			print_vfs(topo, i, 3);
		print_below(topo, topo->child[i], 3, all);
	}
}

static bool has_any(const struct topo *topo, int numa, bool all)
{
	int i;

	for (i = topo->top; i >= 0; i = topo->sibling[i])
		if (is_in(topo, i, numa) && out_topo_is_shown(topo, i, all))
			return true;
	return false;
}

static void print_summary(const struct topo *topo)
{
	int count[TOPO_KINDS] = { 0 }, vfs = 0, i;

	for (i = 0; i < topo->host.count; i++) {
		count[topo->kind[i]] += topo->physfn[i] < 0;
		vfs += topo->physfn[i] >= 0;
	}
	printf("%d GPU%s, %d NIC%s, %d NVMe drive%s", count[TOPO_GPU], plural(count[TOPO_GPU]),
	       count[TOPO_NIC], plural(count[TOPO_NIC]), count[TOPO_NVME],
	       plural(count[TOPO_NVME]));
	if (count[TOPO_NVSWITCH])
		printf(", %d NVSwitch%s", count[TOPO_NVSWITCH],
		       count[TOPO_NVSWITCH] > 1 ? "es" : "");
	if (vfs)
		printf(", %d VF%s", vfs, plural(vfs));
	putchar('\n');
}

/**
 * out_topo_text() - print the tree of a host as text
 * @topo: host
 * @all: include functions that are never passed to guests, and each VF
 */
void out_topo_text(const struct topo *topo, bool all)
{
	int i;

	print_summary(topo);
	for (i = 0; i < topo->numa.count; i++) {
		const struct numa_node *node = &topo->numa.node[i];

		if (!has_any(topo, node->number, all))
			continue;
		printf("NUMA node %d", node->number);
		if (node->socket != NUMA_NONE)
			printf(", socket %d", node->socket);
		printf("%s%s\n", *node->cpus ? ", CPUs " : "", node->cpus);
		print_root_complexes(topo, node->number, all);
	}
	if (has_any(topo, -1, all)) {
		puts("NUMA node unknown");
		print_root_complexes(topo, -1, all);
	}
}

static json_t *link_json(const struct topo *topo, int index)
{
	struct host_link link = host_link_best(&topo->host, index);

	if (!link.max_speed)
		return json_null();
	return json_pack("{s:i, s:i, s:i, s:i, s:b}", "speed_mts", link.speed,
			 "width", link.width, "max_speed_mts", link.max_speed,
			 "max_width", link.max_width, "degraded",
			 host_link_is_degraded(&topo->host, index));
}

static json_t *address_json(const struct topo *topo, int index)
{
	return index >= 0 ? json_string(topo->host.function[index].bdf) : json_null();
}

static json_t *names_json(const struct topo *topo, int index)
{
	char text[TEXT_BYTES], *rest, *word;
	json_t *list = json_array();

	snprintf(text, sizeof(text), "%s", topo_names(topo, index));
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		json_array_append_new(list, json_string(word));
	return list;
}

static json_t *function_json(const struct topo *topo, int index)
{
	static const char *const ports[] = {
		[INSTINCT_NODE_ROOT_PORT] = "root-port",
		[INSTINCT_NODE_UPSTREAM] = "switch-upstream",
		[INSTINCT_NODE_DOWNSTREAM] = "switch-downstream",
		[INSTINCT_NODE_BRIDGE] = "bridge",
	};
	const struct host_function *function = &topo->host.function[index];
	const struct instinct_node *node = &topo->host.node[index];

	char model[PCI_IDS_NAME];

	pci_ids_name(node->vendor, node->device, model, sizeof(model));
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "bdf", function->bdf,
			 "kind", node->kind == INSTINCT_NODE_ENDPOINT ?
				topo_kind_names[topo->kind[index]] : ports[node->kind],
			 "package", node->package,
			 "parent", address_json(topo, node->parent),
			 "physfn", address_json(topo, topo->physfn[index]),
			 "root_complex", function->bridge < 0 ? json_null() :
				json_sprintf("%04x:%02x", function->bridge >> 8,
					     function->bridge & 0xff),
			 "numa_node", function->numa < 0 ? json_null() :
				json_integer(function->numa),
			 "vendor", json_sprintf("0x%04x", node->vendor),
			 "device", json_sprintf("0x%04x", node->device),
			 "class", json_sprintf("0x%06x", node->class),
			 "model", *model ? json_string(model) : json_null(),
			 "driver", *function->driver ? json_string(function->driver) : json_null(),
			 "names", names_json(topo, index),
			 "iommu_group", function->group == GROUP_NONE ? json_null() :
				json_integer(function->group),
			 "link", link_json(topo, index));
}

static json_t *nodes_json(const struct numa *numa)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < numa->count; i++)
		json_array_append_new(list, json_pack("{s:i, s:o, s:s, s:I}",
			"node", numa->node[i].number,
			"socket", numa->node[i].socket == NUMA_NONE ? json_null() :
				json_integer(numa->node[i].socket),
			"cpus", numa->node[i].cpus,
			"memory_bytes", (json_int_t)numa->node[i].memory));
	return list;
}

/**
 * out_topo_json() - convert the tree of a host to JSON, version 1 of the schema
 * @topo: host
 * @all: include functions that are never passed to guests; VFs are always included
 *
 * Return: an object.
 */
json_t *out_topo_json(const struct topo *topo, bool all)
{
	json_t *list = json_array(), *unread = json_array();
	size_t k;
	int i;

	for (k = 0; k < topo->host.unreads; k++)
		json_array_append_new(unread, json_string(topo->host.unread[k]));
	for (i = 0; i < topo->host.count; i++)
		if (out_topo_is_shown(topo, i, all) || topo->physfn[i] >= 0)
			json_array_append_new(list, function_json(topo, i));
	return json_pack("{s:i, s:o, s:o, s:o}", "version", 1, "numa_nodes",
			 nodes_json(&topo->numa), "functions", list, "unread", unread);
}
