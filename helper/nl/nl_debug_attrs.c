// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <linux/netlink.h>
#include <string.h>

#include "conf_key.h"
#include "isolation/plan.h"
#include "nl_debug_attrs.h"
#include "peers.h"

#define LINES_MAX	2048	/* for one message */
#define DEPTH_MAX	5
#define HEX_BYTES	32	/* shown of a value that is not decoded */
#define TEXT_MAX	255
#define INDENT		2

/**
 * struct page - output of one message
 * @out: output stream
 * @lines: number of lines that may still be printed
 */
struct page {
	FILE *out;
	unsigned int lines;
};

/* An empty set, for messages and nests that the table does not know. */
static const struct nl_attr_set unnamed = { .name = "" };

/* An attribute whose length has been checked. */
struct attribute {
	unsigned int type;
	const unsigned char *data;
	size_t size;
};

static void print_set(struct page *page, const struct nl_attr_set *set,
		      const unsigned char *at, size_t size, unsigned int depth);

/* Begin a line; false if the message has used up its lines. */
static bool begin_line(struct page *page, unsigned int depth)
{
	if (!page->lines)
		return false;
	if (!--page->lines) {
		fputs("  ...\n", page->out);
		return false;
	}
	fprintf(page->out, "%*s", (int)(INDENT * depth), "");
	return true;
}

/**
 * nl_print_hex() - print the first HEX_BYTES bytes of data, and a newline
 * @out: output
 * @at: data
 * @size: length of the data in bytes
 */
void nl_print_hex(FILE *out, const unsigned char *at, size_t size)
{
	size_t i;

	for (i = 0; i < size && i < HEX_BYTES; i++)
		fprintf(out, "%s%02x", i ? " " : "", at[i]);
	if (size > HEX_BYTES)
		fprintf(out, " ... (%zu bytes)", size);
	fputc('\n', out);
}

static void print_rest(struct page *page, const unsigned char *at, size_t size,
		       unsigned int depth)
{
	if (!size || !begin_line(page, depth))
		return;
	fputs("malformed: ", page->out);
	nl_print_hex(page->out, at, size);
}

/**
 * nl_print_text() - print a string, with '?' for characters that a terminal may interpret
 * @out: output
 * @at: string, which need not end with a NUL
 * @size: length of the string in bytes
 */
void nl_print_text(FILE *out, const unsigned char *at, size_t size)
{
	size_t i;

	for (i = 0; i < size && at[i] && i < TEXT_MAX; i++)
		fputc(at[i] < ' ' || at[i] > '~' ? '?' : at[i], out);
}

static uint64_t number_of(const struct attribute *attr)
{
	uint64_t large;
	uint32_t middle;
	uint16_t small;

	switch (attr->size) {
	case sizeof(large):
		memcpy(&large, attr->data, sizeof(large));
		return large;
	case sizeof(middle):
		memcpy(&middle, attr->data, sizeof(middle));
		return middle;
	default:
		memcpy(&small, attr->data, sizeof(small));
		return small;
	}
}

/* Tell whether an attribute has the length of its kind. */
static bool is_sound(const struct attribute *attr, const struct nl_attr_info *info)
{
	switch (info->kind) {
	case NL_U16:
		return attr->size == sizeof(uint16_t);
	case NL_U32:
	case NL_S32:
		return attr->size == sizeof(uint32_t);
	case NL_U64:
		return attr->size == sizeof(uint64_t);
	case NL_STRING:
		return attr->size && !attr->data[attr->size - 1];
	case NL_FLAG:
		return !attr->size;
	default:
		return true;
	}
}

static void print_mask(FILE *out, const struct names *names, uint64_t value)
{
	const char *separator = "";
	unsigned int i;

	for (i = 0; i < names->count; i++)
		if (value >> i & 1) {
			fprintf(out, "%s%s", separator, names->name[i]);
			separator = "|";
		}
	if (!*separator)
		fprintf(out, "0x%" PRIx64, value);
}

static void print_number(FILE *out, const struct nl_attr_info *info, uint64_t value)
{
	if (info->mask)
		print_mask(out, info->names, value);
	else if (info->names && value < info->names->count)
		fputs(name_of(info->names, value), out);
	else if (info->key && value <= info->key->max)
		fputs(info->key->words[value], out);
	else if (info->hex)
		fprintf(out, "0x%" PRIx64, value);
	else if (info->kind == NL_S32)
		fprintf(out, "%" PRId32, (int32_t)value);
	else
		fprintf(out, "%" PRIu64, value);
}

