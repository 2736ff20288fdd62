// SPDX-License-Identifier: GPL-2.0-only
/*
 * Redfish: addresses, shapes of resources, and the sampler against a server that changes, goes
 * away and hangs. tests/static/redfish has TLS, credentials, and all that a server can do wrong.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "helper_util.h"
#include "redfish_conf.h"
#include "redfish_link.h"
#include "redfish_shape.h"
#include "found.h"
#include "sample_line.h"
#include "sampler.h"
#include "say.h"
#include "sensor_guess.h"

#define GPU	"sys/devices/pci0000:c0/0000:c1:00.0"
#define LIST	"/redfish/v1/Chassis/OAM_0/Sensors"

static void test_addresses(void)
{
	static const char *const right[] = {
		"https://bmc", "https://bmc.example.org:8443", "https://10.0.0.7", "https://[fd00::1]",
		"https://[fd00::1]:443", "http://192.168.31.1", "https://bmc:8080/slot1/hmc", "https://bmc/a",
	};
	static const char *const wrong[] = {
		"", "bmc", "https://", "https://:443", "https://bmc/", "https://bmc/redfish", "https://u@bmc",
		"https://u:p@bmc", "https://bmc:", "https://bmc:0", "https://bmc:65536", "https://bmc:1x",
		"https://[fd00::1", "https://[]", "https://[::1]x", "ftp://bmc", "https://b mc", "https://b?c",
		"https://b#c", "HTTPS://bmc", "https://bmc/a/", "https://bmc//a", "https://bmc/a/../b",
		"https://bmc/./a", "https://bmc/a?b", "https://bmc/a b", "https://bmc/a/redfish", "https://bmc:/a",
		"https://bmc/redfish/v1", "https://bmc/a%2fb",
	};
	size_t i;

	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		CHECK(redfish_conf_url(right[i]));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!redfish_conf_url(wrong[i]));
	CHECK_INT(redfish_conf_origin("https://bmc:8080/slot1/hmc"), strlen("https://bmc:8080"));
	CHECK_INT(redfish_conf_origin("http://[::1]"), strlen("http://[::1]"));
	CHECK(redfish_conf_pin("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+/="));
	CHECK(!redfish_conf_pin("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+/"));
	CHECK(!redfish_conf_pin("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+/A="));
	CHECK(!redfish_conf_pin("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+/=;"));
	CHECK(!redfish_conf_pin("sha256//"));
	CHECK(!redfish_conf_pin("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+/="));
}

static void test_paths(void)
{
	static const char *const wrong[] = {
		"", "/", "redfish/v1/", "/redfish", "//bmc/redfish/v1", "https://bmc/redfish/v1/",
		"/redfish/../x", "/redfish/v1/a b", "/redfish/v1/a\n", "/redfish/v1/a#b", "/redfish/v1/a@b",
		"/redfish/v1/a\\b", "/redfish/v1/\xc3\xa4",
	};
	char id[SHAPE_ID_BYTES], longest[1024];
	size_t i;

	CHECK(redfish_link_is_path("/redfish/v1/Chassis/1/Sensors?$skip=50"));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!redfish_link_is_path(wrong[i]));
	snprintf(longest, sizeof(longest), "/redfish/%0*d", 1000, 0);
	CHECK(!redfish_link_is_path(longest));
	shape_id("/redfish/v1/Chassis/1/Sensors/temperature_GPU0/", id, sizeof(id));
	CHECK_STR(id, "GPU0");
	shape_id("/redfish/v1/Chassis/1/Sensors/temperature_", id, sizeof(id));
	CHECK_STR(id, "temperature_");
	shape_id("7", id, sizeof(id));
	CHECK_STR(id, "7");
	shape_id("", id, sizeof(id));
	CHECK_STR(id, "");
	shape_chassis("/redfish/v1/Chassis/OAM_3/Sensors/x", id, sizeof(id));
	CHECK_STR(id, "OAM_3");
	shape_chassis("/redfish/v1/Systems/1", id, sizeof(id));
	CHECK_STR(id, "-");
}

static bool reads(const char *text, int32_t want)
{
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
	int32_t temperature = 0;
	bool known = shape_reading(json, &temperature);

	CHECK(json);
	json_decref(json);
	return known && temperature == want;
}

/* Returns the reading of the entry of a MetricReport, -1 for none. @made is the report's time. */
static int reported_at(const char *made, const char *entry)
{
	json_t *report = json_pack("{s:s, s:[o]}", "Timestamp", made, "MetricValues",
				   json_loads(entry, JSON_DECODE_ANY, NULL));
	const json_t *value = shape_report_find(report, "/redfish/v1/Chassis/OAM_0/Sensors/T");
	int32_t temperature = -1;

	if (!value || !shape_report_reading(value, &temperature))
		temperature = -1;
	json_decref(report);
	return temperature;
}

