// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "gather.h"
#include "out.h"
#include "out_findings.h"
#include "say.h"

#define GIB	((uint64_t)1 << 30)

/* Of this host: no guest has more. */
static uint64_t host_memory(void)
{
	return *opt_sysroot ? 0 : (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

/* "512G": GiB, or TiB. */
static bool parse_memory(const char *text, uint64_t *bytes)
{
	unsigned long long number;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || number > 1 << 20)
		return false;
	if (!strcmp(end, "T"))
		number *= 1024;
	else if (strcmp(end, "G"))
		return false;
	*bytes = number * GIB;
	return true;
}

static const char *file_of(int argc, char *argv[])
{
	if (optind < argc)
		return argv[optind];
	return !*opt_sysroot && !access(CONF_INSTALLED, F_OK) ? CONF_INSTALLED : NULL;
}

static size_t ruled_ats(const struct findings *findings)
{
	size_t count = 0, i;

	for (i = 0; i < findings->atses; i++)
		count += findings->ats[i].policy != INSTINCT_VFIO_ATS_IGNORE;
	return count;
}

static void print_compliant(const struct findings *findings)
{
	size_t functions = ruled_ats(findings);

	printf("as policy says: %zu port%s, %zu function%s\n", findings->ports,
	       findings->ports == 1 ? "" : "s", functions, functions == 1 ? "" : "s");
}

static int run(const char *file, uint64_t guest_memory, bool only_differences)
{
	struct findings findings = { 0 };
	int code = gather(&findings, file, guest_memory);

	if (!code) {
		code = findings.drift ? EXIT_DRIFT : EXIT_OK;
		if (opt_json)
			out_json(out_findings_json(&findings), JSON_INDENT(2));
		else
			out_findings_text(&findings, only_differences);
		if (!opt_json && !findings.drift)
			print_compliant(&findings);
	}
	findings_free(&findings);
	return code;
}

static int takes_file(int argc, char *argv[])
{
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too", argv[optind + 1]);
	if (*opt_sysroot && optind == argc)
		return cmd_usage("--sysroot is a captured host, without a policy in force: give a FILE");
	return EXIT_OK;
}

/**
 * cmd_check() - instinctctl check
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_check(int argc, char *argv[])
{
	static const struct option options[] = {
		{ "guest-memory", required_argument, NULL, 'm' },
		{ 0 },
	};
	uint64_t memory = host_memory();
	int option;

	while ((option = args_option(argc, argv, options)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (!parse_memory(optarg, &memory))
			return cmd_usage("--guest-memory takes a size such as 512G or 2T, found \"%s\"",
					 optarg);
	}
	return takes_file(argc, argv) ?: run(file_of(argc, argv), memory, false);
}

/**
 * cmd_diff() - instinctctl diff
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_diff(int argc, char *argv[])
{
	static const struct option options[] = { { 0 } };

	if (args_option(argc, argv, options) != ARGS_END)
		return EXIT_USAGE;
	return takes_file(argc, argv) ?: run(file_of(argc, argv), 0, true);
}
