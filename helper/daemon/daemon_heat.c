// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "conf.h"
#include "daemon_parts.h"
#include "host_clock.h"
#include "journal.h"
#include "out.h"
#include "push.h"
#include "say.h"
#include "sysfs.h"
#include "textfile.h"

#define TICK_MS	1000	/* the shortest thermal_stale that policy allows */

/**
 * struct daemon_heat - temperatures and their alarms
 * @daemon: the daemon
 * @heat: temperatures and alarms of all managed GPUs
 * @loose_policy: thermal policy of sensors that belong to no known GPU
 * @epoch: epoch of the module that has the alarms
 * @seen: number of the last event that @heat's list of GPUs takes into account
 * @conf: the last policy without errors
 * @read: the policy files were read once
 * @stamp: stamp of the policy files at that time
 * @unlisted: the list of GPUs or their policy has changed
 * @changed: @heat differs from the written file
 * @lock: file descriptor of the lock that only one judging service can have, or a negative errno
 * @fd: socket for pushed samples, or a negative errno
 * @pushed: event source of @fd
 * @timer: timer until the next check of all sensors
 * @error: the reported reason why the module did not take an alarm, a negative errno; or 0
 */
struct daemon_heat {
	struct daemon *daemon;
	struct heat heat;
	struct heat_policy loose_policy[HEAT_KINDS];
	uint64_t epoch;
	uint64_t seen;
	struct conf conf;
	bool read;
	uint64_t stamp;
	bool unlisted;
	bool changed;
	int lock;
	int fd;
	sd_event_source *pushed;
	sd_event_source *timer;
	int error;
};

/**
 * daemon_heat_new() - create the state, without any temperatures
 * @daemon: the daemon
 *
 * Return: the state, or NULL without memory.
 */
struct daemon_heat *daemon_heat_new(struct daemon *daemon)
{
	struct daemon_heat *heat = calloc(1, sizeof(*heat));

	if (heat)
		*heat = (struct daemon_heat) { .daemon = daemon, .lock = -ENOLCK, .fd = -ENOENT };
	return heat;
}

static uint64_t now_ns(void)
{
	return host_clock_now().boottime;
}

static void read_policy(struct daemon_heat *heat)
{
	uint64_t stamp = conf_files_stamp(NULL);
	struct conf conf = { 0 };
	bool wrong;

	if (heat->read && stamp == heat->stamp)
		return;
	heat->read = true;
	heat->stamp = stamp;
	/* The sampler reports the errors of the policy. */
	say_hush(true);
	wrong = stamp && (conf_open(&conf, NULL) || conf.errors);
	say_hush(false);
	if (wrong) {
		conf_free(&conf);
		return;
	}
	conf_free(&heat->conf);
	heat->conf = conf;
	heat->unlisted = true;
}

/* A sensor of a GPU that nobody knows has the policy of the host, and of the first GPU's family. */
static void set_loose_policies(struct daemon_heat *heat, const struct devices *devices)
{
	struct device any = { 0 };
	struct policy policy;
	size_t i;

	if (devices->count)
		memcpy(any.family, devices->list[0].family, sizeof(any.family));
	conf_merge(&heat->conf, &any, &policy);
	for (i = 0; i < HEAT_KINDS; i++)
		heat_policy_of(&policy, i, &heat->loose_policy[i]);
	for (i = 0; i < heat->heat.looses; i++)
		heat->heat.loose[i].policy = heat->loose_policy[heat->heat.loose[i].kind];
}

/* List the managed GPUs and their policies; keep what is known of their sensors. */
static void list(struct daemon_heat *heat)
{
	struct devices devices = { 0 };
	struct heat listed = { 0 };
	struct policy policy;
	uint32_t kind;
	size_t i;

	if (!heat->unlisted || nl_devices_get(heat->daemon->stream.ask, &devices)) {
		devices_free(&devices);
		return;
	}
	for (i = 0; i < devices.count; i++) {
		const struct heat_gpu *known = heat_find(&heat->heat, devices.list[i].bdf);
		struct heat_gpu *gpu = heat_add(&listed, devices.list[i].bdf);

		if (known)
			*gpu = *known;
		conf_merge(&heat->conf, &devices.list[i], &policy);
		for (kind = 0; kind < HEAT_KINDS; kind++)
			heat_policy_of(&policy, kind, &gpu->policy[kind]);
	}
	set_loose_policies(heat, &devices);
	devices_free(&devices);
	listed.loose = heat->heat.loose;
	listed.looses = heat->heat.looses;
	free(heat->heat.gpu);
	heat->heat = listed;
	heat->unlisted = false;
	heat->changed = true;
}

