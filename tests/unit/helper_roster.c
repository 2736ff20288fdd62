// SPDX-License-Identifier: GPL-2.0-only
/* The roster: GPUs that are present, and GPUs that are away. */
#include "helper_util.h"
#include "roster.h"

/* Returns the addresses of a roster; a "-" marks a GPU that is away. */
static const char *roll(const struct roster *roster)
{
	static char text[256];
	size_t i;

	*text = '\0';
	for (i = 0; i < roster->gpus.count; i++)
		sprintf(text + strlen(text), "%s%.2s ",
			roster_is_away(roster, roster->gpus.list[i].bdf) ? "-" : "",
			roster->gpus.list[i].bdf + 5);
	return text;
}

static void test_roster(void)
{
	struct roster roster = { 0 };
	struct devices gpus = { 0 }, none = { 0 };
	struct device first;
	unsigned int i;

	for (i = 0; i < 3; i++)
		sprintf(devices_add(&gpus)->bdf, "0000:c%u:00.0", i);
	CHECK(roster_update(&roster, &gpus));
	CHECK(!roster_update(&roster, &gpus));
	CHECK_STR(roll(&roster), "c0 c1 c2 ");
	/* The first GPU disappears; the others keep their places. */
	first = gpus.list[0];
	memmove(gpus.list, gpus.list + 1, 2 * sizeof(first));
	gpus.count = 2;
	CHECK(roster_update(&roster, &gpus));
	CHECK(!roster_update(&roster, &gpus));
	CHECK_STR(roll(&roster), "-c0 c1 c2 ");
	CHECK(roster_update(&roster, &none));
	CHECK_STR(roll(&roster), "-c0 -c1 -c2 ");
	CHECK(roster_update(&roster, &gpus));
	CHECK_STR(roll(&roster), "-c0 c1 c2 ");
	/* The first GPU comes back, and the second disappears. */
	gpus.list[0] = first;
	CHECK(roster_update(&roster, &gpus));
	CHECK_STR(roll(&roster), "c0 -c1 c2 ");
	CHECK(!roster_is_away(&roster, "0000:ff:00.0"));
	roster_free(&roster);
	devices_free(&gpus);
}

int main(void)
{
	RUN(test_roster);
	return unit_end();
}
