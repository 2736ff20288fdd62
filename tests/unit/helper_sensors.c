// SPDX-License-Identifier: GPL-2.0-only
/* The map from found sensors to GPUs, by policy and by name. */
#include "helper_util.h"
#include "conf.h"
#include "say.h"
#include "sensor_guess.h"
#include "sensor_map.h"

#define HOTSPOT	INSTINCT_VFIO_SENSOR_HOTSPOT
#define MEMORY	INSTINCT_VFIO_SENSOR_MEMORY
#define BOARD	INSTINCT_VFIO_SENSOR_BOARD
#define HWMON	INSTINCT_VFIO_SOURCE_HWMON
#define IPMI	INSTINCT_VFIO_SOURCE_IPMI
#define REDFISH	INSTINCT_VFIO_SOURCE_REDFISH

static struct devices gpus;
static struct oams oams;
static struct found found;
static struct sensor_map map;

/* Makes a host of @count GPUs with default policy, 0000:c0:00.0 the first, which is OAM 0. */
static void host(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct device *dev = devices_add(&gpus);

		snprintf(dev->bdf, sizeof(dev->bdf), "0000:c%u:00.0", i);
		conf_defaults(&dev->policy);
		oam_add(&oams, dev->bdf, i, OAM_BY_AMDGPU);
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
	sensor_map_make(&map, &gpus, &oams, &found);
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
	oam_free(&oams);
	found_free(&found);
	sensor_map_free(&map);
}

