// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes instinctctl's other readers of foreign texts. The first byte of an input selects the
 * reader below that gets the rest.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture_text.h"
#include "command.h"
#include "command_line.h"
#include "found.h"
#include "fuzz.h"
#include "guest_form.h"
#include "heat.h"
#include "host_base.h"
#include "http.h"
#include "monitor_conf.h"
#include "place.h"
#include "core/pure.h"
#include "sample_line.h"
#include "say.h"
#include "signature.h"
#include "words.h"
#include "work.h"

#define ROOT		"capture"
#define MAP		"0000:26:00.0 0000:01:00.0\n0000:23:00.0 0000:02:00.0\n"
#define REPLY_BYTES	4096
#define TURNS		20

/* A copy, NUL-terminated and without spare bytes, so that ASan sees each read past its end. */
static char *text_of_input(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	REQUIRE(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static int file_of_input(const void *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	return fd;
}

/* Runs a command; false if it printed nothing. */
static bool run(const char *const words[], bool json)
{
	struct printed said;
	bool any;

	command_run(&said, host_base(), ROOT, json, words);
	if (getenv("FUZZ_SHOW"))
		said_show(&said);
	said_require(&said, json);
	any = *said.out;
	said_free(&said);
	return any;
}

/* A map of a guest's devices, in any of its forms. */
static bool take_map(const uint8_t *data, size_t size)
{
	char *map = work_given("map", data, size);
	const char *const words[] = { "topo", "xml", "--flavor", "rccl", "--map", map, NULL };
	bool taken = run(words, false);

	free(map);
	return taken;
}

/* A topology file from a user. */
static bool take_topology(const uint8_t *data, size_t size)
{
	char *xml = work_given("xml", data, size), *map = work_given("map", MAP, strlen(MAP));
	const char *const words[] = { "topo", "check", "--map", map, xml, NULL };
	bool taken = run(words, size & 1);

	free(xml);
	free(map);
	return taken;
}

/* A topology in the form that the libraries can parse. */
static bool take_form(const uint8_t *data, size_t size)
{
	char *text = text_of_input(data, size);
	int line = -1;
	const char *wrong = guest_form_wrong(text, &line);

	REQUIRE(!wrong || (*wrong && line >= 1 && line <= (int)size + 1));
	free(text);
	return !wrong;
}

/* A place that was read, written and read again is the same. */
static bool take_place(const uint8_t *data, size_t size)
{
	struct place place, again;
	char *file;

	if (place_load_fd(file_of_input(data, size), &place)) {
		REQUIRE(!place.sinks && !place.epoch);
		return false;
	}
	REQUIRE(place.sinks <= PLACE_SINKS_MAX);
	file = work_given("place", "", 0);
	REQUIRE(!place_store(file, &place));
	REQUIRE(!place_load(file, &again));
	REQUIRE(!memcmp(&place, &again, sizeof(place)));
	free(file);
	return true;
}

static bool take_sample(const uint8_t *data, size_t size)
{
	char *text = text_of_input(data, size), again[SAMPLE_LINE_BYTES];
	struct sample_line line;
	bool taken = sample_line_parse(text, &line);

	if (taken) {
		sample_line_format(&line, again, sizeof(again));
		REQUIRE(!strcmp(text, again));
		REQUIRE(memchr(line.bdf, '\0', sizeof(line.bdf)));
	}
	free(text);
	return taken;
}

/* No file gives a device more sensors than it has room for, or an impossible temperature. */
static bool take_heat(const uint8_t *data, size_t size)
{
	json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	struct devices devices = { 0 };
	struct heat heat;
	bool taken = heat_parse(json, 0, &heat);
	unsigned int i;

	REQUIRE(taken || !heat.gpus);
	if (heat.gpus) {
		struct device *dev = devices_add(&devices);

		memcpy(dev->bdf, heat.gpu[0].bdf, sizeof(dev->bdf));
		dev->state = INSTINCT_VFIO_STATE_READY;
		heat_fill(&heat, &devices, 0);
		REQUIRE(dev->sensors <= SENSORS_MAX);
		for (i = 0; i < dev->sensors; i++)
			REQUIRE(!dev->sensor[i].known || found_is_sane(dev->sensor[i].temperature));
	}
	devices_free(&devices);
	heat_free(&heat);
	json_decref(json);
	return taken;
}

static bool take_monitor_conf(const uint8_t *data, size_t size)
{
	char *file = work_given("conf", data, size);
	struct monitor_conf conf;
	int code;

	words_catch();
	code = monitor_conf_read(file, &conf);
	words_caught();
	if (!code)
		REQUIRE(conf.sample_interval && conf.metrics_interval && conf.hook_timeout);
	free(file);
	return !code;
}

/* The last third of the input is a certificate, the rest a module. */
static bool take_signature(const uint8_t *data, size_t size)
{
	size_t certificate_bytes = size / 3, module_bytes = size - certificate_bytes;
	char *module = text_of_input(data, module_bytes);
	char *certificate = text_of_input(data + module_bytes, certificate_bytes);
	char name[64] = "", id[KEY_ID_BYTES] = "";
	struct signature signature = { 0 };
	bool found = signature_find((uint8_t *)module, module_bytes, &signature);
	bool named = false;

	REQUIRE(signature_library());
	if (found) {
		REQUIRE(signature.size <= module_bytes);
		named = signature_signer(&signature, name, sizeof(name));
		signature_is_by(&signature, (uint8_t *)certificate, certificate_bytes, id);
		/* The signature also serves as the certificate. */
		signature_is_by(&signature, signature.data, signature.size, id);
	}
	REQUIRE(memchr(name, '\0', sizeof(name)) && memchr(id, '\0', sizeof(id)));
	free(module);
	free(certificate);
	return named;
}

static bool take_command_line(const uint8_t *data, size_t size)
{
	char *text = text_of_input(data, size), value[32];
	bool taken = command_line_value(text, "iommu", value, sizeof(value));

	taken |= command_line_part(text, "pci", "realloc", value, sizeof(value));
	command_line_says(text, "pci", "realloc=off");
	free(text);
	return taken;
}

/* A report that a user presents as that of a qualification. */
static bool take_report(const uint8_t *data, size_t size)
{
	char *report = work_given("report", data, size);
	const char *const words[] = { "qualify", "--verify", report, NULL };
	bool taken = run(words, size & 1);

	free(report);
	return taken;
}

static char *page(size_t *length, void *data)
{
	(void)data;
	*length = 2;
	return strdup("m\n");
}

static int http_connect(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	REQUIRE(fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address)));
	return fd;
}

