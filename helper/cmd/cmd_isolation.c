// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "args.h"
#include "boot_parameter.h"
#include "cmd.h"
#include "gather.h"
#include "inventory.h"
#include "module.h"
#include "out.h"
#include "out_conf.h"
#include "say.h"
#include "sysfs.h"

static const char *const verdict_names[] = {
	[REACH_DIRECT] = "direct",
	[REACH_REDIRECTED] = "redirected",
	[REACH_ROOT] = "root-complex",
	[REACH_BLOCKED] = "blocked",
	[REACH_ISOLATED] = "isolated",
};

static const char *bit_name(uint16_t bit)
{
	switch (bit) {
	case PCI_ACS_RR:
		return "P2P Request Redirect (RR) on";
	case PCI_ACS_DT:
		return "Direct Translated P2P (DT) on";
	case PCI_ACS_TB:
		return "Translation Blocking (TB) on";
	default:
		return NULL;
	}
}

static void explain(const struct host *host, const char *what, const struct reach_step *step,
		    const char *to)
{
	const char *port = step->port >= 0 ? host->function[step->port].bdf : "";
	bool acs = step->port >= 0 && host->port[step->port].has_acs;

	printf("%s: ", what);
	switch (step->verdict) {
	case REACH_DIRECT:
		if (step->bit)
			printf("go straight to %s, past the IOMMU: %s at %s\n", to,
			       bit_name(step->bit), port);
		else if (host->node[step->port].kind == INSTINCT_NODE_ENDPOINT && !acs)
			printf("may go straight to %s inside the device, past the IOMMU: no ACS at %s\n",
			       to, port);
		else
			printf("go straight to %s, past the IOMMU: %s at %s\n", to,
			       acs ? "P2P Request Redirect (RR) off" : "no ACS", port);
		break;
	case REACH_REDIRECTED:
		printf("go up to the IOMMU, which decides: %s at %s\n",
		       bit_name(step->bit), port);
		break;
	case REACH_ROOT:
		printf("leave at %s; whether the root complex passes them on is the platform's affair\n",
		       port);
		break;
	case REACH_ISOLATED:
		if (acs && !(host->function[step->port].acs_capable & PCI_ACS_RR))
			printf("do not go straight to %s: the ACS of %s has no P2P Request Redirect (RR), so it isolates always\n",
			       to, port);
		else
			printf("do not go straight to %s: Linux knows that %s isolates without ACS\n",
			       to, port);
		break;
	case REACH_BLOCKED:
		printf("are blocked: %s at %s\n", bit_name(step->bit), port);
		break;
	}
}

static void print_path(const struct host *host, int from, int to, int meet)
{
	int at;

	printf("path: %s", host->function[from].bdf);
	for (at = host->node[from].parent; at >= 0; at = host->node[at].parent) {
		printf(" > %s", host->function[at].bdf);
		if (at == meet)
			break;
	}
	if (meet == INSTINCT_NODE_NONE)
		printf(" > root complex");
	at = reach_toward(&host->topology, meet, to);
	while (at != to) {
		printf(" > %s", host->function[at].bdf);
		at = reach_toward(&host->topology, at, to);
	}
	printf(" > %s\n", host->function[to].bdf);
}

static json_t *step_json(const struct host *host, const struct reach_step *step)
{
	const char *bit = bit_name(step->bit);

	return json_pack("{s:s, s:o, s:o}", "verdict", verdict_names[step->verdict],
			 "port", step->port >= 0 ?
			 json_string(host->function[step->port].bdf) : json_null(),
			 "bit", bit ? json_string(bit) : json_null());
}

static void print_why(const struct host *host, int from, int to)
{
	const struct host_function *a = &host->function[from], *b = &host->function[to];
	bool ats = a->has_ats && a->ats & PCI_ATS_CTRL_ENABLE;
	struct reach reach;

	reach_find(&host->topology, host->port, from, to, &reach);
	if (opt_json) {
		out_json(json_pack("{s:i, s:s, s:s, s:o, s:b, s:b, s:o, s:o}", "version", 1,
				   "from", a->bdf, "to", b->bdf,
				   "meet", reach.meet >= 0 ?
				   json_string(host->function[reach.meet].bdf) : json_null(),
				   "ats", ats, "same_iommu_group",
				   a->group != GROUP_NONE && a->group == b->group,
				   "untranslated", step_json(host, &reach.untranslated),
				   "translated", step_json(host, &reach.translated)),
			 JSON_INDENT(2));
		return;
	}
	print_path(host, from, to, reach.meet);
	if (reach.meet == INSTINCT_NODE_NONE &&
	    instinct_topology_same_chip(&host->topology, from, to))
		printf("chip: both are below partitions of one switch; whether these reach each other inside it, PCI does not show\n");
	explain(host, "untranslated requests", &reach.untranslated, b->bdf);
	if (ats)
		explain(host, "translated requests (ATS is on)", &reach.translated, b->bdf);
	else
		printf("translated requests: none, ATS of %s is off\n", a->bdf);
	if (a->group != GROUP_NONE && a->group == b->group)
		printf("IOMMU group: both are in %d: Linux gives them to one user only\n",
		       a->group);
	else if (a->group != GROUP_NONE && b->group != GROUP_NONE)
		printf("IOMMU groups: %d and %d\n", a->group, b->group);
	else
		printf("IOMMU groups: %s\n", host->tells_groups ? "not both have one" :
		       "they are not in the capture");
}

