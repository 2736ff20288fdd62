// SPDX-License-Identifier: GPL-2.0-only
/* The map from found sensors to GPUs, by policy and by name. */
#include "helper_util.h"
#include "conf.h"
#include "sensor_guess.h"
#include "sensor_map.h"

#define HOTSPOT	INSTINCT_VFIO_SENSOR_HOTSPOT
#define MEMORY	INSTINCT_VFIO_SENSOR_MEMORY
#define BOARD	INSTINCT_VFIO_SENSOR_BOARD
#define HWMON	INSTINCT_VFIO_SOURCE_HWMON
#define IPMI	INSTINCT_VFIO_SOURCE_IPMI
#define REDFISH	INSTINCT_VFIO_SOURCE_REDFISH

static struct devices gpus;
static struct found found;
static struct sensor_map map;

/* Makes a host of @count GPUs with default policy, 0000:c0:00.0 the first. */
static void host(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct device *dev = devices_add(&gpus);

		snprintf(dev->bdf, sizeof(dev->bdf), "0000:c%u:00.0", i);
		conf_defaults(&dev->policy);
	}
}

static void ipmi(const char *name)
{
	found_add(&found, IPMI, name);
}

static void hwmon(const char *bdf, const char *name)
{
	struct found_sensor *sensor = found_add(&found, HWMON, name);

	snprintf(sensor->bdf, sizeof(sensor->bdf), "%s", bdf);
}

static void ipmi_each(const char *const name[], unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		ipmi(name[i]);
}

static void make(void)
{
	sensor_map_free(&map);
	sensor_map_make(&map, &gpus, &found);
}

/* Returns the name of the found sensor that feeds a GPU's, "" if none does. */
static const char *feeds(unsigned int gpu, uint32_t kind, uint32_t source)
{
	int from = map.gpu[gpu].from[kind][source];

	return from == FEED_NONE ? "" : found.list[from].name;
}

static void end(void)
{
	devices_free(&gpus);
	found_free(&found);
	sensor_map_free(&map);
}

static void test_guess(void)
{
	static const struct {
		const char *name;
		uint32_t kind;
		unsigned int index;
		bool either;
	} right[] = {
		{ "GPU0_TEMP", HOTSPOT, 0, false }, { "gpu7 Temp", HOTSPOT, 7, false },
		{ "GPU 3 Hotspot", HOTSPOT, 3, false }, { "GPU#1 JUNCTION", HOTSPOT, 1, false },
		{ "MI300X-2 Temp", HOTSPOT, 2, false }, { "MI300_0.TEMP", HOTSPOT, 0, false },
		{ "MI355X_4 HOT SPOT", HOTSPOT, 4, false }, { "APU1 Temp", HOTSPOT, 1, false },
		{ "ACCEL_12_TEMP", HOTSPOT, 12, false }, { "GPU_TEMP_5", HOTSPOT, 5, false },
		{ "GPU0TEMP", HOTSPOT, 0, false }, { "GPU01 Temp", HOTSPOT, 1, false },
		{ "GPU0 Max Temp", HOTSPOT, 0, false }, { "OAM6_TEMP", HOTSPOT, 6, true },
		{ "OAM6 Hotspot", HOTSPOT, 6, false },
		{ "GPU0_HBM_TEMP", MEMORY, 0, false }, { "GPU0 Mem Temp", MEMORY, 0, false },
		{ "OAM3 Memory", MEMORY, 3, false }, { "GPU2_HBM1_TEMP", MEMORY, 2, false },
		{ "GPU HBM 4", MEMORY, 4, false }, { "GPU2 MEM HOTSPOT", MEMORY, 2, false },
		{ "GPU0_BOARD_TEMP", BOARD, 0, false }, { "GPU1 OAM_TEMP", BOARD, 1, false },
		{ "OAM1 Board", BOARD, 1, false }, { "GPU1 PCB Temp", BOARD, 1, false },
	};
	static const char *const wrong[] = {
		"", " ", "GPU", "GPU0", "GPU TEMP", "0", "TEMP", "CPU0_TEMP", "GPUS0_TEMP",
		"GPU0 VRM TEMP", "GPU0 Inlet Temp", "GPU0_PWR", "xGPU0 TEMP", "GPU1000 TEMP",
		"GPU-Zone Temp 1", "GPU0_TEMP\n", "GPU0 TEMP%n", "GPU0:TEMP", "MI3000 TEMP",
		"GPU_HBM1_TEMP2", "GPU HBM1 TEMP", "GPU0 BOARD MEM TEMP", "GPU0 T\xc3\xa9mp",
		"GPU0 HOTSPOT BOARD", "DIMM0 Temp", "GPU99999999999999999999 TEMP",
	};
	struct guess guess;
	size_t i;

	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		if (!sensor_guess_name(right[i].name, &guess)) {
			printf("# not accepted: \"%s\"\n", right[i].name);
			CHECK(false);
			continue;
		}
		if (guess.kind != right[i].kind || guess.index != right[i].index)
			printf("# mistaken: \"%s\"\n", right[i].name);
		CHECK_INT(guess.kind, right[i].kind);
		CHECK_INT(guess.index, right[i].index);
		CHECK_INT(guess.either, right[i].either);
	}
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (sensor_guess_name(wrong[i], &guess))
			printf("# accepted: \"%s\"\n", wrong[i]);
		CHECK(!sensor_guess_name(wrong[i], &guess));
	}
}

