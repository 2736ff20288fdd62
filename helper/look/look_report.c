// SPDX-License-Identifier: GPL-2.0-or-later
/* The report of a census: one JSON object, see schema/look.json. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "look.h"
#include "out.h"
#include "report.h"
#include "say.h"
#include "sysfs.h"

static const char *const verdicts[] = {
	[LOOK_UNSEEN] = "unseen", [LOOK_AS_ASSUMED] = "as-assumed", [LOOK_OTHERWISE] = "otherwise",
};

/* The first line of a file of the host, or null. */
static json_t *line_of(const char *file)
{
	char path[PATH_MAX], text[128];

	snprintf(path, sizeof(path), "%s%s", opt_sysroot, file);
	sysfs_line(path, text, sizeof(text));
	return report_text(text);
}

static json_t *rows_json(const struct look *look, const struct look_gpu *gpu,
			 const struct assumption *assumptions, size_t count, json_int_t tally[])
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < count; i++) {
		const struct assumption *one = &assumptions[i];
		struct look_row row = { .text = "" };
		bool seen;

		if (gpu)
			one->judge(gpu, &row);
		else
			one->judge_host(look, &row);
		seen = row.verdict != LOOK_UNSEEN;
		tally[row.verdict]++;
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s}",
			"name", one->name, "verdict", verdicts[row.verdict], "assumed", one->assumed,
			"value", seen ? json_string(row.text) : json_null(),
			"source", row.source ? json_string(row.source) : json_null(),
			"why_unseen", seen ? json_null() : json_string(row.text),
			"if_otherwise", one->then));
	}
	return list;
}

static json_t *path_json(const struct look_gpu *gpu)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < gpu->dev.ports; i++) {
		const struct port *port = &gpu->dev.port[i];
		const struct look_port *more = &gpu->port[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:o}",
			"bdf", port->bdf, "role", name_of(&role_names, port->role),
			"vendor", json_sprintf("0x%04" PRIx32, port->vendor),
			"device", json_sprintf("0x%04" PRIx32, port->device),
			"aer", name_of(&owner_names, more->own.aer),
			"dpc", name_of(&owner_names, more->own.dpc),
			"hotplug", name_of(&owner_names, more->own.hotplug),
			"aspm_l1", more->aspm_l1 < 0 ? json_null() : json_boolean(more->aspm_l1)));
	}
	return list;
}

static json_t *bars_json(const struct look_gpu *gpu)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < LOOK_BARS; i++)
		if (gpu->bar[i].bytes)
			json_array_append_new(list, json_pack("{s:i, s:I}", "bar", i, "bytes",
							      (json_int_t)gpu->bar[i].bytes));
	return list;
}

static json_t *gpu_json(const struct look *look, const struct look_gpu *gpu, json_int_t tally[])
{
	const struct device *dev = &gpu->dev;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o}",
			 "bdf", dev->bdf, "model", report_text(dev->model),
			 "family", report_text(dev->family),
			 "vendor", json_sprintf("0x%04" PRIx32, dev->vendor),
			 "device", json_sprintf("0x%04" PRIx32, dev->device),
			 "driver", report_text(dev->driver), "power", report_text(gpu->power),
			 "serial", look->serials ? out_serial_json(dev->serial) : json_null(),
			 "numa_node", dev->numa_node, "bars", bars_json(gpu), "path", path_json(gpu),
			 "assumptions", rows_json(look, gpu, assumptions_gpu, assumptions_gpus, tally));
}

/**
 * look_report() - judge all assumptions, and write the report of a census
 * @look: census after look_run()
 * @otherwise: receives whether something is otherwise than assumed
 *
 * The report has neither the hostname nor, unless the census shows them, serial numbers.
 *
 * Return: a JSON object, sealed by a digest of all its members.
 */
json_t *look_report(const struct look *look, bool *otherwise)
{
	json_int_t tally[LOOK_OTHERWISE + 1] = { 0 };
	json_t *gpus = json_array(), *host, *report;
	size_t i;

	host = rows_json(look, NULL, assumptions_host, assumptions_hosts, tally);
	for (i = 0; i < look->count; i++)
		json_array_append_new(gpus, gpu_json(look, &look->gpu[i], tally));
	*otherwise = tally[LOOK_OTHERWISE];
	report = json_pack("{s:i, s:s, s:{s:o, s:o, s:s, s:o, s:o, s:o, s:o}, s:o, s:o, s:{s:I, s:I, s:I}}",
		"version", LOOK_VERSION, "report", LOOK_KIND, "host",
		"kernel", line_of("/proc/sys/kernel/osrelease"),
		"module", line_of("/sys/module/" DRIVER_NAME "/version"),
		"instinctctl", INSTINCT_VERSION,
		"vendor", line_of("/sys/class/dmi/id/sys_vendor"),
		"product", line_of("/sys/class/dmi/id/product_name"),
		"board", line_of("/sys/class/dmi/id/board_name"),
		"bios", line_of("/sys/class/dmi/id/bios_version"),
		"assumptions", host, "gpus", gpus, "counts",
		"as_assumed", tally[LOOK_AS_ASSUMED], "otherwise", tally[LOOK_OTHERWISE],
		"unseen", tally[LOOK_UNSEEN]);
	digest_add(report);
	return report;
}
