/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Candidates for one word: a line each, with an explanation behind a tab. */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "commands.h"

/**
 * struct candidates - a request of the shell
 * @word: the text that the user has typed so far
 * @before: text before it in the shell's word, such as "--method=", or ""
 * @given: words of the command line, which are not offered again
 * @count: number of words in @given
 * @offline: offer only commands that can read a captured host
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
