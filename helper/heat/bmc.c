// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

#include "bmc.h"
#include "now.h"

#define STATE_INSTALLED	"/var/lib/instinct-vfio"
#define CACHE_BYTES	512
#define QUICK_MS	50	/* a failure that takes less time is not a hang */
#define HANG_SHARE	4	/* pause after a hang, as a multiple of the time it took */

static void say(struct bmc *bmc, int priority, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct bmc *bmc, int priority, const char *format, ...)
{
	char text[2 * TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	bmc->say(priority, text, bmc->data);
}

/* systemd sets STATE_DIRECTORY for the service; other callers share the service's folder. */
static void make_cache(char *folder)
{
	const char *state = getenv("STATE_DIRECTORY");

	if (!state || !*state)
		state = STATE_INSTALLED;
	snprintf(folder, CACHE_BYTES, "%.*s", (int)strcspn(state, ":"), state);
	mkdir(folder, 0755);
	snprintf(folder, CACHE_BYTES, "%.*s/sdr", (int)strcspn(state, ":"), state);
	mkdir(folder, 0700);
}

static void *open_ipmi(const struct bmc *bmc, char *why, size_t size)
{
	const struct ipmi_calls *calls = bmc->library(why, size);
	char folder[CACHE_BYTES];

	if (!calls)
		return NULL;
	make_cache(folder);
	return ipmi_open(calls, folder, why, size);
}

static int scan_ipmi(void *link, struct found *found)
{
	return ipmi_scan(link, found);
}

static int read_ipmi(void *link, struct found *found, const bool *wanted)
{
	return ipmi_read(link, found, wanted);
}

/* Without the device file, that is the reason. */
static void message_ipmi(const struct bmc *bmc, char *text, size_t size)
{
	if (bmc->library(text, size))
		snprintf(text, size, "%s", ipmi_message(bmc->link));
}

const struct bmc_way bmc_by_ipmi = {
	.source = INSTINCT_VFIO_SOURCE_IPMI,
	.by = "",
	.fresh = true,
	.open = open_ipmi,
	.scan = scan_ipmi,
	.read = read_ipmi,
	.message = message_ipmi,
};

static void *open_redfish(const struct bmc *bmc, char *why, size_t size)
{
	return redfish_open(bmc->redfish, why, size);
}

static int scan_redfish(void *link, struct found *found)
{
	return redfish_scan(link, found);
}

static int read_redfish(void *link, struct found *found, const bool *wanted)
{
	return redfish_read(link, found, wanted);
}

static void message_redfish(const struct bmc *bmc, char *text, size_t size)
{
	snprintf(text, size, "%s", redfish_message(bmc->link));
}

static const char *left_out_redfish(const void *link)
{
	return redfish_left_out(link);
}

/* A scan may have begun a minute ago, so its temperatures are read again. */
const struct bmc_way bmc_by_redfish = {
	.source = INSTINCT_VFIO_SOURCE_REDFISH,
	.by = " by Redfish",
	.open = open_redfish,
	.scan = scan_redfish,
	.read = read_redfish,
	.message = message_redfish,
	.left_out = left_out_redfish,
};

static bool find(struct bmc *bmc)
{
	char why[TEXT_BYTES] = "";

	if (bmc->link)
		return true;
	bmc->link = bmc->way->open(bmc, why, sizeof(why));
	if (!bmc->link && strcmp(why, bmc->why))
		say(bmc, LOG_NOTICE, "%s", why);
	snprintf(bmc->why, sizeof(bmc->why), "%s", why);
	return bmc->link;
}

static void say_failed(struct bmc *bmc)
{
	char why[TEXT_BYTES];

	bmc->way->message(bmc, why, sizeof(why));
	say(bmc, LOG_WARNING, "the BMC's sensors cannot be read%s: %s", bmc->way->by, why);
}

/* A hanging BMC blocks the sampler, so the next attempt is put off in proportion. */
static void done(struct bmc *bmc, int ret, int64_t begun)
{
	int64_t now = now_ms(), took = now - begun;

	if (ret && !bmc->failed)
		say_failed(bmc);
	else if (!ret && bmc->failed)
		say(bmc, LOG_NOTICE, "the BMC's sensors can be read%s again", bmc->way->by);
	bmc->failed = ret;
	bmc->changed = ret == -ENOENT;
	bmc->at = ret && ret != -ENOENT && took >= QUICK_MS ? now + HANG_SHARE * took : 0;
}

/*
 * Carries the BMC's sensors over from @before, without temperatures. They replace what the
 * scan added after the first @others entries, unless @before has no sensor of this source.
 */
static void keep(struct bmc *bmc, const struct found *before, size_t others,
		 struct found *found)
{
	bool kept = false;
	size_t i;

	for (i = 0; i < before->count; i++) {
		struct found_sensor *sensor;

		if (before->list[i].source != bmc->way->source)
			continue;
		if (!kept)
			found->count = others;
		kept = true;
		sensor = found_add(found, bmc->way->source, before->list[i].name);
		if (!sensor)
			continue;
		sensor->record = before->list[i].record;
		memcpy(sensor->place, before->list[i].place, sizeof(sensor->place));
	}
}

/* Reports once that a scan has not found all there is. */
static void say_partial(struct bmc *bmc, size_t count, int ret)
{
	const char *left_out = !ret && bmc->way->left_out ? bmc->way->left_out(bmc->link) : "";
	char why[TEXT_BYTES];

	if (ret && !bmc->partial) {
		bmc->way->message(bmc, why, sizeof(why));
		say(bmc, LOG_WARNING, "only the first %zu of the BMC's temperature sensors can be listed: %s",
		    count, why);
	} else if (*left_out && !bmc->partial) {
		say(bmc, LOG_WARNING, "some of the BMC's sensors may be missing: %s", left_out);
	}
	bmc->partial = ret || *left_out;
}

/**
 * bmc_scan() - list the BMC's temperature sensors with their readings
 * @bmc: BMC
 * @before: sensors of the previous scan; those of the BMC are kept if it does not answer
 * @found: the BMC's sensors are added; unchanged if the host has no BMC
 */
void bmc_scan(struct bmc *bmc, const struct found *before, struct found *found)
{
	size_t others = found->count;
	int ret = -EAGAIN;
	int64_t begun;

	bmc->changed = false;
	if (!find(bmc))
		return;
	begun = now_ms();
	if (begun >= bmc->at) {
		ret = bmc->way->scan(bmc->link, found);
		if (ret == -EAGAIN) {
			bmc->changed = true;
		} else if (!ret || found->count == others) {
			done(bmc, ret, begun);
			bmc->partial &= !ret;
		}
		/* The IPMI library ends a scan at the first sensor that fails; the earlier ones are valid. */
		if (!ret || found->count > others)
			say_partial(bmc, found->count - others, ret);
	}
	bmc->fresh = !ret && bmc->way->fresh;
	if (ret)
		keep(bmc, before, others, found);
}

static bool any_wanted(const struct bmc *bmc, const struct found *found, const bool *wanted)
{
	size_t i;

	for (i = 0; i < found->count; i++)
		if (wanted[i] && found->list[i].source == bmc->way->source)
			return true;
	return false;
}

/**
 * bmc_read() - read the temperatures of some of the BMC's sensors
 * @bmc: BMC, with or without a connection
 * @found: sensors listed by bmc_scan(); the function sets the temperature of each wanted
 *	sensor, or marks it unknown if the sensor cannot be read. Temperatures that the
 *	scan has just read are left as they are.
 * @wanted: for each entry of @found, whether to read it
 */
void bmc_read(struct bmc *bmc, struct found *found, const bool *wanted)
{
	bool fresh = bmc->fresh;
	int64_t begun = now_ms();

	bmc->fresh = false;
	if (!bmc->link || fresh || begun < bmc->at || !any_wanted(bmc, found, wanted))
		return;
	done(bmc, bmc->way->read(bmc->link, found, wanted), begun);
}