/* Attributes of a policy are printed with the names and values of policy.conf. */
static const struct conf_key *key_of(const struct nl_attr_set *set, unsigned int type)
{
	return strcmp(set->name, "policy") ? NULL : conf_key_of_attr(type);
}

static void print_value(FILE *out, const struct nl_attr_info *info,
			const struct conf_key *key, const struct attribute *attr)
{
	char value[PEERS_BYTES];

	if (info->kind == NL_STRING) {
		nl_print_text(out, attr->data, attr->size);
	} else if (key) {
		conf_key_format(key, number_of(attr), value, sizeof(value));
		fputs(value, out);
	} else {
		print_number(out, info, number_of(attr));
	}
	fputc('\n', out);
}

/* The only binary value of a policy is its peers. */
static void print_binary(FILE *out, const struct conf_key *key, const struct attribute *attr)
{
	struct instinct_peers peers;
	char value[PEERS_BYTES];

	if (key && peers_take(&peers, attr->data, attr->size)) {
		peers_format(&peers, value);
		fprintf(out, "%s\n", value);
	} else {
		nl_print_hex(out, attr->data, attr->size);
	}
}

static void print_nest(struct page *page, const struct nl_attr_info *info,
		       const struct attribute *attr, unsigned int depth)
{
	const struct nl_attr_set array = { .name = "", .nests = info->nest };

	if (depth >= DEPTH_MAX)
		print_rest(page, attr->data, attr->size, depth);
	else if (info->kind == NL_ARRAY)
		print_set(page, &array, attr->data, attr->size, depth);
	else
		print_set(page, info->nest ? info->nest : &unnamed, attr->data, attr->size, depth);
}

static const struct nl_attr_info *info_of(const struct nl_attr_set *set, unsigned int type,
					  struct nl_attr_info *made)
{
	if (set->nests) {
		*made = (struct nl_attr_info) { .name = "", .kind = NL_NEST, .nest = set->nests };
		return made;
	}
	if (type < set->count && set->attr[type].name)
		return &set->attr[type];
	*made = (struct nl_attr_info) { .name = NULL };
	return made;
}

static void print_attr(struct page *page, const struct nl_attr_set *set,
		       const struct attribute *attr, unsigned int depth)
{
	struct nl_attr_info made;
	const struct nl_attr_info *info = info_of(set, attr->type, &made);
	const struct conf_key *key = key_of(set, attr->type);

	if (!begin_line(page, depth))
		return;
	if (key)
		fputs(key->name, page->out);
	else if (info->name && *info->name)
		fputs(info->name, page->out);
	else
		fprintf(page->out, "attribute %u", attr->type);
	if (info->kind == NL_NEST || info->kind == NL_ARRAY) {
		fputs(":\n", page->out);
		print_nest(page, info, attr, depth + 1);
	} else if (!is_sound(attr, info)) {
		fputs(": malformed: ", page->out);
		nl_print_hex(page->out, attr->data, attr->size);
	} else if (info->kind == NL_FLAG) {
		fputc('\n', page->out);
	} else {
		fputs(": ", page->out);
		if (info->kind == NL_BINARY)
			print_binary(page->out, key, attr);
		else
			print_value(page->out, info, key, attr);
	}
}

static void print_set(struct page *page, const struct nl_attr_set *set,
		      const unsigned char *at, size_t size, unsigned int depth)
{
	while (size >= NLA_HDRLEN && page->lines) {
		struct attribute attr;
		struct nlattr header;
		size_t whole;

		memcpy(&header, at, sizeof(header));
		if (header.nla_len < NLA_HDRLEN || header.nla_len > size)
			break;
		attr.type = header.nla_type & NLA_TYPE_MASK;
		attr.data = at + NLA_HDRLEN;
		attr.size = header.nla_len - NLA_HDRLEN;
		print_attr(page, set, &attr, depth);
		whole = NLA_ALIGN(header.nla_len);
		whole = whole < size ? whole : size;
		at += whole;
		size -= whole;
	}
	print_rest(page, at, size, depth);
}

/**
 * nl_print_attrs() - print the attributes of a message, one on each indented line
 * @out: output
 * @set: set that names them, NULL if the message is unknown
 * @at: attributes, which may be malformed
 * @size: length of the attributes in bytes
 */
void nl_print_attrs(FILE *out, const struct nl_attr_set *set, const unsigned char *at,
		    size_t size)
{
	struct page page = { .out = out, .lines = LINES_MAX };

	print_set(&page, set ? set : &unnamed, at, size, 1);
}
