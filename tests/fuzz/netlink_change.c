// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer makes a quarter of the changes. The others change one message, or one attribute at
 * any depth, and mostly correct the lengths of the nests and the message around it, so that the
 * change reaches the parser of that attribute.
 */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "netlink_change.h"
#include "core/pure.h"

#define MADE_BYTES	2048
#define DEPTH_MAX	6
#define SPOTS_MAX	1024

/* Messages that netlink_made.py makes from the family's specification. */
static const struct made {
	size_t size;
	uint8_t data[MADE_BYTES];
} made[] = {
#include "netlink_made.h"
};

/* Offset of an attribute, and those of the message and, further in, the nests around it. */
struct spot {
	size_t at;
	size_t in[DEPTH_MAX];
	unsigned int depth;
};

struct spots {
	struct spot spot[SPOTS_MAX];
	unsigned int count;
};

static uint32_t get(const uint8_t *data, size_t at, size_t bytes)
{
	uint32_t val = 0;

	memcpy(&val, data + at, bytes);
	return val;
}

static void put(uint8_t *data, size_t at, size_t bytes, uint32_t val)
{
	memcpy(data + at, &val, bytes);
}

/**
 * netlink_message() - get the length of the message at an offset
 * @data: input
 * @size: of @data in bytes
 * @at: offset of the message
 *
 * Return: length of the message, 0 if there is no whole one.
 */
size_t netlink_message(const uint8_t *data, size_t size, size_t at)
{
	size_t length;

	if (at >= size || size - at < NLMSG_HDRLEN)
		return 0;
	length = get(data, at, 4);
	return length >= NLMSG_HDRLEN && length <= size - at ? length : 0;
}

/* Offset of the first attribute in a message. */
static size_t attributes_at(const uint8_t *message)
{
	switch (get(message, 4, 2)) {
	case NLMSG_ERROR:
		return NLMSG_HDRLEN + (get(message, 6, 2) & NLM_F_CAPPED ? 20 : 24);
	default:
		/* The error at the end of a dump is as long as the generic header. */
		return NLMSG_HDRLEN + 4;
	}
}

static void spots_add(struct spots *spots, const uint8_t *data, size_t at, size_t end,
		      const struct spot *around)
{
	while (at + NLA_HDRLEN <= end && spots->count < SPOTS_MAX) {
		struct spot *spot = &spots->spot[spots->count++];
		size_t length = get(data, at, 2);

		*spot = *around;
		spot->at = at;
		if (length < NLA_HDRLEN || length > end - at)
			return;
		if (get(data, at + 2, 2) & NLA_F_NESTED && spot->depth < DEPTH_MAX) {
			struct spot inside = *spot;

			inside.in[inside.depth++] = at;
			spots_add(spots, data, at + NLA_HDRLEN, at + length, &inside);
		}
		at += NLA_ALIGN(length);
	}
}

/* Finds all attributes of the message at @at. */
static void spots_find(struct spots *spots, const struct input *input, size_t at)
{
	size_t length = netlink_message(input->data, input->size, at);
	struct spot around = { .in = { at }, .depth = 1 };

	spots->count = 0;
	if (length)
		spots_add(spots, input->data, at + attributes_at(input->data + at),
			  at + length, &around);
}

/* input_splice() at an attribute, mostly with the lengths of its nests and message corrected. */
static void splice_in(struct input *input, const struct spot *spot, size_t gone,
		      const void *with, size_t bytes)
{
	size_t end = input->size;
	unsigned int i;

	if (!input_splice(input, spot->at, gone, with, bytes) || !dice(&input->seed, 16))
		return;
	for (i = 0; i < spot->depth; i++) {
		size_t width = i ? 2 : 4;

		put(input->data, spot->in[i], width,
		    get(input->data, spot->in[i], width) + input->size - end);
	}
}

static size_t any_message(struct input *input)
{
	size_t at, count = 0, length, chosen = 0;

	for (at = 0; (length = netlink_message(input->data, input->size, at));
	     at += NLMSG_ALIGN(length))
		if (!dice(&input->seed, ++count))
			chosen = at;
	return chosen;
}

static void add_made(struct input *input)
{
	const struct made *one = &made[dice(&input->seed, ARRAY_SIZE(made))];

	input_splice(input, dice(&input->seed, 4) ? any_message(input) : 0, 0, one->data,
		     one->size);
}

static void change_message(struct input *input, size_t at)
{
	static const uint16_t types[] = { NLMSG_ERROR, NLMSG_DONE, 16, 0x20 };
	size_t length = netlink_message(input->data, input->size, at);

	if (!length)
		return;
	switch (dice(&input->seed, 6)) {
	case 0:
		put(input->data, at, 4, dice(&input->seed, 2 * length));
		break;
	case 1:
		put(input->data, at + 4, 2, types[dice(&input->seed, 4)]);
		break;
	case 2:
		put(input->data, at + 6, 2, dice(&input->seed, 4) << 8);
		break;
	case 3:
		put(input->data, at + NLMSG_HDRLEN, 4, -(int)dice(&input->seed, 40));
		break;
	case 4:
		/* Cut the message, and remove the rest of the input. */
		put(input->data, at, 4, NLMSG_HDRLEN +
		    dice(&input->seed, length - NLMSG_HDRLEN + 1));
		input->size = at + get(input->data, at, 4);
		break;
	default:
		input_splice(input, at, NLMSG_ALIGN(length), NULL, 0);
	}
}

