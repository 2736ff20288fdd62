// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mask.h"
#include "model.h"

#define PAIRS_MAX	64
#define IPV4		"0123456789."
#define IPV6		IPV4 "abcdefABCDEF:"

/**
 * struct found - what is at a place of a text
 * @length: of it, 0 for nothing that is to be masked
 * @becomes: what stands there then
 */
struct found {
	size_t length;
	char becomes[4 * PAIRS_MAX];
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t hex_digits(const char *at)
{
	size_t length = 0;

	while (isxdigit((unsigned char)at[length]))
		length++;
	return length;
}

/* Groups of @digits hexadecimal digits with @separator between them; how many. */
static size_t groups_of(const char *at, size_t digits, char separator)
{
	size_t groups = 0;

	while (hex_digits(at) == digits) {
		groups++;
		at += digits;
		if (*at != separator)
			return is_word(*at) ? 0 : groups;
		at++;
	}
	return 0;
}

/* The digits alone, by which an address is known however it is written. */
static void digits_of(const char *at, size_t length, char *digits, size_t size)
{
	size_t n = 0;

	for (; length && n + 1 < size; at++, length--)
		if (isxdigit((unsigned char)*at))
			digits[n++] = *at;
	digits[n] = '\0';
}

/* As the original is written, with the pseudonym's digits in it. */
static void dress(const char *at, size_t length, const char *digits, char *becomes, size_t size)
{
	size_t i;

	for (i = 0; i < length && i + 1 < size; i++)
		becomes[i] = isxdigit((unsigned char)at[i]) && *digits ? *digits++ : at[i];
	becomes[i] = '\0';
}

static void put_serial(struct mask *mask, const char *at, size_t length, struct found *found)
{
	char digits[32];

	digits_of(at, length, digits, sizeof(digits));
	snprintf(digits, sizeof(digits), "%016" PRIx64,
		 mask_serial(mask, strtoull(digits, NULL, 16)));
	dress(at, length, digits, found->becomes, sizeof(found->becomes));
	found->length = length;
}

/* MAC addresses, GUIDs, hardware addresses of InfiniBand: locally administered ones. */
static void put_address(struct mask *mask, const char *at, size_t length, struct found *found)
{
	char digits[2 * PAIRS_MAX + 1], pseudonym[2 * PAIRS_MAX + 1];
	int width;

	digits_of(at, length, digits, sizeof(digits));
	width = (int)strlen(digits) - 2;
	snprintf(pseudonym, sizeof(pseudonym), "02%0*zx", width,
		 mask_number(&mask->addresses, digits));
	dress(at, length, pseudonym, found->becomes, sizeof(found->becomes));
	found->length = length;
}

static void put_uuid(struct mask *mask, const char *at, size_t length, struct found *found)
{
	char digits[33];

	digits_of(at, length, digits, sizeof(digits));
	snprintf(digits, sizeof(digits), "0000000000004000%016zx",
		 mask_number(&mask->uuids, digits) | (size_t)1 << 63);
	dress(at, length, digits, found->becomes, sizeof(found->becomes));
	found->length = length;
}

static bool is_uuid(const char *at)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };
	size_t i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (hex_digits(at) != groups[i])
			return false;
		at += groups[i];
		if (i < 4 && *at++ != '-')
			return false;
	}
	return !is_word(*at);
}

/* Eight pairs with dashes are what lspci makes of a serial number. */
static void find_pairs(struct mask *mask, const char *at, struct found *found)
{
	size_t dashed = groups_of(at, 2, '-'), pairs = groups_of(at, 2, ':');
	size_t quads = groups_of(at, 4, ':');

	if (dashed == 8)
		put_serial(mask, at, 3 * dashed - 1, found);
	else if (dashed == 6)
		put_address(mask, at, 3 * dashed - 1, found);
	else if (pairs >= 6 && pairs <= PAIRS_MAX)
		put_address(mask, at, 3 * pairs - 1, found);
	else if (quads == 4)
		put_address(mask, at, 5 * quads - 1, found);
}

/* "serial", and no more than a sign or two between that and the number. */
static bool is_called_serial(const char *text, const char *at)
{
	static const char word[] = "serial";
	size_t length = strlen(word), gap = 0;

	while (at > text && strchr(" =:\"x0", at[-1]) && gap++ < 8)
		at--;
	return at - text >= (ptrdiff_t)length && !strncasecmp(at - length, word, length);
}

