// SPDX-License-Identifier: GPL-2.0-only
/*
 * bmc sets and gets the readings of the lab's BMC sensors through the kernel's IPMI driver:
 *
 *	bmc set SENSOR CELSIUS [SENSOR CELSIUS…]
 *	bmc get SENSOR…
 *
 * SENSOR is the sensor's number (see sdr). Exit status: 0; 1 if the BMC refused, did not
 * answer or is absent; 2 for a wrong call.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ipmi.h>
#include <linux/ipmi_msgdefs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define GET_SENSOR_READING	0x2d
#define SET_SENSOR_READING	0x30

#define WRITE_READING		0x01	/* operation: set only the reading byte */
#define READING_UNAVAILABLE	0x20
#define SCANNING_ENABLED	0x40

#define ANSWER_MS		10000
#define ANSWER_BYTES		64

/* Return: length of the answer, whose first byte is the completion code. */
static int ask(int fd, uint8_t command, uint8_t *data, uint16_t size, uint8_t *answer)
{
	struct ipmi_system_interface_addr bmc = {
		.addr_type = IPMI_SYSTEM_INTERFACE_ADDR_TYPE,
		.channel = IPMI_BMC_CHANNEL,
	};
	struct ipmi_req request = {
		.addr = (unsigned char *)&bmc,
		.addr_len = sizeof(bmc),
		.msgid = 1,
		.msg = {
			.netfn = IPMI_NETFN_SENSOR_EVENT_REQUEST,
			.cmd = command,
			.data = data,
			.data_len = size,
		},
	};
	struct ipmi_addr from;
	struct ipmi_recv reply = {
		.addr = (unsigned char *)&from,
		.addr_len = sizeof(from),
		.msg = { .data = answer, .data_len = ANSWER_BYTES },
	};
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	if (ioctl(fd, IPMICTL_SEND_COMMAND, &request))
		err(1, "cannot send");
	if (poll(&wait, 1, ANSWER_MS) != 1)
		errx(1, "no answer in %d ms", ANSWER_MS);
	if (ioctl(fd, IPMICTL_RECEIVE_MSG_TRUNC, &reply) || reply.msg.data_len < 1)
		err(1, "no answer");
	if (answer[0])
		errx(1, "refused, completion code 0x%02x", answer[0]);
	return reply.msg.data_len;
}

static uint8_t number(const char *text)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || value > UINT8_MAX)
		errx(2, "%s; allowed: 0 to 255", text);
	return value;
}

static void set(int fd, uint8_t sensor, uint8_t celsius)
{
	uint8_t data[] = { sensor, WRITE_READING, celsius };
	uint8_t answer[ANSWER_BYTES];

	ask(fd, SET_SENSOR_READING, data, sizeof(data), answer);
}

static void get(int fd, uint8_t sensor)
{
	uint8_t answer[ANSWER_BYTES];

	if (ask(fd, GET_SENSOR_READING, &sensor, 1, answer) < 3 ||
	    (answer[2] & READING_UNAVAILABLE) || !(answer[2] & SCANNING_ENABLED))
		errx(1, "sensor %u has no reading", sensor);
	printf("%u\n", answer[1]);
}

int main(int argc, char *argv[])
{
	bool setting = argc > 3 && argc % 2 == 0 && !strcmp(argv[1], "set");
	int fd, i;

	if (!setting && (argc < 3 || strcmp(argv[1], "get")))
		errx(2, "usage: bmc set SENSOR CELSIUS… | bmc get SENSOR…");
	fd = open("/dev/ipmi0", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "/dev/ipmi0");
	for (i = 2; i < argc; i += setting ? 2 : 1) {
		if (setting)
			set(fd, number(argv[i]), number(argv[i + 1]));
		else
			get(fd, number(argv[i]));
	}
	return 0;
}