static void tell_refused(struct daemon_heat *heat, const char *bdf, int error)
{
	const char *message = nl_message(heat->daemon->stream.ask);

	if (error == heat->error)
		return;
	heat->error = error;
	journal_tell(OWN_ALARM_REFUSED, NULL, "%s: the module does not take a thermal event: %s (%s); it is sent again",
		     bdf, *message ? message : "refused", strerror(-error));
}

static bool send_alarm(struct daemon_heat *heat, const char *bdf, uint32_t kind,
		       const struct heat_alarm *alarm)
{
	struct event event = {
		.kind = alarm->kind, .sensor = kind, .source = alarm->source,
		.temperature = alarm->temperature, .alarm = alarm->alarm,
		.threshold = alarm->threshold,
	};
	int ret;

	snprintf(event.reason, sizeof(event.reason), "%s", alarm->reason);
	ret = nl_alarm(heat->daemon->stream.ask, bdf, &event);
	/* The device or the module is gone, as an event or the stream reports. */
	if (ret && ret != -ENODEV && ret != -ENOENT)
		tell_refused(heat, bdf, ret);
	if (!ret)
		heat->error = 0;
	return !ret;
}

/*
 * The module's events are a GPU's, so an alarm of an unknown GPU goes to the journal and metrics. Its
 * end may tell the address, once that is known.
 */
static bool tell_loose(const struct heat_loose *loose, const struct heat_alarm *alarm, const char *bdf)
{
	struct event event = {
		.kind = alarm->kind, .sensor = loose->kind, .source = alarm->source,
		.temperature = alarm->temperature, .alarm = alarm->alarm,
		.threshold = alarm->threshold,
	};
	struct fields fields = { 0 };
	char *text;

	snprintf(event.reason, sizeof(event.reason), "%s", alarm->reason);
	text = out_event_message(&event);
	fields_add(&fields, FIELDS_PREFIX "SENSOR=%s", name_of(&sensor_names, loose->kind));
	fields_add(&fields, FIELDS_PREFIX "SENSOR_NAME=%s", loose->name);
	fields_add(&fields, FIELDS_PREFIX "SOURCE=%s", name_of(&source_names, alarm->source));
	fields_add(&fields, FIELDS_PREFIX "ALARM=%s", name_of(&alarm_names, alarm->alarm));
	fields_add(&fields, FIELDS_PREFIX "TEMPERATURE_MILLIDEGREES=%d", alarm->temperature);
	journal_tell_at(message_of_event(alarm->kind)->priority, OWN_ALARM_UNASSIGNED, &fields,
			"%s:%s%s; %s%s", name_of(&source_names, loose->source), loose->name, text ?: "",
			bdf ? "it is the sensor of " : "which GPU it belongs to is not known (instinctctl sensors)",
			bdf ?: "");
	free(text);
	return true;
}

/* Judges a sensor of a GPU, or, with a @loose, one that belongs to no known GPU. */
static void judge(struct daemon_heat *heat, struct heat_gpu *gpu, uint32_t kind, struct heat_loose *loose)
{
	const struct heat_policy *policy = loose ? &loose->policy : &gpu->policy[kind];
	struct heat_sensor *sensor = loose ? &loose->sensor : &gpu->sensor[kind];
	uint64_t now = now_ns();
	struct heat_alarm alarm;

	while (heat_next(policy, sensor, now, &alarm) &&
	       (loose ? tell_loose(loose, &alarm, NULL) : send_alarm(heat, gpu->bdf, kind, &alarm))) {
		heat_told(sensor, &alarm, now);
		heat->changed = true;
	}
}

/* The GPU of a sensor has become known, so the sensor's own alarms end. */
static void end_loose(struct daemon_heat *heat, const struct sample_line *line, uint32_t kind)
{
	struct heat_loose *loose = heat_loose_find(&heat->heat, line->name, line->source, kind);
	struct heat_alarm alarm;

	if (!loose)
		return;
	while (heat_end(&loose->policy, &loose->sensor, "its GPU is known", &alarm)) {
		tell_loose(loose, &alarm, line->bdf);
		heat_told(&loose->sensor, &alarm, now_ns());
	}
	*loose = heat->heat.loose[--heat->heat.looses];
	heat->changed = true;
}

