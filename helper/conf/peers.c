// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "peers.h"

#define PEER_BYTES	16

static void format_item(const struct instinct_peer *item, char *text)
{
	uint32_t value = item->value;

	if (item->kind == INSTINCT_VFIO_PEER_AUTO)
		snprintf(text, PEER_BYTES, "auto");
	else if (item->kind == INSTINCT_VFIO_PEER_ID)
		snprintf(text, PEER_BYTES, "%04x:%04x", value >> 16, value & 0xffff);
	else
		snprintf(text, PEER_BYTES, "%04x:%02x:%02x.%u", value >> 16, (value >> 8) & 0xff,
			 (value >> 3) & 31, value & 7);
}

static bool parse_item(struct instinct_peer *item, const char *text, size_t length)
{
	unsigned int domain, bus, slot, function;
	char again[PEER_BYTES];

	if (sscanf(text, "%4x:%2x:%2x.%1x", &domain, &bus, &slot, &function) == 4)
		*item = (struct instinct_peer) {
			.kind = INSTINCT_VFIO_PEER_ADDRESS,
			.value = domain << 16 | bus << 8 | slot << 3 | function,
		};
	else if (sscanf(text, "%4x:%4x", &domain, &bus) == 2)
		*item = (struct instinct_peer) {
			.kind = INSTINCT_VFIO_PEER_ID,
			.value = domain << 16 | bus,
		};
	else
		return false;
	/* A text that reads back differently has too many digits, too few, or too large numbers. */
	format_item(item, again);
	return length == strlen(again) && !strncasecmp(text, again, length);
}

/**
 * peers_parse() - parse the peers that an operator names
 * @peers: set to the peers
 * @text: "none", "auto", or BDFs and vendor:device pairs with a blank between
 * @why: set to an error text on failure
 *
 * Return: 0 or -EINVAL.
 */
int peers_parse(struct instinct_peers *peers, const char *text, const char **why)
{
	/* A peer of zeroes is INSTINCT_VFIO_PEER_AUTO. */
	*peers = (struct instinct_peers) { .count = !strcmp(text, "auto") };
	if (peers->count || !strcmp(text, "none"))
		return 0;
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, " ");

		if (peers->count == INSTINCT_PEERS_MAX) {
			*why = "peer names more than 16 functions";
			return -EINVAL;
		}
		if (!parse_item(&peers->item[peers->count++], text, length)) {
			peers->count = 0;
			break;
		}
		text += length;
	}
	if (peers->count)
		return 0;
	*why = "peer must be none, auto, or addresses such as 0000:c1:00.0 and IDs such as 15b3:1021";
	return -EINVAL;
}

/**
 * peers_format() - write peers in the form that peers_parse() reads
 * @peers: peers to write
 * @text: buffer of PEERS_BYTES, set
 */
void peers_format(const struct instinct_peers *peers, char *text)
{
	char item[PEER_BYTES];
	size_t used = 0;
	unsigned int i;

	if (!peers->count)
		snprintf(text, PEERS_BYTES, "none");
	for (i = 0; i < peers->count; i++) {
		format_item(&peers->item[i], item);
		used += snprintf(text + used, PEERS_BYTES - used, "%s%s", i ? " " : "", item);
	}
}

/**
 * peers_take() - read peers from an attribute of the module
 * @peers: set to the peers
 * @data: value of A_POLICY_PEER
 * @size: length of @data in bytes
 *
 * Return: false if that is no list of peers.
 */
bool peers_take(struct instinct_peers *peers, const void *data, size_t size)
{
	*peers = (struct instinct_peers) { .count = size / sizeof(peers->item[0]) };
	if (size % sizeof(peers->item[0]) || size > sizeof(peers->item))
		return false;
	memcpy(peers->item, data, size);
	return true;
}
