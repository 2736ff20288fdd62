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
#define QUICK_MS	50	/* what fails sooner does not hang */
#define HANG_SHARE	4	/* one that does is left alone for so many times as long */

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

/* Below what systemd has given the service, else where the service would have it. */
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

static bool find(struct bmc *bmc)
{
	char folder[CACHE_BYTES], why[TEXT_BYTES] = "";
	const struct ipmi_calls *calls;

	if (bmc->ipmi)
		return true;
	calls = bmc->library(why, sizeof(why));
	if (calls) {
		make_cache(folder);
		bmc->ipmi = ipmi_open(calls, folder, why, sizeof(why));
	}
	if (!bmc->ipmi && strcmp(why, bmc->why))
		say(bmc, LOG_NOTICE, "%s", why);
	snprintf(bmc->why, sizeof(bmc->why), "%s", why);
	return bmc->ipmi;
}

static void say_failed(struct bmc *bmc)
{
	char why[TEXT_BYTES];

	say(bmc, LOG_WARNING, "the BMC's sensors cannot be read: %s",
	    bmc->library(why, sizeof(why)) ? ipmi_message(bmc->ipmi) : why);
}

/* A BMC that hangs costs time, which others need too. */
static void done(struct bmc *bmc, int ret, int64_t begun)
{
	int64_t now = now_ms(), took = now - begun;

	if (ret && !bmc->failed)
		say_failed(bmc);
	else if (!ret && bmc->failed)
		say(bmc, LOG_NOTICE, "the BMC's sensors can be read again");
	bmc->failed = ret;
	bmc->changed = ret == -ENOENT;
	bmc->at = ret && ret != -ENOENT && took >= QUICK_MS ? now + HANG_SHARE * took : 0;
}

/* The sensors that the BMC had, if any, without temperatures, after the @others. */
static void keep(const struct found *before, size_t others, struct found *found)
{
	bool kept = false;
	size_t i;

	for (i = 0; i < before->count; i++) {
		struct found_sensor *sensor;

		if (before->list[i].source != INSTINCT_VFIO_SOURCE_IPMI)
			continue;
		if (!kept)
			found->count = others;
		kept = true;
		sensor = found_add(found, INSTINCT_VFIO_SOURCE_IPMI, before->list[i].name);
		if (sensor)
			sensor->record = before->list[i].record;
	}
}

/**
 * bmc_scan() - which temperature sensors the BMC has, and what they read
 * @bmc: BMC
 * @before: what it had at the last scan; it still has it if it does not answer
 * @found: they are added to it; nothing if there is no BMC
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
		ret = ipmi_scan(bmc->ipmi, found);
		/* A sensor that fails ends the scan, and says nothing of those before it. */
		if (!ret || found->count == others)
			done(bmc, ret, begun);
		else if (!bmc->partial)
			say(bmc, LOG_WARNING, "only the first %zu of the BMC's temperature sensors can be listed: %s",
			    found->count - others, ipmi_message(bmc->ipmi));
		bmc->partial = ret && found->count > others;
	}
	bmc->fresh = !ret;
	if (ret)
		keep(before, others, found);
}

static bool any_wanted(const struct found *found, const bool *wanted)
{
	size_t i;

	for (i = 0; i < found->count; i++)
		if (wanted[i] && found->list[i].source == INSTINCT_VFIO_SOURCE_IPMI)
			return true;
	return false;
}

/**
 * bmc_read() - what some of its sensors read now
 * @bmc: BMC, or none
 * @found: with those of bmc_scan(); the temperatures of those wanted are set, unless
 *	that scan has just done it; not known where they cannot be read
 * @wanted: of each in @found
 */
void bmc_read(struct bmc *bmc, struct found *found, const bool *wanted)
{
	bool fresh = bmc->fresh;
	int64_t begun = now_ms();

	bmc->fresh = false;
	if (!bmc->ipmi || fresh || begun < bmc->at || !any_wanted(found, wanted))
		return;
	done(bmc, ipmi_read(bmc->ipmi, found, wanted), begun);
}
