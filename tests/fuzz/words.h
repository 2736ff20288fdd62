/* SPDX-License-Identifier: GPL-2.0-only */
/* What the code under test says to people: silenced, and looked at. */
#ifndef WORDS_H
#define WORDS_H

#include <stdint.h>

void words_catch(void);
const char *words_caught(void);
void texts_forget(void);

/* By the linker in place of those of the helper. */
uint32_t __wrap_text_intern(const char *wanted);
const char *__wrap_text_of(uint32_t number);

#endif /* WORDS_H */