static void test_guess_of_all_bytes(void)
{
	char name[3] = "";
	struct guess guess;
	int c;

	for (c = 1; c < 256; c++) {
		name[0] = c;
		CHECK(!sensor_guess_name(name, &guess));
	}
}

static void test_ipmi_from_0(void)
{
	host(2);
	ipmi_each((const char *const[]){ "CPU0_TEMP", "GPU1_TEMP", "GPU0_TEMP", "GPU0_HBM",
					 "GPU1_HBM", "GPU0_BOARD", "GPU1_BOARD" }, 7);
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "GPU0_TEMP");
	CHECK_STR(feeds(1, HOTSPOT, IPMI), "GPU1_TEMP");
	CHECK_STR(feeds(0, MEMORY, IPMI), "GPU0_HBM");
	CHECK_STR(feeds(1, MEMORY, IPMI), "GPU1_HBM");
	CHECK_STR(feeds(1, BOARD, IPMI), "GPU1_BOARD");
	CHECK_STR(feeds(1, HOTSPOT, HWMON), "");
	CHECK(!sensor_map_uses(&map, 0));
	CHECK(sensor_map_uses(&map, 1));
	CHECK(!sensor_map_is_empty(&map));
	CHECK_INT(map.remarks, 3);
	CHECK(strstr(map.remark[0].text, "guessed"));
	CHECK(strstr(map.remark[0].text, "GPU0_TEMP and GPU1_TEMP"));
	CHECK(strstr(map.remark[0].text, "hotspot_sensor = ipmi:NAME"));
	end();
}

static void test_ipmi_from_1(void)
{
	host(3);
	ipmi_each((const char *const[]){ "GPU 3 Temp", "GPU 1 Temp", "GPU 2 Temp" }, 3);
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "GPU 1 Temp");
	CHECK_STR(feeds(2, HOTSPOT, IPMI), "GPU 3 Temp");
	CHECK_STR(feeds(0, MEMORY, IPMI), "");
	CHECK_INT(map.remarks, 1);
	end();
}