static int why(const char *from, const char *to)
{
	char a[BDF_BYTES], b[BDF_BYTES];
	struct devices managed = { 0 };
	struct host host;
	int code, i, k;

	if (!bdf_parse(from, a) || !bdf_parse(to, b))
		return cmd_usage("--why takes two addresses such as 0000:c1:00.0");
	inventory_managed(&managed);
	code = host_read(&host, &managed);
	i = code ? -1 : host_find(&host, a);
	k = code ? -1 : host_find(&host, b);
	if (!code && (i < 0 || k < 0)) {
		say_error(ERROR_NO_DEVICE, "no PCI device %s", i < 0 ? a : b);
		code = EXIT_ERROR;
	} else if (!code && host.function[i].resetting) {
		say_error(ERROR_BUSY, "%s is being reset, and its ATS cannot be read; try again after the reset",
			  a);
		code = EXIT_ERROR;
	} else if (!code && !host.function[i].readable) {
		say_error(*opt_sysroot ? ERROR_INPUT : ERROR_PERMISSION,
			  "the config space of %s %s: %s", a,
			  *opt_sysroot ? "is not in the capture" : "cannot be read", host_unread_remedy());
		code = *opt_sysroot ? EXIT_ERROR : EXIT_PERMISSION;
	} else if (!code) {
		print_why(&host, i, k);
	}
	host_free(&host);
	devices_free(&managed);
	return code;
}

/* Write the bits from the highest down, as the kernel's parser reads them. */
static void config_acs_bits(const struct port_finding *port, char *text)
{
	int bit;

	for (bit = 6; bit >= 0; bit--) {
		uint16_t mask = 1 << bit;

		*text++ = !(port->mask & mask) ? 'x' : port->wanted & mask ? '1' : '0';
	}
	*text = '\0';
}

/* Make the parameter for all ports under policy, also as JSON; NULL without such ports. */
static char *config_acs_parameter(const struct findings *findings, json_t *ports)
{
	const char *gap = BOOT_ACS;
	char *text = NULL, bits[16];
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; out && i < findings->ports; i++) {
		const struct port_finding *port = &findings->port[i];
		const char *bdf = findings->host.function[port->function].bdf;

		if (port->unreadable || !(port->mask & 0x7f))
			continue;
		config_acs_bits(port, bits);
		fprintf(out, "%s%s@%s", gap, bits, bdf);
		json_array_append_new(ports, json_pack("{s:s, s:s}", "bdf", bdf, "bits", bits));
		gap = ";";
	}
	if (!out || fclose(out)) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	if (*gap == ';')
		return text;
	free(text);
	return NULL;
}

/* Kernels ignore an unknown word of pci=, so nothing would tell at boot. */
static void warn_of_kernel(void)
{
	unsigned int major, minor;
	struct utsname host;

	if (!uname(&host) && sscanf(host.release, "%u.%u", &major, &minor) == 2 &&
	    (major < 6 || (major == 6 && minor < 11)))
		say_warning("the running kernel %s ignores " BOOT_ACS ", unless its vendor has added it: Linux has it since 6.11",
			    host.release);
}

static int write_parameter(const char *text, struct boot_change *change)
{
	int code = boot_parameter_write(text, change);

	if (!code && text)
		warn_of_kernel();
	return code;
}

static int config_acs(const char *file, bool write)
{
	struct boot_change change = { 0 };

	/* The parameter is for a boot, so assume that all GPUs are bound. */
	struct findings findings = { .ahead = true };
	int code = gather(&findings, file ? GATHER_BY_FILE : GATHER_BY_FORCE, file, 0);
	json_t *ports = json_array();
	char *text;

	text = code ? NULL : config_acs_parameter(&findings, ports);
	if (write && !code)
		code = write_parameter(text, &change);
	if (opt_json)
		out_json(json_pack("{s:i, s:s?, s:O, s:s?, s:s?, s:o}", "version", 1,
				   "parameter", text, "ports", ports,
				   "written", *change.path && !code ? change.path : NULL,
				   "run", *change.run && !code ? change.run : NULL, "errors",
				   out_errors_json(&findings.conf)), JSON_INDENT(2));
	else if (text)
		puts(text);
	if (!opt_json && write && !code)
		printf("%s %s; to put it in force, run: %s; then reboot\n",
		       text ? "written to" : "taken out of", change.path, change.run);
	if (!code && !text)
		say_warning("this policy sets the ACS of no port");
	json_decref(ports);
	free(text);
	findings_free(&findings);
	return code;
}

/**
 * cmd_isolation() - run instinctctl isolation
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_isolation(int argc, char *argv[])
{
	int option, chosen = 0;
	bool write = false;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'W') {
			write = true;
			continue;
		}
		if (chosen && chosen != option)
			return cmd_usage("takes one of --why and --config-acs");
		chosen = option;
	}
	if (write && chosen != 'c')
		return cmd_usage("--write goes with --config-acs");
	if (write && *opt_sysroot)
		return cmd_usage("--write changes this host, and --sysroot is another");
	if (chosen == 'w' && argc - optind == 2)
		return why(argv[optind], argv[optind + 1]);
	if (chosen == 'c' && argc - optind <= 1) {
		if (!module_is_told_of() && optind == argc)
			return cmd_usage("--sysroot is a captured host, without a policy in force: give a FILE");
		return config_acs(optind < argc ? argv[optind] : NULL, write);
	}
	return cmd_usage(chosen == 'w' ? "--why takes two addresses" :
			 "say --why BDF BDF, or --config-acs");
}
