/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks for unit tests that print their place and their values, and a count of failures. */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned int unit_failures;
static bool unit_test_failed;

static inline void unit_fail(const char *file, int line, const char *what)
{
	printf("# %s:%d: %s\n", file, line, what);
	unit_test_failed = true;
}

#define CHECK(cond)							\
	do {								\
		if (!(cond))						\
			unit_fail(__FILE__, __LINE__, #cond);		\
	} while (0)

#define CHECK_INT(found, wanted)					\
	do {								\
		long long _f = (found), _w = (wanted);			\
		char _text[256];					\
									\
		if (_f != _w) {						\
			snprintf(_text, sizeof(_text),			\
				 "%s: found %lld, wanted %lld",		\
				 #found, _f, _w);			\
			unit_fail(__FILE__, __LINE__, _text);		\
		}							\
	} while (0)

#define CHECK_STR(found, wanted)					\
	do {								\
		const char *_f = (found), *_w = (wanted);		\
		char _text[1024];					\
									\
		if (!_f || strcmp(_f, _w)) {				\
			snprintf(_text, sizeof(_text),			\
				 "%s: found \"%s\", wanted \"%s\"",	\
				 #found, _f ? _f : "(null)", _w);	\
			unit_fail(__FILE__, __LINE__, _text);		\
		}							\
	} while (0)

#define RUN(test)							\
	do {								\
		unit_test_failed = false;				\
		test();							\
		printf("%s - %s\n", unit_test_failed ? "not ok" : "ok", #test); \
		unit_failures += unit_test_failed;			\
	} while (0)

static inline int unit_end(void)
{
	return unit_failures ? 1 : 0;
}

#endif /* UNIT_H */
