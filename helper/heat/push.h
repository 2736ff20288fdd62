/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Temperatures that scripts push: the socket by which the service gets them. */
#ifndef PUSH_H
#define PUSH_H

#include "heat.h"
#include "sample_line.h"

#define PUSH_SOCKET	HEAT_FOLDER "/push"
#define PUSH_ANSWER	256	/* bytes of an answer, at most */

/* Takes a sample; a text that says why not, or NULL. */
typedef const char *(*push_call_t)(const struct sample_line *line, void *data);

int push_open(const char *path);
void push_receive(int fd, push_call_t call, void *data);
int push_connect(const char *path);
int push_send(int fd, const struct sample_line *line, char *answer, size_t size);

#endif /* PUSH_H */