/* Sends a request. The server answers with HTTP or not at all; true if the answer is 200. */
static bool http_ask(struct http *http, const char *path, const void *data, size_t size)
{
	char reply[REPLY_BYTES + 1];
	int fd = http_connect(path), turns;
	size_t bytes = 0;
	ssize_t n = 0;

	REQUIRE(send(fd, data, size, MSG_NOSIGNAL) >= 0 || !size);
	shutdown(fd, SHUT_WR);
	for (turns = 0; turns < TURNS && bytes < REPLY_BYTES; turns++) {
		http_run(http);
		n = recv(fd, reply + bytes, REPLY_BYTES - bytes, 0);
		if (!n)
			break;
		bytes += n > 0 ? n : 0;
	}
	close(fd);
	http_run(http);
	reply[bytes] = '\0';
	REQUIRE(!bytes || !strncmp(reply, "HTTP/1.", 7));
	return !strncmp(reply + (bytes ? 8 : 0), " 200", 4);
}

static bool take_http(const uint8_t *data, size_t size)
{
	static struct http *http;
	static char where[128];
	char why[256] = "";
	bool taken;

	if (!http) {
		work_make_folders(work_given_folder());
		snprintf(where, sizeof(where), "unix:%s/http", work_folder());
		http = http_open(where, page, NULL, why, sizeof(why));
		REQUIRE(http);
	}
	taken = http_ask(http, where + strlen("unix:"), data, size);
	/* The server must still answer the next client. */
	REQUIRE(http_ask(http, where + strlen("unix:"), "GET /metrics HTTP/1.0\r\n\r\n", 25));
	return taken;
}

/* All files of a host that was read from another program's text are below sys. */
static bool end_tree(struct tree *tree)
{
	bool any = tree->count;
	size_t i;

	tree_sort(tree);
	for (i = 0; i < tree->count; i++)
		REQUIRE(!strncmp(tree->list[i].path, "sys/", 4) && !strstr(tree->list[i].path, "/../"));
	tree_free(tree);
	return any;
}

static bool take_lspci(const uint8_t *data, size_t size)
{
	char *text = text_of_input(data, size);
	struct tree tree = { 0 };
	size_t functions = capture_lspci(text, &tree);

	free(text);
	return end_tree(&tree) && functions;
}

static bool take_lstopo(const uint8_t *data, size_t size)
{
	char *text = text_of_input(data, size);
	struct tree tree = { 0 };
	int code;

	words_catch();
	code = capture_lstopo("lstopo.xml", text, size, &tree);
	words_caught();
	free(text);
	end_tree(&tree);
	return !code;
}

/* To add a reader, write a function take_NAME() above and add NAME here, at the end. */
#define READERS(X)							\
	X(map) X(topology) X(form) X(place) X(sample) X(monitor_conf)	\
	 X(signature) X(command_line) X(http) X(report) X(heat) X(lspci)	\
	 X(lstopo)

#define TAKE(name)	take_##name,
#define NAME(name)	#name,

static bool (*const readers[])(const uint8_t *data, size_t size) = { READERS(TAKE) };

const char *const fuzz_ways[] = { "refused", READERS(NAME) NULL };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t reader;

	fuzz_input();
	if (!size)
		return 0;
	command_begin(work_given_folder());
	reader = data[0] % ARRAY_SIZE(readers);
	texts_forget();
	fuzz_went(readers[reader](data + 1, size - 1) ? 1 + reader : 0);
	return 0;
}
