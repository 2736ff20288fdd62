/* SPDX-License-Identifier: GPL-2.0-only */
/* Capture of stderr, and a table of texts that can be emptied. */
#ifndef WORDS_H
#define WORDS_H

#include <stdint.h>

void words_catch(void);
const char *words_caught(void);
void texts_forget(void);

/* The linker puts these in place of the helper's functions. */
uint32_t __wrap_text_intern(const char *wanted);
const char *__wrap_text_of(uint32_t number);

#endif /* WORDS_H */
