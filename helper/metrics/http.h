/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics over HTTP, for this host only. libmicrohttpd is loaded when it is needed,
 * so that nobody else pays for it; it has no threads: whoever opened it polls.
 */
#ifndef HTTP_H
#define HTTP_H

#include <stddef.h>

struct http;

/* The text of the page, to be freed, or NULL if it cannot be had now. */
typedef char *(*http_page_t)(size_t *length, void *data);

struct http *http_open(const char *listen, http_page_t page, void *data,
		       char *why, size_t size);
int http_fd(const struct http *http);
int http_timeout_ms(const struct http *http);
void http_run(struct http *http);
void http_close(struct http *http);

#endif /* HTTP_H */