static int reported(const char *entry)
{
	return reported_at("2026-11-29T10:00:00Z", entry);
}

static void test_reported(void)
{
#define OF(path, value) "{\"MetricProperty\": \"" path "\", \"MetricValue\": " value "}"
#define T "/redfish/v1/Chassis/OAM_0/Sensors/T"
	CHECK_INT(reported(OF(T, "\"61.5\"")), 61500);
	CHECK_INT(reported(OF(T "#/Reading", "\"61.5\"")), 61500);
	CHECK_INT(reported(OF("/slot1/hmc" T "#/Reading", "61.5")), 61500);
	CHECK_INT(reported(OF(T "x", "61.5")), -1);
	CHECK_INT(reported(OF("/redfish/v1/Chassis/OAM_0/Sensors/", "61.5")), -1);
	CHECK_INT(reported(OF(T "#/Status", "61.5")), -1);
	CHECK_INT(reported(OF(T, "\"\"")), -1);
	CHECK_INT(reported(OF(T, "\"nan\"")), -1);
	CHECK_INT(reported(OF(T, "\"61.5 C\"")), -1);
	CHECK_INT(reported(OF(T, "\"300\"")), -1);
	CHECK_INT(reported(OF(T, "null")), -1);
	CHECK_INT(reported("7"), -1);
	CHECK_INT(reported("{\"MetricProperty\": 7}"), -1);
#define READ(time) "{\"MetricProperty\": \"" T "\", \"MetricValue\": 61.5, \"Timestamp\": " time "}"
	/* A reading may be older than its report. */
	CHECK_INT(reported(READ("\"2026-11-29T10:00:00Z\"")), 61500);
	CHECK_INT(reported(READ("\"2026-11-29T09:59:31.250+00:00\"")), 61500);
	CHECK_INT(reported(READ("\"2026-11-29T11:59:31+02:00\"")), 61500);
	CHECK_INT(reported(READ("\"2026-11-29T10:00:07Z\"")), 61500);
	CHECK_INT(reported(READ("\"2026-11-29T09:59:29Z\"")), -1);
	CHECK_INT(reported(READ("\"2026-11-28T10:00:00Z\"")), -1);
	CHECK_INT(reported(READ("\"2026-11-29T10:00:00+02:00\"")), -1);
	CHECK_INT(reported(READ("\"2026-11-29T10:00:00\"")), -1);
	CHECK_INT(reported(READ("\"2026-11-29T10:00:00Zx\"")), -1);
	CHECK_INT(reported(READ("\"noon\"")), -1);
	CHECK_INT(reported(READ("\"\"")), -1);
	CHECK_INT(reported(READ("null")), -1);
	CHECK_INT(reported_at("7", READ("\"7\"")), 61500);
	CHECK_INT(reported_at("8", READ("\"7\"")), -1);
}

static bool is_temperature(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);
	bool is = shape_is_temperature(json);

	json_decref(json);
	return is;
}

static void test_readings(void)
{
	static const char *const none[] = {
		"{}", "[]", "7", "null", "{\"Reading\": null}", "{\"Reading\": \"42\"}", "{\"Reading\": true}",
		"{\"Reading\": 250.1}", "{\"Reading\": -61}", "{\"Reading\": 1e300}", "{\"Reading\": {}}",
		"{\"Reading\": 42, \"Status\": {\"State\": \"Absent\"}}", "{\"Reading\": null, \"ReadingCelsius\": 3}",
	};
	size_t i;

	CHECK(reads("{\"Reading\": 42}", 42000));
	CHECK(reads("{\"Reading\": 42.0625}", 42063));
	CHECK(reads("{\"ReadingCelsius\": -5.5, \"Status\": {\"State\": \"Enabled\"}}", -5500));
	CHECK(reads("{\"Reading\": 42, \"Status\": {\"State\": null}}", 42000));
	CHECK(reads("{\"Reading\": 42, \"Status\": 7}", 42000));
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		CHECK(!reads(none[i], 42000) && !reads(none[i], 0));
	CHECK(is_temperature("{\"ReadingType\": \"Temperature\", \"ReadingUnits\": \"Cel\"}"));
	CHECK(is_temperature("{\"ReadingType\": \"Temperature\"}"));
	CHECK(is_temperature("{\"ReadingUnits\": \"Cel\"}"));
	CHECK(!is_temperature("{\"ReadingType\": \"Temperature\", \"ReadingUnits\": \"[degF]\"}"));
	CHECK(!is_temperature("{\"ReadingType\": \"Power\", \"ReadingUnits\": \"W\"}"));
	CHECK(!is_temperature("{}"));
}