static void find_number(struct mask *mask, const char *text, const char *at,
			struct found *found)
{
	size_t prefix = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') ? 2 : 0;
	size_t digits = hex_digits(at + prefix);
	char number[17];

	if (is_word(at[prefix + digits]))
		return;
	if (digits == 32) {
		put_uuid(mask, at + prefix, digits, found);
	} else if (digits == 16) {
		snprintf(number, sizeof(number), "%.16s", at + prefix);
		if (mask_knows_serial(mask, strtoull(number, NULL, 16)) ||
		    is_called_serial(text, at))
			put_serial(mask, at + prefix, digits, found);
	}
	if (!found->length || !prefix)
		return;
	memmove(found->becomes + prefix, found->becomes, strlen(found->becomes) + 1);
	memcpy(found->becomes, at, prefix);
	found->length += prefix;
}

/* "enx001122334455" */
static void find_interface(struct mask *mask, const char *at, struct found *found)
{
	if ((strncmp(at, "enx", 3) && strncmp(at, "wlx", 3)) || hex_digits(at + 3) != 12 ||
	    is_word(at[15]))
		return;
	put_address(mask, at + 3, 12, found);
	memmove(found->becomes + 3, found->becomes, strlen(found->becomes) + 1);
	memcpy(found->becomes, at, 3);
	found->length += 3;
}

/* The longest that can be an address; 0: none is. */
static size_t address_length(const char *at, const char *characters, int family,
			     unsigned char *address)
{
	size_t length = 0;
	char text[64];

	/* No more than can be one: a line may be long, and each of its signs a beginning. */
	while (length < sizeof(text) && at[length] && strchr(characters, at[length]))
		length++;
	/* What ends a sentence, or comes before a port, is none of it. */
	while (length && strchr(":.", at[length - 1]) &&
	       !(length > 1 && at[length - 1] == ':' && at[length - 2] == ':'))
		length--;
	if (length < 3 || length >= sizeof(text) || is_word(at[length]))
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)length, at);
	return inet_pton(family, text, address) == 1 ? length : 0;
}

/* A loopback address is anybody's, as is that of nobody. */
static bool is_anybodys(int family, const unsigned char *address)
{
	unsigned int sum = 0, i;

	for (i = 0; i < 16; i++)
		sum += address[i];
	if (family == AF_INET)
		return address[0] == 127 || !address[0];
	return !sum || (sum == 1 && address[15] == 1);
}

/* They become addresses of networks that are kept for tests and examples. */
static void find_ip(struct mask *mask, const char *at, struct found *found)
{
	unsigned char address[16];
	int family = AF_INET;
	char text[64];
	size_t length, number;

	length = address_length(at, IPV4, family, address);
	if (!length) {
		family = AF_INET6;
		length = address_length(at, IPV6, family, address);
	}
	if (!length || is_anybodys(family, address))
		return;
	snprintf(text, sizeof(text), "%.*s", (int)length, at);
	number = mask_number(&mask->ips, text);
	if (family == AF_INET)
		snprintf(found->becomes, sizeof(found->becomes), "198.%zu.%zu.%zu",
			 18 + (number >> 16 & 1), number >> 8 & 255, number & 255);
	else
		snprintf(found->becomes, sizeof(found->becomes), "2001:db8::%zx", number);
	found->length = length;
}

static void find_host(const struct mask *mask, const char *at, struct found *found)
{
	size_t i, length;

	for (i = 0; i < mask->host.count; i++) {
		length = strlen(mask->host.list[i]);
		if (strncasecmp(at, mask->host.list[i], length) || is_word(at[length]) ||
		    at[length] == '-')
			continue;
		snprintf(found->becomes, sizeof(found->becomes), "host");
		found->length = length;
		return;
	}
}

