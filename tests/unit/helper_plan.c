// SPDX-License-Identifier: GPL-2.0-only
/* The plan of an apply: once it is carried out, a second plan is empty. */
#include <stdlib.h>

#include "conf.h"
#include "plan.h"
#include "unit.h"

#define DEVICES	8
#define ROUNDS	2000

static struct policy random_policy(void)
{
	return (struct policy) {
		.method = random() % 3,
		.tenancy = random() % 2,
		.bus_port = random() % 2,
		.ready_timeout = 1000 + random() % 2,
		.mailbox = random() % 2 * 4,
		.overlap = random() % 3,
		.scope = random() % 3,
		.hive = random() % 3,
		.config_verify = random() % 2,
		.config_timeout = 100 + random() % 2,
	};
}

static void host(struct device *list, struct policy *wanted)
{
	int i;

	for (i = 0; i < DEVICES; i++) {
		list[i] = (struct device) { 0 };
		snprintf(list[i].bdf, sizeof(list[i].bdf), "0000:c%d:00.0", i);
		list[i].policy = random_policy();
		list[i].policy_set = true;
		wanted[i] = random_policy();
	}
}

static void test_nothing_is_left_to_do(void)
{
	struct device list[DEVICES];
	struct policy wanted[DEVICES];
	struct devices devices = { list, DEVICES };
	struct changes changes;
	int round, i;

	srandom(1);
	for (round = 0; round < ROUNDS; round++) {
		size_t differ = 0, change;

		host(list, wanted);
		for (i = 0; i < DEVICES; i++)
			differ += !policy_equal(&list[i].policy, &wanted[i]);
		plan_make(&devices, wanted, &changes);
		CHECK_INT(changes.count, differ);
		for (change = 0; change < changes.count; change++) {
			struct device *dev = devices_find(&devices, changes.list[change].bdf);

			CHECK(policy_equal(&dev->policy, &changes.list[change].found));
			dev->policy = changes.list[change].wanted;
		}
		free(changes.list);
		plan_make(&devices, wanted, &changes);
		CHECK_INT(changes.count, 0);
		free(changes.list);
	}
}

/* A plan keeps the policies that it replaces, so undoing it restores them. */
static void test_undo_leads_back(void)
{
	struct device list[DEVICES], before[DEVICES];
	struct policy wanted[DEVICES];
	struct devices devices = { list, DEVICES };
	struct changes changes;
	int round, i;

	srandom(2);
	for (round = 0; round < ROUNDS; round++) {
		size_t change;

		host(list, wanted);
		memcpy(before, list, sizeof(list));
		plan_make(&devices, wanted, &changes);
		for (change = 0; change < changes.count; change++)
			devices_find(&devices, changes.list[change].bdf)->policy =
				changes.list[change].wanted;
		while (change--)
			devices_find(&devices, changes.list[change].bdf)->policy =
				changes.list[change].found;
		free(changes.list);
		for (i = 0; i < DEVICES; i++)
			CHECK(policy_equal(&list[i].policy, &before[i].policy));
	}
}

static void test_every_key_counts(void)
{
	struct policy a = { 0 }, b;
	size_t key;

	for (key = 0; key < CONF_KEYS; key++) {
		b = a;
		conf_key_set(&conf_keys[key], &b, 1);
		/* The module does not know a key without an attribute, so a plan ignores it. */
		CHECK_INT(policy_equal(&a, &b), !conf_keys[key].attr);
		CHECK_INT(conf_key_get(&conf_keys[key], &b), 1);
	}
	CHECK_INT(CONF_KEYS * sizeof(uint32_t), sizeof(struct policy));
}

/* A key that is no longer in the file returns to its default. */
static void test_removed_key(void)
{
	struct device list[1] = { { .bdf = "0000:c1:00.0", .family = "mi300x" } };
	struct devices devices = { list, 1 };
	struct conf empty = { 0 };
	struct policy wanted;
	struct changes changes;

	conf_merge(&empty, &list[0], &wanted);
	list[0].policy = wanted;
	list[0].policy_set = true;
	list[0].policy.method = INSTINCT_VFIO_METHOD_BUS;
	plan_make(&devices, &wanted, &changes);
	CHECK_INT(changes.count, 1);
	CHECK_INT(changes.list[0].wanted.method, INSTINCT_VFIO_METHOD_AUTO);
	free(changes.list);
}

/* A device without a policy needs one, even if it equals the defaults. */
static void test_unruled(void)
{
	struct device list[3] = {
		{ .bdf = "0000:c1:00.0" },
		{ .bdf = "0000:c2:00.0", .pending = true },
		{ .bdf = "0000:c3:00.0", .unmanaged = true },
	};
	struct devices devices = { list, 3 };
	struct policy wanted[3];
	struct changes changes;
	int i;

	for (i = 0; i < 3; i++) {
		conf_defaults(&list[i].policy);
		conf_defaults(&wanted[i]);
	}
	plan_make(&devices, wanted, &changes);
	CHECK_INT(changes.count, 2);
	CHECK_STR(changes.list[0].bdf, "0000:c1:00.0");
	CHECK(!changes.list[0].pending && changes.list[1].pending);
	free(changes.list);
	list[0].policy_set = true;
	list[1].policy_set = true;
	plan_make(&devices, wanted, &changes);
	CHECK_INT(changes.count, 0);
	free(changes.list);
}

static void test_no_devices(void)
{
	struct devices devices = { 0 };
	struct changes changes;

	plan_make(&devices, NULL, &changes);
	CHECK_INT(changes.count, 0);
	free(changes.list);
}

int main(void)
{
	RUN(test_nothing_is_left_to_do);
	RUN(test_undo_leads_back);
	RUN(test_every_key_counts);
	RUN(test_removed_key);
	RUN(test_unruled);
	RUN(test_no_devices);
	return unit_end();
}
