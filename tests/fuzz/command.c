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

/* main() has set opt_sysroot; command_run() has set the tree. */
int __wrap_capture_open(void)
{
	sysroot_set(opt_sysroot, in_memory);
	return EXIT_OK;
}

/*
 * host_clock_now() recognizes a captured host by the address of its name, which the next host
 * may reuse. The clock of another host replaces the one that it has kept.
 */
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
 * command_begin() - prepare the environment of commands
 * @given: folder of the files passed to commands
 */
void command_begin(const char *given)
{
	given_folder = given;
	setenv("TERM", "dumb", 1);
	setenv("TZ", "UTC", 1);
	/* The names of PCI devices are in files of this host. */
	setenv("INSTINCT_PCI_IDS", "", 1);
}

/* Resets the state that a command leaves, as if a new process ran the next one. */
static void forget(void)
{
	forget_clock();
	texts_forget();
	opt_json = false;
	opt_debug = false;
	sysroot_set("", NULL);
	/* glibc resets all of getopt()'s state only at 0. */
	optind = 0;
}

/* The lowest free descriptor: a leaked one raises it. */
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
 * command_run() - run instinctctl on a host
 * @said: receives the output; the caller frees it with said_free()
 * @tree: host in memory, or NULL for the folder @root
 * @root: name of the host
 * @json: whether to add --json
 * @words: command with its arguments, NULL-terminated
 */
void command_run(struct printed *said, const struct tree *tree, const char *root, bool json,
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

/* No text of a host may reach the terminal as a control sequence. */
static void require_harmless(const char *text)
{
	json_t *string = json_string(text);

	REQUIRE(string);	/* NULL if @text is not UTF-8 */
	json_decref(string);
	for (; *text; text++) {
		REQUIRE((uint8_t)*text >= ' ' || *text == '\n' || *text == '\t');
		REQUIRE(*text != 0x7f);
		/* The C1 controls of ISO 6429. */
		REQUIRE((uint8_t)text[0] != 0xc2 || (uint8_t)text[1] >= 0xa0);
	}
}

/* A command prints one JSON object, or one per line. */
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
 * said_require() - check that users and programs can read a command's output
 * @said: output of the command
 * @json: whether the command ran with --json
 */
void said_require(const struct printed *said, bool json)
{
	REQUIRE(said->code >= 0 && said->code <= EXIT_PERMISSION);
	require_harmless(said->out);
	require_harmless(said->err);
	REQUIRE(!said->code || *said->out || *said->err);
	if (json)
		require_json(said->out);
}

/**
 * said_show() - print a command's output, for debugging
 * @said: output of the command
 */
void said_show(const struct printed *said)
{
	fprintf(stderr, "%s%sexit status %d\n", said->out, said->err, said->code);
}

/**
 * said_free() - free a command's output
 * @said: output of the command
 */
void said_free(struct printed *said)
{
	free(said->out);
	free(said->err);
}
