/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Candidates for one word: a line each, what it is behind a tab. */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "commands.h"

/**
 * struct candidates - who is to be offered something
 * @word: what is typed so far
 * @before: what comes before it in the shell's word, such as "--method=", or ""
 * @given: words that are there already, and not to be offered once more
 * @count: how many
 * @offline: of commands those alone that can do something with a captured host
 */
struct candidates {
	const char *word;
	const char *before;
	char *const *given;
	int count;
	bool offline;
};

void candidate(const struct candidates *for_whom, const char *word, const char *help);
void candidates_commands(const struct candidates *for_whom, const char *group);
void candidates_of(const struct candidates *for_whom, enum word word);

#endif /* CANDIDATES_H */
