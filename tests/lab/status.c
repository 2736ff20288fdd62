// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads `instinctctl status --json` from stdin and prints a value of one device or, with "-", of
 * all:
 *
 *	status BDF|- KEY[.KEY…]
 *
 * The program prints a string without quotes, and any other value as JSON. It is in C because an
 * interpreter takes a second to start in the lab.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_value(const json_t *value)
{
	if (json_is_string(value))
		fputs(json_string_value(value), stdout);
	else
		json_dumpf(value, stdout, JSON_ENCODE_ANY);
}

/* Returns the value at @path in a device, or exits with an error. */
static const json_t *find(const json_t *dev, const char *path)
{
	char *copy = strdup(path), *rest = copy, *key;
	const json_t *at = dev;

	while (at && (key = strsep(&rest, ".")))
		at = json_object_get(at, key);
	free(copy);
	if (!at) {
		fprintf(stderr, "status: the device has no %s\n", path);
		exit(1);
	}
	return at;
}

int main(int argc, char **argv)
{
	json_t *status, *dev;
	json_error_t error;
	size_t i;

	if (argc != 3) {
		fprintf(stderr, "usage: %s BDF|- KEY[.KEY…]\n", argv[0]);
		return 2;
	}
	status = json_loadf(stdin, 0, &error);
	if (!status) {
		fprintf(stderr, "status: %s\n", error.text);
		return 1;
	}
	json_array_foreach(json_object_get(status, "devices"), i, dev) {
		const char *bdf = json_string_value(json_object_get(dev, "bdf"));

		if (strcmp(argv[1], "-") && (!bdf || strcmp(argv[1], bdf)))
			continue;
		print_value(find(dev, argv[2]));
		putchar('\n');
	}
	json_decref(status);
	return 0;
}
