// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"
#include "textfile.h"

#define PLACE_VERSION	1
#define PLACE_BYTES	16384	/* larger than any state file */

static bool get(const json_t *object, const char *key, uint64_t *value)
{
	const json_t *number = json_object_get(object, key);

	if (!json_is_integer(number) || json_integer_value(number) < 0)
		return false;
	*value = json_integer_value(number);
	return true;
}

/* The state file omits "owed" for a sink that owes nothing. */
static bool get_owed(const json_t *owed, struct place_sink *sink)
{
	const json_t *object;
	size_t i;

	if (owed && (!json_is_array(owed) || json_array_size(owed) > PLACE_GAPS_MAX))
		return false;
	json_array_foreach(owed, i, object) {
		struct gap *gap = &sink->owed[sink->owes++];

		if (!get(object, "epoch", &gap->epoch) || !get(object, "first", &gap->first) ||
		    !get(object, "last", &gap->last) || gap->first > gap->last)
			return false;
	}
	return true;
}

static bool get_sink(const json_t *object, struct place *place)
{
	struct place_sink *sink = &place->sink[place->sinks];
	const json_t *name = json_object_get(object, "name");

	if (place->sinks == PLACE_SINKS_MAX || !json_is_string(name) ||
	    !json_string_length(name) || json_string_length(name) >= sizeof(sink->name) ||
	    place_find(place, json_string_value(name)) ||
	    !get(object, "next", &sink->next) || !sink->next ||
	    !get(object, "delivered", &sink->delivered) ||
	    !get(object, "lost", &sink->lost) ||
	    !get(object, "failed", &sink->failed) ||
	    !get_owed(json_object_get(object, "owed"), sink))
		return false;
	snprintf(sink->name, sizeof(sink->name), "%s", json_string_value(name));
	place->sinks++;
	return true;
}

static bool get_place(const json_t *json, struct place *place)
{
	const json_t *sinks = json_object_get(json, "sinks"), *sink;
	uint64_t version;
	size_t i;

	if (!get(json, "version", &version) || version != PLACE_VERSION ||
	    !get(json, "epoch", &place->epoch) ||
	    !get(json, "heard", &place->heard) ||
	    !get(json, "samples", &place->samples) ||
	    !get(json, "samples_refused", &place->samples_refused) ||
	    !json_is_array(sinks))
		return false;
	json_array_foreach(sinks, i, sink)
		if (!get_sink(sink, place))
			return false;
	return true;
}

/* Read a small regular file; return its length, or a negative errno. */
static ssize_t slurp(int fd, char *text, size_t size)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size >= (off_t)size)
		return -EBADMSG;
	n = read(fd, text, size);
	return n < 0 ? -errno : n;
}

/**
 * place_load_fd() - read an open state file
 * @fd: file descriptor, closed by this function
 * @place: receives the contents, all zero on failure
 *
 * Return: 0, -EBADMSG if the file is malformed, or another negative errno.
 */
int place_load_fd(int fd, struct place *place)
{
	char text[PLACE_BYTES];
	ssize_t n = slurp(fd, text, sizeof(text));
	json_t *json;
	bool good;

	*place = (struct place) { 0 };
	close(fd);
	if (n < 0)
		return n;
	json = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	good = get_place(json, place);
	json_decref(json);
	if (good)
		return 0;
	*place = (struct place) { 0 };
	return -EBADMSG;
}

/**
 * place_load() - read the state file
 * @file: name of the file
 * @place: receives the contents, all zero on failure
 *
 * Return: 0, -ENOENT, -EBADMSG if the file is malformed, or another negative errno.
 */
int place_load(const char *file, struct place *place)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	*place = (struct place) { 0 };
	return fd < 0 ? -errno : place_load_fd(fd, place);
}

/**
 * place_find() - look up a sink by its name
 * @place: contents of the state file
 * @name: name of the sink
 *
 * Return: the sink or NULL.
 */
struct place_sink *place_find(struct place *place, const char *name)
{
	unsigned int i;

	for (i = 0; i < place->sinks; i++)
		if (!strcmp(place->sink[i].name, name))
			return &place->sink[i];
	return NULL;
}

/**
 * place_lock() - lock a state file
 * @file: name of the state file
 *
 * Two daemons with the same state file would deliver every event twice. Children of the
 * process do not inherit the lock.
 *
 * Return: a file descriptor that holds the lock until it is closed; -EBUSY if another process
 * has the lock, -EISDIR or -EINVAL if @file cannot be replaced (textfile_may_replace()), or
 * another negative errno.
 */
int place_lock(const char *file)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char name[PATH_MAX];
	int fd, ret = textfile_may_replace(file);

	if (ret)
		return ret;
	if (snprintf(name, sizeof(name), "%s.lock", file) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (!fcntl(fd, F_SETLK, &lock))
		return fd;
	ret = -errno;
	close(fd);
	return ret == -EAGAIN || ret == -EACCES ? -EBUSY : ret;
}

static json_t *sink_json(const struct place_sink *sink)
{
	json_t *json = json_pack("{s:s, s:I, s:I, s:I, s:I}",
				 "name", sink->name,
				 "next", (json_int_t)sink->next,
				 "delivered", (json_int_t)sink->delivered,
				 "lost", (json_int_t)sink->lost,
				 "failed", (json_int_t)sink->failed);
	json_t *owed = json_array();
	unsigned int i;

	for (i = 0; i < sink->owes; i++)
		json_array_append_new(owed, json_pack("{s:I, s:I, s:I}",
			"epoch", (json_int_t)sink->owed[i].epoch,
			"first", (json_int_t)sink->owed[i].first,
			"last", (json_int_t)sink->owed[i].last));
	if (sink->owes)
		json_object_set(json, "owed", owed);
	json_decref(owed);
	return json;
}

static json_t *place_json(const struct place *place)
{
	json_t *sinks = json_array();
	unsigned int i;

	for (i = 0; i < place->sinks; i++)
		json_array_append_new(sinks, sink_json(&place->sink[i]));
	return json_pack("{s:i, s:I, s:I, s:I, s:I, s:o}",
			 "version", PLACE_VERSION,
			 "epoch", (json_int_t)place->epoch,
			 "heard", (json_int_t)place->heard,
			 "samples", (json_int_t)place->samples,
			 "samples_refused", (json_int_t)place->samples_refused,
			 "sinks", sinks);
}

static int write_all(int fd, const char *text, size_t size)
{
	ssize_t n = write(fd, text, size);

	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -ENOSPC;
}

/**
 * place_store() - replace the state file atomically
 * @file: name of the file
 * @place: contents to write
 *
 * The file is not flushed to the disk: after a power failure the module counts in another epoch,
 * so an old state file is of no more use than none.
 *
 * Return: 0 or a negative errno.
 */
int place_store(const char *file, const struct place *place)
{
	char text[PLACE_BYTES], new[PATH_MAX];
	json_t *json = place_json(place);
	size_t size = json_dumpb(json, text, sizeof(text), JSON_INDENT(2));
	int fd, ret = textfile_may_replace(file);

	json_decref(json);
	if (ret)
		return ret;
	if (!size || size >= sizeof(text) ||
	    snprintf(new, sizeof(new), "%s.new", file) >= (int)sizeof(new))
		return -ENAMETOOLONG;
	text[size++] = '\n';
	fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, text, size);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(new, file))
		ret = -errno;
	if (ret)
		unlink(new);
	return ret;
}
