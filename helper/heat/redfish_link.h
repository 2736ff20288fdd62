/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JSON resources of one BMC over HTTPS, with libcurl. Every request is bounded in time and
 * size, and none goes to another host.
 */
#ifndef REDFISH_LINK_H
#define REDFISH_LINK_H

#include <curl/curl.h>
#include <jansson.h>

#include "redfish_conf.h"

#define REDFISH_REQUEST_MS	4000	/* longest time of a request */

/* The functions of libcurl that are used, with the prototypes of its header. */
struct curl_calls {
	typeof(&curl_global_init) global_init;
	typeof(&curl_easy_init) init;
	typeof(&curl_easy_setopt) setopt;
	typeof(&curl_easy_perform) perform;
	typeof(&curl_easy_getinfo) getinfo;
	typeof(&curl_easy_cleanup) cleanup;
	typeof(&curl_easy_strerror) strerror;
};

struct redfish_link;

const struct curl_calls *curl_library(char *why, size_t size);
struct redfish_link *redfish_link_open(const struct redfish_conf *conf, char *why, size_t size);
int redfish_link_get(struct redfish_link *link, const char *path, json_t **json);
const char *redfish_link_message(const struct redfish_link *link);
bool redfish_link_is_path(const char *path);
void redfish_link_close(struct redfish_link *link);

#endif /* REDFISH_LINK_H */
