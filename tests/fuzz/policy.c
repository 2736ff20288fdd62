// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the parser of policies, from the text of a file to the resulting policy of each of
 * some devices. The input is one file, or a main file and drop-ins with ASCII's file separator
 * between them.
 */
#include <string.h>

#include "conf.h"
#include "fuzz.h"
#include "policy_files.h"
#include "core/pure.h"
#include "words.h"

enum { REFUSED, EMPTY, SETS, DROPINS, PLAIN, REPEATED };

const char *const fuzz_ways[] = {
	[REFUSED] = "refused, with lines of errors",
	[EMPTY] = "taken, with nothing in it",
	[SETS] = "taken, with keys",
	[DROPINS] = "taken, with keys and drop-ins",
	[PLAIN] = "taken, with a device that the driver does not manage",
	[REPEATED] = "printed and parsed again",
	NULL
};

/* One device of each kind that the code distinguishes. */
static struct device host[] = {
	{ .bdf = "0000:c1:00.0", .serial = 0x1122334455667788, .vendor = 0x1002,
	  .device = 0x74a1, .family = "mi300x" },
	{ .bdf = "0000:c2:00.0", .serial = 0x1122334455667789, .vendor = 0x1002,
	  .device = 0x75a3, .family = "mi355x" },
	{ .bdf = "0001:01:00.0", .vendor = 0x1002, .device = 0x74a1,
	  .family = "mi300x", .pending = true },
#define PLAIN_DEVICE	3
	{ .bdf = "0000:21:00.0", .vendor = 0x15b3, .device = 0x1021, .unmanaged = true },
};

static struct devices devices = { host, ARRAY_SIZE(host) };

/* The linker puts this in place of the helper's function: only the devices above exist. */
bool __wrap_sysfs_exists(const char *bdf, const char *file)
{
	(void)file;
	return devices_find(&devices, bdf);
}

/* Tells whether @said is the printed form of @error. */
static bool is_error(const char *said, size_t length, const struct conf_error *error)
{
	char wanted[32 * TEXT_BYTES];

	snprintf(wanted, sizeof(wanted), "%s:%d: %s", error->file, error->line, error->text);
	return strlen(wanted) == length && !strncmp(said, wanted, length);
}

/* The parser prints each error that it keeps, and each names a line of an existing file. */
static void require_errors(const struct conf *conf, const char *said)
{
	const char *end;
	int errors = 0;

	for (; *said; said = end + 1) {
		end = strchr(said, '\n');
		REQUIRE(end);
		if (errors < conf->errors && is_error(said, end - said, &conf->error[errors]))
			errors++;
		else
			REQUIRE(memmem(said, end - said, ": warning: ", 11));
	}
	REQUIRE(errors == conf->errors);
	while (errors--) {
		const struct conf_error *error = &conf->error[errors];

		REQUIRE(*error->text && error->line >= 1);
		REQUIRE(error->line <= policy_files_lines(error->file));
	}
}

/* The parser reads a printed value as the same value. */
static void require_value(const struct conf_key *key, uint32_t value)
{
	char text[2 * TEXT_BYTES];
	uint32_t again = ~value;

	conf_key_format(key, value, text, sizeof(text));
	REQUIRE(conf_key_parse(key, text, &again));
	REQUIRE(again == value);
}

static bool require_values(const struct conf *conf)
{
	bool any = false;
	size_t i, key;

	for (i = 0; i < conf->count; i++)
		for (key = 0; key < CONF_KEYS; key++)
			if (conf->section[i].at[key]) {
				require_value(&conf_keys[key],
					      conf->section[i].value[key]);
				any = true;
			}
	return any;
}

/* The parser reads a whole policy, printed as a file, as the same policy. */
static void require_again(const struct policy *policy)
{
	static const struct device nobody = { .bdf = "0000:00:00.0" };
	char text[CONF_KEYS * 3 * TEXT_BYTES], value[2 * TEXT_BYTES];
	size_t used = snprintf(text, sizeof(text), "[default]\n"), key;
	struct policy again;
	struct conf conf;

	for (key = 0; key < CONF_KEYS; key++) {
		conf_key_format(&conf_keys[key], conf_key_get(&conf_keys[key], policy),
				value, sizeof(value));
		used += snprintf(text + used, sizeof(text) - used, "%s=%s\n",
				 conf_keys[key].name, value);
		REQUIRE(used < sizeof(text));
	}
	REQUIRE(!conf_open(&conf, policy_files_only(text, used)) && !conf.errors);
	conf_merge(&conf, &nobody, &again);
	for (key = 0; key < CONF_KEYS; key++)
		REQUIRE(conf_key_get(&conf_keys[key], policy) ==
			conf_key_get(&conf_keys[key], &again));
	conf_free(&conf);
	fuzz_went(REPEATED);
}

/* The module's own rules accept the policy that the files give a device. */
static void require_taken(const struct conf *conf, const struct device *dev)
{
	static struct policy policy, last;
	const struct instinct_profile *profile;
	struct instinct_policy asked;
	const char *why = NULL;

	conf_merge(conf, dev, &policy);
	conf_key_rules(&policy, &asked);
	profile = instinct_profile_find(dev->vendor, dev->device);
	REQUIRE(!instinct_policy_fault(&asked, dev->unmanaged ? NULL : profile->family, &why));
	if (memcmp(&policy, &last, sizeof(policy)))
		require_again(&policy);
	last = policy;
}

static void take(const char *file)
{
	struct conf conf;
	size_t i;
	bool any;

	texts_forget();
	words_catch();
	REQUIRE(!conf_open(&conf, file));
	conf_check(&conf, &devices);
	require_errors(&conf, words_caught());
	if (conf.errors) {
		fuzz_went(REFUSED);
	} else {
		any = require_values(&conf);
		for (i = 0; i < devices.count; i++)
			require_taken(&conf, &host[i]);
		fuzz_went(!any ? EMPTY : conf.dropins ? DROPINS :
			  conf_names(&conf, &host[PLAIN_DEVICE]) ? PLAIN : SETS);
	}
	conf_free(&conf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = text + size, *next;

	fuzz_input();
	policy_files_begin();
	if (!memchr(data, POLICY_SEPARATOR, size)) {
		take(policy_files_only(text, size));
		return 0;
	}
	for (; text <= end; text = next + 1) {
		next = memchr(text, POLICY_SEPARATOR, end - text);
		if (!next)
			next = end;
		if (!policy_files_add(text, next - text))
			break;
	}
	take(NULL);
	return 0;
}
