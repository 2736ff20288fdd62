// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "split.h"

/**
 * split_parse() - parse "NxM", N guests with M GPUs each
 * @split: receives both numbers; its lists are left alone
 * @text: text
 *
 * Return: false if it is no such text, or a number is out of range.
 */
bool split_parse(struct split *split, const char *text)
{
	char guests[3], gpus[4];
	int length = 0;

	if (sscanf(text, "%2[0-9]x%3[0-9]%n", guests, gpus, &length) != 2 || text[length])
		return false;
	split->guests = strtoul(guests, NULL, 10);
	split->gpus = strtoul(gpus, NULL, 10);
	return split->guests && split->guests <= SPLIT_GUESTS_MAX && split->gpus;
}

/**
 * split_gpus() - count the GPUs that a host could give to guests
 * @topo: host
 *
 * Return: the number; a GPU with enabled VFs counts by these.
 */
size_t split_gpus(const struct topo *topo)
{
	size_t count = 0;
	int i;

	for (i = 0; i < topo->host.count; i++)
		count += topo->kind[i] == TOPO_GPU && !topo->host.function[i].vfs;
	return count;
}

/**
 * split_fitting() - list the splits that leave no GPU over
 * @gpus: number of GPUs
 * @text: receives "2x4, 4x2 or 8x1"; "" without GPUs
 * @size: bytes of @text
 */
void split_fitting(size_t gpus, char *text, size_t size)
{
	size_t at = 0, n;

	*text = '\0';
	for (n = 1; n <= gpus && n <= SPLIT_GUESTS_MAX && at < size; n++)
		if (gpus % n == 0)
			at += snprintf(text + at, size - at, "%s%zux%zu",
				       !at ? "" : n == gpus ? " or " : ", ", n, gpus / n);
}

static bool has(const struct choice_list *list, int index)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->list[i].index == index)
			return true;
	return false;
}

static bool is_taken(const struct split *split, size_t guests, int kind, int index)
{
	size_t i;

	for (i = 0; i < guests; i++)
		if (has(&split->guest[i].best[kind], index))
			return true;
	return false;
}

/* Offer a guest all that the guests before it have left. */
static void offer(struct split *split, size_t guest, const struct topo *topo,
		  const struct choice *offered)
{
	int kind;
	size_t i;

	for (kind = 0; kind < TOPO_KINDS; kind++)
		for (i = 0; i < offered->free[kind].count; i++)
			if (!is_taken(split, guest, kind, offered->free[kind].list[i].index))
				choice_offer(&split->guest[guest], topo, offered->free[kind].list[i].index);
}

static bool is_in_node(const struct topo *topo, const struct choice *choice, int number)
{
	int kind;
	size_t i;

	for (kind = 0; kind < TOPO_KINDS; kind++)
		for (i = 0; i < choice->best[kind].count; i++)
			if (topo->host.function[choice->best[kind].list[i].index].numa == number)
				return true;
	return false;
}

/* The guests that have devices in a node share its CPUs and its memory. */
static void share_node(struct split *split, const struct topo *topo, int node)
{
	const struct numa_node *whole = &topo->numa.node[node];
	size_t parts = 0, part = 0, i;

	for (i = 0; i < split->guests; i++)
		parts += is_in_node(topo, &split->guest[i], whole->number);
	for (i = 0; i < split->guests; i++) {
		struct numa_node *own = &split->numa[i].node[node];

		if (!is_in_node(topo, &split->guest[i], whole->number))
			continue;
		split_cpus(whole->cpus, part++, parts, own->cpus, sizeof(own->cpus));
		own->memory = whole->memory / parts;
	}
}

/**
 * split_make() - choose the devices of each guest, and share the NUMA nodes out
 * @split: parsed; receives the guests
 * @topo: host
 * @offered: devices that may be chosen
 * @wanted: number of devices of each kind for each guest
 *
 * Each guest gets the best devices that the guests before it have left.
 *
 * Return: false if the devices do not suffice. The caller calls split_free() in any case.
 */
bool split_make(struct split *split, const struct topo *topo, const struct choice *offered,
		const size_t wanted[TOPO_KINDS])
{
	size_t i;
	int node;

	split->guest = array_new(split->guests, sizeof(*split->guest));
	split->numa = array_new(split->guests, sizeof(*split->numa));
	for (i = 0; i < split->guests; i++) {
		offer(split, i, topo, offered);
		if (!choice_make(&split->guest[i], topo, wanted))
			return false;
		split->numa[i] = topo->numa;
	}
	for (node = 0; node < topo->numa.count; node++)
		share_node(split, topo, node);
	return true;
}

/* The device of the guest that is in the IOMMU group, or -1. */
static int of_group(const struct topo *topo, const struct choice *choice, int group)
{
	int kind;
	size_t i;

	for (kind = 0; kind < TOPO_KINDS; kind++)
		for (i = 0; i < choice->best[kind].count; i++)
			if (topo->host.function[choice->best[kind].list[i].index].group == group)
				return choice->best[kind].list[i].index;
	return -1;
}

/**
 * split_has_group() - find two devices of different guests in one IOMMU group
 * @split: made by split_make()
 * @topo: host
 * @one: receives the index of one device
 * @other: receives the index of the other one
 *
 * Return: true if there are two; VFIO would give both to one guest only.
 */
bool split_has_group(const struct split *split, const struct topo *topo, int *one, int *other)
{
	size_t guest, before, i;
	int kind;

	for (guest = 1; guest < split->guests; guest++)
		for (kind = 0; kind < TOPO_KINDS; kind++)
			for (i = 0; i < split->guest[guest].best[kind].count; i++) {
				*other = split->guest[guest].best[kind].list[i].index;
				for (before = 0; before < guest; before++) {
					*one = of_group(topo, &split->guest[before],
							topo->host.function[*other].group);
					if (*one >= 0 &&
					    topo->host.function[*other].group != GROUP_NONE)
						return true;
				}
			}
	return false;
}

/**
 * split_cpus() - get one of equal parts of a list of CPUs
 * @cpus: list, such as "0-47,96-143"
 * @part: number of the part, from 0
 * @parts: number of parts
 * @text: receives the part; the whole list if there are more parts than CPUs
 * @size: bytes of @text
 *
 * Linux usually lists the first threads of all cores, then the second ones. So the function takes the
 * same part of each range, which keeps the threads of a core together.
 */
void split_cpus(const char *cpus, size_t part, size_t parts, char *text, size_t size)
{
	const char *rest = cpus;
	size_t at = 0;

	*text = '\0';
	while (*rest && at < size) {
		unsigned int first, last, count, from, end;
		int length = 0;

		if (sscanf(rest, "%u%n", &first, &length) != 1)
			break;
		rest += length;
		last = first;
		length = 0;
		if (sscanf(rest, "-%u%n", &last, &length) == 1)
			rest += length;
		rest += *rest == ',';
		if (last < first)
			break;
		count = last - first + 1;
		from = first + count * part / parts;
		end = first + count * (part + 1) / parts;
		if (from == end)
			continue;
		at += snprintf(text + at, size - at, end - from == 1 ? "%s%u" : "%s%u-%u", at ? "," : "",
			       from, end - 1);
	}
	if (!*text)
		snprintf(text, size, "%s", cpus);
}

/**
 * split_free() - free the guests of a split
 * @split: split
 */
void split_free(struct split *split)
{
	size_t i;

	for (i = 0; i < split->guests && split->guest; i++)
		choice_free(&split->guest[i]);
	free(split->guest);
	free(split->numa);
	split->guest = NULL;
	split->numa = NULL;
}
