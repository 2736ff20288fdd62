// SPDX-License-Identifier: GPL-2.0-only
/* Lines that the service accepts as samples and remarks, and lines that it refuses. */
#include "helper_util.h"
#include "sample_line.h"

static void test_lines(void)
{
	static const char *const right[] = {
		"S 0000:c1:00.0 hotspot ipmi 45000", "S 10000:01:00.0 memory hwmon -5000",
		"S 0000:c1:00.0 board other 45000",
		"S 0000:c1:00.0 board ipmi 0", "S - hotspot redfish 45000 OAM_0/GPU_0 DIE",
		"S 0000:c1:00.0 hotspot redfish 45000 OAM_0/GPU_0 DIE", "M 4 text", "M 0 a  b ", "M 7 \xc3\xa9%n%s",
	};
	static const char *const wrong[] = {
		"", "S", "M", "S ", "M ", "M 4", "M 4 ", "M 8 text", "M 44 text", "M -1 text",
		"M 4text", "X 4 text", "s 0000:c1:00.0 hotspot ipmi 45000", "M 4 te\033xt",
		"M 4 \xff", "S c1:00.0 hotspot ipmi 45000", "S 0000:c1:00.0 hotspot ipmi",
		"S 0000:c1:00.0 hotspot ipmi 45000 ", "S 0000:c1:00.0 hotspot ipmi 045000",
		"S 0000:c1:00.0 hotspot ipmi +45", "S 0000:c1:00.0 hotspot ipmi 4.5",
		"S 0000:c1:00.0 hotspot ipmi 250001", "S 0000:c1:00.0 hotspot ipmi -60001",
		"S 0000:c1:00.0 hotspot ipmi 99999999999999999999", "S 0000:c1:00.0 0 ipmi 1",
		"S 0000:c1:00.0 hotspot mmio 45000", "S 0000:c1:00.0 hotspot 2 45000",
		"S 0000:c1:00.0 core ipmi 45000", "S  0000:c1:00.0 hotspot ipmi 45000",
		"S 0000:C1:00.0 hotspot ipmi 45000", "S 0000:c1:00.9 hotspot ipmi 45000",
		"S - hotspot ipmi 45000", "S - hotspot ipmi 45000 ", "S - hotspot ipmi 45000 a\033",
		"S 0000:c1:00.0 hotspot ipmi 45000x", "S 0000:c1:00.0 hotspot ipmi 45000 a\033", "S 0000:c1:00.0 hotspot ipmi 45000\n", "S 0000:c1:00.0\thotspot ipmi 45000",
	};
	struct sample_line line;
	char text[2 * REMARK_BYTES];
	size_t i;

	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		if (!sample_line_parse(right[i], &line))
			printf("# not accepted: \"%s\"\n", right[i]);
		CHECK(sample_line_parse(right[i], &line));
	}
	CHECK(sample_line_parse(right[1], &line));
	CHECK(line.is_sample);
	CHECK_STR(line.bdf, "10000:01:00.0");
	CHECK_INT(line.sensor, INSTINCT_VFIO_SENSOR_MEMORY);
	CHECK_INT(line.source, INSTINCT_VFIO_SOURCE_HWMON);
	CHECK_INT(line.temperature, -5000);
	CHECK(sample_line_parse(right[4], &line));
	CHECK_STR(line.bdf, "");
	CHECK_STR(line.name, "OAM_0/GPU_0 DIE");
	CHECK(sample_line_parse(right[5], &line));
	CHECK_STR(line.bdf, "0000:c1:00.0");
	CHECK_STR(line.name, "OAM_0/GPU_0 DIE");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (sample_line_parse(wrong[i], &line))
			printf("# accepted: \"%s\"\n", wrong[i]);
		CHECK(!sample_line_parse(wrong[i], &line));
	}
	memset(text, 'x', sizeof(text));
	memcpy(text, "M 4 ", 4);
	text[REMARK_BYTES + 3] = '\0';
	CHECK(sample_line_parse(text, &line));
	text[REMARK_BYTES + 3] = 'x';
	text[REMARK_BYTES + 4] = '\0';
	CHECK(!sample_line_parse(text, &line));
}

/* The parser accepts no temperature out of bounds, even in noise. */
static void test_noise(void)
{
	static const char alphabet[] = "SM 0123456789:.-abchotspimwn\n\xff%";
	const char *base = "S 0000:c1:00.0 hotspot ipmi 45000";
	struct sample_line line;
	char text[64];
	int i, j;

	srand(1);
	for (i = 0; i < 200000; i++) {
		snprintf(text, sizeof(text), "%s", base);
		for (j = rand() % 4; j >= 0; j--)
			text[rand() % (strlen(base) + 1)] = alphabet[rand() % (sizeof(alphabet) - 1)];
		text[sizeof(text) - 1] = '\0';
		if (sample_line_parse(text, &line) && line.is_sample)
			CHECK(found_is_sane(line.temperature));
	}
}

int main(void)
{
	RUN(test_lines);
	RUN(test_noise);
	return unit_end();
}