/* A sensor that has gone, or that policy leaves alone by now, is forgotten once its alarms have ended. */
static void judge_all_loose(struct daemon_heat *heat)
{
	size_t kept = 0, i;

	for (i = 0; i < heat->heat.looses; i++) {
		struct heat_loose *loose = &heat->heat.loose[i];
		bool stale;

		judge(heat, NULL, loose->kind, loose);
		if (heat_is_kept(&loose->policy, &loose->sensor.sample[loose->source], now_ns(), &stale) ||
		    loose->sensor.raised)
			heat->heat.loose[kept++] = *loose;
		else
			heat->changed = true;
	}
	heat->heat.looses = kept;
}

/* Write the temperatures for status, export and sensors. */
static void write_file(struct daemon_heat *heat)
{
	char *text;

	if (!heat->changed)
		return;
	heat->changed = false;
	text = heat_text(&heat->heat);
	if (text)
		textfile_write(HEAT_FILE, text, strlen(text));
	free(text);
}

static int on_tick(sd_event_source *source, uint64_t now, void *data)
{
	struct daemon_heat *heat = data;
	uint32_t kind;
	size_t i;

	(void)source;
	(void)now;
	read_policy(heat);
	list(heat);
	for (i = 0; i < heat->heat.gpus; i++)
		for (kind = 0; kind < HEAT_KINDS; kind++)
			judge(heat, &heat->heat.gpu[i], kind, NULL);
	judge_all_loose(heat);
	write_file(heat);
	loop_timer(heat->daemon->loop, &heat->timer, TICK_MS, on_tick, heat);
	return 0;
}

static const char *take_loose(struct daemon_heat *heat, const struct sample_line *line)
{
	struct heat_loose *loose = heat_loose(&heat->heat, line->name, line->source, line->sensor);

	if (!loose)
		return "too many sensors belong to no known GPU";
	loose->policy = heat->loose_policy[loose->kind];
	heat_take(&loose->sensor, line->source, line->temperature, now_ns());
	heat->changed = true;
	judge(heat, NULL, loose->kind, loose);
	return NULL;
}

/**
 * daemon_heat_take() - take a sample of a source
 * @heat: changed
 * @line: the sample, with the address of a GPU, or without one and with the name of a sensor whose
 *	GPU is not known
 *
 * Return: NULL, or the human-readable reason why the sample is not judged.
 */
const char *daemon_heat_take(struct daemon_heat *heat, const struct sample_line *line)
{
	struct heat_gpu *gpu;
	uint32_t kind;

	if (heat->lock < 0)
		return "another monitor judges temperatures";
	if (!heat->daemon->stream.ask)
		return "the module " DRIVER_NAME " is not loaded";
	list(heat);
	if (!*line->bdf)
		return take_loose(heat, line);
	gpu = heat_find(&heat->heat, line->bdf);
	if (gpu) {
		heat_take(&gpu->sensor[line->sensor], line->source, line->temperature, now_ns());
		heat->changed = true;
		judge(heat, gpu, line->sensor, NULL);
	}
	/* Policy may use the sensor for another kind of temperature than its name suggests. */
	for (kind = 0; kind < HEAT_KINDS; kind++)
		end_loose(heat, line, kind);
	return gpu ? NULL : "no such device is bound to " DRIVER_NAME " (see instinctctl bind)";
}

/**
 * daemon_heat_get() - get all temperatures
 * @heat: the state
 *
 * Return: the temperatures, until the next sample.
 */
const struct heat *daemon_heat_get(const struct daemon_heat *heat)
{
	return &heat->heat;
}

static const char *take_pushed(const struct sample_line *line, void *data)
{
	struct daemon_heat *heat = data;
	struct sample_line pushed = *line;
	const char *why;

	pushed.source = INSTINCT_VFIO_SOURCE_OTHER;
	why = daemon_heat_take(heat, &pushed);
	if (why)
		heat->daemon->place.samples_refused++;
	else
		heat->daemon->place.samples++;
	write_file(heat);
	return why;
}

static int on_pushed(sd_event_source *source, int fd, uint32_t events, void *data)
{
	(void)source;
	(void)events;
	push_receive(fd, take_pushed, data);
	return 0;
}

