/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The socket through which scripts push temperatures to the service. */
#ifndef PUSH_H
#define PUSH_H

#include "heat.h"
#include "sample_line.h"

#define PUSH_SOCKET	HEAT_FOLDER "/push"
#define PUSH_ANSWER	256	/* longest answer in bytes */

/* Accepts a sample; returns NULL, or a text that says why the sample was refused. */
typedef const char *(*push_call_t)(const struct sample_line *line, void *data);

int push_open(const char *path);
void push_receive(int fd, push_call_t call, void *data);
int push_connect(const char *path);
int push_send(int fd, const struct sample_line *line, char *answer, size_t size);

#endif /* PUSH_H */