/* Returns the guess for a sensor as KIND * 100 + index, -1 for none. */
static int guess(const char *name, const char *id)
{
	struct found_sensor sensor = { .source = INSTINCT_VFIO_SOURCE_REDFISH };
	struct guess it;

	snprintf(sensor.name, sizeof(sensor.name), "%s", name);
	snprintf(sensor.place, sizeof(sensor.place), "%s", id);
	return sensor_guess(&sensor, &it) ? (int)(it.kind * 100 + it.index) : -1;
}

static void test_guess(void)
{
	CHECK_INT(guess("UBB/GPU_3_DIE_TEMP", "GPU_3_DIE_TEMP"), 3);
	CHECK_INT(guess("OAM_3/GPU 3 MEMORY TEMP", "x"), 103);
	CHECK_INT(guess("1/Temperature", "OAM5_HBM_TEMP"), 105);
	CHECK_INT(guess("OAM_6/Hotspot", "t1"), 6);
	CHECK_INT(guess("OAM_6/Inlet Temp", "inlet"), -1);
	CHECK_INT(guess("OAM_0/GPU_WARMEST_DIE_TEMP", "GPU_WARMEST_DIE_TEMP"), -1);
	CHECK_INT(guess("1/CPU0 Temp", "CPU0_Temp"), -1);
}

/*
 * A server of files: the file of /a/b is "a_b", an absent one is 404. Each request adds a byte to
 * "asked"; while there is a file "locked" the server wants a user.
 */

static int server_port;

static void serve_one(int fd, bool hang)
{
	char text[4096], name[512], *path, *end;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	FILE *in;

	while (hang)
		pause();
	text[n < 0 ? 0 : n] = '\0';
	path = strchr(text, ' ');
	end = path ? strchr(path + 1, ' ') : NULL;
	if (!end)
		return;
	while (end > path + 1 && end[-1] == '/')
		end--;
	*end = '\0';
	snprintf(name, sizeof(name), "%s", path + 2);
	for (end = name; *end; end++)
		*end = *end == '/' ? '_' : *end;
	in = fopen("asked", "a");
	fputc('.', in);
	fclose(in);
	if (!access("locked", F_OK)) {
		dprintf(fd, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
		return;
	}
	in = fopen(name, "r");
	n = in ? (ssize_t)fread(text, 1, sizeof(text), in) : 0;
	if (in)
		fclose(in);
	dprintf(fd, "HTTP/1.1 %s\r\nContent-Length: %zd\r\nConnection: close\r\n\r\n%.*s",
		in ? "200 OK" : "404 Not Found", n, (int)n, text);
}

/* Starts the server in a process of its own, on the port of the one before. */
static pid_t serve(bool hang)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(server_port),
	};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	pid_t pid;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	CHECK(!bind(fd, (struct sockaddr *)&address, length));
	CHECK(!listen(fd, 8));
	getsockname(fd, (struct sockaddr *)&address, &length);
	server_port = ntohs(address.sin_port);
	pid = fork();
	if (!pid)
		for (;;) {
			int client = accept(fd, NULL, NULL);

			serve_one(client, hang);
			close(client);
		}
	close(fd);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void put_sensor(const char *name, const char *reading)
{
	char file[256], text[1024];

	snprintf(file, sizeof(file), "redfish_v1_Chassis_OAM_0_Sensors_%s", name);
	snprintf(text, sizeof(text), "{\"Name\": \"%s\", \"Reading\": %s, \"ReadingType\": \"Temperature\"}", name, reading);
	util_write("new", text);
	if (rename("new", file))
		exit(1);
}

