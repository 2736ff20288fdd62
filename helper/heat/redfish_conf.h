/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address of a BMC's Redfish service, and what the host and the BMC trust each other by. The
 * user name and password come from a file of root's or from systemd, and stay in memory only.
 */
#ifndef REDFISH_CONF_H
#define REDFISH_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REDFISH_CONF_BYTES	256
#define REDFISH_CREDENTIALS	"/etc/instinct-vfio/redfish.credentials"

/**
 * struct redfish_conf - the settings of a Redfish service
 * @url: https://HOST[:PORT][/PATH] or the same with http, or "" for none; the service's own path,
 *	/redfish/v1, is below PATH
 * @credentials: file with a line USER:PASSWORD; it may be missing
 * @ca: file of certificates of authorities, "sha256//" and the hash of the BMC's public key, or
 *	"system" for the authorities that this host trusts
 */
struct redfish_conf {
	char url[REDFISH_CONF_BYTES];
	char credentials[REDFISH_CONF_BYTES];
	char ca[REDFISH_CONF_BYTES];
};

/**
 * struct redfish_login - a user name and a password
 * @file: the file that has them, or would have them
 * @stamp: identity and time of that file, 0 if it is missing
 * @user: user name, "" without a file
 * @password: password
 */
struct redfish_login {
	char file[2 * REDFISH_CONF_BYTES];
	uint64_t stamp;
	char user[REDFISH_CONF_BYTES];
	char password[REDFISH_CONF_BYTES];
};

bool redfish_conf_url(const char *text);
size_t redfish_conf_origin(const char *url);
bool redfish_conf_pin(const char *text);
bool redfish_conf_is_plain(const struct redfish_conf *conf);
uint64_t redfish_login_stamp(const struct redfish_conf *conf);
bool redfish_login_read(const struct redfish_conf *conf, struct redfish_login *login,
			char *why, size_t size);
void redfish_login_forget(struct redfish_login *login);

#endif /* REDFISH_CONF_H */
