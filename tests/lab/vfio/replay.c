// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay.h"

#define ACCESSES_MAX	4096

static struct access {
	char kind;
	unsigned int where, bytes, val;
} accesses[ACCESSES_MAX];
static unsigned int count;

static int parse(const char *line, struct access *access)
{
	if (sscanf(line, "r %x %u", &access->where, &access->bytes) == 2)
		access->kind = 'r';
	else if (sscanf(line, "w %x %u %x", &access->where, &access->bytes, &access->val) == 3)
		access->kind = 'w';
	else
		return -EINVAL;
	return access->bytes <= sizeof(access->val) ? 0 : -EINVAL;
}

/* Load lines "r OFFSET BYTES" and "w OFFSET BYTES VALUE"; # begins a comment. */
int replay_load(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[256];
	int ret = 0;

	if (!file)
		return -errno;
	count = 0;
	while (!ret && fgets(line, sizeof(line), file))
		if (line[0] != '#')
			ret = count < ACCESSES_MAX ? parse(line, &accesses[count++]) : -E2BIG;
	fclose(file);
	return ret;
}

/* @config: offset of the config space in @fd. */
int replay_run(int fd, uint64_t config)
{
	unsigned int i;
	ssize_t n;

	for (i = 0; i < count; i++) {
		struct access *access = &accesses[i];
		unsigned int found = 0;

		if (access->kind == 'w')
			n = pwrite(fd, &access->val, access->bytes, config + access->where);
		else
			n = pread(fd, &found, access->bytes, config + access->where);
		if (n != (ssize_t)access->bytes)
			return n < 0 ? -errno : -EIO;
	}
	return count ? 0 : -ENODATA;
}