/* A policy that contradicts the guessed order disproves the guess for all GPUs. */
static void test_guess_disproved(void)
{
	host(3);
	gpus.list[0].policy.hotspot_sensor = text_intern("ipmi:GPU2_TEMP");
	gpus.list[1].policy.memory_sensor = text_intern("ipmi:GPU1_HBM");
	ipmi_each((const char *const[]){ "GPU0_TEMP", "GPU1_TEMP", "GPU2_TEMP", "GPU0_HBM",
					 "GPU1_HBM", "GPU2_HBM" }, 6);
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "GPU2_TEMP");
	CHECK_STR(feeds(1, HOTSPOT, IPMI), "");
	CHECK_STR(feeds(2, HOTSPOT, IPMI), "");
	CHECK(strstr(map.remark[0].text, "[device 0000:c0:00.0] hotspot_sensor = ipmi:GPU2_TEMP says"));
	/* A policy that agrees with the guess leaves it in force. */
	CHECK_STR(feeds(0, MEMORY, IPMI), "GPU0_HBM");
	CHECK_STR(feeds(2, MEMORY, IPMI), "GPU2_HBM");
	CHECK_INT(map.remarks, 2);
	end();
}

static void redfish(const char *name, const char *id)
{
	struct found_sensor *sensor = found_add(&found, REDFISH, name);

	snprintf(sensor->place, sizeof(sensor->place), "%s", id);
}

static void redfish_of_3(void)
{
	redfish("OAM_2/Die Temp", "GPU_2_DIE_TEMP");
	redfish("OAM_0/Die Temp", "GPU_0_DIE_TEMP");
	redfish("OAM_1/Die Temp", "GPU_1_DIE_TEMP");
	redfish("UBB/Inlet Temp", "UBB_TEMP_FRONT");
}

/* The sensors of one BMC by IPMI and by Redfish are guessed each by themselves. */
static void test_redfish(void)
{
	host(3);
	redfish_of_3();
	ipmi("GPU1_HBM");
	make();
	CHECK_STR(feeds(0, HOTSPOT, REDFISH), "OAM_0/Die Temp");
	CHECK_STR(feeds(2, HOTSPOT, REDFISH), "OAM_2/Die Temp");
	CHECK_STR(feeds(0, MEMORY, REDFISH), "");
	CHECK_STR(feeds(0, MEMORY, IPMI), "");
	CHECK_INT(map.remarks, 2);
	CHECK_INT(map.remark[0].source, REDFISH);
	CHECK(strstr(map.remark[0].text, "hotspot_sensor = redfish:NAME"));
	end();
	host(3);
	redfish_of_3();
	ipmi_each((const char *const[]){ "GPU1_TEMP", "GPU2_TEMP", "GPU3_TEMP" }, 3);
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "GPU1_TEMP");
	CHECK_STR(feeds(0, HOTSPOT, REDFISH), "OAM_0/Die Temp");
	end();
}

/* Policy names a sensor by CHASSIS/NAME or NAME, in any case. */
static void test_redfish_named(void)
{
	host(3);
	gpus.list[0].policy.hotspot_sensor = text_intern("redfish:oam_0/*");
	gpus.list[1].policy.hotspot_sensor = text_intern("redfish:DIE TEMP");
	gpus.list[2].policy.hotspot_sensor = text_intern("redfish:ubb/inlet temp");
	gpus.list[1].policy.board_sensor = text_intern("redfish:INLET TEMP");
	redfish_of_3();
	make();
	CHECK_STR(feeds(0, HOTSPOT, REDFISH), "OAM_0/Die Temp");
	CHECK_STR(feeds(1, HOTSPOT, REDFISH), "");
	CHECK_STR(feeds(2, HOTSPOT, REDFISH), "UBB/Inlet Temp");
	CHECK_STR(feeds(1, BOARD, REDFISH), "UBB/Inlet Temp");
	CHECK(strstr(map.remark[0].text, "names 3 sensors"));
	end();
}