static void put_resources(void)
{
	util_write("redfish_v1", "{\"Chassis\": {\"@odata.id\": \"/redfish/v1/Chassis\"}}");
	util_write("redfish_v1_Chassis", "{\"Members\": [{\"@odata.id\": \"/redfish/v1/Chassis/OAM_0\"}]}");
	util_write("redfish_v1_Chassis_OAM_0", "{\"Sensors\": {\"@odata.id\": \"" LIST "\"}}");
	util_write("redfish_v1_Chassis_OAM_0_Sensors", "{\"Members\": [{\"@odata.id\": \"" LIST "/GPU_0_DIE_TEMP\"}, "
		   "{\"@odata.id\": \"" LIST "/GPU_0_MEMORY_TEMP\"}]}");
	put_sensor("GPU_0_DIE_TEMP", "50");
	put_sensor("GPU_0_MEMORY_TEMP", "40.5");
}

static void make_host(void)
{
	static const char *const folders[] = {
		"sys", "sys/bus", "sys/bus/pci", "sys/bus/pci/devices", "sys/class", "sys/class/hwmon", "sys/devices",
		"sys/devices/pci0000:c0", GPU,
	};
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		mkdir(folders[i], 0755);
	util_write(GPU "/vendor", "0x1002\n");
	util_write(GPU "/device", "0x74a1\n");
	if (symlink("../../../devices/pci0000:c0/0000:c1:00.0", "sys/bus/pci/devices/0000:c1:00.0"))
		perror("symlink");
	opt_sysroot = ".";
}

static struct {
	unsigned int samples, remarks;
	int32_t temperature[2];
	char text[REMARK_BYTES];
} came;

static void on_sample(const struct sample_line *line, void *data)
{
	CHECK(data == &came);
	CHECK(!strncmp(line->name, "OAM_0/GPU_0_", 12));
	CHECK_STR(line->bdf, "0000:c1:00.0");
	CHECK_INT(line->source, INSTINCT_VFIO_SOURCE_REDFISH);
	came.samples++;
	if (line->sensor < 2)
		came.temperature[line->sensor] = line->temperature;
}

static void on_remark(int priority, const char *text, void *data)
{
	CHECK(data == &came);
	CHECK(priority >= 0 && priority <= 7);
	came.remarks++;
	snprintf(came.text, sizeof(came.text), "%s", text);
}

/* Reads samples until the hot spot is @want, or a remark contains @text. */
static bool wait_for(struct sampler *sampler, int32_t want, const char *text, int seconds)
{
	struct pollfd fd = { .fd = sampler_fd(sampler), .events = POLLIN };
	time_t end = time(NULL) + seconds;
	bool done = false;

	memset(&came, 0, sizeof(came));
	while (!done && time(NULL) <= end) {
		if (poll(&fd, 1, 100) > 0 && sampler_read(sampler, on_sample, on_remark, &came))
			return false;
		done = text ? strstr(came.text, text) != NULL : came.temperature[0] == want;
	}
	return done;
}

static struct sampler *start(void)
{
	struct redfish_conf conf = { .credentials = "/nonexistent/login", .ca = "system" };
	int error = 0;
	struct sampler *sampler;

	snprintf(conf.url, sizeof(conf.url), "http://127.0.0.1:%d", server_port);
	util_write("policy.conf", "[default]\nboard_sensor = none\n");
	sampler = sampler_start(INSTINCT_VFIO_SOURCE_REDFISH, &conf, "0000:c1:00.0=0", "policy.conf", 50,
				&error);
	CHECK(sampler);
	return sampler;
}

static void put_report(const char *time, const char *reading)
{
	char text[1024];

	snprintf(text, sizeof(text), "{\"Timestamp\": \"%s\", \"MetricValues\": [{\"MetricProperty\": \"" LIST
		 "/GPU_0_DIE_TEMP#/Reading\", \"MetricValue\": \"%s\"}, {\"MetricProperty\": \"" LIST
		 "/GPU_0_MEMORY_TEMP#/Reading\", \"MetricValue\": \"41\"}]}", time, reading);
	util_write("new", text);
	if (rename("new", "redfish_v1_T_R_All"))
		exit(1);
}

