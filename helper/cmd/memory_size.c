// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory_size.h"

#define GIB	((uint64_t)1 << 30)

/**
 * memory_size_parse() - parse a size such as "512G" or "2T"
 * @text: number with G for GiB or T for TiB
 * @bytes: set to the size, bytes
 *
 * Return: false if @text is no such size.
 */
bool memory_size_parse(const char *text, uint64_t *bytes)
{
	unsigned long long number;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || number > 1 << 20)
		return false;
	if (!strcmp(end, "T"))
		number *= 1024;
	else if (strcmp(end, "G"))
		return false;
	*bytes = number * GIB;
	return true;
}
