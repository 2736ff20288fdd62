/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A listening socket that accepts connections from this host only. */
#ifndef LISTENER_H
#define LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/un.h>

/**
 * struct listener - the socket
 * @fd: file descriptor
 * @path: file of a Unix socket, "" for an IP socket
 * @node: identity of the file at @path when the socket was made
 */
struct listener {
	int fd;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct stat node;
};

bool listener_check(const char *where, char *why, size_t size);
int listener_open(struct listener *listener, const char *where, char *why, size_t size);
void listener_remove(const struct listener *listener);

#endif /* LISTENER_H */
