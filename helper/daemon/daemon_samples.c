// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "conf.h"
#include "daemon_parts.h"
#include "journal.h"
#include "sampler.h"

#define MS_PER_S	1000
#define REFUSALS_MAX	64
#define READERS		3

/**
 * struct refusal - a sensor whose temperatures are not judged
 * @whose: PCI address of the device, or the sensor's own name
 * @sensor: enum instinct_vfio_sensor
 * @why: the reported reason
 */
struct refusal {
	char whose[FOUND_NAME_BYTES];
	uint32_t sensor;
	const char *why;
};

/**
 * struct reader - a sampler process and its supervision
 * @samples: all samplers
 * @source: source that it reads, enum instinct_vfio_source
 * @sampler: the sampler, or NULL
 * @readable: event source of its temperatures
 * @restart: timer until the next start
 * @delay: time until that start after the sampler has ended by itself, s
 */
struct reader {
	struct daemon_samples *samples;
	uint32_t source;
	struct sampler *sampler;
	sd_event_source *readable;
	sd_event_source *restart;
	unsigned int delay;
};

/**
 * struct daemon_samples - the samplers and their temperatures
 * @daemon: the daemon
 * @interval: interval of the samplers, ms
 * @redfish: settings of the BMC's Redfish
 * @numbers: numbers of the GPUs by monitor.conf
 * @reader: a reader for each source
 * @refusal: sensors whose temperatures are not judged
 * @refusals: number of these
 */
struct daemon_samples {
	struct daemon *daemon;
	uint32_t interval;
	struct redfish_conf redfish;
	const char *numbers;
	struct reader reader[READERS];
	struct refusal refusal[REFUSALS_MAX];
	unsigned int refusals;
};

/**
 * daemon_samples_new() - create the state, without running samplers
 * @daemon: the daemon
 *
 * Return: the state, or NULL without memory.
 */
struct daemon_samples *daemon_samples_new(struct daemon *daemon)
{
	static const uint32_t sources[READERS] = { INSTINCT_VFIO_SOURCE_HWMON,
						   INSTINCT_VFIO_SOURCE_IPMI,
						   INSTINCT_VFIO_SOURCE_REDFISH };
	struct daemon_samples *samples = calloc(1, sizeof(*samples));
	unsigned int i;

	if (!samples)
		return NULL;
	samples->daemon = daemon;
	for (i = 0; i < READERS; i++)
		samples->reader[i] = (struct reader) { .samples = samples, .source = sources[i] };
	return samples;
}

static struct refusal *refusal_find(struct daemon_samples *samples, const char *whose,
				    uint32_t sensor)
{
	unsigned int i;

	for (i = 0; i < samples->refusals; i++)
		if (samples->refusal[i].sensor == sensor &&
		    !strcmp(samples->refusal[i].whose, whose))
			return &samples->refusal[i];
	return NULL;
}

/* Report a refusal once for each reason, until a sample of the sensor is taken. */
static void refused(struct daemon_samples *samples, const char *whose, uint32_t sensor,
		    const char *why)
{
	struct refusal *known = refusal_find(samples, whose, sensor);
	struct fields fields = { 0 };
	char bdf[BDF_BYTES];

	samples->daemon->place.samples_refused++;
	if (known && !strcmp(known->why, why))
		return;
	if (!known && samples->refusals < REFUSALS_MAX)
		known = &samples->refusal[samples->refusals++];
	if (known) {
		snprintf(known->whose, sizeof(known->whose), "%s", whose);
		known->sensor = sensor;
		known->why = why;
	}
	if (bdf_parse(whose, bdf))
		fields_add(&fields, FIELDS_PREFIX "BDF=%s", bdf);
	fields_add(&fields, FIELDS_PREFIX "SENSOR=%s", name_of(&sensor_names, sensor));
	journal_tell(OWN_SAMPLE_REFUSED, &fields, "%s: the temperature of %s is not judged: %s",
		     whose, name_of(&sensor_names, sensor), why);
}