/* A policy that names a sensor by IPMI disproves the guess by Redfish too, since it is one BMC. */
static void test_redfish_disproved(void)
{
	host(3);
	gpus.list[0].policy.hotspot_sensor = text_intern("ipmi:GPU2_TEMP");
	redfish_of_3();
	ipmi("GPU2_TEMP");
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "GPU2_TEMP");
	CHECK_STR(feeds(1, HOTSPOT, REDFISH), "");
	CHECK(strstr(map.remark[map.remarks - 1].text, "Name the others too: [device BDF] hotspot_sensor = redfish:NAME"));
	end();
	/* One that agrees leaves it in force. */
	host(3);
	gpus.list[0].policy.hotspot_sensor = text_intern("ipmi:GPU0_TEMP");
	redfish_of_3();
	ipmi("GPU0_TEMP");
	make();
	CHECK_STR(feeds(0, HOTSPOT, REDFISH), "");
	CHECK_STR(feeds(1, HOTSPOT, REDFISH), "OAM_1/Die Temp");
	end();
}

static void test_shared(void)
{
	host(3);
	gpus.list[0].policy.board_sensor = text_intern("ipmi:MID");
	gpus.list[1].policy.memory_sensor = text_intern("ipmi:MID");
	gpus.list[2].policy.board_sensor = text_intern("ipmi:END");
	gpus.list[2].policy.memory_sensor = text_intern("ipmi:END");
	ipmi("MID");
	ipmi("END");
	make();
	CHECK_STR(feeds(0, BOARD, IPMI), "MID");
	CHECK_STR(feeds(1, MEMORY, IPMI), "MID");
	CHECK_INT(map.remarks, 1);
	CHECK_STR(map.remark[0].text, "MID feeds both 0000:c0:00.0 and 0000:c1:00.0: make sure that policy means that");
	end();
}

/* The guess needs exactly one sensor per GPU. */
static void test_ipmi_not_one_for_each(void)
{
	static const char *const lists[][3] = {
		{ "GPU0_TEMP", NULL, NULL },				/* too few */
		{ "GPU0_TEMP", "GPU1_TEMP", "GPU2_TEMP" },		/* too many */
		{ "GPU0_TEMP", "GPU2_TEMP", NULL },			/* a hole */
		{ "GPU2_TEMP", "GPU3_TEMP", NULL },			/* not from 0 or 1 */
		{ "GPU0_TEMP", "GPU0 Hotspot", NULL },			/* twice */
		{ "GPU0_TEMP", "GPU0_TEMP", NULL },
	};
	size_t i, j;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		host(2);
		for (j = 0; j < 3 && lists[i][j]; j++)
			ipmi(lists[i][j]);
		make();
		CHECK(sensor_map_is_empty(&map));
		CHECK_INT(map.remarks, 1);
		CHECK(strstr(map.remark[0].text, "GPU0_TEMP") || i == 3);
		CHECK(strstr(map.remark[0].text, "Name them in policy"));
		end();
	}
}

static void test_oam(void)
{
	host(1);
	ipmi("OAM0_TEMP");
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "OAM0_TEMP");
	CHECK_STR(feeds(0, BOARD, IPMI), "");
	ipmi("GPU0_TEMP");
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "GPU0_TEMP");
	CHECK_STR(feeds(0, BOARD, IPMI), "OAM0_TEMP");
	end();
}

static void test_amdgpu(void)
{
	host(2);
	hwmon("0000:c1:00.0", "amdgpu/edge");
	hwmon("0000:c1:00.0", "amdgpu/junction");
	hwmon("0000:c1:00.0", "amdgpu/mem");
	hwmon("0000:ff:00.0", "amdgpu/junction");
	hwmon("0000:c0:00.0", "radeon/junction");
	hwmon("0000:c0:00.0", "amdgpu/Junction");
	make();
	CHECK_STR(feeds(0, HOTSPOT, HWMON), "");
	CHECK_STR(feeds(1, HOTSPOT, HWMON), "amdgpu/junction");
	CHECK_INT(map.gpu[1].from[HOTSPOT][HWMON], 1);
	CHECK_STR(feeds(1, MEMORY, HWMON), "amdgpu/mem");
	CHECK_STR(feeds(1, BOARD, HWMON), "");
	CHECK_INT(map.remarks, 0);
	/* A GPU can have both sources. */
	ipmi("GPU0_TEMP");
	ipmi("GPU1_TEMP");
	make();
	CHECK_STR(feeds(1, HOTSPOT, HWMON), "amdgpu/junction");
	CHECK_STR(feeds(1, HOTSPOT, IPMI), "GPU1_TEMP");
	end();
}

