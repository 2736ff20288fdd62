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
 * struct found - a part of a text that must be masked
 * @length: bytes of the part, 0 if there is nothing to mask
 * @becomes: replacement
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

/* Count groups of @digits hexadecimal digits with @separator between them. */
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

/* Extract the digits, so that all spellings of an address have the same pseudonym. */
static void digits_of(const char *at, size_t length, char *digits, size_t size)
{
	size_t n = 0;

	for (; length && n + 1 < size; at++, length--)
		if (isxdigit((unsigned char)*at))
			digits[n++] = *at;
	digits[n] = '\0';
}

/* Put the digits of the pseudonym into the spelling of the original. */
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

/* MAC addresses, GUIDs, InfiniBand hardware addresses become locally administered addresses. */
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

/* lspci prints a serial number as eight pairs with dashes. */
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

/* Does the word "serial" precede the number, with a few signs between them? */
static bool is_called_serial(const char *text, const char *at)
{
	static const char word[] = "serial";
	size_t length = strlen(word), gap = 0;

	while (at > text && strchr(" =:\"x0", at[-1]) && gap++ < 8)
		at--;
	return at - text >= (ptrdiff_t)length && !strncasecmp(at - length, word, length);
}

/*
 * An address of the kernel tells where it lies (KASLR). All ones and masks of bits are none. With five
 * levels of page tables the kernel's memory begins at ff11000000000000.
 */
static bool is_kernels_address(const char *digits)
{
	if (strncasecmp(digits, "ff", 2))
		return false;
	if (strncasecmp(digits + 2, "ff", 2))
		return digits[2] != '0' && strspn(digits + 4, "0") < 12 && strspn(digits + 4, "fF") < 12;
	if (!strncasecmp(digits + 4, "ffff", 4))
		return digits[8] >= '8' && strncasecmp(digits + 8, "ffffffff", 8);
	return digits[4] >= '8';
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
		    is_called_serial(text, at)) {
			put_serial(mask, at + prefix, digits, found);
		} else if (is_kernels_address(number)) {
			snprintf(found->becomes, sizeof(found->becomes), "ffff000000000000");
			found->length = digits;
		}
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

/* Length of the IP address at @at, 0 without one. */
static size_t address_length(const char *at, const char *characters, int family,
			     unsigned char *address)
{
	size_t length = 0;
	char text[64];

	/* Stop where no address can be longer: callers try each character of long lines. */
	while (length < sizeof(text) && at[length] && strchr(characters, at[length]))
		length++;
	/* A full stop or the colon before a port does not belong to the address. */
	while (length && strchr(":.", at[length - 1]) &&
	       !(length > 1 && at[length - 1] == ':' && at[length - 2] == ':'))
		length--;
	if (length < 3 || length >= sizeof(text) || is_word(at[length]))
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)length, at);
	return inet_pton(family, text, address) == 1 ? length : 0;
}

/* Loopback and unspecified addresses identify no host. */
static bool is_anybodys(int family, const unsigned char *address)
{
	unsigned int sum = 0, i;

	for (i = 0; i < 16; i++)
		sum += address[i];
	if (family == AF_INET)
		return address[0] == 127 || !address[0];
	return !sum || (sum == 1 && address[15] == 1);
}

/* Pseudonyms come from networks reserved for benchmarks and documentation. */
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

/* A panic prints how far KASLR has moved the kernel: "Kernel Offset: 0x1b000000 from 0xffff..." */
static void find_offset(const char *at, struct found *found)
{
	static const char words[] = "Offset: 0x";

	if (strncmp(at, words, strlen(words)))
		return;
	found->length = strlen(words) + hex_digits(at + strlen(words));
	snprintf(found->becomes, sizeof(found->becomes), "%s0", words);
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
	if (!found->length)
		find_offset(at, found);
}

/* Names that the kernel gives can only identify a host by the address of a NIC. */
static void find_kernels(struct mask *mask, const char *text, const char *at,
			 struct found *found)
{
	(void)text;
	find_interface(mask, at, found);
}

/* Users name files after hosts; a suffix there is a file type, not a domain. */
static void find_peoples(struct mask *mask, const char *text, const char *at,
			 struct found *found)
{
	find_host(mask, at, found);
	if (!found->length)
		find_kernels(mask, text, at, found);
}

/* Does the word that ends at @at consist of hexadecimal digits? Then a sign continues it. */
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
 * Can an address or a name begin at @at, or is it part of the word before the sign? @masked
 * is the end of the last masked part, so that an address after it and a sign can begin.
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
	/* An oops prints "RSP: 0018:ffffc90000a3fd40". */
	if (at[-1] == ':' && hex_digits(at) == 16)
		return true;
	return at[-1] == ':' ? !follows_digits(text, at - 1) : !(at - 1 > text && is_word(at[-2]));
}

static size_t line_length(const char *at)
{
	return strcspn(at, "\n");
}

/* The kernel log repeats the command line, whole or in part. */
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
	/* A NUL ends a word, but not the text. */
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
 * mask_text() - mask serial numbers, addresses and names in a text
 * @mask: pseudonyms so far; extended. Serial numbers in it are recognized without the word
 *	"serial" before them
 * @text: text, which may contain NULs; changed
 */
void mask_text(struct mask *mask, struct bytes *text)
{
	mask_found(mask, text, find_any);
}

/**
 * mask_path() - mask addresses and names in a path
 * @mask: pseudonyms so far; extended
 * @path: path or target of a link; changed
 * @named_by_people: users choose such names, which may contain the hostname; false for names
 *	by the kernel and by instinctctl
 */
void mask_path(struct mask *mask, struct bytes *path, bool named_by_people)
{
	mask_found(mask, path, named_by_people ? find_peoples : find_kernels);
}