static void test_guess(void)
{
	static const struct {
		const char *name;
		uint32_t kind;
		unsigned int index;
		bool oam;
	} right[] = {
		{ "GPU0_TEMP", HOTSPOT, 0, false }, { "gpu7 Temp", HOTSPOT, 7, false },
		{ "GPU 3 Hotspot", HOTSPOT, 3, false }, { "GPU#1 JUNCTION", HOTSPOT, 1, false },
		{ "MI300X-2 Temp", HOTSPOT, 2, false }, { "MI300_0.TEMP", HOTSPOT, 0, false },
		{ "MI355X_4 HOT SPOT", HOTSPOT, 4, false }, { "APU1 Temp", HOTSPOT, 1, false },
		{ "ACCEL_12_TEMP", HOTSPOT, 12, false }, { "GPU_TEMP_5", HOTSPOT, 5, false },
		{ "GPU0TEMP", HOTSPOT, 0, false }, { "GPU01 Temp", HOTSPOT, 1, false },
		{ "GPU0 Max Temp", HOTSPOT, 0, false }, { "OAM6_TEMP", BOARD, 6, true },
		{ "OAM6 Hotspot", HOTSPOT, 6, true }, { "OAM6 Die Temp", HOTSPOT, 6, true },
		{ "GPU0_HBM_TEMP", MEMORY, 0, false }, { "GPU0 Mem Temp", MEMORY, 0, false },
		{ "OAM3 Memory", MEMORY, 3, true }, { "GPU2_HBM1_TEMP", MEMORY, 2, false },
		{ "GPU HBM 4", MEMORY, 4, false }, { "GPU2 MEM HOTSPOT", MEMORY, 2, false },
		{ "GPU0_BOARD_TEMP", BOARD, 0, false }, { "GPU1 OAM_TEMP", BOARD, 1, false },
		{ "OAM1 Board", BOARD, 1, true }, { "GPU1 PCB Temp", BOARD, 1, false },
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
		CHECK_INT(guess.oam, right[i].oam);
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

/* Returns the names of the sensors of GPUs that are not known. */
static const char *loose(void)
{
	static char text[512];
	size_t i;

	*text = '\0';
	for (i = 0; i < map.looses; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 found.list[map.loose[i].found].name);
	return text;
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

/* The numbers of the published MI355X node, in the order of addresses. */
static void test_published_order(void)
{
	static const int published[] = { 6, 7, 5, 4, 2, 3, 1, 0 };
	char name[32], id[32];
	unsigned int i;

	host(8);
	for (i = 0; i < 8; i++) {
		oams.list[i].number = published[i];
		snprintf(name, sizeof(name), "OAM_%u/GPU_%u_DIE_TEMP", i, i);
		snprintf(id, sizeof(id), "GPU_%u_DIE_TEMP", i);
		redfish(name, id);
	}
	make();
	CHECK_STR(feeds(0, HOTSPOT, REDFISH), "OAM_6/GPU_6_DIE_TEMP");
	CHECK_STR(feeds(7, HOTSPOT, REDFISH), "OAM_0/GPU_0_DIE_TEMP");
	CHECK_STR(loose(), "");
	CHECK_INT(map.remarks, 1);
	CHECK(strstr(map.remark[0].text, "0000:c0:00.0 is OAM 6 (amdgpu), "));
	/* One GPU's number is not known: its sensor is nobody's. */
	oams.list[0].number = OAM_UNKNOWN;
	make();
	CHECK_STR(feeds(0, HOTSPOT, REDFISH), "");
	CHECK_STR(feeds(1, HOTSPOT, REDFISH), "OAM_7/GPU_7_DIE_TEMP");
	CHECK_STR(loose(), "OAM_6/GPU_6_DIE_TEMP");
	CHECK(strstr(map.remark[1].text, "hotspot: OAM_6/GPU_6_DIE_TEMP: not given to any GPU, since the OAM number of 0000:c0:00.0 is not known"));
	CHECK(sensor_map_is_loose(&map, 6));
	CHECK(!sensor_map_is_loose(&map, 7));
	/* Two GPUs with one number: neither counts. */
	oams.list[0].number = oams.list[1].number;
	oams.list[0].twice = oams.list[1].twice = true;
	make();
	CHECK_STR(feeds(0, HOTSPOT, REDFISH), "");
	CHECK_STR(feeds(1, HOTSPOT, REDFISH), "");
	CHECK_STR(loose(), "OAM_6/GPU_6_DIE_TEMP OAM_7/GPU_7_DIE_TEMP");
	end();
}

/* Nothing is known, so nothing is guessed by the order of addresses. */
static void test_no_numbers(void)
{
	unsigned int i;

	host(3);
	for (i = 0; i < 3; i++)
		oams.list[i].number = OAM_UNKNOWN;
	redfish_of_3();
	make();
	CHECK(sensor_map_is_empty(&map));
	CHECK_STR(loose(), "OAM_2/Die Temp OAM_0/Die Temp OAM_1/Die Temp");
	CHECK_INT(map.remarks, 1);
	CHECK(strstr(map.remark[0].text, "the OAM numbers of 0000:c0:00.0 and 2 more are not known"));
	CHECK(strstr(map.remark[0].text, "hotspot_sensor = redfish:NAME"));
	/* Policy that wants no sensor gets none. */
	for (i = 0; i < 3; i++)
		gpus.list[i].policy.hotspot_sensor = text_intern("none");
	make();
	CHECK_STR(loose(), "");
	CHECK_INT(map.remarks, 0);
	end();
}

/* "GPU 0" is no OAM number: the BMC may count in any order. */
static void test_gpu_names(void)
{
	host(2);
	ipmi_each((const char *const[]){ "CPU0_TEMP", "GPU1_TEMP", "GPU0_TEMP", "GPU0_HBM",
					 "GPU1_HBM", "OAM0 Board", "OAM1 Board" }, 7);
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "");
	CHECK_STR(feeds(1, MEMORY, IPMI), "");
	CHECK_STR(feeds(0, BOARD, IPMI), "OAM0 Board");
	CHECK_STR(loose(), "GPU1_TEMP GPU0_TEMP GPU0_HBM GPU1_HBM");
	CHECK_INT(map.loose[0].kind, HOTSPOT);
	CHECK_INT(map.loose[3].kind, MEMORY);
	CHECK(strstr(map.remark[0].text, "GPU1_TEMP and GPU0_TEMP: not given to any GPU, since their names do not tell an OAM number"));
	end();
}

/* A BMC that counts from 1 has other numbers than the hardware. */
static void test_from_1(void)
{
	host(3);
	ipmi_each((const char *const[]){ "OAM 3 Hotspot", "OAM 1 Hotspot", "OAM 2 Hotspot" }, 3);
	make();
	CHECK(sensor_map_is_empty(&map));
	CHECK(strstr(map.remark[0].text, "do not both begin with OAM 0"));
	/* But the GPU that is OAM 0 may be missing from both. */
	oams.list[0].number = 3;
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "OAM 3 Hotspot");
	CHECK_STR(feeds(1, HOTSPOT, IPMI), "OAM 1 Hotspot");
	end();
}

/* Adds the hot spots of OAM @first to OAM @last. */
static void hot_spots(unsigned int first, unsigned int last)
{
	char name[32];

	for (; first <= last; first++) {
		snprintf(name, sizeof(name), "OAM%u_HOT", first);
		ipmi(name);
	}
}

/* A BMC counts from 1 if the slots do so, and if it has the numbers of a whole board. */
static void test_board_from_1(void)
{
	unsigned int i;

	host(8);
	hot_spots(1, 8);
	make();
	CHECK(sensor_map_is_empty(&map));
	CHECK(strstr(map.remark[0].text, "do not both begin with OAM 0"));
	oams.from_1 = true;
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "OAM1_HOT");
	CHECK_STR(feeds(7, HOTSPOT, IPMI), "OAM8_HOT");
	CHECK(strstr(map.remark[0].text, "The BMC's OAM numbers, less 1, are taken for the GPUs' own: "));
	CHECK_STR(loose(), "");
	/* GPU 0 is missing, so nothing tells where the GPUs' numbers begin. */
	oams.list[0].number = OAM_UNKNOWN;
	make();
	CHECK(sensor_map_is_empty(&map));
	/* An operator has named the BMC's numbers. */
	for (i = 0; i < 8; i++)
		oams.list[i].number = i + 1;
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "OAM1_HOT");
	CHECK_STR(feeds(7, HOTSPOT, IPMI), "OAM8_HOT");
	/* But this BMC counts from 0. */
	found_free(&found);
	hot_spots(0, 7);
	make();
	CHECK(sensor_map_is_empty(&map));
	CHECK(strstr(map.remark[0].text, "do not both begin with OAM 0"));
	end();
	host(8);
	oams.from_1 = true;
	hot_spots(1, 7);
	make();
	CHECK(sensor_map_is_empty(&map));
	end();
}

