// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mask.h"
#include "model.h"
#include "nl_table.h"

#define EXT_CAPS_MAX	960
#define DEPTH_MAX	6
#define TELLING_BYTES	4	/* that are not 0; fewer could match other data */

static uint64_t get64(const char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void put64(char *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static uint32_t get32(const char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

/**
 * mask_config() - mask the Device Serial Number of a config space
 * @mask: pseudonyms so far; extended
 * @config: the config space or its beginning; changed
 */
void mask_config(struct mask *mask, struct bytes *config)
{
	unsigned int at = PCI_CFG_SPACE_SIZE, tries = EXT_CAPS_MAX;

	while (at >= PCI_CFG_SPACE_SIZE && at + 12 <= config->size && tries--) {
		uint32_t head = get32(config->data + at);

		if (!head || head == UINT32_MAX)
			return;
		/* The capability holds the lower dword first, both little-endian. */
		if (PCI_EXT_CAP_ID(head) == PCI_EXT_CAP_ID_DSN)
			put64(config->data + at + 4,
			      htole64(mask_serial(mask, le64toh(get64(config->data + at + 4)))));
		at = PCI_EXT_CAP_NEXT(head);
	}
}

static bool is_telling(uint64_t value)
{
	unsigned int bytes = 0;

	for (; value; value >>= 8)
		bytes += !!(value & 0xff);
	return bytes >= TELLING_BYTES;
}

static int by_bytes(const void *a, const void *b)
{
	const struct mask_pattern *x = a, *y = b;

	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Rebuild the patterns only if there are new serial numbers. */
static void make_patterns(struct mask *mask)
{
	size_t i;

	if (mask->patterns == 2 * mask->serials.count)
		return;
	free(mask->pattern);
	mask->pattern = NULL;
	mask->patterns = 0;
	for (i = 0; i < mask->serials.count; i++) {
		uint64_t serial = strtoull(mask->serials.list[i], NULL, 16);
		uint64_t becomes = mask_serial(mask, serial);
		struct mask_pattern *pattern;

		pattern = list_add((void **)&mask->pattern, &mask->patterns, sizeof(*pattern));
		*pattern = (struct mask_pattern) { htole64(serial), htole64(becomes) };
		pattern = list_add((void **)&mask->pattern, &mask->patterns, sizeof(*pattern));
		*pattern = (struct mask_pattern) { htobe64(serial), htobe64(becomes) };
	}
	if (!mask->patterns)
		return;
	qsort(mask->pattern, mask->patterns, sizeof(*mask->pattern), by_bytes);
}

/**
 * mask_sweep() - mask serial numbers met before, anywhere in binary data
 * @mask: pseudonyms so far
 * @binary: data in which a number may have any offset and either byte order; changed
 */
void mask_sweep(struct mask *mask, struct bytes *binary)
{
	size_t at;

	make_patterns(mask);
	for (at = 0; mask->patterns && at + sizeof(uint64_t) <= binary->size; at++) {
		struct mask_pattern wanted = { .bytes = get64(binary->data + at) }, *found;

		if (!is_telling(wanted.bytes))
			continue;
		found = bsearch(&wanted, mask->pattern, mask->patterns, sizeof(wanted), by_bytes);
		if (found)
			put64(binary->data + at, found->becomes);
	}
}

static void mask_string(struct mask *mask, char *at, size_t size)
{
	struct bytes text = { 0 };

	bytes_add(&text, at, strnlen(at, size));
	mask_text(mask, &text);
	memset(at, 0, size);
	if (size)
		memcpy(at, text.data, text.size < size ? text.size : size - 1);
	bytes_free(&text);
}

static void mask_attrs(struct mask *mask, const struct nl_attr_set *set, char *at,
		       size_t size, unsigned int depth);

static void mask_attr(struct mask *mask, const struct nl_attr_info *info, char *at,
		      size_t size, unsigned int depth)
{
	if (info->kind == NL_U64 && !strcmp(info->name, "serial") && size == sizeof(uint64_t))
		put64(at, mask_serial(mask, get64(at)));
	else if (info->kind == NL_STRING && strcmp(info->name, "bdf"))
		mask_string(mask, at, size);
	else if (info->kind == NL_NEST)
		mask_attrs(mask, info->nest, at, size, depth + 1);
}

static void mask_attrs(struct mask *mask, const struct nl_attr_set *set, char *at,
		       size_t size, unsigned int depth)
{
	while (set && depth < DEPTH_MAX && size >= NLA_HDRLEN) {
		struct nlattr attr;
		unsigned int type;
		size_t whole;

		memcpy(&attr, at, sizeof(attr));
		type = attr.nla_type & NLA_TYPE_MASK;
		if (attr.nla_len < NLA_HDRLEN || attr.nla_len > size)
			return;
		if (type < set->count && set->attr[type].name)
			mask_attr(mask, &set->attr[type], at + NLA_HDRLEN,
				  attr.nla_len - NLA_HDRLEN, depth);
		whole = NLA_ALIGN(attr.nla_len);
		whole = whole < size ? whole : size;
		at += whole;
		size -= whole;
	}
}

/**
 * mask_netlink() - mask serial numbers and texts in netlink messages of the module
 * @mask: pseudonyms so far; extended
 * @messages: messages of one answer; changed
 */
void mask_netlink(struct mask *mask, struct bytes *messages)
{
	char *at = messages->data;
	size_t size = messages->size;

	while (size >= NLMSG_HDRLEN + GENL_HDRLEN) {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
		size_t whole;

		memcpy(&nlh, at, sizeof(nlh));
		memcpy(&genl, at + NLMSG_HDRLEN, sizeof(genl));
		if (nlh.nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN || nlh.nlmsg_len > size)
			return;
		if (nlh.nlmsg_type != GENL_ID_CTRL && genl.cmd < nl_commands_count)
			mask_attrs(mask, nl_commands[genl.cmd].set,
				   at + NLMSG_HDRLEN + GENL_HDRLEN,
				   nlh.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, 0);
		whole = NLMSG_ALIGN(nlh.nlmsg_len);
		whole = whole < size ? whole : size;
		at += whole;
		size -= whole;
	}
}
