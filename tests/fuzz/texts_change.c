// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer makes a quarter of the changes; most of those break the form of the text, such as
 * JSON or XML. So the others change one word, byte or length, or the piece between two marks,
 * and replace words by words and numbers by numbers.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "core/pure.h"

#define HEAD		1	/* selects the reader */
#define PIECE_BYTES	1024

static const char *const words[] = {
	"0", "1", "-1", "255", "256", "65536", "2147483648", "4294967295", "9223372036854775807",
	"18446744073709551616", "0x1f", "0x20", "0xffffffff", "1e3", "", "a", "null", "true",
	"0000:26:00.0", "0000:23:00.0", "26:00.0", "ffff:ff:01.0", "gpu-0000-26-00-0", "01:00.0",
	"vfio-pci", "pcie-root-port", "pcie.0", "hwmon", "ipmi", "junction", "memory", "hotspot",
	"system", "cpu", "pci", "hostdev", "address", "controller", "name", "5s", "10min", "yes",
	"no", "/x", "GET", "HEAD", "PUT", "iommu", "realloc",
};

static bool is_part(uint8_t c)
{
	return isalnum(c) || c == '.' || c == ':' || c == '-' || c == '_' || c >= 0x80;
}

/* Returns the offset of a random word and sets its length, 0 for none. */
static size_t any_word(struct input *input, size_t *bytes)
{
	size_t at = HEAD + dice(&input->seed, input->size - HEAD), end;

	while (at < input->size && !is_part(input->data[at]))
		at++;
	while (at > HEAD && at < input->size && is_part(input->data[at - 1]))
		at--;
	for (end = at; end < input->size && is_part(input->data[end]); end++)
		;
	*bytes = end - at;
	return at;
}

/* A number mostly replaces a number. */
static const char *word_for(const uint8_t *old, unsigned int *seed)
{
	const char *word = words[dice(seed, ARRAY_SIZE(words))];

	while (dice(seed, 8) && !isdigit(*old) != !isdigit((uint8_t)*word))
		word = words[dice(seed, ARRAY_SIZE(words))];
	return word;
}

static void change_word(struct input *input)
{
	size_t bytes, others, at, other;
	const char *word;
	char copy[PIECE_BYTES];

	other = any_word(input, &others);
	at = any_word(input, &bytes);
	if (!bytes || others > sizeof(copy))
		return;
	if (dice(&input->seed, 3)) {
		word = word_for(input->data + at, &input->seed);
		input_splice(input, at, bytes, word, strlen(word));
		return;
	}
	memcpy(copy, input->data + other, others);
	input_splice(input, at, bytes, copy, others);
}

/* A piece goes from one mark to the next of its kind: a line, an element, an item of a list. */
static size_t any_piece(struct input *input, size_t *bytes)
{
	static const char marks[] = "\n\n<,{ &";
	uint8_t mark = marks[dice(&input->seed, sizeof(marks) - 1)];
	size_t at = HEAD + dice(&input->seed, input->size - HEAD), end;

	while (at > HEAD && input->data[at] != mark)
		at--;
	for (end = at + 1; end < input->size && input->data[end] != mark; end++)
		;
	*bytes = end - at < PIECE_BYTES ? end - at : PIECE_BYTES;
	return at;
}

static void change_piece(struct input *input)
{
	size_t bytes, other_bytes, at = any_piece(input, &bytes), other;
	uint8_t copy[PIECE_BYTES];

	other = any_piece(input, &other_bytes);
	memcpy(copy, input->data + at, bytes);
	switch (dice(&input->seed, 3)) {
	case 0:
		input_splice(input, at, bytes, "", 0);
		break;
	case 1:
		input_splice(input, other, 0, copy, bytes);
		break;
	default:
		bytes = LLVMFuzzerMutate(copy, bytes, sizeof(copy));
		input_splice(input, at, other == at ? other_bytes : 0, copy, bytes);
	}
}

static void change_byte(struct input *input)
{
	size_t at = HEAD + dice(&input->seed, input->size - HEAD);

	if (dice(&input->seed, 2))
		input->data[at] = dice(&input->seed, 256);
	else
		input->data[at] += dice(&input->seed, 5) - 2;
}

/* Changes the length of a DER value or, in another text, the byte after a 0 or 1. */
static void change_length(struct input *input)
{
	static const uint8_t tags[] = { 0x02, 0x03, 0x04, 0x06, 0x30, 0x31, 0xa0, 0xa3 };
	size_t at, count = 0, chosen = 0;

	for (at = HEAD; at + 1 < input->size; at++)
		if (memchr(tags, input->data[at], sizeof(tags)) && !dice(&input->seed, ++count))
			chosen = at + 1;
	if (!chosen)
		return;
	if (dice(&input->seed, 3))
		input->data[chosen] += dice(&input->seed, 128);
	else
		input->data[chosen] = 0x80 + dice(&input->seed, 6);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct input input = { data, size, max, seed };

	if (size <= HEAD || !dice(&input.seed, 4))
		return LLVMFuzzerMutate(data, size, max);
	switch (dice(&input.seed, 6)) {
	case 0:
		change_length(&input);
		break;
	case 1:
		change_byte(&input);
		break;
	case 2:
		change_piece(&input);
		break;
	default:
		change_word(&input);
	}
	return input.size;
}