/* An operator's numbers from 1, of a board whose last GPU is missing, are no numbers of a BMC that counts from 0. */
static void test_named_from_1(void)
{
	unsigned int i;

	host(7);
	hot_spots(0, 7);
	for (i = 0; i < 7; i++)
		oams.list[i] = (struct oam) { .number = i + 1, .origin = OAM_BY_CONF };
	make();
	CHECK(sensor_map_is_empty(&map));
	CHECK(strstr(map.remark[0].text, "do not both begin with OAM 0"));
	/* The hardware counts from 0, so here GPU 0 is missing. */
	for (i = 0; i < 7; i++)
		oams.list[i].origin = OAM_BY_AMDGPU;
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "OAM1_HOT");
	end();
}

/* A sensor that policy names for another kind is not of an unknown GPU. */
static void test_named_otherwise(void)
{
	host(1);
	gpus.list[0].policy.board_sensor = text_intern("ipmi:GPU0_TEMP");
	ipmi("GPU0_TEMP");
	make();
	CHECK_STR(feeds(0, BOARD, IPMI), "GPU0_TEMP");
	CHECK_STR(loose(), "");
	end();
}

/* Each sensor that no GPU has is told with its own reason. */
static void test_reasons(void)
{
	host(3);
	oams.list[2].number = OAM_UNKNOWN;
	ipmi_each((const char *const[]){ "OAM0_HOT", "OAM1_HOT", "OAM1 JUNCTION", "OAM7_HOT", "GPU5_TEMP" }, 5);
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "OAM0_HOT");
	CHECK_INT(map.remarks, 4);
	CHECK(strstr(map.remark[1].text, "hotspot: GPU5_TEMP: not given to any GPU, since their names do not tell an OAM number"));
	CHECK(strstr(map.remark[2].text, "hotspot: OAM1_HOT and OAM1 JUNCTION: not given to any GPU, since several sensors have the same OAM number"));
	CHECK(strstr(map.remark[3].text, "hotspot: OAM7_HOT: not given to any GPU, since the OAM number of 0000:c2:00.0 is not known"));
	/* All numbers are known, and none of them is 7. */
	oams.list[2].number = 2;
	make();
	CHECK(strstr(map.remark[3].text, "since no GPU has such an OAM number"));
	end();
}

/* The list of the numbers names each GPU of a board, and says how many more a larger host has. */
static void test_long_list(void)
{
	char text[160];

	host(8);
	hot_spots(0, 7);
	make();
	CHECK(strstr(map.remark[0].text, "0000:c7:00.0 is OAM 7 (amdgpu)"));
	oam_list(&oams, text, sizeof(text));
	CHECK_STR(text, "0000:c0:00.0 is OAM 0 (amdgpu), 0000:c1:00.0 is OAM 1 (amdgpu), 0000:c2:00.0 is OAM 2 (amdgpu), 0000:c3:00.0 is OAM 3 (amdgpu) and 4 more");
	end();
}