static void test_named(void)
{
	host(2);
	gpus.list[0].policy.hotspot_sensor = text_intern("ipmi:gpu a temp");
	gpus.list[0].policy.memory_sensor = text_intern("none");
	gpus.list[0].policy.board_sensor = text_intern("hwmon:tmp421/board ?");
	gpus.list[1].policy.hotspot_sensor = text_intern("ipmi:GPU ? Temp");
	gpus.list[1].policy.memory_sensor = text_intern("ipmi:HBM*");
	gpus.list[1].policy.board_sensor = text_intern("hwmon:TMP421/*");
	ipmi_each((const char *const[]){ "GPU A Temp", "GPU B Temp", "GPU0 HBM", "GPU1 HBM" }, 4);
	hwmon("", "tmp421/board 0");
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "GPU A Temp");
	CHECK_STR(feeds(0, MEMORY, IPMI), "");
	CHECK_STR(feeds(0, BOARD, HWMON), "tmp421/board 0");
	/* A pattern must match exactly one sensor; names of hwmon are case-sensitive. */
	CHECK_STR(feeds(1, HOTSPOT, IPMI), "");
	CHECK_STR(feeds(1, MEMORY, IPMI), "");
	CHECK_STR(feeds(1, BOARD, HWMON), "");
	CHECK_INT(map.remarks, 3);
	CHECK(strstr(map.remark[0].text, "0000:c1:00.0: hotspot_sensor = ipmi:GPU ? Temp"));
	CHECK(strstr(map.remark[0].text, "2 sensors"));
	CHECK(strstr(map.remark[0].text, "GPU A Temp and GPU B Temp"));
	CHECK(strstr(map.remark[1].text, "no such sensor"));
	end();
}

/* Every GPU has a sensor amdgpu/junction, and gets its own. */
static void test_named_own(void)
{
	host(2);
	gpus.list[0].policy.hotspot_sensor = text_intern("hwmon:amdgpu/junction");
	gpus.list[1].policy.hotspot_sensor = text_intern("hwmon:amdgpu/junction");
	hwmon("0000:c1:00.0", "amdgpu/junction");
	hwmon("0000:c0:00.0", "amdgpu/junction");
	hwmon("0000:c2:00.0", "amdgpu/junction");
	make();
	CHECK_INT(map.gpu[0].from[HOTSPOT][HWMON], 1);
	CHECK_INT(map.gpu[1].from[HOTSPOT][HWMON], 0);
	CHECK_INT(map.remarks, 0);
	end();
}

/* A GPU without amdgpu does not get another GPU's junction, but may use a NIC's sensor. */
static void test_named_of_another(void)
{
	host(2);
	gpus.list[0].policy.hotspot_sensor = text_intern("hwmon:amdgpu/junction");
	gpus.list[1].policy.hotspot_sensor = text_intern("hwmon:amdgpu/junction");
	gpus.list[0].policy.board_sensor = text_intern("hwmon:nic/temp1");
	hwmon("0000:c1:00.0", "amdgpu/junction");
	hwmon("0000:ff:00.0", "nic/temp1");
	make();
	CHECK_STR(feeds(0, HOTSPOT, HWMON), "");
	CHECK_STR(feeds(1, HOTSPOT, HWMON), "amdgpu/junction");
	CHECK_STR(feeds(0, BOARD, HWMON), "nic/temp1");
	CHECK_INT(map.remarks, 1);
	CHECK(strstr(map.remark[0].text, "0000:c0:00.0: hotspot_sensor = hwmon:amdgpu/junction: no such sensor"));
	end();
}