/* One request reads all sensors where the BMC has them in a MetricReport. */
static void test_report(void)
{
	pid_t server = serve(false);
	struct sampler *sampler;

	put_resources();
	util_write("redfish_v1", "{\"Chassis\": {\"@odata.id\": \"/redfish/v1/Chassis\"}, "
		   "\"TelemetryService\": {\"@odata.id\": \"/redfish/v1/T\"}}");
	util_write("redfish_v1_T", "{\"MetricReports\": {\"@odata.id\": \"/redfish/v1/T/R\"}}");
	util_write("redfish_v1_T_R", "{\"Members\": [{\"@odata.id\": \"/redfish/v1/T/R/All\"}]}");
	/* A report counts once its time has changed, and the sensors themselves until then. */
	put_report("1", "51");
	sampler = start();
	CHECK(wait_for(sampler, 50000, NULL, 10));
	CHECK(!wait_for(sampler, 51000, NULL, 1));
	put_report("2", "52");
	CHECK(wait_for(sampler, 52000, NULL, 10));
	/* The first pass may follow a line of the one before; the last one's second line may be on its way. */
	CHECK(wait_for(sampler, 52000, NULL, 10));
	CHECK(!came.temperature[1] || came.temperature[1] == 41000);
	/* A reading that the report does not have comes from the sensor. */
	put_report("3", "");
	CHECK(wait_for(sampler, 50000, NULL, 10));
	/* So does one of a report without a time. */
	put_report("", "53");
	CHECK(!wait_for(sampler, 53000, NULL, 1));
	CHECK_INT(came.temperature[1], 40500);
	sampler_stop(sampler);
	stop(server);
	unlink("redfish_v1_T_R_All");
}

static void test_sampler(void)
{
	pid_t server = serve(false);
	struct sampler *sampler;

	put_resources();
	sampler = start();
	CHECK(wait_for(sampler, 50000, NULL, 10));
	put_sensor("GPU_0_DIE_TEMP", "61.5");
	CHECK(wait_for(sampler, 61500, NULL, 10));
	CHECK(!wait_for(sampler, 1, NULL, 1));
	CHECK_INT(came.temperature[1], 40500);
	CHECK_INT(came.remarks, 0);
	put_sensor("GPU_0_DIE_TEMP", "null");
	CHECK(wait_for(sampler, 0, "redfish:OAM_0/GPU_0_DIE_TEMP cannot be read", 10));
	put_sensor("GPU_0_DIE_TEMP", "62");
	CHECK(wait_for(sampler, 62000, NULL, 10));
	CHECK(strstr(came.text, "can be read again"));
	/* A sensor that is gone leads to a new search. */
	unlink("redfish_v1_Chassis_OAM_0_Sensors_GPU_0_DIE_TEMP");
	CHECK(wait_for(sampler, 0, "its list of sensors has changed", 10));
	CHECK(wait_for(sampler, 0, "can be read by Redfish again", 10));
	/* The server goes away and comes back. */
	stop(server);
	CHECK(wait_for(sampler, 0, "cannot be read by Redfish: cannot reach", 10));
	server = serve(false);
	CHECK(wait_for(sampler, 0, "can be read by Redfish again", 10));
	CHECK(!wait_for(sampler, 50000, NULL, 1));
	CHECK_INT(came.temperature[1], 40500);
	sampler_stop(sampler);
	stop(server);
}

/* BMCs lock a user out after some wrong passwords, so the sampler does not try again and again. */
static void test_refused(void)
{
	pid_t server = serve(false);
	struct sampler *sampler;
	struct stat st = { 0 };

	put_resources();
	util_write("locked", "");
	unlink("asked");
	sampler = start();
	CHECK(wait_for(sampler, 0, "wants a user: put USER:PASSWORD into /nonexistent/login", 10));
	/* A policy that has changed leads to a new search. */
	util_write("new", "# changed\n[default]\nboard_sensor = none\n");
	CHECK(!rename("new", "policy.conf"));
	CHECK(!wait_for(sampler, 50000, NULL, 1));
	CHECK_INT(came.remarks, 0);
	CHECK(!stat("asked", &st));
	CHECK_INT(st.st_size, 1);
	sampler_stop(sampler);
	stop(server);
	unlink("locked");
}

/* A server that hangs holds up neither the end of the sampler nor, later, its samples. */
static void test_hang(void)
{
	struct sampler *sampler;
	pid_t server = serve(true);
	time_t begun;

	put_resources();
	sampler = start();
	CHECK(wait_for(sampler, 0, "does not answer within 4 s", 10));
	begun = time(NULL);
	sampler_stop(sampler);
	CHECK(time(NULL) - begun <= 2);
	CHECK_INT(waitpid(server, NULL, WNOHANG), 0);
	stop(server);
	CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
	CHECK_INT(errno, ECHILD);
}

int main(void)
{
	util_begin();
	make_host();
	RUN(test_addresses);
	RUN(test_paths);
	RUN(test_readings);
	RUN(test_reported);
	RUN(test_guess);
	RUN(test_sampler);
	RUN(test_report);
	RUN(test_refused);
	RUN(test_hang);
	return unit_end();
}