/* Sensors that do not fit feed nothing. */
static void test_odd(void)
{
	host(2);
	redfish("OAM_0/GPU_0_DIE_TEMP", "GPU_0_DIE_TEMP");
	redfish("OAM_0/GPU_0_CORE_TEMP", "GPU_0_CORE_TEMP");
	redfish("OAM_1/GPU_5_DIE_TEMP", "GPU_5_DIE_TEMP");
	redfish("OAM_7/GPU_7_DIE_TEMP", "GPU_7_DIE_TEMP");
	make();
	CHECK(sensor_map_is_empty(&map));
	CHECK_INT(map.looses, 4);
	end();
}

/* A policy that contradicts the numbers disproves them for all GPUs. */
static void test_disproved(void)
{
	host(3);
	gpus.list[0].policy.hotspot_sensor = text_intern("ipmi:OAM2_HOT");
	gpus.list[1].policy.memory_sensor = text_intern("ipmi:OAM1_HBM");
	ipmi_each((const char *const[]){ "OAM0_HOT", "OAM1_HOT", "OAM2_HOT", "OAM0_HBM",
					 "OAM1_HBM", "OAM2_HBM" }, 6);
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "OAM2_HOT");
	CHECK_STR(feeds(1, HOTSPOT, IPMI), "");
	CHECK_STR(feeds(2, HOTSPOT, IPMI), "");
	CHECK_STR(loose(), "OAM0_HOT OAM1_HOT");
	CHECK(strstr(map.remark[0].text, "since [device 0000:c0:00.0] hotspot_sensor = ipmi:OAM2_HOT says"));
	/* A policy that agrees with them leaves them in force. */
	CHECK_STR(feeds(0, MEMORY, IPMI), "OAM0_HBM");
	CHECK_STR(feeds(1, MEMORY, IPMI), "OAM1_HBM");
	CHECK_STR(feeds(2, MEMORY, IPMI), "OAM2_HBM");
	CHECK_INT(map.remarks, 2);
	end();
	/* "GPU5" is no OAM number, so it contradicts none. */
	host(3);
	gpus.list[0].policy.hotspot_sensor = text_intern("ipmi:GPU5_TEMP");
	ipmi_each((const char *const[]){ "GPU5_TEMP", "OAM0_HOT", "OAM1_HOT", "OAM2_HOT" }, 4);
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "GPU5_TEMP");
	CHECK_STR(feeds(1, HOTSPOT, IPMI), "OAM1_HOT");
	CHECK_STR(loose(), "");
	end();
	/* The BMC is the same by IPMI and by Redfish. */
	host(3);
	gpus.list[0].policy.hotspot_sensor = text_intern("ipmi:OAM2_HOT");
	redfish_of_3();
	ipmi("OAM2_HOT");
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "OAM2_HOT");
	CHECK_STR(feeds(1, HOTSPOT, REDFISH), "");
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
	ipmi("OAM0_HOT");
	ipmi("OAM1_HOT");
	make();
	CHECK_STR(feeds(1, HOTSPOT, HWMON), "amdgpu/junction");
	CHECK_STR(feeds(1, HOTSPOT, IPMI), "OAM1_HOT");
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
	CHECK_STR(feeds(1, HOTSPOT, IPMI), "");
	CHECK_STR(feeds(11, HOTSPOT, IPMI), "MOD11 T");
	CHECK_INT(map.remarks, 1);
	CHECK(strstr(map.remark[0].text, "0000:c1:00.0: hotspot_sensor = ipmi:MOD%d* names 3 sensors"));
	/* %d is the hardware's number, not the place in the order of addresses. */
	oams.list[0].number = 5;
	oams.list[5].number = OAM_UNKNOWN;
	make();
	CHECK_STR(feeds(0, HOTSPOT, IPMI), "MOD5 T");
	CHECK_STR(feeds(5, HOTSPOT, IPMI), "");
	CHECK(strstr(map.remark[1].text, "0000:c5:00.0: hotspot_sensor = ipmi:MOD%d* feeds nothing, since the GPU's OAM number is not known"));
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
	ipmi("OAM0_HOT");
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
		ipmi("OAM0_HOT");
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

