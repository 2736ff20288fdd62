// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out.h"
#include "say.h"
#include "sink.h"

#define TAIL_BYTES	16384	/* longer than any line of this sink */
#define KEEP_BYTES	65536	/* limit of memory kept between two batches */

/**
 * struct json_file - the sink that writes a file of JSON lines
 * @sink: the sink
 * @path: path of the file
 * @fd: file descriptor, or -1 while the file is not open
 * @text: lines to be written
 * @size: bytes of these lines
 * @room: bytes allocated for @text
 * @events: number of events in @text
 * @last: epoch and number of the last event in the file when it was opened
 * @newest: epoch and number of the newest event that the module has had
 */
struct json_file {
	struct sink sink;
	char *path;
	int fd;
	char *text;
	size_t size;
	size_t room;
	unsigned int events;
	struct {
		uint64_t epoch;
		uint64_t seq;
	} last, newest;
};

static struct json_file *of(struct sink *sink)
{
	return (struct json_file *)sink;
}

/* Ignore a last event with a number that the module has not reached. */
static void check_last(struct json_file *json)
{
	if (json->newest.epoch != json->last.epoch || json->last.seq <= json->newest.seq)
		return;
	say_warning("%s ends with an event that the module has not had yet", json->path);
	json->last.seq = 0;
}

static void learn_last(struct json_file *json, const char *line, size_t size)
{
	json_t *object = json_loadb(line, size, 0, NULL);
	json_t *gap = json_object_get(object, "gap");
	json_t *epoch = json_object_get(gap ? gap : object, "epoch");
	json_t *seq = json_object_get(gap ? gap : object, gap ? "last" : "seq");

	if (json_is_integer(epoch) && json_is_integer(seq) && json_integer_value(seq) > 0) {
		json->last.epoch = json_integer_value(epoch);
		json->last.seq = json_integer_value(seq);
		check_last(json);
	}
	json_decref(object);
}

/* Cut off a line that a crash left incomplete, and read the number in the line before. */
static int look_at_end(struct json_file *json, off_t size)
{
	char tail[TAIL_BYTES];
	off_t from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
	ssize_t n = pread(json->fd, tail, sizeof(tail), from);
	const char *end, *begin;

	if (n < 0)
		return -errno;
	end = memrchr(tail, '\n', n);
	/* This sink writes no line of that length, so do not cut a foreign file. */
	if (!end && from)
		return -EBADMSG;
	end = end ? end + 1 : tail;
	if (end < tail + n && *end != '{')
		return -EBADMSG;
	if (from + (end - tail) < size && ftruncate(json->fd, from + (end - tail)))
		return -errno;
	begin = end - tail > 1 ? memrchr(tail, '\n', end - tail - 1) : NULL;
	begin = begin ? begin + 1 : tail;
	if (end > begin)
		learn_last(json, begin, end - begin);
	return 0;
}

static void file_close(struct json_file *json)
{
	if (json->fd >= 0)
		close(json->fd);
	json->fd = -1;
}

static void explain(struct json_file *json, int error)
{
	if (error == -EBADMSG)
		snprintf(json->sink.why, sizeof(json->sink.why),
			 "%s does not end in lines, so this monitor has not written it (or a crash has filled its end): move it away",
			 json->path);
	else if (error == -EINVAL || error == -EISDIR || error == -ENXIO)
		snprintf(json->sink.why, sizeof(json->sink.why),
			 "%s is not a regular file: move it away, or name another file in monitor.conf",
			 json->path);
	else
		json->sink.why[0] = '\0';
}

static int file_open(struct json_file *json)
{
	struct stat st;
	int ret;

	json->fd = open(json->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC |
			O_NONBLOCK | O_NOCTTY, 0640);
	if (json->fd < 0)
		return -errno;
	if (fstat(json->fd, &st))
		ret = -errno;
	else
		ret = S_ISREG(st.st_mode) ? look_at_end(json, st.st_size) : -EINVAL;
	if (ret)
		file_close(json);
	return ret;
}

