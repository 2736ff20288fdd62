// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <string.h>

#include "fuzz.h"
#include "model.h"
#include "words.h"

#define TEXTS_MAX	512

static FILE *real, *caught;
static char *text;
static size_t bytes;

/**
 * words_catch() - redirect stderr to a buffer
 */
void words_catch(void)
{
	if (!caught)
		caught = open_memstream(&text, &bytes);
	REQUIRE(caught);
	rewind(caught);
	real = stderr;
	stderr = caught;
}

/**
 * words_caught() - restore stderr
 *
 * Return: the text printed since words_catch(); valid until the next words_catch().
 */
const char *words_caught(void)
{
	stderr = real;
	fputc('\0', caught);
	fflush(caught);
	return text;
}

/*
 * The helper's functions keep every text until the program ends. These replace them, so that
 * each input can start with an empty table.
 */
static char *texts[TEXTS_MAX];
static uint32_t text_count;

/**
 * texts_forget() - empty the table of texts
 */
void texts_forget(void)
{
	while (text_count)
		free(texts[--text_count]);
}

uint32_t __wrap_text_intern(const char *wanted)
{
	uint32_t i;

	if (!text_count) {
		texts[text_count++] = strdup("auto");
		texts[text_count++] = strdup("none");
	}
	for (i = 0; i < text_count; i++)
		if (!strcmp(texts[i], wanted))
			return i;
	REQUIRE(text_count < TEXTS_MAX);
	texts[text_count] = strdup(wanted);
	return text_count++;
}

const char *__wrap_text_of(uint32_t number)
{
	if (number == TEXT_NONE)
		return "none";
	return number < text_count ? texts[number] : "auto";
}
