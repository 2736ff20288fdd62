// SPDX-License-Identifier: GPL-2.0-only
/* Writes what the fuzzer of the discovery table starts from to a folder. */
#include <stdio.h>
#include <stdlib.h>

#include "discovery_bin.h"

static const char *folder;

static void save(const char *name, size_t size)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wb");
	if (!file || fwrite(bin, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(1);
	}
}

/* A second die with MP1, behind a first that has another block only. */
static void make_two_dies(void)
{
	size_t second = ENTRIES + 8 + 2 * 8;

	make(4, 1);
	w16(DIE + 2, 1);
	w16(TABLE + 12, 2);
	w16(TABLE + 18, 1);
	w16(TABLE + 20, second);
	w16(second, 1);
	w16(second + 2, 1);
	entry(second + 4, 1, 1, 0x16000, 8);
	seal();
}

/* MP1's entry is the last of the binary, to the last byte. */
static void make_to_the_end(void)
{
	size_t die = BINARY_BYTES - 4 - 8 - 4;

	make(3, 0);
	w16(TABLE + 16, die);
	w16(die + 2, 1);
	entry(die + 4, 1, 1, 0x16000, 4);
	seal();
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	folder = argv[1];

	make(3, 0);
	save("bases-32", BINARY_BYTES);
	make(4, 1);
	save("bases-64", BINARY_BYTES);
	save("whole", sizeof(bin));
	w16(DIE + 2, 2);
	seal();
	save("no-mp1", BINARY_BYTES);
	make_two_dies();
	save("two-dies", BINARY_BYTES);
	make_to_the_end();
	save("to-the-end", BINARY_BYTES);
	make(4, 1);
	bin[BINARY_BYTES - 1] ^= 1;
	save("unsealed", BINARY_BYTES);
	return 0;
}
