// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of policy, the table of devices, names. */
#include "policy/policy.h"
#include "unit.h"

static const struct instinct_family *family(void)
{
	return instinct_profile_find(0x1002, 0x75a3)->family;
}

static int check(const struct instinct_policy *policy)
{
	const char *why = NULL;
	bool wrong = instinct_policy_fault(policy, family(), &why);

	CHECK(wrong == !!why);
	return wrong ? -ERANGE : 0;
}

static void test_defaults_are_valid(void)
{
	struct instinct_policy policy;

	instinct_policy_defaults(&policy);
	CHECK_INT(check(&policy), 0);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_AUTO);
	CHECK_INT(policy.ready_timeout, 0);
}

static const struct instinct_policy_key *key_of(enum instinct_policy_key_number number)
{
	return &instinct_policy_keys[number];
}

/* Every key of the module has its own attribute, a place, a name and a text. */
static void test_table(void)
{
	bool seen[INSTINCT_VFIO_A_POLICY_MAX + 1] = { false };
	unsigned int i, j;

	for (i = 0; i < INSTINCT_POLICY_KEYS; i++) {
		const struct instinct_policy_key *key = key_of(i);
		char wanted[512];

		CHECK(key->name && *key->name);
		snprintf(wanted, sizeof(wanted), "%s must be %s", key->name, key->allowed);
		CHECK(!strncmp(key->refusal, wanted, strlen(wanted)));
		if (i >= INSTINCT_KEY_HOTSPOT_WARNING) {
			CHECK_INT(key->attr, 0);
			continue;
		}
		/* A key of words has a word for each value. */
		for (j = 0; key->kind == INSTINCT_KIND_WORD && j <= key->max; j++)
			CHECK(key->words[j] && *key->words[j]);
		CHECK(key->attr && !seen[key->attr]);
		seen[key->attr] = true;
		CHECK(key->text || instinct_policy_key_allows(key, key->fallback));
	}
}