static size_t domain_length(const char *at)
{
	size_t length = 0;

	while (at[length] == '.' && is_word(at[length + 1]))
		length += 1 + strspn(at + length + 1,
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-");
	return length;
}

typedef void (*find_t)(struct mask *mask, const char *text, const char *at,
		       struct found *found);

static void find_any(struct mask *mask, const char *text, const char *at, struct found *found)
{
	find_host(mask, at, found);
	if (found->length)
		found->length += domain_length(at + found->length);
	if (!found->length && is_uuid(at))
		put_uuid(mask, at, 36, found);
	if (!found->length)
		find_pairs(mask, at, found);
	if (!found->length)
		find_number(mask, text, at, found);
	if (!found->length)
		find_ip(mask, at, found);
	if (!found->length)
		find_interface(mask, at, found);
}

/* What the kernel calls something has no more of a host than addresses of its NICs. */
static void find_kernels(struct mask *mask, const char *text, const char *at,
			 struct found *found)
{
	(void)text;
	find_interface(mask, at, found);
}

/* What follows a point is no domain, but says what kind of file it is. */
static void find_peoples(struct mask *mask, const char *text, const char *at,
			 struct found *found)
{
	find_host(mask, at, found);
	if (!found->length)
		find_kernels(mask, text, at, found);
}

/* Is what ends before @at digits alone? Then what follows a sign belongs to them. */
static bool follows_digits(const char *text, const char *at)
{
	const char *before = at;

	while (before > text && is_word(before[-1]))
		before--;
	return before < at && before + hex_digits(before) >= at;
}

static bool is_quad(const char *at)
{
	unsigned char address[16];

	return address_length(at, IPV4, AF_INET, address);
}

/*
 * Something begins here, and does not go on that stands before a sign. What was masked has
 * its end at @masked, so that the second of two addresses with a sign between them begins.
 */
static bool begins(const char *text, const char *at, const char *masked)
{
	if (!is_word(*at) && strncmp(at, "::", 2))
		return false;
	if (at == text || !at[-1] || !(is_word(at[-1]) || strchr("-.:", at[-1])))
		return true;
	if (is_word(at[-1]))
		return false;
	if (at - 1 == masked || (at[-1] == '-' && is_quad(at)))
		return true;
	return at[-1] == ':' ? !follows_digits(text, at - 1) : !(at - 1 > text && is_word(at[-2]));
}

static size_t line_length(const char *at)
{
	return strcspn(at, "\n");
}

/* The kernel's log has the command line, too, whole or in part. */
static size_t mask_logged_cmdline(const char *at, struct bytes *out)
{
	static const char *const before[] = {
		"ommand line: ", "ommand line parameters: ", "ommand line parameters \"",
	};
	struct bytes line = { 0 };
	size_t words = 0, length, i;

	for (i = 0; !words && i < sizeof(before) / sizeof(before[0]); i++)
		if (!strncmp(at, before[i], strlen(before[i])))
			words = strlen(before[i]);
	if (!words)
		return 0;
	length = line_length(at);
	bytes_add(&line, at + words, length - words);
	mask_cmdline(&line);
	bytes_add(out, at, words);
	bytes_print(out, "%s", line.data);
	bytes_free(&line);
	return length;
}

static void mask_found(struct mask *mask, struct bytes *text, find_t find)
{
	const char *at = text->data, *masked = NULL, *end;
	struct bytes out = { 0 };
	struct found found;

	bytes_add(&out, "", 0);
	/* A NUL ends no more than what stands before it. */
	for (end = at + text->size; at < end; at += found.length) {
		found.length = mask_logged_cmdline(at, &out);
		if (found.length)
			continue;
		if (begins(text->data, at, masked))
			find(mask, text->data, at, &found);
		if (found.length) {
			bytes_print(&out, "%s", found.becomes);
			masked = at + found.length;
		} else {
			found.length = 1;
			bytes_add(&out, at, 1);
		}
	}
	bytes_free(text);
	*text = out;
}

/**
 * mask_text() - what a text says
 * @mask: it; serial numbers that are known by then are found without being called so
 * @text: it; a NUL in it is a sign as others are
 */
void mask_text(struct mask *mask, struct bytes *text)
{
	mask_found(mask, text, find_any);
}

/**
 * mask_path() - what the names of folders and files say
 * @mask: it
 * @path: it
 * @named_by_people: the host's name may be in it; it is not the kernel's, and not ours
 */
void mask_path(struct mask *mask, struct bytes *path, bool named_by_people)
{
	mask_found(mask, path, named_by_people ? find_peoples : find_kernels);
}