/* Makes a GPU of a captured host; @oam is amdgpu's number, or "". */
static void put_gpu(const char *bdf, const char *oam)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "mkdir -p sys/devices/pci0000:00/0000:00:01.0/%s sys/bus/pci/devices", bdf);
	CHECK(!system(path));
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", bdf);
	snprintf(target, sizeof(target), "../../../devices/pci0000:00/0000:00:01.0/%s", bdf);
	CHECK(!symlink(target, path));
	snprintf(path, sizeof(path), "sys/devices/pci0000:00/0000:00:01.0/%s/xgmi_physical_id", bdf);
	if (*oam)
		util_write(path, oam);
	snprintf(devices_add(&gpus)->bdf, BDF_BYTES, "%s", bdf);
}

static void test_oam_sources(void)
{
	char text[256];

	opt_sysroot = ".";
	put_gpu("0000:05:00.0", "7\n");
	put_gpu("0000:15:00.0", "");
	put_gpu("0000:25:00.0", "");
	put_gpu("0000:35:00.0", "");
	put_gpu("0000:45:00.0", "0x40\n");
	CHECK(!system("mkdir -p var/lib/instinct-vfio sys/bus/pci/slots/OAM_2 sys/bus/pci/slots/OAM_0 sys/bus/pci/slots/4"));
	/* The serial number of another GPU, garbage, and a GPU that is not there. */
	util_write("var/lib/instinct-vfio/oam", "0000:15:00.0 6 0000000000000000\nx\n"
		   "0000:45:00.0 70 0000000000000000\n0000:ff:00.0 1 0000000000000001\n");
	util_write("sys/bus/pci/slots/OAM_2/address", "0000:25:00\n");
	util_write("sys/bus/pci/slots/4/address", "0000:35:00\n");
	oam_find(&oams, &gpus, "");
	oam_list(&oams, text, sizeof(text));
	CHECK_STR(text, "0000:05:00.0 is OAM 7 (amdgpu), 0000:15:00.0 is OAM 6 (remembered), 0000:25:00.0 is OAM 2 (slot)");
	CHECK_INT(oam_number(&oams, 3), OAM_UNKNOWN);
	CHECK_INT(oam_number(&oams, 4), OAM_UNKNOWN);
	CHECK_INT(oam_number(&oams, 5), OAM_UNKNOWN);
	oam_free(&oams);
	/* monitor.conf comes first, but no number belongs to two GPUs. */
	oam_find(&oams, &gpus, "0000:05:00.0=6 0000:35:00.0=3");
	CHECK_INT(oam_number(&oams, 0), OAM_UNKNOWN);
	CHECK_INT(oam_number(&oams, 1), OAM_UNKNOWN);
	CHECK_INT(oam_number(&oams, 2), 2);
	CHECK_INT(oam_number(&oams, 3), 3);
	end();
	CHECK(!system("rm -r sys var"));
	opt_sysroot = "";
}

static void put_slot(unsigned int number, const char *bdf)
{
	char path[96];

	snprintf(path, sizeof(path), "mkdir -p 'sys/bus/pci/slots/OAM %u'", number);
	CHECK(!system(path));
	snprintf(path, sizeof(path), "sys/bus/pci/slots/OAM %u/address", number);
	util_write(path, bdf);
}

