// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out_pairs.h"
#include "out_topo.h"
#include "say.h"

#define CELL	5	/* least columns of a cell, so that 16 devices fit 100 columns */

/**
 * struct matrix - the devices of a matrix
 * @device: indexes of the devices, GPUs first
 * @count: number of entries in @device
 * @cell: columns of a cell
 */
struct matrix {
	int *device;
	size_t count;
	int cell;
};

static void add_kind(struct matrix *matrix, const struct topo *topo, enum topo_kind kind,
		     const bool *gpu)
{
	int i;

	for (i = 0; i < topo->host.count; i++)
		if (topo->kind[i] == kind && (kind == TOPO_GPU ? gpu[i] : topo->physfn[i] < 0))
			*(int *)list_add((void **)&matrix->device, &matrix->count,
					 sizeof(*matrix->device)) = i;
}

/* Writes "GPU0", "NIC3", "NVMe1" or "DD0". */
static void label(const struct matrix *matrix, const struct topo *topo, size_t i, char *text,
		  size_t size)
{
	enum topo_kind kind = topo->kind[matrix->device[i]];
	size_t first = i;

	while (first && topo->kind[matrix->device[first - 1]] == kind)
		first--;
	snprintf(text, size, "%s%zu", kind == TOPO_GPU ? "GPU" : kind == TOPO_NIC ? "NIC" :
		 kind == TOPO_NVME ? "NVM" : "DD", i - first);
}

static void print_row(const struct matrix *matrix, const struct topo *topo, size_t row)
{
	int numa = topo->host.function[matrix->device[row]].numa;
	char text[16];
	size_t i;

	label(matrix, topo, row, text, sizeof(text));
	printf("%-*s", matrix->cell + 1, text);
	for (i = 0; i < matrix->count; i++) {
		const char *word = i == row ? "X" :
			rank_words[rank_of(topo, matrix->device[row], matrix->device[i])];
		bool near = i != row && !strcmp(word, rank_words[RANK_SWITCH]) && opt_color;

		printf("%s%-*s%s", near ? "\033[32m" : "", matrix->cell, word, near ? "\033[0m" : "");
	}
	if (numa >= 0)
		printf("%d", numa);
	else
		putchar('?');
	putchar('\n');
}

static void print_legend(void)
{
	puts("\nX     the device itself\n"
	     "PIX   one switch is above both\n"
	     "PXB   several switches are between them, and no host bridge\n"
	     "PHB   they meet in a host bridge (root complex)\n"
	     "NODE  they meet between host bridges of one NUMA node\n"
	     "SYS   they meet between NUMA nodes or sockets\n"
	     "?     the NUMA node of one of them is unknown");
}

/**
 * out_pairs_matrix() - print the distances of GPUs and NICs as a matrix, in NVIDIA's words
 * @topo: host
 * @gpu: for each function, whether it is a GPU to print
 * @all: print NVMe drives, too
 */
void out_pairs_matrix(const struct topo *topo, const bool *gpu, bool all)
{
	struct matrix matrix = { .cell = CELL };
	char text[OUT_TOPO_TEXT];
	size_t i;

	add_kind(&matrix, topo, TOPO_GPU, gpu);
	if (!matrix.count) {
		puts("no GPU on this host");
		return;
	}
	add_kind(&matrix, topo, TOPO_NIC, gpu);
	add_kind(&matrix, topo, TOPO_DATA_DIRECT, gpu);
	if (all)
		add_kind(&matrix, topo, TOPO_NVME, gpu);
	for (i = 0; i < matrix.count; i++) {
		label(&matrix, topo, i, text, sizeof(text));
		if ((int)strlen(text) >= matrix.cell)
			matrix.cell = strlen(text) + 1;
	}
	printf("%*s", matrix.cell + 1, "");
	for (i = 0; i < matrix.count; i++) {
		label(&matrix, topo, i, text, sizeof(text));
		printf("%-*s", matrix.cell, text);
	}
	puts("NUMA");
	for (i = 0; i < matrix.count; i++)
		print_row(&matrix, topo, i);
	putchar('\n');
	for (i = 0; i < matrix.count; i++) {
		label(&matrix, topo, i, text, sizeof(text));
		printf("%-*s", matrix.cell + 1, text);
		out_topo_describe(topo, matrix.device[i], true, text, sizeof(text));
		puts(text);
	}
	print_legend();
	free(matrix.device);
}
