/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serves metrics over HTTP, to this host only. The server loads libmicrohttpd at run time, so
 * that other commands do not need it, and uses no threads: the caller polls http_fd().
 */
#ifndef HTTP_H
#define HTTP_H

#include <stddef.h>

struct http;

/* Returns the page's text, which the server frees, or NULL if the page is not available now. */
typedef char *(*http_page_t)(size_t *length, void *data);

struct http *http_open(const char *listen, http_page_t page, void *data,
		       char *why, size_t size);
int http_fd(const struct http *http);
int http_timeout_ms(const struct http *http);
void http_run(struct http *http);
void http_close(struct http *http);

#endif /* HTTP_H */