static void test_index(void)
{
	uint32_t from_0 = text_intern("ipmi:MOD%d ?"), from_1 = text_intern("ipmi:x%1d.%1d%n%s%");
	unsigned int i;

	host(12);
	for (i = 0; i < gpus.count; i++) {
		char name[32];

		gpus.list[i].policy.hotspot_sensor = from_0;
		gpus.list[i].policy.memory_sensor = from_1;
		gpus.list[i].policy.board_sensor = text_intern("none");
		snprintf(name, sizeof(name), "MOD%u T", i);
		ipmi(name);
		snprintf(name, sizeof(name), "x%u.%u%%n%%s%%", i + 1, i + 1);
		ipmi(name);
	}
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "MOD0 T");
	CHECK_STR(feeds(11, HOTSPOT, IPMI), "MOD11 T");
	CHECK_STR(feeds(0, MEMORY, IPMI), "x1.1%n%s%");
	CHECK_STR(feeds(11, MEMORY, IPMI), "x12.12%n%s%");
	CHECK_INT(map.remarks, 0);
	/* MOD1* also matches MOD10 T and MOD11 T. */
	for (i = 0; i < gpus.count; i++)
		gpus.list[i].policy.hotspot_sensor = text_intern("ipmi:MOD%d*");
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "");
	CHECK_STR(feeds(11, HOTSPOT, IPMI), "");
	CHECK_STR(feeds(11, MEMORY, IPMI), "x12.12%n%s%");
	CHECK_INT(map.remarks, 1);
	CHECK(strstr(map.remark[0].text, "hotspot_sensor = ipmi:MOD%d* names MOD0 T, "));
	CHECK(strstr(map.remark[0].text, "not one for each of 12 GPUs"));
	end();
}

/* The BMC's numbers do not fit the host's GPUs. */
static void test_index_of_missing_gpu(void)
{
	static const char *const lists[][3] = {
		{ "GPU0", "GPU1", "GPU2" },
		{ "GPU0", "GPU2", NULL },
		{ "GPU1", "GPU2", NULL },
		{ "GPU0", NULL, NULL },
		{ "GPU0", "GPU0", "GPU1" },
	};
	unsigned int i, j;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		host(2);
		gpus.list[0].policy.board_sensor = text_intern("ipmi:GPU%d");
		gpus.list[1].policy.board_sensor = text_intern("ipmi:GPU%d");
		for (j = 0; j < 3 && lists[i][j]; j++)
			ipmi(lists[i][j]);
		make();
		CHECK(sensor_map_is_empty(&map));
		CHECK_INT(map.remarks, 1);
		CHECK(strstr(map.remark[0].text, "not one for each of 2 GPUs"));
		end();
	}
	/* One sensor does not serve two GPUs either. */
	host(2);
	gpus.list[0].policy.board_sensor = text_intern("ipmi:*%d*");
	ipmi("GPU0-1");
	make();
	CHECK(sensor_map_is_empty(&map));
	end();
}

static void test_long_pattern(void)
{
	char pattern[1200] = "ipmi:";
	unsigned int i;

	for (i = 0; i < 300; i++)
		strcat(pattern, "%1d");
	host(1);
	gpus.list[0].policy.board_sensor = text_intern(pattern);
	memset(pattern + 5, '1', 1000);
	gpus.list[0].policy.hotspot_sensor = text_intern(pattern);
	ipmi("111");
	make();
	CHECK(sensor_map_is_empty(&map));
	CHECK_INT(map.remarks, 2);
	end();
}

