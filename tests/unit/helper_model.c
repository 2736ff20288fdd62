// SPDX-License-Identifier: GPL-2.0-only
/* The names of the uapi's enumerators, as people and programs see them. */
#include "model.h"
#include "unit.h"

static const struct names *const all[] = {
	&state_names, &method_names, &acs_role_names, &ats_state_names,
	&role_names, &cause_names, &event_names, &phase_names,
};

#define COUNT	(sizeof(all) / sizeof(all[0]))

static void test_names_lead_back(void)
{
	unsigned int i, value;

	for (i = 0; i < COUNT; i++)
		for (value = 0; value < all[i]->count; value++)
			CHECK_INT(name_find(all[i], name_of(all[i], value)), value);
}

static void test_names_are_words(void)
{
	unsigned int i, value;

	for (i = 0; i < COUNT; i++)
		for (value = 0; value < all[i]->count; value++) {
			const char *name = name_of(all[i], value);

			CHECK(name && *name);
			CHECK_INT(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
				  strlen(name));
			CHECK(strcmp(name, "unknown"));
		}
}

static void test_unknown(void)
{
	CHECK_STR(name_of(&state_names, state_names.count), "unknown");
	CHECK_STR(name_of(&state_names, -1), "unknown");
	CHECK_INT(name_find(&method_names, ""), -1);
	CHECK_INT(name_find(&method_names, "BUS"), -1);
}

static void test_lists(void)
{
	static const char *const words[] = { "single", "multi" };
	static const struct names two = { words, 2 };
	char text[64];

	name_list(&method_names, text, sizeof(text));
	CHECK_STR(text, "auto, mode1, quiesce or bus");
	name_list(&two, text, sizeof(text));
	CHECK_STR(text, "single or multi");
	name_list(&method_names, text, 8);
	CHECK_STR(text, "auto, m");
}

static void test_nearest(void)
{
	static const char *const words[] = { "status", "apply", "reset", "release" };
	char length[500];

	CHECK_STR(name_nearest(words, 4, "statsu"), "status");
	CHECK_STR(name_nearest(words, 4, "aply"), "apply");
	CHECK_STR(name_nearest(words, 4, "relase"), "release");
	CHECK(!name_nearest(words, 4, "xyzzy"));
	CHECK(!name_nearest(words, 4, ""));
	CHECK(!name_nearest(words, 0, "status"));
	memset(length, 'a', sizeof(length) - 1);
	length[sizeof(length) - 1] = '\0';
	name_nearest(words, 4, length);
}

static void test_devices(void)
{
	struct devices devices = { 0 };
	int i;

	for (i = 0; i < 20; i++)
		snprintf(devices_add(&devices)->bdf, BDF_BYTES, "0000:%02x:00.0", i);
	CHECK_INT(devices.count, 20);
	CHECK(devices_find(&devices, "0000:13:00.0") == &devices.list[19]);
	CHECK(!devices_find(&devices, "0000:14:00.0"));
	CHECK_INT(devices.list[3].state, STATE_UNMANAGED);
	CHECK_INT(devices.list[3].numa_node, -1);
	devices_free(&devices);
	CHECK_INT(devices.count, 0);
}

/* A hive is what policy says; auto means all GPUs of the family, if it has links. */
static void test_hives(void)
{
	struct device list[] = {
		{ .bdf = "0000:c1:00.0", .vendor = 0x1002, .device = 0x74a1, .family = "mi300x" },
		{ .bdf = "0000:c2:00.0", .vendor = 0x1002, .device = 0x74a1, .family = "mi300x" },
		{ .bdf = "0000:c3:00.0", .vendor = 0x1002, .device = 0x75a3, .family = "mi355x" },
	};
	const struct devices devices = { list, 3 };
	int i;

	CHECK_INT(devices_hive_open(&devices, &list[0]), 0);
	for (i = 0; i < 3; i++)
		list[i].open = 1;
	CHECK_INT(devices_hive_open(&devices, &list[0]), 1);
	CHECK_INT(devices_hive_open(&devices, &list[2]), 0);
	list[1].state = STATE_UNMANAGED;
	CHECK_INT(devices_hive_open(&devices, &list[0]), 0);
	list[1].state = INSTINCT_VFIO_STATE_READY;
	list[1].policy.hive = INSTINCT_VFIO_HIVE_NONE;
	CHECK(!devices_share_hive(&list[0], &list[1]) && !devices_share_hive(&list[1], &list[0]));
	list[0].policy.hive = INSTINCT_VFIO_HIVE_NONE;
	CHECK(!devices_share_hive(&list[0], &list[1]));
	list[0].policy.hive = 7;
	list[2].policy.hive = 7;
	CHECK_INT(devices_hive_open(&devices, &list[0]), 1);
	CHECK(!devices_share_hive(&list[0], &list[0]));
	/* An MI350P has no links to others. */
	for (i = 0; i < 2; i++) {
		list[i].policy.hive = INSTINCT_VFIO_HIVE_AUTO;
		list[i].device = 0x75a8;
	}
	CHECK(!devices_share_hive(&list[0], &list[1]));
}

/* "Node 0 of 1" is what each GPU without a hive says. */
static void test_oam(void)
{
	struct device dev = { .hive_nodes = 8, .hive_node = 7 };

	CHECK_INT(device_oam(&dev), 7);
	dev.hive_node = 8;
	CHECK_INT(device_oam(&dev), -1);
	dev = (struct device) { .hive_nodes = 1 };
	CHECK_INT(device_oam(&dev), -1);
	dev.hive_nodes = 0;
	CHECK_INT(device_oam(&dev), -1);
}

static void test_remedies(void)
{
	char text[64], small[8];

	remedy_fill("run reset BDF; or BDF", "0000:c1:00.0", text, sizeof(text));
	CHECK_STR(text, "run reset 0000:c1:00.0; or 0000:c1:00.0");
	remedy_fill("wait", "0000:c1:00.0", text, sizeof(text));
	CHECK_STR(text, "wait");
	remedy_fill("BDF BDF", "0000:c1:00.0", small, sizeof(small));
	CHECK_STR(small, "0000:c1");
}

int main(void)
{
	RUN(test_names_lead_back);
	RUN(test_names_are_words);
	RUN(test_unknown);
	RUN(test_lists);
	RUN(test_nearest);
	RUN(test_devices);
	RUN(test_hives);
	RUN(test_oam);
	RUN(test_remedies);
	return unit_end();
}
