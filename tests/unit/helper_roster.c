// SPDX-License-Identifier: GPL-2.0-only
/* Who is there, and who is away. */
#include "helper_util.h"
#include "roster.h"

/* Addresses of a roster; a "-" before one that is away. */
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
	/* The first one goes: the others stay the second and the third. */
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
	/* It comes back, and another goes. */
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