static void test_nobody(void)
{
	host(0);
	ipmi("GPU0_TEMP");
	make();
	CHECK_INT(map.gpus, 0);
	CHECK_INT(map.remarks, 0);
	CHECK(sensor_map_is_empty(&map));
	end();
	host(1);
	make();
	CHECK(sensor_map_is_empty(&map));
	CHECK_INT(map.remarks, 0);
	end();
}

static void test_hostile_names(void)
{
	char name[1001];
	size_t i;

	memset(name, 'A', 1000);
	name[1000] = '\0';
	CHECK(!found_add(&found, IPMI, ""));
	ipmi(name);
	CHECK_INT(strlen(found.list[0].name), FOUND_NAME_BYTES - 1);
	ipmi("a\001b\x7f\x1b[31m\n");
	CHECK_STR(found.list[1].name, "a?b??[31m?");
	ipmi("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	CHECK_STR(found.list[2].name, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	/* Overlong, a surrogate, beyond U+10FFFF, a C1 control, truncated, no lead byte. */
	ipmi("\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xc2\x9b \xe2\x82 \x80\xff");
	CHECK_STR(found.list[3].name, "?? ??? ???? ?? ?? ??");
	ipmi("\xe2\x80\x8f \xe2\x80\xae \xe2\x81\xa6 \xe2\x80\x90");
	CHECK_STR(found.list[4].name, "??? ??? ??? \xe2\x80\x90");
	/* The limit does not split a character. */
	for (i = 0; i < 1000; i += 2)
		memcpy(name + i, "\xc3\xa9", 2);
	ipmi(name);
	CHECK_INT(strlen(found.list[5].name), (FOUND_NAME_BYTES - 1) / 2 * 2);
	ipmi("%n%n%s");
	host(1);
	gpus.list[0].policy.hotspot_sensor = text_intern("ipmi:*");
	gpus.list[0].policy.memory_sensor = text_intern("ipmi:%n%n%s");
	make();
	CHECK_STR(feeds(0, MEMORY, IPMI), "%n%n%s");
	CHECK_INT(map.remarks, 1);
	CHECK(strstr(map.remark[0].text, "7 sensors"));
	CHECK(strstr(map.remark[0].text, " more"));
	end();
}

static void test_too_many(void)
{
	unsigned int i;

	for (i = 0; i < FOUND_MAX + 10; i++)
		ipmi("GPU0_TEMP");
	CHECK_INT(found.count, FOUND_MAX);
	host(8);
	make();
	CHECK(sensor_map_is_empty(&map));
	CHECK_INT(map.remarks, 1);
	end();
}

static void test_sane(void)
{
	CHECK(found_is_sane(0));
	CHECK(found_is_sane(INSTINCT_VFIO_TEMPERATURE_MIN));
	CHECK(found_is_sane(INSTINCT_VFIO_TEMPERATURE_MAX));
	CHECK(!found_is_sane(INSTINCT_VFIO_TEMPERATURE_MIN - 1ll));
	CHECK(!found_is_sane(INSTINCT_VFIO_TEMPERATURE_MAX + 1ll));
	CHECK(!found_is_sane(1ll << 32));
}

int main(void)
{
	util_begin();
	RUN(test_guess);
	RUN(test_guess_of_all_bytes);
	RUN(test_ipmi_from_0);
	RUN(test_ipmi_from_1);
	RUN(test_guess_disproved);
	RUN(test_redfish);
	RUN(test_redfish_named);
	RUN(test_redfish_disproved);
	RUN(test_shared);
	RUN(test_ipmi_not_one_for_each);
	RUN(test_oam);
	RUN(test_amdgpu);
	RUN(test_named);
	RUN(test_named_own);
	RUN(test_named_of_another);
	RUN(test_index);
	RUN(test_index_of_missing_gpu);
	RUN(test_long_pattern);
	RUN(test_nobody);
	RUN(test_hostile_names);
	RUN(test_too_many);
	RUN(test_sane);
	return unit_end();
}
