// SPDX-License-Identifier: GPL-2.0-or-later
/* The GPUs of a host: whether guests can use each, and whether the host has as many as expected. */
#include <string.h>

#include "findings.h"
#include "kind.h"

static bool is_bad(int state)
{
	return state == INSTINCT_VFIO_STATE_LOST || state == INSTINCT_VFIO_STATE_QUARANTINED ||
	       state == STATE_MISSING;
}

/**
 * findings_gpus() - record the GPUs of a host
 * @findings: receives the GPUs
 * @devices: all devices; GPUs are those that no other entry names as unmanaged
 */
void findings_gpus(struct findings *findings, const struct devices *devices)
{
	struct gpu_finding *gpu;
	size_t i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];

		if (dev->unmanaged)
			continue;
		gpu = list_add((void **)&findings->gpu, &findings->gpus, sizeof(*gpu));
		memcpy(gpu->bdf, dev->bdf, sizeof(gpu->bdf));
		memcpy(gpu->family, dev->family, sizeof(gpu->family));
		memcpy(gpu->reason, dev->reason, sizeof(gpu->reason));
		gpu->state = dev->silent && !is_bad(dev->state) ? INSTINCT_VFIO_STATE_LOST : dev->state;
		gpu->unusable = is_bad(gpu->state) || (gpu->state == INSTINCT_VFIO_STATE_BLOCKED &&
						       !devices_hive_open(devices, dev));
	}
}

static void expect(struct findings *findings, const char *family,
		   const struct conf_section *section)
{
	struct count_finding *count = list_add((void **)&findings->count, &findings->counts,
					       sizeof(*count));
	size_t i;

	*count = (struct count_finding) {
		.family = family,
		.wanted = section ? section->value[CONF_EXPECT_GPUS] : 1,
		.file = section ? section->file : NULL,
		.line = section ? section->at[CONF_EXPECT_GPUS] : 0,
	};
	for (i = 0; i < findings->gpus; i++)
		count->found += findings->gpu[i].state != STATE_MISSING &&
				(!family || !strcmp(findings->gpu[i].family, family));
	findings->drift |= count->found < count->wanted;
}

/* Checks whether the policy names GPUs of the host that this module does not drive. */
static bool names_others(const struct findings *findings)
{
	const struct host *host = &findings->host;
	size_t i;

	for (i = 0; i < findings->conf.count; i++) {
		const struct conf_section *section = &findings->conf.section[i];
		int at = section->kind == CONF_DEVICE && !section->serial ?
			 host_find(host, section->name) : -1;

		if (at >= 0 && !host_is_known(host, at) &&
		    kind_is_gpu(host->node[at].vendor, host->node[at].device,
				host->node[at].class, host->node[at].bdf))
			return true;
	}
	return false;
}

/**
 * findings_expect() - judge whether the host has the expected GPUs, in a usable state
 * @findings: findings with GPUs; drift is set if it has not
 *
 * A policy that expects no number expects one GPU, unless it names GPUs that this module does not drive.
 */
void findings_expect(struct findings *findings)
{
	const struct conf *conf = &findings->conf;
	const struct conf_section *all = conf_expected(conf, NULL);
	size_t i;

	for (i = 0; i < conf->count; i++)
		if (conf->section[i].kind == CONF_FAMILY &&
		    conf_expected(conf, conf->section[i].name) == &conf->section[i])
			expect(findings, conf->section[i].name, &conf->section[i]);
	if (all || (!findings->counts && !names_others(findings)))
		expect(findings, NULL, all);
	for (i = 0; i < findings->gpus; i++)
		if (findings->gpu[i].state == STATE_MISSING)
			findings->missing++;
		else
			findings->unusable += findings->gpu[i].unusable;
	findings->drift |= findings->unusable || findings->missing;
}
