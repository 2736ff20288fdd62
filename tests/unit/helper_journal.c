// SPDX-License-Identifier: GPL-2.0-only
/* Journal entries: fields of an event, a message for each kind, the catalog. */
#include <syslog.h>

#include "unit.h"
#include "journal.h"
#include "out.h"

#define CATALOG	"helper/monitoring/instinct-vfio.catalog"

static char catalog[65536];

static const char *field(const struct fields *fields, const char *name)
{
	size_t size = strlen(name);
	unsigned int i;

	for (i = 0; i < fields->count; i++)
		if (!strncmp(fields->text[i], name, size) && fields->text[i][size] == '=')
			return fields->text[i] + size + 1;
	return NULL;
}

static void test_reset(void)
{
	struct event event = {
		.seq = 12, .epoch = 99, .time = 5000000, .bdf = "0000:c1:00.0",
		.kind = INSTINCT_VFIO_EVENT_RESET_FAILED, .serial = 0x1122,
		.state = INSTINCT_VFIO_STATE_LOST, .cause = INSTINCT_VFIO_CAUSE_CLOSE,
		.method = INSTINCT_VFIO_METHOD_MODE1, .duration = 1004000000,
		.error = 110, .reason = "no sign of life",
	};
	struct fields fields = { 0 };

	journal_event_fields(&fields, &event);
	CHECK_STR(field(&fields, "MESSAGE"), "0000:c1:00.0 reset-failed: mode1 (close) in 1.004 s; Connection timed out; no sign of life");
	CHECK_STR(field(&fields, "MESSAGE_ID"), message_of_event(event.kind)->id);
	CHECK_STR(field(&fields, "PRIORITY"), "3");
	CHECK_STR(field(&fields, "SYSLOG_IDENTIFIER"), "instinct-vfio");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_EPOCH"), "99");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_SEQ"), "12");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_TIME_USEC"), "5000");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_TIME"), out_event_time(&event));
	CHECK_STR(field(&fields, "INSTINCT_VFIO_KIND"), "reset-failed");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_BDF"), "0000:c1:00.0");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_SERIAL"), "0x0000000000001122");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_STATE"), "lost");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_CAUSE"), "close");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_METHOD"), "mode1");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_DURATION_USEC"), "1004000");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_ERRNO"), "110");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_REASON"), "no sign of life");
	CHECK_INT(fields.count, 17);
	fields_free(&fields);
}

/* The entry has no fields for values that the event lacks. */
static void test_few(void)
{
	struct event event = { .seq = 1, .epoch = 2, .bdf = "0000:c1:00.0",
			       .kind = INSTINCT_VFIO_EVENT_DEVICE_ADDED };
	struct fields fields = { 0 };

	journal_event_fields(&fields, &event);
	CHECK_INT(fields.count, 11);
	fields_free(&fields);
}

static void test_heat_and_ports(void)
{
	struct event event = {
		.seq = 1, .bdf = "0000:c1:00.0", .thermal = true,
		.kind = INSTINCT_VFIO_EVENT_THERMAL_CRITICAL,
		.sensor = INSTINCT_VFIO_SENSOR_MEMORY, .source = INSTINCT_VFIO_SOURCE_IPMI,
		.temperature = -500, .alarm = INSTINCT_VFIO_ALARM_CRITICAL, .threshold = 105000,
		.port = "0000:c0:01.0", .found = 0x1d, .wanted = 0x5d,
		.has_register = true, .config_register = 0x4,
	};
	struct fields fields = { 0 };

	journal_event_fields(&fields, &event);
	CHECK_STR(field(&fields, "PRIORITY"), "2");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_SENSOR"), "memory");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_SOURCE"), "ipmi");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_TEMPERATURE_MILLIDEGREES"), "-500");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_ALARM"), "critical");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_THRESHOLD_MILLIDEGREES"), "105000");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_PORT"), "0000:c0:01.0");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_FOUND"), "0x001d");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_WANTED"), "0x005d");
	CHECK_STR(field(&fields, "INSTINCT_VFIO_REGISTER"), "0x004");
	CHECK(!field(&fields, "INSTINCT_VFIO_CAUSE"));
	CHECK(!field(&fields, "INSTINCT_VFIO_METHOD"));
	fields_free(&fields);
}

static void test_too_many(void)
{
	struct fields fields = { 0 };
	int i;

	for (i = 0; i < 2 * FIELDS_MAX; i++)
		fields_add(&fields, "F%d=%d", i, i);
	CHECK_INT(fields.count, FIELDS_MAX);
	fields_free(&fields);
}

static void check_message(const struct message *message)
{
	char entry[64];

	CHECK_INT(strspn(message->id, "0123456789abcdef"), 32);
	CHECK(message->priority >= LOG_CRIT && message->priority <= LOG_INFO);
	snprintf(entry, sizeof(entry), "\n-- %s\nSubject: ", message->id);
	if (!strstr(catalog, entry))
		unit_fail(CATALOG, 0, message->id);
}

/* Every kind has its own ID, and the catalog has exactly one text for each. */
static void test_catalog(void)
{
	const struct message *all[event_names.count + OWN_MESSAGES];
	unsigned int count = 0, entries = 0, i, j;
	const char *at = catalog;

	for (i = 0; i < event_names.count; i++)
		all[count++] = message_of_event(i);
	for (i = 0; i < OWN_MESSAGES; i++)
		all[count++] = &own_messages[i];
	for (i = 0; i < count; i++) {
		check_message(all[i]);
		for (j = 0; j < i; j++)
			CHECK(strcmp(all[i]->id, all[j]->id));
	}
	while ((at = strstr(at, "\n-- "))) {
		entries++;
		at++;
	}
	CHECK_INT(entries, count);
	CHECK(message_of_event(event_names.count) == &own_messages[OWN_EVENT_UNKNOWN]);
	CHECK(message_of_event(-1) == &own_messages[OWN_EVENT_UNKNOWN]);
}

int main(void)
{
	FILE *in = fopen(CATALOG, "r");

	if (!in || !fread(catalog, 1, sizeof(catalog) - 1, in)) {
		perror(CATALOG);
		return 1;
	}
	fclose(in);
	RUN(test_reset);
	RUN(test_few);
	RUN(test_heat_and_ports);
	RUN(test_too_many);
	RUN(test_catalog);
	return unit_end();
}