static void change_payload(struct input *input, const struct spot *spot, size_t length)
{
	uint8_t payload[MADE_BYTES] = { 0 };
	size_t bytes = length - NLA_HDRLEN, changed;
	struct spot inside = *spot;

	if (bytes > sizeof(payload) / 2)
		return;
	memcpy(payload, input->data + spot->at + NLA_HDRLEN, bytes);
	changed = LLVMFuzzerMutate(payload, bytes, dice(&input->seed, 2) && bytes ?
				   bytes : sizeof(payload) / 2);
	put(input->data, spot->at, 2, NLA_HDRLEN + changed);
	inside.at += NLA_HDRLEN;
	splice_in(input, &inside, NLA_ALIGN(bytes), payload, NLA_ALIGN(changed));
}

/* Copies an attribute of a message of the input, or of a made one. */
static void copy_attribute(struct input *input, const struct spot *to)
{
	static struct spots spots;
	const struct made *one = &made[dice(&input->seed, ARRAY_SIZE(made))];
	struct input from = { .data = (uint8_t *)one->data, .size = one->size };
	uint8_t copy[MADE_BYTES];
	size_t at, length;

	if (dice(&input->seed, 2)) {
		from = *input;
		spots_find(&spots, &from, any_message(input));
	} else {
		spots_find(&spots, &from, 0);
	}
	if (!spots.count)
		return;
	at = spots.spot[dice(&input->seed, spots.count)].at;
	length = NLA_ALIGN(get(from.data, at, 2));
	if (length > sizeof(copy) || length > from.size - at)
		return;
	memcpy(copy, from.data + at, length);
	splice_in(input, to, 0, copy, length);
}

/* Repeats an attribute, sometimes more often than any parser has room for. */
static void repeat_attribute(struct input *input, const struct spot *spot, size_t length)
{
	unsigned int times = 1 + dice(&input->seed, dice(&input->seed, 4) ? 2 : 40);
	uint8_t copy[MADE_BYTES];
	size_t bytes = NLA_ALIGN(length);
	size_t all = 0;

	if (spot->at + bytes > input->size)
		return;
	for (; times && all + bytes <= sizeof(copy); times--, all += bytes)
		memcpy(copy + all, input->data + spot->at, bytes);
	splice_in(input, spot, 0, copy, all);
}

static void change_attribute(struct input *input, const struct spot *spot,
			     const struct spot *later)
{
	size_t length = get(input->data, spot->at, 2);
	bool whole = length >= NLA_HDRLEN && NLA_ALIGN(length) <= input->size - spot->at;

	switch (whole ? dice(&input->seed, 10) : dice(&input->seed, 2)) {
	case 0:
		put(input->data, spot->at, 2, length - 5 + dice(&input->seed, 10));
		break;
	case 1:
		put(input->data, spot->at + 2, 1, dice(&input->seed, 80));
		break;
	case 2:
		put(input->data, spot->at + 3, 1, dice(&input->seed, 2) << 7);
		break;
	case 3 ... 5:
		change_payload(input, spot, length);
		break;
	case 6:
		copy_attribute(input, spot);
		break;
	case 7:
		repeat_attribute(input, spot, length);
		break;
	case 8:
		/* Remove the attribute, or all attributes from it to a later one in its nest. */
		splice_in(input, spot, later->at > spot->at && later->depth == spot->depth &&
			  later->in[later->depth - 1] == spot->in[spot->depth - 1] ?
			  later->at - spot->at : NLA_ALIGN(length), NULL, 0);
		break;
	default:
		splice_in(input, spot, NLA_ALIGN(length), NULL, 0);
	}
}

static void change(struct input *input)
{
	size_t at = any_message(input);
	static struct spots spots;

	spots_find(&spots, input, at);
	if (!netlink_message(input->data, input->size, at) || !dice(&input->seed, 8))
		add_made(input);
	else if (!spots.count || !dice(&input->seed, 8))
		change_message(input, at);
	else
		change_attribute(input, &spots.spot[dice(&input->seed, spots.count)],
				 &spots.spot[dice(&input->seed, spots.count)]);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed)
{
	struct input input = { data, size, max, seed };

	if (!dice(&input.seed, 4))
		return LLVMFuzzerMutate(data, size, max);
	change(&input);
	/* libFuzzer takes no empty result. */
	return input.size ? input.size : LLVMFuzzerMutate(data, size, max);
}
