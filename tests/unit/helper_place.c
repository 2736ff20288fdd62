// SPDX-License-Identifier: GPL-2.0-only
/* The service's state file: the service reads its own files, and refuses any other content. */
#include <errno.h>
#include <sys/wait.h>

#include "helper_util.h"
#include "place.h"

#define FILE_NAME	"monitor.json"

static const struct place some = {
	.epoch = 1700000000000000000, .heard = 12, .samples = 12, .samples_refused = 3, .sinks = 2,
	.sink = { { "journal", 13, 12, 0, 1 }, { "json", 7, 3, 3, 0, 2, { { 5, 1, 9 }, { 6, 2, 2 } } } },
};

static void test_round_trip(void)
{
	struct place place;
	struct stat st;

	CHECK_INT(place_store(FILE_NAME, &some), 0);
	CHECK_INT(place_load(FILE_NAME, &place), 0);
	CHECK(!memcmp(&place, &some, sizeof(some)));
	CHECK(place_find(&place, "json") == &place.sink[1]);
	CHECK(!place_find(&place, "hooks"));
	CHECK(stat(FILE_NAME ".new", &st) < 0);
	CHECK_INT(place_load("absent", &place), -ENOENT);
	CHECK_INT(place.sinks, 0);
	CHECK_INT(place_store("absent/" FILE_NAME, &some), -ENOENT);
}

/* The service refuses a truncated file as a whole. */
static void test_torn(void)
{
	char text[4096];
	struct place place;
	size_t size, i;
	FILE *in;

	CHECK_INT(place_store(FILE_NAME, &some), 0);
	in = fopen(FILE_NAME, "r");
	size = fread(text, 1, sizeof(text), in);
	fclose(in);
	for (i = 0; i < size - 2; i++) {
		util_write_bytes(FILE_NAME, text, i);
		CHECK_INT(place_load(FILE_NAME, &place), -EBADMSG);
		CHECK_INT(place.epoch, 0);
	}
}

#define HEAD	"{\"version\":1,\"epoch\":1,\"heard\":0,\"samples\":0,\"samples_refused\":0,\"sinks\":"
#define SINK(_name, _next) \
	"{\"name\":" _name ",\"next\":" _next ",\"delivered\":0,\"lost\":0,\"failed\":0}"
#define OWING(_owed) \
	"{\"name\":\"json\",\"next\":1,\"delivered\":0,\"lost\":0,\"failed\":0,\"owed\":" _owed "}"
#define GAP(_first, _last) "{\"epoch\":1,\"first\":" _first ",\"last\":" _last "}"

static void test_hostile(void)
{
	static const char *const wrong[] = {
		"[]", "1", "null", "{}", "\xff\xfe", HEAD "1}", HEAD "[1]}", HEAD "[{}]}",
		"{\"version\":2,\"epoch\":1,\"heard\":0,\"samples\":0,\"samples_refused\":0,\"sinks\":[]}",
		"{\"version\":1,\"epoch\":-1,\"heard\":0,\"samples\":0,\"samples_refused\":0,\"sinks\":[]}",
		"{\"version\":1,\"epoch\":1.5,\"heard\":0,\"samples\":0,\"samples_refused\":0,\"sinks\":[]}",
		"{\"version\":1,\"version\":1,\"epoch\":1,\"heard\":0,\"samples\":0,\"samples_refused\":0,\"sinks\":[]}",
		"{\"version\":1,\"epoch\":1,\"heard\":-1,\"samples\":0,\"samples_refused\":0,\"sinks\":[]}",
		HEAD "[" SINK("\"json\"", "0") "]}", HEAD "[" SINK("\"json\"", "-1") "]}",
		HEAD "[" SINK("\"\"", "1") "]}", HEAD "[" SINK("7", "1") "]}",
		HEAD "[" SINK("\"a name of 16 bytes\"", "1") "]}",
		HEAD "[" SINK("\"json\"", "99999999999999999999") "]}",
		HEAD "[" SINK("\"json\"", "1") "," SINK("\"json\"", "1") "]}",
		HEAD "[" OWING("1") "]}", HEAD "[" OWING("[1]") "]}", HEAD "[" OWING("[{}]") "]}",
		HEAD "[" OWING("[" GAP("2", "1") "]") "]}", HEAD "[" OWING("[" GAP("-1", "1") "]") "]}",
		HEAD "[" OWING("[" GAP("1", "1") "," GAP("1", "1") "," GAP("1", "1") ","
			       GAP("1", "1") "," GAP("1", "1") "]") "]}",
		HEAD "[" SINK("\"1\"", "1") "," SINK("\"2\"", "1") "," SINK("\"3\"", "1") ","
			 SINK("\"4\"", "1") "," SINK("\"5\"", "1") "," SINK("\"6\"", "1") ","
			 SINK("\"7\"", "1") "," SINK("\"8\"", "1") "," SINK("\"9\"", "1") "]}",
	};
	struct place place;
	char *large;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		util_write(FILE_NAME, wrong[i]);
		CHECK_INT(place_load(FILE_NAME, &place), -EBADMSG);
		CHECK_INT(place.sinks, 0);
	}
	util_write(FILE_NAME, HEAD "[" SINK("\"json\"", "1") "]}");
	CHECK_INT(place_load(FILE_NAME, &place), 0);
	util_write(FILE_NAME, HEAD "[" OWING("[" GAP("1", "1") "]") "]}");
	CHECK_INT(place_load(FILE_NAME, &place), 0);
	CHECK_INT(place.sink[0].owes, 1);
	large = malloc(1 << 20);
	memset(large, '[', 1 << 20);
	util_write_bytes(FILE_NAME, large, 1 << 20);
	free(large);
	CHECK_INT(place_load(FILE_NAME, &place), -EBADMSG);
	CHECK_INT(place_load(".", &place), -EBADMSG);
}

static int lock_of_another(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		int ret = place_lock(FILE_NAME);

		_exit(ret < 0 ? -ret : 0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return WEXITSTATUS(status);
}

/* A child tries the lock, since POSIX locks do not exclude their own process. */
static void test_lock(void)
{
	int fd = place_lock(FILE_NAME);

	CHECK(fd >= 0);
	CHECK_INT(lock_of_another(), EBUSY);
	close(fd);
	CHECK_INT(lock_of_another(), 0);
	CHECK_INT(place_lock("absent/" FILE_NAME), -ENOENT);
}

/* The service does not replace a link or a folder by a file, though root could. */
static void test_no_file(void)
{
	struct place place = { .sinks = 0 };
	struct stat st;

	CHECK_INT(symlink("elsewhere", "link"), 0);
	CHECK_INT(place_lock("link"), -EINVAL);
	CHECK_INT(place_store("link", &place), -EINVAL);
	CHECK_INT(lstat("link", &st), 0);
	CHECK(S_ISLNK(st.st_mode));
	CHECK_INT(access("link.lock", F_OK), -1);
	CHECK_INT(place_lock("."), -EISDIR);
}

int main(void)
{
	util_begin();
	RUN(test_round_trip);
	RUN(test_torn);
	RUN(test_hostile);
	RUN(test_lock);
	RUN(test_no_file);
	return unit_end();
}
