// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "conf_help.h"
#include "out_keys.h"

#define WIDTH	80
#define INDENT	4

static void default_of(const struct conf_key *key, char *text, size_t size)
{
	conf_key_format(key, key->fallback, text, size);
}

/* Print an indented paragraph of at most WIDTH columns, with quotation marks for backquotes. */
static void print_paragraph(const char *text)
{
	size_t at = 0, i;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (at && at + 1 + length > WIDTH) {
			putchar('\n');
			at = 0;
		}
		at += at ? printf(" ") : printf("%*s", INDENT, "");
		for (i = 0; i < length; i++)
			putchar(text[i] == '`' ? '"' : text[i]);
		at += length;
		text += length + strspn(text + length, " ");
	}
	putchar('\n');
}

/**
 * out_key_text() - print the help of a key
 * @key: key
 */
void out_key_text(const struct conf_key *key)
{
	char value[TEXT_BYTES], allowed[2 * TEXT_BYTES], line[3 * TEXT_BYTES];

	default_of(key, value, sizeof(value));
	conf_key_allowed(key, allowed, sizeof(allowed));
	snprintf(line, sizeof(line), "Allowed: %s.%s", allowed,
		 key->isolation ? " For any endpoint, in a section of its own." : "");
	printf("%s = %s\n", key->name, value);
	print_paragraph(line);
	print_paragraph(conf_help(key));
}

static const char *kind_of(const struct conf_key *key)
{
	static const char *const kinds[] = {
		[INSTINCT_KIND_WORD] = "word",
		[INSTINCT_KIND_TIME] = "time",
		[INSTINCT_KIND_DEGREES] = "degrees",
		[INSTINCT_KIND_NUMBER] = "number",
		[INSTINCT_KIND_OFFSET] = "offset",
		[INSTINCT_KIND_ACS] = "acs-bits",
		[INSTINCT_KIND_PEERS] = "functions",
		[INSTINCT_KIND_FEED] = "sensor",
		[INSTINCT_KIND_COUNT] = "count",
	};

	return kinds[key->kind];
}

/* Texts have no words here; the description of allowed values names "auto" and "none". */
static json_t *words_json(const struct conf_key *key)
{
	json_t *list = json_array();
	struct names words;
	unsigned int i;

	conf_key_words(key, &words);
	for (i = 0; i < words.count; i++)
		json_array_append_new(list, json_string(words.name[i]));
	return list;
}

static json_t *help_json(const struct conf_key *key)
{
	char text[16 * TEXT_BYTES], *at;

	snprintf(text, sizeof(text), "%s", conf_help(key));
	for (at = text; *at; at++)
		if (*at == '`')
			*at = '"';
	return json_string(text);
}

/* A bound as policy files have it, null for words and texts. */
static json_t *bound_json(const struct conf_key *key, uint32_t value)
{
	char text[TEXT_BYTES];

	if (key->text || key->kind == INSTINCT_KIND_WORD)
		return json_null();
	conf_key_format(key, value, text, sizeof(text));
	return json_string(text);
}

/**
 * out_key_json() - convert the help of a key to JSON
 * @key: key
 *
 * Return: an object.
 */
json_t *out_key_json(const struct conf_key *key)
{
	const char *unit = conf_key_unit(key);
	char value[TEXT_BYTES], allowed[2 * TEXT_BYTES];

	default_of(key, value, sizeof(value));
	conf_key_allowed(key, allowed, sizeof(allowed));
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:o}",
			 "name", key->name, "kind", kind_of(key), "allowed", allowed,
			 "default", value, "words", words_json(key),
			 "min", bound_json(key, key->min), "max", bound_json(key, key->max),
			 "unit", unit ? json_string(unit) : json_null(),
			 "any_endpoint", key->isolation, "help", help_json(key));
}

/* Escape scdoc's markup, and underline words between backquotes. */
static void print_scdoc(const char *text)
{
	for (; *text; text++) {
		if (strchr("*_\\#[|]<>", *text))
			putchar('\\');
		putchar(*text == '`' ? '_' : *text);
	}
}

/**
 * out_keys_scdoc() - print the help of all keys as scdoc source for the man page
 */
void out_keys_scdoc(void)
{
	char value[TEXT_BYTES], allowed[2 * TEXT_BYTES];
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];

		default_of(key, value, sizeof(value));
		conf_key_allowed(key, allowed, sizeof(allowed));
		printf("*%s* = ", key->name);
		print_scdoc(allowed);
		printf("\n\t");
		print_scdoc(conf_help(key));
		printf(" The default is _");
		print_scdoc(value);
		printf("_.%s\n\n", key->isolation ? " For any endpoint." : "");
	}
}