/* Reopen the file if logrotate has renamed it or a user has removed it. */
static int file_ready(struct json_file *json)
{
	struct stat named, ours;

	if (json->fd >= 0 &&
	    (stat(json->path, &named) || fstat(json->fd, &ours) ||
	     named.st_dev != ours.st_dev || named.st_ino != ours.st_ino))
		file_close(json);
	return json->fd >= 0 ? 0 : file_open(json);
}

static int append(struct json_file *json, json_t *object)
{
	char *line = json_dumps(object, JSON_COMPACT), *text = json->text;
	size_t size = line ? strlen(line) + 1 : 0;

	json_decref(object);
	if (line && json->size + size > json->room)
		text = realloc(text, 2 * (json->size + size));
	if (!line || !text) {
		free(line);
		return -ENOMEM;
	}
	if (json->size + size > json->room)
		json->room = 2 * (json->size + size);
	json->text = text;
	memcpy(text + json->size, line, size - 1);
	text[json->size + size - 1] = '\n';
	json->size += size;
	free(line);
	return 0;
}

static bool has(const struct json_file *json, uint64_t epoch, uint64_t seq)
{
	return epoch == json->last.epoch && seq <= json->last.seq;
}

static void begin(struct sink *sink, uint64_t epoch, uint64_t newest)
{
	struct json_file *json = of(sink);

	json->newest.epoch = epoch;
	json->newest.seq = newest;
	if (json->fd >= 0)
		check_last(json);
	else
		file_open(json);	/* a failure shows again at the next write */
}

static int take(struct sink *sink, const struct event *event)
{
	struct json_file *json = of(sink);
	int ret;

	if (event->epoch == json->newest.epoch && event->seq > json->newest.seq)
		json->newest.seq = event->seq;
	if (has(json, event->epoch, event->seq)) {
		sink->done++;
		return 0;
	}
	ret = append(json, out_event_json(event));
	json->events += !ret;
	return ret;
}

static int take_gap(struct sink *sink, const struct gap *gap)
{
	struct gap rest = *gap;

	if (has(of(sink), gap->epoch, gap->last))
		return 0;
	if (has(of(sink), gap->epoch, gap->first))
		rest.first = of(sink)->last.seq + 1;
	return append(of(sink), out_gap_json(&rest));
}

/* Write all or nothing, so that the next line does not follow half a line. */
static int write_text(struct json_file *json)
{
	struct stat before;
	ssize_t n;
	int ret;

	if (fstat(json->fd, &before))
		return -errno;
	n = write(json->fd, json->text, json->size);
	if (n == (ssize_t)json->size)
		return 0;
	ret = n < 0 ? -errno : -ENOSPC;
	/* If this fails too, look_at_end() cuts the half line at the next open. */
	if (n > 0 && ftruncate(json->fd, before.st_size))
		file_close(json);
	return ret;
}

static int flush(struct sink *sink, uint64_t epoch, uint64_t *next)
{
	struct json_file *json = of(sink);
	int ret = 0;

	(void)epoch;
	(void)next;
	if (json->size) {
		ret = file_ready(json);
		if (!ret)
			ret = write_text(json);
		explain(json, ret);
	}
	if (!ret)
		sink->done += json->events;
	json->events = 0;
	json->size = 0;
	if (json->room > KEEP_BYTES) {
		free(json->text);
		json->text = NULL;
		json->room = 0;
	}
	return ret;
}

static void sink_close(struct sink *sink)
{
	struct json_file *json = of(sink);

	file_close(json);
	free(json->text);
	free(json->path);
	free(json);
}

/**
 * sink_json_new() - create the sink that writes a file of JSON lines
 * @path: path of the file
 *
 * Return: the sink, or NULL without memory.
 */
struct sink *sink_json_new(const char *path)
{
	static const struct sink_calls calls = {
		.begin = begin,
		.take = take,
		.gap = take_gap,
		.flush = flush,
		.close = sink_close,
	};
	struct json_file *json = calloc(1, sizeof(*json));

	if (!json)
		return NULL;
	json->sink.name = "json";
	json->sink.calls = &calls;
	json->fd = -1;
	json->path = strdup(path);
	if (json->path)
		return &json->sink;
	free(json);
	return NULL;
}
