// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <string.h>

#include "cmd.h"
#include "facts.h"
#include "guest_option.h"
#include "say.h"

/**
 * guest_cloud_version() - find the version of the host's Cloud Hypervisor, for struct guest_map_files
 * @version: receives the version
 * @size: bytes of @version
 *
 * Return: false if the host does not tell.
 */
bool guest_cloud_version(char *version, size_t size)
{
	return facts_program_version(PROGRAM_CLOUD_HYPERVISOR, version, size);
}

/**
 * guest_option() - take --flavor or --map
 * @wish: set
 * @option: letter of the option; guest_option() ignores other options
 * @value: value of the option
 *
 * Return: 0, or EXIT_USAGE after it has reported the reason.
 */
int guest_option(struct guest_wish *wish, int option, const char *value)
{
	struct guest_map_files *files = &wish->files;

	if (option == 'f' && !guest_flavor_parse(value, &wish->flavor))
		return cmd_usage("--flavor is rccl or nccl, found \"%s\"", value);
	if (option != 'm')
		return EXIT_OK;
	if (files->count == GUEST_FILES_MAX)
		return cmd_usage("takes no more than %d maps", GUEST_FILES_MAX);
	files->name[files->count++] = value;
	files->cloud_version = guest_cloud_version;
	return EXIT_OK;
}

/**
 * guest_option_rest() - take the words behind --map as more maps
 * @files: files that describe the guest's devices; without one the function takes no word
 * @argc: number of words, with those that getopt has read
 * @argv: the words; optind moves behind those that were taken
 * @kept: number of words at the end that are no maps
 * @stop: tells whether a word, and so each behind it, is no map; or NULL
 *
 * "--map A B" and "--map A --map B" mean the same.
 *
 * Return: 0, or EXIT_USAGE after it has reported the reason.
 */
int guest_option_rest(struct guest_map_files *files, int argc, char *argv[], int kept,
		      bool (*stop)(const char *word))
{
	for (; files->count && argc - optind > kept && !(stop && stop(argv[optind])); optind++) {
		if (files->count == GUEST_FILES_MAX)
			return cmd_usage("takes no more than %d maps", GUEST_FILES_MAX);
		files->name[files->count++] = argv[optind];
	}
	return EXIT_OK;
}

/**
 * guest_option_end() - check that there is a map, and that at most one file is standard input
 * @wish: the options, after the last one
 * @last: one more file that the command reads, or NULL
 *
 * Return: 0, or EXIT_USAGE after it has reported the reason.
 */
int guest_option_end(const struct guest_wish *wish, const char *last)
{
	int inputs = last && !strcmp(last, "-"), i;

	if (!wish->files.count)
		return cmd_usage("name the guest's devices and their addresses: --map FILE");
	for (i = 0; i < wish->files.count; i++)
		inputs += !strcmp(wish->files.name[i], "-");
	return inputs > 1 ? cmd_usage("standard input (-) can be read only once") : EXIT_OK;
}
