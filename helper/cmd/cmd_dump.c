// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "dump.h"
#include "manifest.h"
#include "out.h"
#include "output_file.h"
#include "progress.h"
#include "say.h"
#include "sysfs.h"

#define NAME_BYTES	(DUMP_TOP_BYTES + 16)

static size_t count_files(const struct tree *tree)
{
	size_t files = 0, i;

	for (i = 0; i < tree->count; i++)
		files += tree->list[i].kind == TREE_FILE && !tree->list[i].why;
	return files;
}

static long long size_of(const char *file)
{
	struct stat st;

	return stat(file, &st) ? 0 : st.st_size;
}

static void print_json(const struct dump *dump, const char *file, int code)
{
	json_t *json = json_pack("{s:i, s:b, s:s?, s:b, s:I, s:o}", "version", 1,
				 "ok", !code, "file", code ? NULL : file,
				 "masked", dump->masked,
				 "files", (json_int_t)count_files(&dump->tree),
				 "missing", manifest_missing(&dump->tree));

	json_object_set_new(json, "errors", out_said_json());
	if (!code)
		json_object_set_new(json, "bytes", json_integer(size_of(file)));
	out_json(json, JSON_INDENT(2));
}

static bool was_before(const struct tree *tree, size_t i)
{
	size_t before;

	for (before = 0; before < i; before++)
		if (tree->list[before].why && !strcmp(tree->list[before].why, tree->list[i].why))
			return true;
	return false;
}

/* Print one line for all files that are missing for the same reason. */
static void print_missing(FILE *out, const struct tree *tree)
{
	size_t count, i, j;

	for (i = 0; i < tree->count; i++) {
		const char *why = tree->list[i].why;

		if (!why || was_before(tree, i))
			continue;
		for (count = 0, j = i; j < tree->count; j++)
			count += tree->list[j].why && !strcmp(tree->list[j].why, why);
		if (count == 1)
			fprintf(out, "  without %s: %s\n", strrchr(tree->list[i].path, '/') ?
				strrchr(tree->list[i].path, '/') + 1 : tree->list[i].path, why);
		else
			fprintf(out, "  without %zu files: %s (see MANIFEST.json)\n", count, why);
	}
}

static void print_text(FILE *out, const struct dump *dump, const char *file)
{
	fprintf(out, "%s: %zu files", file, count_files(&dump->tree));
	if (out == stdout)
		fprintf(out, ", %lld KiB", (size_of(file) + 1023) / 1024);
	fprintf(out, "%s\n", dump->masked ? ", masked" : "");
	if (geteuid() && !*opt_sysroot)
		fputs("  not root: config spaces have only their beginnings\n", out);
	print_missing(out, &dump->tree);
}

static int write_it(const struct dump *dump, const char *output, char *file)
{
	enum archive_filter filter = dump_filter(output);

	if (output && !strcmp(output, "-")) {
		snprintf(file, NAME_BYTES, "standard output");
		return dump_write_fd(dump, STDOUT_FILENO, file, filter);
	}
	if (!output)
		snprintf(file, NAME_BYTES, "%s%s", dump->top, dump_suffix(filter));
	return dump_write(dump, output ? output : file, filter);
}

/* Check before the work, so that a user does not wait for an archive that cannot be written. */
static int check_output(const char *output)
{
	if (output && !strcmp(output, "-"))
		return EXIT_OK;
	if (!output || access(output, F_OK))
		return output_file_check(output ? output : "an archive here");
	say_error(ERROR_IO, "cannot write %s: it exists already", output);
	return EXIT_ERROR;
}

/* A --sysroot without PCI functions has nothing to capture. */
static int check_host(void)
{
	struct dirent **entries;
	int count = sysfs_list(&entries), i;

	if (count < 0)
		return exit_code_of(-count);
	for (i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	return EXIT_OK;
}

static int run(struct dump *dump, const char *output)
{
	bool piped = output && !strcmp(output, "-");
	char name[NAME_BYTES] = "";
	const char *file = output && !piped ? output : name;
	int code = check_output(output) ?: check_host();

	if (!code) {
		dump_take(dump, cmd_run);
		code = write_it(dump, output, name);
	}
	progress_end();
	if (opt_json)
		print_json(dump, file, code);
	else if (!code)
		print_text(piped ? stderr : stdout, dump, file);
	if (!code && !dump->masked)
		say_warning("the archive holds serial numbers, addresses and the host's name; --mask replaces them");
	return code;
}

/**
 * cmd_dump() - run instinctctl dump
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_dump(int argc, char *argv[])
{
	struct dump dump = { 0 };
	const char *output = NULL;
	int option, code;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'o')
			output = optarg;
		else if (option == 'm')
			dump.mask = true;
		else
			dump.all_log = true;
	}
	if (optind < argc)
		return cmd_usage("takes no devices, found \"%s\"", argv[optind]);
	if (output && strcmp(output, "-") && !dump_knows(output))
		return cmd_usage("--output takes the name of a .tar.zst, .tar.xz, .tar.gz, .tgz or .tar, found \"%s\"",
				 output);
	if (output && !strcmp(output, "-") && (opt_json || isatty(STDOUT_FILENO)))
		return cmd_usage(opt_json ? "--json and --output - do not go together" :
				 "a terminal cannot take an archive: give --output FILE, or pipe it to a program");
	if (dump.all_log && *opt_sysroot)
		return cmd_usage("--all-log and --sysroot do not go together: a capture cannot get more of the log");
	code = run(&dump, output);
	dump_free(&dump);
	return code;
}
