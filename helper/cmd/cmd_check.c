// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "gather.h"
#include "memory_size.h"
#include "module.h"
#include "out.h"
#include "out_findings.h"
#include "say.h"
#include "sysfs.h"

/* The host's memory, which no guest exceeds; 0 if a capture does not have it. */
static uint64_t host_memory(void)
{
	char path[PATH_MAX], text[64];
	unsigned long long kib;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/meminfo", opt_sysroot);
	n = sysfs_read(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	return sscanf(text, "MemTotal: %llu kB", &kib) == 1 ? kib * 1024 : 0;
}

static size_t ruled_ats(const struct findings *findings)
{
	size_t count = 0, i;

	for (i = 0; i < findings->atses; i++)
		count += findings->ats[i].policy != INSTINCT_VFIO_ATS_IGNORE;
	return count;
}

/* Leave policies out of the summary if check compared none. */
static void print_compliant(const struct findings *findings)
{
	size_t policies = findings->policies, functions = ruled_ats(findings);

	fputs("as policy says: ", stdout);
	if (policies)
		printf("%zu %s, ", policies, policies == 1 ? "policy" : "policies");
	printf("%zu port%s, %zu function%s", findings->ports, plural(findings->ports),
	       functions, plural(functions));
	if (findings->counts)
		printf(", %zu GPU%s", findings->gpus, plural(findings->gpus));
	putchar('\n');
}

/* The line counts what is wrong alone. */
static void print_share(const char **gap, size_t some, size_t all, const char *noun)
{
	if (!some)
		return;
	printf("%s%zu of %zu %s", *gap, some, all, noun);
	*gap = ", ";
}

static void print_gpus(const struct findings *findings, const char **gap)
{
	size_t i;

	if (findings->unusable) {
		printf("%s%zu of %zu GPUs lost, quarantined or blocked", *gap, findings->unusable,
		       findings->gpus);
		*gap = ", ";
	}
	if (findings->missing) {
		printf("%s%zu of %zu GPUs missing", *gap, findings->missing,
		       findings->gpus);
		*gap = ", ";
	}
	for (i = 0; i < findings->counts; i++) {
		const struct count_finding *count = &findings->count[i];

		if (count->found >= count->wanted)
			continue;
		printf("%s%zu of %zu expected GPUs%s%s missing", *gap, count->wanted - count->found,
		       count->wanted, count->family ? " of family " : "", count->family ?: "");
		*gap = ", ";
	}
}

static void print_drift(const struct findings *findings)
{
	size_t policies = 0, ports = 0, functions = 0, i;
	const char *gap = "NOT as policy says: ";

	if (findings->no_policy) {
		fputs("NO policy is installed (" CONF_INSTALLED ")", stdout);
		gap = ", ";
		print_gpus(findings, &gap);
		putchar('\n');
		return;
	}
	print_gpus(findings, &gap);
	for (i = 0; i < findings->policies; i++)
		policies += !findings->policy[i].ok;
	for (i = 0; i < findings->ports; i++)
		ports += !findings_port_is_right(&findings->port[i]);
	for (i = 0; i < findings->atses; i++)
		functions += !!findings->ats[i].unmet;
	if (policies && findings->no_module) {
		printf("%sthe module is not loaded, so no policy is in force", gap);
		gap = ", ";
	} else {
		print_share(&gap, policies, findings->policies, "policies");
	}
	print_share(&gap, ports, findings->ports, "ports");
	print_share(&gap, functions, ruled_ats(findings), "functions");
	putchar('\n');
}

enum detail {
	DETAIL_SUMMARY,
	DETAIL_DIFFERENCES,
	DETAIL_ALL,
};

static void print(const struct findings *findings, enum detail detail)
{
	if (detail != DETAIL_SUMMARY)
		out_findings_text(findings, detail == DETAIL_DIFFERENCES);
	if (!findings->drift)
		print_compliant(findings);
	else if (detail != DETAIL_DIFFERENCES)
		print_drift(findings);
}

/* Compare with FILE or the installed policy, or without them with the policy in force. */
static int find(struct findings *findings, const char *file, uint64_t guest_memory)
{
	return gather(findings, file || conf_files_exist() ? GATHER_BY_FILE :
		      GATHER_BY_FORCE, file, guest_memory);
}

/* Report what differs from no policy file: a missing policy, missing GPUs, doubtful files. */
static void look_around(struct findings *findings, enum detail detail)
{
	char text[2 * TEXT_BYTES];
	size_t i;

	findings->no_policy = !findings->conf.name;
	findings->drift |= findings->no_policy;
	if (detail != DETAIL_DIFFERENCES)
		findings_expect(findings);
	else if (!findings->gpus)
		findings_tell(findings, "no AMD Instinct GPU that instinct-vfio knows is on this host");
	for (i = 0; i < findings->conf.found.count; i++)
		if (conf_file_doubt(&findings->conf.found, i, text, sizeof(text)))
			findings_tell(findings, "%s", text);
}

static int judge(const struct findings *findings)
{
	if (!findings->closed || *opt_sysroot)
		return findings->drift ? EXIT_DRIFT : EXIT_OK;
	say_error(ERROR_PERMISSION, "the [device serial=...] section of a GPU is unknown: its serial number cannot be read%s",
		  geteuid() ? ", run this as root" : "; is it lost, or in reset?");
	return EXIT_PERMISSION;
}

static int run(const char *file, uint64_t guest_memory, enum detail detail)
{
	struct findings findings = { 0 };
	int code = find(&findings, file, guest_memory);
	bool found = !code;

	if (found) {
		look_around(&findings, detail);
		code = judge(&findings);
	}
	if (opt_json)
		out_json(out_findings_json(&findings, code), JSON_INDENT(2));
	else if (found)
		print(&findings, detail);
	findings_free(&findings);
	return code;
}

static int takes_file(int argc, char *argv[])
{
	if (argc - optind > 1)
		return cmd_usage("takes one FILE, found \"%s\" too", argv[optind + 1]);
	if (!module_is_told_of() && optind == argc && !conf_files_exist())
		return cmd_usage("--sysroot is a captured host, without a policy in force: give a FILE");
	return EXIT_OK;
}

/**
 * cmd_check() - run instinctctl check
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_check(int argc, char *argv[])
{
	enum detail detail = DETAIL_ALL;
	uint64_t memory = host_memory();
	int option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'q')
			detail = DETAIL_SUMMARY;
		else if (!memory_size_parse(optarg, &memory))
			return cmd_usage("--guest-memory takes a size such as 512G or 2T, found \"%s\"",
					 optarg);
	}
	return takes_file(argc, argv) ?: run(argv[optind], memory, detail);
}

/**
 * cmd_diff() - run instinctctl diff
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_diff(int argc, char *argv[])
{
	if (args_option(argc, argv) != ARGS_END)
		return EXIT_USAGE;
	return takes_file(argc, argv) ?:
	       run(argv[optind], 0, DETAIL_DIFFERENCES);
}
