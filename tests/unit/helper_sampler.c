// SPDX-License-Identifier: GPL-2.0-only
/* hwmon devices and the sampler, on a fake host. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "helper_util.h"
#include "redfish_conf.h"
#include "sample_line.h"
#include "sampler.h"
#include "say.h"
#include "source_hwmon.h"

#define GPU	"sys/devices/pci0000:c0/0000:c1:00.0"
#define CHIP	GPU "/hwmon/hwmon0"

static void folders(const char *path)
{
	char text[256];
	size_t i;

	snprintf(text, sizeof(text), "%s", path);
	for (i = 1; text[i]; i++)
		if (text[i] == '/') {
			text[i] = '\0';
			mkdir(text, 0700);
			text[i] = '/';
		}
	mkdir(text, 0700);
}

/* Makes a GPU with amdgpu's hwmon device, and odd devices. */
static void make_host(void)
{
	folders("sys/bus/pci/devices");
	folders("sys/class/hwmon");
	folders(CHIP);
	folders("sys/devices/virtual/hwmon2");
	folders("sys/devices/virtual/hwmon3");
	util_write(GPU "/vendor", "0x1002\n");
	util_write(GPU "/device", "0x74a1\n");
	if (symlink("../../../devices/pci0000:c0/0000:c1:00.0", "sys/bus/pci/devices/0000:c1:00.0") ||
	    symlink("../../devices/pci0000:c0/0000:c1:00.0/hwmon/hwmon0", "sys/class/hwmon/hwmon0") ||
	    symlink("../../devices/virtual/hwmon2", "sys/class/hwmon/hwmon2") ||
	    symlink("../../devices/virtual/hwmon3", "sys/class/hwmon/hwmon3") ||
	    symlink("../..", CHIP "/device"))
		perror("symlink");
	util_write(CHIP "/name", "amdgpu\n");
	util_write(CHIP "/temp1_input", "40000\n");
	util_write(CHIP "/temp1_label", "junction\n");
	util_write(CHIP "/temp2_input", "35000\n");
	util_write(CHIP "/temp2_label", "mem\n");
	util_write("sys/devices/virtual/hwmon2/name", "odd\n");
	util_write("sys/devices/virtual/hwmon2/temp10_input", "10000\n");
	util_write("sys/devices/virtual/hwmon2/temp9_input", "9000\n");
	util_write("sys/devices/virtual/hwmon2/temp9_label", "\n");
	util_write("sys/devices/virtual/hwmon2/temp_input", "1\n");
	util_write("sys/devices/virtual/hwmon2/tempX_input", "1\n");
	util_write("sys/devices/virtual/hwmon2/temp3_input_x", "1\n");
	util_write("sys/devices/virtual/hwmon2/temp4_crit", "1\n");
	util_write("sys/devices/virtual/hwmon2/fan1_input", "1\n");
	util_write("sys/devices/virtual/hwmon3/temp1_input", "1\n");
	opt_sysroot = ".";
}

static void test_hwmon_scan(void)
{
	struct found found = { 0 };

	hwmon_scan(&found);
	CHECK_INT(found.count, 4);
	CHECK_STR(found.list[0].name, "amdgpu/junction");
	CHECK_STR(found.list[0].bdf, "0000:c1:00.0");
	CHECK_STR(found.list[0].place, "hwmon0/temp1");
	CHECK(!found.list[0].known);
	CHECK_STR(found.list[1].name, "amdgpu/mem");
	CHECK_STR(found.list[2].name, "odd/temp9");
	CHECK_STR(found.list[2].bdf, "");
	CHECK_STR(found.list[3].name, "odd/temp10");
	found_free(&found);
}

static void test_hwmon_read(void)
{
	static const char *const wrong[] = {
		"", "\n", "x\n", "40000x\n", "250001\n", "-60001\n", "9999999999999999999999\n",
	};
	struct found found = { 0 };
	size_t i;

	hwmon_scan(&found);
	hwmon_read(&found.list[0]);
	CHECK(found.list[0].known);
	CHECK_INT(found.list[0].temperature, 40000);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		util_write(CHIP "/temp1_input", wrong[i]);
		hwmon_read(&found.list[0]);
		CHECK(!found.list[0].known);
	}
	util_write(CHIP "/temp1_input", "-5000\n");
	hwmon_read(&found.list[0]);
	CHECK_INT(found.list[0].temperature, -5000);
	util_write(CHIP "/temp1_fault", "1\n");
	hwmon_read(&found.list[0]);
	CHECK(!found.list[0].known);
	util_write(CHIP "/temp1_fault", "0\n");
	hwmon_read(&found.list[0]);
	CHECK(found.list[0].known);
	/* Another chip has the sensor's hwmon number now. */
	util_write(CHIP "/name", "amdgpu2\n");
	hwmon_read(&found.list[0]);
	CHECK(!found.list[0].known);
	util_write(CHIP "/name", "amdgpu\n");
	util_write(CHIP "/temp1_input", "40000\n");
	found_free(&found);
}