static void on_sample(const struct sample_line *line, void *data)
{
	struct daemon_samples *samples = data;
	const char *why = daemon_heat_take(samples->daemon->heat, line);
	/* A sensor of a GPU that is not known has only a name. */
	const char *whose = *line->bdf ? line->bdf : line->name;
	struct refusal *known;

	if (why) {
		refused(samples, whose, line->sensor, why);
		return;
	}
	samples->daemon->place.samples++;
	known = refusal_find(samples, whose, line->sensor);
	if (known)
		*known = samples->refusal[--samples->refusals];
}

static void on_say(int priority, const char *text, void *data)
{
	(void)data;
	journal_tell_at(priority, OWN_SAMPLER_SAYS, NULL, "%s", text);
}

static void stop(struct reader *reader)
{
	reader->readable = sd_event_source_disable_unref(reader->readable);
	loop_timer_off(reader->restart);
	if (reader->sampler)
		sampler_stop(reader->sampler);
	reader->sampler = NULL;
}

static void start(struct reader *reader);

static int on_restart(sd_event_source *source, uint64_t now, void *data)
{
	(void)source;
	(void)now;
	start(data);
	return 0;
}

static void start_later(struct reader *reader, int error)
{
	stop(reader);
	reader->delay = loop_delay_next(reader->delay);
	journal_tell(OWN_SAMPLER_ENDED, NULL, "no temperatures are read from %s: %s; the service tries again in %u s",
		     name_of(&source_names, reader->source),
		     error == -EPIPE ? "their reader has ended" : strerror(-error),
		     reader->delay);
	loop_timer(reader->samples->daemon->loop, &reader->restart, reader->delay * MS_PER_S,
		   on_restart, reader);
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct reader *reader = data;
	uint64_t before = reader->samples->daemon->place.samples;
	int ret = sampler_read(reader->sampler, on_sample, on_say, reader->samples);

	(void)source;
	(void)fd;
	(void)events;
	if (reader->samples->daemon->place.samples != before)
		reader->delay = 0;
	if (ret)
		start_later(reader, ret);
	return 0;
}

static void start(struct reader *reader)
{
	int error, ret;

	stop(reader);
	if (reader->source == INSTINCT_VFIO_SOURCE_REDFISH && !*reader->samples->redfish.url)
		return;
	reader->sampler = sampler_start(reader->source, &reader->samples->redfish,
					reader->samples->numbers, NULL,
					reader->samples->interval, &error);
	if (!reader->sampler) {
		start_later(reader, -error);
		return;
	}
	ret = sd_event_add_io(reader->samples->daemon->loop, &reader->readable,
			      sampler_fd(reader->sampler), EPOLLIN, on_readable, reader);
	if (ret < 0)
		start_later(reader, ret);
}

static void each(struct daemon_samples *samples, void (*what)(struct reader *))
{
	unsigned int i;

	for (i = 0; i < READERS; i++)
		what(&samples->reader[i]);
}

/**
 * daemon_samples_set() - set the settings from the next start on
 * @samples: the samplers
 * @conf: settings of the service
 */
void daemon_samples_set(struct daemon_samples *samples, const struct monitor_conf *conf)
{
	samples->interval = conf->sample_interval;
	samples->redfish = conf->redfish;
	samples->numbers = text_of(conf->oam);
}

/**
 * daemon_samples_start() - start the samplers, now that the module is loaded
 * @samples: the samplers
 */
void daemon_samples_start(struct daemon_samples *samples)
{
	each(samples, start);
}

/**
 * daemon_samples_stop() - stop the samplers, since the module was unloaded
 * @samples: the samplers
 */
void daemon_samples_stop(struct daemon_samples *samples)
{
	each(samples, stop);
}

/**
 * daemon_samples_free() - stop the samplers and free the state
 * @samples: the samplers
 */
void daemon_samples_free(struct daemon_samples *samples)
{
	unsigned int i;

	each(samples, stop);
	for (i = 0; i < READERS; i++)
		sd_event_source_disable_unref(samples->reader[i].restart);
	free(samples);
}
