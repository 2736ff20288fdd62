// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"
#include "guard.h"
#include "host_clock.h"
#include "say.h"
#include "sysroot.h"
#include "words.h"

#define WORDS_MAX	16

static const char *given_folder;
static const struct tree *in_memory;

/* main() has taken the name of the host; which one it is has been said already. */
int __wrap_capture_open(void)
{
	sysroot_set(opt_sysroot, in_memory);
	return EXIT_OK;
}

/* What is kept of a captured host's clock, by the address of its name, is another's. */
static void forget_clock(void)
{
	static struct tree nowhere;

	if (!nowhere.count)
		bytes_print(&tree_add(&nowhere, HOST_CLOCK_FILE, TREE_FILE)->data,
			    "realtime 1\nboottime 1\n");
	sysroot_set("/nowhere", &nowhere);
	host_clock_now();
}

/**
 * command_begin() - before the first command
 * @given: a folder with files for commands
 */
void command_begin(const char *given)
{
	given_folder = given;
	setenv("TERM", "dumb", 1);
	setenv("TZ", "UTC", 1);
}

/* All that commands keep is as in a new process. */
static void forget(void)
{
	forget_clock();
	texts_forget();
	opt_json = false;
	opt_debug = false;
	sysroot_set("", NULL);
	/* The GNU way to begin anew. */
	optind = 0;
}

/* The lowest number that is free: each that is left open moves it. */
static int lowest_free(void)
{
	int fd = dup(STDIN_FILENO);

	REQUIRE(fd >= 0);
	close(fd);
	return fd;
}

static void speak_to(FILE **real, FILE **stream, char **text, size_t *size)
{
	*real = *stream;
	*stream = open_memstream(text, size);
	REQUIRE(*stream);
}

static void end_speech(FILE *real, FILE **stream)
{
	fclose(*stream);
	*stream = real;
}

/**
 * command_run() - run a command
 * @said: set; said_free() is owed
 * @tree: the host, NULL: it is the folder @root
 * @root: its name
 * @json: with --json
 * @words: the command, NULL at its end
 */
void command_run(struct said *said, const struct tree *tree, const char *root, bool json,
		 const char *const words[])
{
	int before = lowest_free(), argc = 3;
	const char *argv[WORDS_MAX] = { "instinctctl", "--sysroot", root };
	size_t out_size, err_size;
	FILE *out, *err;

	forget();
	if (json)
		argv[argc++] = "--json";
	while (*words)
		argv[argc++] = *words++;
	in_memory = tree;
	speak_to(&out, &stdout, &said->out, &out_size);
	speak_to(&err, &stderr, &said->err, &err_size);
	guard_begin(tree ? NULL : root, given_folder);
	said->code = instinctctl_main(argc, (char **)argv);
	guard_end();
	end_speech(out, &stdout);
	end_speech(err, &stderr);
	REQUIRE(lowest_free() == before);
}

/* Whatever the host says, it gives no orders to a terminal. */
static void require_harmless(const char *text)
{
	json_t *string = json_string(text);

	REQUIRE(string);	/* it is UTF-8 */
	json_decref(string);
	for (; *text; text++) {
		REQUIRE((uint8_t)*text >= ' ' || *text == '\n' || *text == '\t');
		REQUIRE(*text != 0x7f);
		/* ISO 6429's second set. */
		REQUIRE((uint8_t)text[0] != 0xc2 || (uint8_t)text[1] >= 0xa0);
	}
}

/* One object, or one in each line. */
static void require_json(const char *text)
{
	while (*text) {
		json_error_t error;
		json_t *value = json_loads(text, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
					   &error);

		REQUIRE(value);
		json_decref(value);
		text += error.position;
		text += strspn(text, "\n");
	}
}

/**
 * said_require() - is it fit for who reads it?
 * @said: of a command
 * @json: that was wanted
 */
void said_require(const struct said *said, bool json)
{
	REQUIRE(said->code >= 0 && said->code <= EXIT_PERMISSION);
	require_harmless(said->out);
	require_harmless(said->err);
	REQUIRE(!said->code || *said->out || *said->err);
	if (json)
		require_json(said->out);
}

/**
 * said_show() - for people who look for what is wrong
 * @said: of a command
 */
void said_show(const struct said *said)
{
	fprintf(stderr, "%s%sexit status %d\n", said->out, said->err, said->code);
}

/**
 * said_free() - let go of it
 * @said: of a command
 */
void said_free(struct said *said)
{
	free(said->out);
	free(said->err);
}
