/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words after a command: options, numbers, devices. */
#ifndef ARGS_H
#define ARGS_H

#include <getopt.h>

#include "model.h"

#define ARGS_END	(-1)
#define ARGS_WRONG	(-2)

/**
 * struct targets - the devices of a command line
 * @bdf: full PCI addresses
 * @count: number of devices
 */
struct targets {
	char (*bdf)[BDF_BYTES];
	size_t count;
};

/**
 * struct words - the words of a list
 * @word: the words
 * @count: number of words
 */
struct words {
	char **word;
	size_t count;
};

int args_option(int argc, char *argv[]);
int args_all(int argc, char *argv[], bool *all);
bool args_number(const char *text, uint64_t *value);
void args_split(struct words *words, int argc, char *argv[]);

int targets_add_words(struct targets *targets, int argc, char *argv[]);
int targets_parse(struct targets *targets, int argc, char *argv[], bool all);
int targets_take(struct targets *targets, int argc, char *argv[],
		 int (*find_all)(struct targets *targets), bool *persist, const char **driver);
bool targets_have(const struct targets *targets, const char *bdf);
void targets_add(struct targets *targets, const char *bdf);
void targets_free(struct targets *targets);

#endif /* ARGS_H */