/* The index of a word equals its enumerator. */
static void test_words(void)
{
	static const struct {
		enum instinct_policy_key_number key;
		unsigned int value;
		const char *word;
	} words[] = {
		{ INSTINCT_KEY_METHOD, INSTINCT_VFIO_METHOD_QUIESCE, "quiesce" },
		{ INSTINCT_KEY_TENANCY, INSTINCT_VFIO_TENANCY_SINGLE, "single" },
		{ INSTINCT_KEY_TENANCY, INSTINCT_VFIO_TENANCY_MULTI, "multi" },
		{ INSTINCT_KEY_BUS_PORT, INSTINCT_VFIO_BUS_PORT_SWDS, "swds" },
		{ INSTINCT_KEY_BUS_PORT, INSTINCT_VFIO_BUS_PORT_SWITCH, "switch" },
		{ INSTINCT_KEY_OVERLAP, INSTINCT_VFIO_OVERLAP_NONE, "none" },
		{ INSTINCT_KEY_OVERLAP, INSTINCT_VFIO_OVERLAP_CLOSE, "close" },
		{ INSTINCT_KEY_OVERLAP, INSTINCT_VFIO_OVERLAP_ALL, "all" },
		{ INSTINCT_KEY_SCOPE, INSTINCT_VFIO_SCOPE_AUTO, "auto" },
		{ INSTINCT_KEY_SCOPE, INSTINCT_VFIO_SCOPE_DEVICE, "device" },
		{ INSTINCT_KEY_SCOPE, INSTINCT_VFIO_SCOPE_HIVE, "hive" },
		{ INSTINCT_KEY_FIRST_RESET, INSTINCT_VFIO_FIRST_RESET_AUTO, "auto" },
		{ INSTINCT_KEY_FIRST_RESET, INSTINCT_VFIO_FIRST_RESET_ALWAYS, "always" },
		{ INSTINCT_KEY_XGMI, INSTINCT_VFIO_XGMI_PRIVATE, "private" },
		{ INSTINCT_KEY_XGMI, INSTINCT_VFIO_XGMI_SHARED, "shared" },
		{ INSTINCT_KEY_CONTAIN, INSTINCT_VFIO_CONTAIN_LINUX_OWNED, "linux-owned" },
		{ INSTINCT_KEY_CONTAIN, INSTINCT_VFIO_CONTAIN_ALWAYS, "always" },
		{ INSTINCT_KEY_CONFIG_VERIFY, INSTINCT_VFIO_VERIFY_OFF, "off" },
		{ INSTINCT_KEY_CONFIG_VERIFY, INSTINCT_VFIO_VERIFY_ON, "on" },
		{ INSTINCT_KEY_CONFIG_UNBLOCK, INSTINCT_VFIO_UNBLOCK_NONE, "none" },
		{ INSTINCT_KEY_CONFIG_UNBLOCK, INSTINCT_VFIO_UNBLOCK_READ, "read" },
		{ INSTINCT_KEY_CONFIG_UNBLOCK, INSTINCT_VFIO_UNBLOCK_BUSES, "buses" },
		{ INSTINCT_KEY_CONFIG_UNBLOCK, INSTINCT_VFIO_UNBLOCK_RETRAIN, "retrain" },
		{ INSTINCT_KEY_ACS, INSTINCT_VFIO_ACS_KERNEL, "kernel" },
		{ INSTINCT_KEY_ACS, INSTINCT_VFIO_ACS_VM_P2P, "vm-p2p" },
		{ INSTINCT_KEY_ACS, INSTINCT_VFIO_ACS_VM, "vm" },
		{ INSTINCT_KEY_ACS, INSTINCT_VFIO_ACS_BARE_METAL, "bare-metal" },
		{ INSTINCT_KEY_ISOLATION_LOSS, INSTINCT_VFIO_ISOLATION_LOSS_NO, "no" },
		{ INSTINCT_KEY_ISOLATION_LOSS, INSTINCT_VFIO_ISOLATION_LOSS_YES, "yes" },
		{ INSTINCT_KEY_ATS, INSTINCT_VFIO_ATS_IGNORE, "ignore" },
		{ INSTINCT_KEY_ATS, INSTINCT_VFIO_ATS_PREFERRED, "preferred" },
		{ INSTINCT_KEY_ATS, INSTINCT_VFIO_ATS_REQUIRED, "required" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		CHECK_STR(key_of(words[i].key)->words[words[i].value], words[i].word);
}

/* Every key accepts its limits, and refuses the values beyond. */
static void test_each_range(void)
{
	unsigned int i, j;

	for (i = 0; i < INSTINCT_KEY_HOTSPOT_WARNING; i++) {
		const struct instinct_policy_key *key = key_of(i);
		u32 step = key->kind == INSTINCT_KIND_OFFSET ? 4 : 1;
		struct instinct_policy policy;
		const char *why;

		if (key->text)
			continue;
		CHECK(instinct_policy_key_allows(key, key->min));
		CHECK(instinct_policy_key_allows(key, key->max));
		CHECK(!instinct_policy_key_allows(key, key->max + step));
		for (j = 0; j < key->specials; j++)
			CHECK(instinct_policy_key_allows(key, key->special[j]));
		instinct_policy_defaults(&policy);
		CHECK_INT(instinct_policy_get(&policy, key), key->fallback);
		instinct_policy_set(&policy, key, key->max + step);
		CHECK(instinct_policy_fault(&policy, family(), &why) == key);
		CHECK_STR(why, key->refusal);
	}
}

static void test_faults(void)
{
	struct instinct_policy policy;
	const char *why;

	instinct_policy_defaults(&policy);
	CHECK(!instinct_policy_fault(&policy, family(), &why));
	policy.mailbox = 0x80000;
	CHECK(instinct_policy_fault(&policy, family(), &why) == key_of(INSTINCT_KEY_MAILBOX));
	CHECK_STR(why, "mailbox must be a dword-aligned offset inside the register BAR");
}

#define OUT_OF_RANGE(field, value)				\
	do {							\
		struct instinct_policy _p;			\
								\
		instinct_policy_defaults(&_p);			\
		_p.field = (value);				\
		CHECK_INT(check(&_p), -ERANGE);			\
	} while (0)

#define IN_RANGE(field, value)					\
	do {							\
		struct instinct_policy _p;			\
								\
		instinct_policy_defaults(&_p);			\
		_p.field = (value);				\
		CHECK_INT(check(&_p), 0);			\
	} while (0)

static void test_ranges(void)
{
	IN_RANGE(method, INSTINCT_VFIO_METHOD_BUS);
	OUT_OF_RANGE(method, INSTINCT_VFIO_METHOD_BUS + 1);
	OUT_OF_RANGE(method, -1);
	IN_RANGE(tenancy, INSTINCT_VFIO_TENANCY_MULTI);
	OUT_OF_RANGE(tenancy, 2);
	IN_RANGE(bus_port, INSTINCT_VFIO_BUS_PORT_SWITCH);
	OUT_OF_RANGE(bus_port, 2);
	IN_RANGE(ready_timeout, 1000);
	IN_RANGE(ready_timeout, 600000);
	OUT_OF_RANGE(ready_timeout, 999);
	OUT_OF_RANGE(ready_timeout, 600001);
	OUT_OF_RANGE(ready_timeout, ~0u);
	IN_RANGE(overlap, INSTINCT_VFIO_OVERLAP_ALL);
	OUT_OF_RANGE(overlap, 3);
	IN_RANGE(scope, INSTINCT_VFIO_SCOPE_HIVE);
	OUT_OF_RANGE(scope, 3);
	IN_RANGE(hive, INSTINCT_VFIO_HIVE_MAX);
	IN_RANGE(hive, INSTINCT_VFIO_HIVE_NONE);
	OUT_OF_RANGE(hive, INSTINCT_VFIO_HIVE_MAX + 1);
	IN_RANGE(config_verify, INSTINCT_VFIO_VERIFY_OFF);
	OUT_OF_RANGE(config_verify, 2);
	IN_RANGE(config_unblock, INSTINCT_VFIO_UNBLOCK_NONE);
	OUT_OF_RANGE(config_unblock, 4);
	IN_RANGE(config_timeout, 100);
	OUT_OF_RANGE(config_timeout, 99);
	OUT_OF_RANGE(config_timeout, 600001);
	IN_RANGE(mailbox, 0x58000);
	OUT_OF_RANGE(mailbox, 0x58002);
	OUT_OF_RANGE(mailbox, 0x80000);
	OUT_OF_RANGE(mailbox, 0x7fffc);
	OUT_OF_RANGE(mailbox, 0xfffffffc);
}

/* The policy of an endpoint without a family. */
static void test_isolation(void)
{
	struct instinct_policy policy;
	const char *why = NULL;

	instinct_policy_defaults(&policy);
	CHECK(!instinct_policy_fault(&policy, NULL, &why));
	policy.isolation.check_interval = 1;
	CHECK(instinct_policy_fault(&policy, NULL, &why));
	CHECK(why && strstr(why, "check_interval"));
}

static void test_profiles(void)
{
	CHECK_STR(instinct_profile_find(0x1002, 0x74a1)->model, "MI300X");
	CHECK_STR(instinct_profile_find(0x1002, 0x75a3)->family->name, "mi355x");
	CHECK(!instinct_profile_find(0x1022, 0x74a1));
	CHECK(!instinct_profile_find(0x1002, 0x74b5));
	CHECK(!instinct_profile_find(0x1002, 0x7fff));
	/* The ID identifies a port of the package, and so do vendor 1002 and the port type. */
	CHECK(instinct_profile_port(0x1022, 0x1500, -1) == INSTINCT_PACKAGE_SWUS);
	CHECK(instinct_profile_port(0x1002, 0x1500, -1) == INSTINCT_PACKAGE_NONE);
	CHECK(instinct_profile_port(0x1002, 0x1500, 5) == INSTINCT_PACKAGE_SWUS);
	CHECK(instinct_profile_port(0x1002, 0x1234, 5) == INSTINCT_PACKAGE_SWUS);
	CHECK(instinct_profile_port(0x1022, 0x57ad, 5) == INSTINCT_PACKAGE_NONE);
	CHECK(instinct_profile_port(0x1002, 0x1501, -1) == INSTINCT_PACKAGE_SWDS);
	CHECK(instinct_profile_port(0x1022, 0x1501, 6) == INSTINCT_PACKAGE_SWDS);
	CHECK(instinct_profile_port(0x1002, 0x1234, 6) == INSTINCT_PACKAGE_SWDS);
	CHECK(instinct_profile_port(0x1000, 0x1501, 6) == INSTINCT_PACKAGE_NONE);
	CHECK_INT(instinct_profile_port(0x1002, 0x1234, 6), INSTINCT_PACKAGE_SWDS);
	CHECK_INT(instinct_profile_port(0x1022, 0x57a3, 6), INSTINCT_PACKAGE_NONE);
}

static void test_names(void)
{
	CHECK_STR(instinct_name_method(INSTINCT_VFIO_METHOD_BUS), "bus");
	CHECK_STR(instinct_name_cause(INSTINCT_VFIO_CAUSE_GUEST_FLR), "guest-flr");
	CHECK_STR(instinct_name_state(INSTINCT_VFIO_STATE_LOST), "lost");
}

int main(void)
{
	RUN(test_defaults_are_valid);
	RUN(test_table);
	RUN(test_words);
	RUN(test_each_range);
	RUN(test_faults);
	RUN(test_ranges);
	RUN(test_isolation);
	RUN(test_profiles);
	RUN(test_names);
	return unit_end();
}