static struct {
	unsigned int samples, remarks;
	char bdf[BDF_BYTES];
	uint32_t sensor, source;
	int32_t temperature;
	char text[REMARK_BYTES];
} came;

static void on_sample(const struct sample_line *line, void *data)
{
	CHECK(data == &came);
	came.samples++;
	snprintf(came.bdf, sizeof(came.bdf), "%s", line->bdf);
	came.sensor = line->sensor;
	came.source = line->source;
	came.temperature = line->temperature;
}

static void on_remark(int priority, const char *text, void *data)
{
	CHECK(data == &came);
	CHECK(priority >= 0 && priority <= 7);
	came.remarks++;
	snprintf(came.text, sizeof(came.text), "%s", text);
}

/* Reads samples until @done, or until the child ends, for five seconds at most. */
static int follow(struct sampler *sampler, bool (*done)(void))
{
	struct pollfd fd = { .fd = sampler_fd(sampler), .events = POLLIN };
	time_t end = time(NULL) + 5;
	int ret = 0;

	memset(&came, 0, sizeof(came));
	while (!ret && !done() && time(NULL) <= end)
		if (poll(&fd, 1, 100) > 0)
			ret = sampler_read(sampler, on_sample, on_remark, &came);
	return ret;
}

/* Waits @ms milliseconds, and reads the samples of that time. */
static int follow_for(struct sampler *sampler, int ms)
{
	struct pollfd fd = { .fd = sampler_fd(sampler), .events = POLLIN };
	const struct timespec pause = { .tv_nsec = ms * 1000000l };

	memset(&came, 0, sizeof(came));
	nanosleep(&pause, NULL);
	return poll(&fd, 1, 0) > 0 ? sampler_read(sampler, on_sample, on_remark, &came) : 0;
}

static bool several(void)
{
	return came.samples >= 6;
}

static bool board(void)
{
	return came.samples && came.sensor == INSTINCT_VFIO_SENSOR_BOARD;
}

static bool remarked(void)
{
	return came.remarks;
}

static bool never(void)
{
	return false;
}

static struct sampler *start_for(uint32_t source)
{
	static const struct redfish_conf redfish;
	int error = 0;
	struct sampler *sampler = sampler_start(source, &redfish, "", "policy.conf", 20, &error);

	CHECK(sampler);
	CHECK_INT(error, 0);
	return sampler;
}

static struct sampler *start(void)
{
	return start_for(INSTINCT_VFIO_SOURCE_HWMON);
}

static void test_sampler(void)
{
	struct sampler *sampler = start();

	CHECK_INT(follow(sampler, several), 0);
	CHECK(came.samples >= 6);
	CHECK_STR(came.bdf, "0000:c1:00.0");
	CHECK_INT(came.source, INSTINCT_VFIO_SOURCE_HWMON);
	CHECK_INT(came.remarks, 0);
	/* The sampler reports once that a sensor is unreadable, and once that it is back. */
	util_write(CHIP "/temp1_input", "none\n");
	follow(sampler, remarked);
	CHECK(strstr(came.text, "amdgpu/junction cannot be read"));
	CHECK_INT(follow(sampler, several), 0);
	CHECK_INT(came.remarks, 0);
	CHECK_INT(came.sensor, INSTINCT_VFIO_SENSOR_MEMORY);
	CHECK_INT(came.temperature, 35000);
	util_write(CHIP "/temp1_input", "40000\n");
	follow(sampler, remarked);
	CHECK(strstr(came.text, "can be read again"));
	sampler_stop(sampler);
	CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
	CHECK_INT(errno, ECHILD);
}

/* The rename is atomic, since the sampler may read the policy at any moment. */
static void put_policy(const char *text)
{
	util_write("policy.new", text);
	if (rename("policy.new", "policy.conf"))
		exit(1);
}

static void test_policy_changed(void)
{
	struct sampler *sampler;

	put_policy("[default]\nhotspot_sensor = none\nmemory_sensor = none\n");
	sampler = start();
	put_policy("[default]\nhotspot_sensor = none\nmemory_sensor = none\n"
		   "board_sensor = hwmon:odd/temp9\n");
	CHECK_INT(follow(sampler, board), 0);
	CHECK_INT(came.sensor, INSTINCT_VFIO_SENSOR_BOARD);
	CHECK_INT(came.temperature, 9000);
	/* The sampler reports a policy with errors, and keeps the one before. */
	put_policy("[default]\nboard_sensor = some\n");
	follow(sampler, remarked);
	CHECK(strstr(came.text, "policy.conf"));
	CHECK_INT(follow(sampler, board), 0);
	CHECK_INT(came.remarks, 0);
	CHECK_INT(came.temperature, 9000);
	put_policy("[default]\nboard_sensor = hwmon:odd/temp*\n");
	follow(sampler, remarked);
	CHECK(strstr(came.text, "names 2 sensors"));
	/* Without a policy the sampler maps all sensors automatically. */
	unlink("policy.conf");
	CHECK_INT(follow(sampler, several), 0);
	CHECK(came.sensor != INSTINCT_VFIO_SENSOR_BOARD);
	sampler_stop(sampler);
}