/* Take the lock and open the socket, for as long as the service runs. */
static void open_door(struct daemon_heat *heat)
{
	int ret;

	mkdir(HEAT_FOLDER, 0755);
	heat->lock = place_lock(HEAT_FILE);
	if (heat->lock < 0) {
		journal_tell_at(LOG_WARNING, OWN_SAMPLER_SAYS, NULL, "temperatures are not judged: %s: %s",
				HEAT_FILE, heat->lock == -EBUSY ? "another monitor judges them" :
				strerror(-heat->lock));
		return;
	}
	heat->fd = push_open(PUSH_SOCKET);
	ret = heat->fd < 0 ? heat->fd :
	      sd_event_add_io(heat->daemon->loop, &heat->pushed, heat->fd, EPOLLIN,
			      on_pushed, heat);
	if (ret < 0)
		journal_tell_at(LOG_WARNING, OWN_SAMPLER_SAYS, NULL, "no script can push temperatures: %s: %s",
				PUSH_SOCKET, strerror(-ret));
}

static void clear(struct heat_gpu *gpu)
{
	memset(gpu->sensor, 0, sizeof(gpu->sensor));
}

static bool is_passing(const struct event *event)
{
	return event->kind == INSTINCT_VFIO_EVENT_DEVICE_ADDED ||
	       event->kind == INSTINCT_VFIO_EVENT_DEVICE_REMOVED;
}

/* Recall alarms that an earlier service has sent to the module. */
static void recall(const struct event *event, void *data)
{
	struct daemon_heat *heat = data;
	struct heat_gpu *gpu = heat_find(&heat->heat, event->bdf);

	if (gpu && is_passing(event))
		clear(gpu);
	else if (gpu && event->thermal && event->sensor < HEAT_KINDS)
		heat_recall(&gpu->sensor[event->sensor], event, now_ns());
}

/**
 * daemon_heat_begin() - begin, now that the module is loaded
 * @heat: the state
 * @info: the module's epoch and newest event
 */
void daemon_heat_begin(struct daemon_heat *heat, const struct nl_info *info)
{
	bool anew = info->epoch != heat->epoch;

	if (heat->lock < 0)
		open_door(heat);
	if (heat->lock < 0)
		return;
	if (anew)
		heat_free(&heat->heat);
	heat->epoch = info->epoch;
	heat->seen = info->newest;
	heat->unlisted = true;
	read_policy(heat);
	list(heat);
	if (anew)
		stream_replay(&heat->daemon->stream, 1, recall, heat);
	on_tick(NULL, 0, heat);
}

/**
 * daemon_heat_event() - take an event of the module
 * @heat: the state
 * @event: the event; the stream may be in the middle of a request for more events
 */
void daemon_heat_event(struct daemon_heat *heat, const struct event *event)
{
	struct heat_gpu *gpu;

	if (!is_passing(event) || event->seq <= heat->seen)
		return;
	/* The alarms of a GPU end when it is unbound. */
	gpu = heat_find(&heat->heat, event->bdf);
	if (gpu)
		clear(gpu);
	heat->unlisted = true;
}

/**
 * daemon_heat_fill() - add the temperatures to a list of devices
 * @heat: the state
 * @devices: managed devices, changed
 */
void daemon_heat_fill(const struct daemon_heat *heat, struct devices *devices)
{
	heat_fill(&heat->heat, devices, now_ns());
}

/**
 * daemon_heat_stop() - stop, since the module was unloaded
 * @heat: the state
 */
void daemon_heat_stop(struct daemon_heat *heat)
{
	loop_timer_off(heat->timer);
	if (heat->lock >= 0)
		unlink(HEAT_FILE);
}

/**
 * daemon_heat_free() - free the state
 * @heat: the state, or NULL
 */
void daemon_heat_free(struct daemon_heat *heat)
{
	if (!heat)
		return;
	daemon_heat_stop(heat);
	sd_event_source_disable_unref(heat->timer);
	sd_event_source_disable_unref(heat->pushed);
	if (heat->fd >= 0) {
		close(heat->fd);
		unlink(PUSH_SOCKET);
	}
	if (heat->lock >= 0)
		close(heat->lock);
	heat_free(&heat->heat);
	conf_free(&heat->conf);
	free(heat);
}
