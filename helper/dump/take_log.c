// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "now.h"
#include "sysfs.h"
#include "take.h"

#define LOG_FILE	"instinct-vfio/kernel.log"
#define LOG_BYTES	(16u << 20)
#define LOG_MS		5000	/* limit, should the kernel log faster than we read */
#define RECORD_BYTES	8192

/* Lines with one of these words, in upper or lower case, are kept. */
static const char *const words[] = {
	"instinct", "vfio", "iommu", "AMD-Vi", "DMAR", "pcieport", "pciehp", "AER", "DPC",
	"amdgpu", "hugepage", "SEV-SNP", "Command line:", "Linux version", "BIOS-e820",
	"ASPM", "_OSC", "Machine check", "mce:",
};

/**
 * struct log - selection of lines of the kernel log
 * @text: lines chosen so far
 * @bdfs: addresses of GPUs and of the ports above them
 * @count: number of addresses
 * @all: choose all lines
 */
struct log {
	struct bytes text;
	char (*bdfs)[BDF_BYTES];
	size_t count;
	bool all;
};

static void add_bdf(struct log *log, const char *bdf)
{
	snprintf(list_add((void **)&log->bdfs, &log->count, BDF_BYTES), BDF_BYTES, "%s", bdf);
}

static void add_gpus(struct log *log)
{
	struct devices gpus = { 0 };
	unsigned int port;
	size_t i;

	if (sysfs_gpus(&gpus))
		return;
	for (i = 0; i < gpus.count; i++) {
		add_bdf(log, gpus.list[i].bdf);
		sysfs_place(&gpus.list[i]);
		for (port = 0; port < gpus.list[i].ports; port++)
			add_bdf(log, gpus.list[i].port[port].bdf);
	}
	devices_free(&gpus);
}

/* Does a word of the line begin with @word? */
static bool has_word(const char *line, const char *word)
{
	const char *at = line;

	while ((at = strcasestr(at, word))) {
		if (at == line || !isalnum((unsigned char)at[-1]))
			return true;
		at++;
	}
	return false;
}

static bool concerns_us(const struct log *log, const char *line)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has_word(line, words[i]))
			return true;
	for (i = 0; i < log->count; i++)
		if (strstr(line, log->bdfs[i]))
			return true;
	return log->all;
}

/* A record of /dev/kmsg: "PRIORITY,NUMBER,MICROSECONDS,FLAGS;TEXT\n KEY=VALUE\n" */
static void take_record(struct log *log, char *record)
{
	unsigned long long us;
	unsigned int priority;
	char *line = strchr(record, ';');

	if (!line || sscanf(record, "%u,%*u,%llu", &priority, &us) != 2)
		return;
	line++;
	line[strcspn(line, "\n")] = '\0';
	if (concerns_us(log, line))
		bytes_print(&log->text, "<%u>[%5llu.%06llu] %s\n", priority & 7,
			    us / 1000000, us % 1000000, line);
}

static int read_log(struct log *log)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
	int64_t end = now_ms() + LOG_MS;
	char record[RECORD_BYTES + 1];

	if (fd < 0)
		return -errno;
	while (!error && log->text.size < LOG_BYTES && now_ms() < end) {
		ssize_t n = read(fd, record, RECORD_BYTES);

		/* EPIPE: the kernel has overwritten records; the next read goes on after them. */
		if (n < 0 && errno != EPIPE && errno != EINTR)
			error = errno;
		record[n < 0 ? 0 : n] = '\0';
		if (n > 0)
			take_record(log, record);
	}
	close(fd);
	return error == EAGAIN ? 0 : -error;
}

/**
 * take_log() - add lines of the kernel log about GPUs, IOMMU and VFIO to a capture
 * @tree: files of the capture; extended
 * @all: add all lines
 */
void take_log(struct tree *tree, bool all)
{
	struct log log = { .all = all };
	int ret;

	add_gpus(&log);
	ret = read_log(&log);
	free(log.bdfs);
	if (ret) {
		tree_miss(tree, LOG_FILE, strerror(-ret));
		bytes_free(&log.text);
		return;
	}
	tree_add(tree, LOG_FILE, TREE_FILE)->data = log.text;
}