/* A sampler for one source ignores the sensors of the others, without a remark. */
static void test_one_source_each(void)
{
	struct sampler *sampler;

	put_policy("[default]\nboard_sensor = hwmon:absent/x\n");
	sampler = start_for(INSTINCT_VFIO_SOURCE_IPMI);
	CHECK_INT(follow_for(sampler, 100), 0);
	put_policy("wrong\n");
	CHECK_INT(came.samples + came.remarks, 0);
	CHECK_INT(follow_for(sampler, 100), 0);
	CHECK_INT(came.samples + came.remarks, 0);
	sampler_stop(sampler);
	put_policy("[default]\nboard_sensor = ipmi:absent\n");
	sampler = start();
	CHECK_INT(follow(sampler, several), 0);
	CHECK_INT(came.remarks, 0);
	sampler_stop(sampler);
	unlink("policy.conf");
}

static bool memory(void)
{
	return came.samples && came.sensor == INSTINCT_VFIO_SENSOR_MEMORY;
}

/* The sampler drops a GPU that disappears, and samples it again when it is back. */
static void test_gpu_comes_and_goes(void)
{
	struct sampler *sampler = start();
	int tries = 50;

	CHECK_INT(follow(sampler, memory), 0);
	util_write(GPU "/device", "0x7fff\n");
	do
		CHECK_INT(follow_for(sampler, 100), 0);
	while (came.samples && tries--);
	CHECK_INT(came.samples, 0);
	util_write(GPU "/device", "0x74a1\n");
	CHECK_INT(follow(sampler, memory), 0);
	CHECK(came.samples);
	sampler_stop(sampler);
}

/* Returns the process ID of the only child. */
static pid_t child_pid(void)
{
	char path[64];
	FILE *in;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	in = fopen(path, "r");
	if (!in || fscanf(in, "%d", &pid) != 1)
		pid = 0;
	if (in)
		fclose(in);
	return pid;
}

static void test_child_dies(void)
{
	struct sampler *sampler = start();
	pid_t pid = child_pid();

	CHECK(pid > 0);
	if (pid > 0)
		kill(pid, SIGKILL);
	CHECK_INT(follow(sampler, never), -EPIPE);
	sampler_stop(sampler);
	sampler_stop(NULL);
}

/* A child that hangs does not delay its parent for long. */
static void test_child_hangs(void)
{
	struct sampler *sampler = start();
	pid_t pid = child_pid();
	time_t begun = time(NULL);

	if (pid > 0)
		kill(pid, SIGSTOP);
	sampler_stop(sampler);
	CHECK(time(NULL) - begun <= 4);
	CHECK(pid > 0 && kill(pid, 0) < 0 && errno == ESRCH);
}

static unsigned int open_files(pid_t pid)
{
	char path[64], text[256];
	unsigned int fd, count = 0;
	ssize_t n;

	for (fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%u", pid, fd);
		n = readlink(path, text, sizeof(text) - 1);
		text[n < 0 ? 0 : n] = '\0';
		count += n > 0 && strcmp(text, "/dev/null");
	}
	return count;
}

/* The child inherits only the pipe, and neither blocked nor ignored signals. */
static void test_child_is_alone(void)
{
	struct sampler *sampler;
	unsigned int open, tries = 100;
	sigset_t all, before;
	int own[2];
	pid_t pid;

	signal(SIGTERM, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	CHECK(!pipe(own));
	sampler = start();
	follow(sampler, several);
	pid = child_pid();
	/* The child may have a sensor open at this moment. */
	while ((open = open_files(pid)) != 1 && --tries)
		usleep(10000);
	CHECK_INT(open, 1);
	sampler_stop(sampler);
	CHECK(kill(pid, 0) < 0);
	close(own[0]);
	close(own[1]);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
	util_begin();
	make_host();
	RUN(test_hwmon_scan);
	RUN(test_hwmon_read);
	RUN(test_sampler);
	RUN(test_policy_changed);
	RUN(test_one_source_each);
	RUN(test_gpu_comes_and_goes);
	RUN(test_child_dies);
	RUN(test_child_hangs);
	RUN(test_child_is_alone);
	return unit_end();
}