/* Firmware may count slots from 1. */
static void test_oam_slots(void)
{
	unsigned int i;

	opt_sysroot = ".";
	put_gpu("0000:05:00.0", "");
	put_gpu("0000:15:00.0", "");
	put_slot(1, "0000:05:00\n");
	put_slot(2, "0000:15:00\n");
	/* These may be the first of a board, or OAM 0 may be missing. */
	oam_find(&oams, &gpus, "");
	CHECK_INT(oam_number(&oams, 0), OAM_UNKNOWN);
	CHECK_INT(oams.list[0].origin, OAM_BY_NOTHING);
	oam_free(&oams);
	/* A GPU whose number is known tells. */
	oam_find(&oams, &gpus, "0000:15:00.0=1");
	CHECK_INT(oam_number(&oams, 0), 0);
	CHECK(oams.from_1);
	CHECK_INT(oams.list[0].origin, OAM_BY_SLOT);
	oam_free(&oams);
	oam_find(&oams, &gpus, "0000:15:00.0=2");
	CHECK_INT(oam_number(&oams, 0), 1);
	CHECK(!oams.from_1);
	oam_free(&oams);
	oam_find(&oams, &gpus, "0000:15:00.0=5");
	CHECK_INT(oam_number(&oams, 0), OAM_UNKNOWN);
	oam_free(&oams);
	/* A whole board tells, whether or not its other GPUs are there. */
	for (i = 3; i <= 8; i++)
		put_slot(i, "0000:99:00\n");
	oam_find(&oams, &gpus, "");
	CHECK_INT(oam_number(&oams, 0), 0);
	CHECK_INT(oam_number(&oams, 1), 1);
	oam_free(&oams);
	put_slot(0, "0000:99:00\n");
	oam_find(&oams, &gpus, "");
	CHECK_INT(oam_number(&oams, 0), 1);
	oam_free(&oams);
	/* The known number and OAM 0 contradict each other. */
	oam_find(&oams, &gpus, "0000:15:00.0=1");
	CHECK_INT(oam_number(&oams, 0), OAM_UNKNOWN);
	end();
	CHECK(!system("rm -r sys"));
	opt_sysroot = "";
}

/* The service remembers what amdgpu told, for the time when amdgpu has the GPU no longer. */
static void test_oam_record(void)
{
	char cwd[512], text[128] = "";
	FILE *file;

	CHECK(getcwd(cwd, sizeof(cwd)));
	setenv("STATE_DIRECTORY", cwd, true);
	oam_add(&oams, "0000:fe:1f.0", 5, OAM_BY_AMDGPU)->serial = 0xabc;
	oam_add(&oams, "0000:fe:1f.1", 4, OAM_BY_SLOT);
	CHECK_INT(oam_record(&oams), 0);
	file = fopen("oam", "r");
	CHECK(file && fgets(text, sizeof(text), file) && !fgets(text + 60, 60, file));
	if (file)
		fclose(file);
	CHECK_STR(text, "0000:fe:1f.0 5 0000000000000abc\n");
	oam_free(&oams);
	snprintf(devices_add(&gpus)->bdf, BDF_BYTES, "0000:fe:1f.0");
	gpus.list[0].serial = 0xabc;
	oam_find(&oams, &gpus, "");
	CHECK_INT(oam_number(&oams, 0), 5);
	CHECK_INT(oams.list[0].origin, OAM_BY_RECORD);
	oam_free(&oams);
	gpus.list[0].serial = 0xabd;
	oam_find(&oams, &gpus, "");
	CHECK_INT(oam_number(&oams, 0), OAM_UNKNOWN);
	end();
	unsetenv("STATE_DIRECTORY");
}

static void test_oam_parse(void)
{
	static const char *const wrong[] = {
		"x", "0000:05:00.0", "0000:05:00.0=", "0000:05:00.0=64", "0000:05:00.0=-1", "0000:05:00.0=1x",
		"0000:05:00.0=1 0000:05:00.0=2", "0000:05:00.0=1 0000:15:00.0=1", "5=1",
	};
	size_t i;

	CHECK(oam_parse("05:00.0=7,  0000:15:00.0=6", &oams));
	CHECK_INT(oams.count, 2);
	CHECK_STR(oams.list[0].bdf, "0000:05:00.0");
	oam_free(&oams);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK(!oam_parse(wrong[i], &oams));
		oam_free(&oams);
	}
}

int main(void)
{
	util_begin();
	RUN(test_guess);
	RUN(test_guess_of_all_bytes);
	RUN(test_published_order);
	RUN(test_no_numbers);
	RUN(test_gpu_names);
	RUN(test_from_1);
	RUN(test_board_from_1);
	RUN(test_named_from_1);
	RUN(test_named_otherwise);
	RUN(test_reasons);
	RUN(test_long_list);
	RUN(test_odd);
	RUN(test_disproved);
	RUN(test_redfish_named);
	RUN(test_shared);
	RUN(test_amdgpu);
	RUN(test_named);
	RUN(test_named_own);
	RUN(test_named_of_another);
	RUN(test_index);
	RUN(test_long_pattern);
	RUN(test_nobody);
	RUN(test_hostile_names);
	RUN(test_too_many);
	RUN(test_sane);
	RUN(test_oam_sources);
	RUN(test_oam_slots);
	RUN(test_oam_record);
	RUN(test_oam_parse);
	return unit_end();
}
