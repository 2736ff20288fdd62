// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "redfish_conf.h"

#define PIN		"sha256//"
#define PIN_DIGITS	43	/* base64 of 32 bytes, and a '=' */
#define PORT_DIGITS	5
/* systemd puts the credential "redfish" of the service here (LoadCredential=). */
#define CREDENTIAL	"redfish"
#define SERVICE_FOLDER	"/run/credentials/instinct-vfio-monitor.service"

static bool is_port(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n && n <= PORT_DIGITS && !text[n] && atoi(text) > 0 && atoi(text) <= 65535;
}

/* A path below which the service is, such as /slot1/hmc: no empty part, no "..", no /redfish in it. */
static bool is_prefix(const char *text)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_~";
	size_t n;

	for (; *text; text += n) {
		if (*text++ != '/')
			return false;
		n = strspn(text, allowed);
		if (!n || !strncmp(text, "..", n) || !strncmp(text, ".", n) ||
		    (n == strlen("redfish") && !strncmp(text, "redfish", n)))
			return false;
	}
	return true;
}

/**
 * redfish_conf_origin() - find the end of scheme, host and port in an address
 * @url: address that redfish_conf_url() accepts
 *
 * Return: the number of bytes before the path.
 */
size_t redfish_conf_origin(const char *url)
{
	size_t scheme = strstr(url, "://") + 3 - url;

	return scheme + strcspn(url + scheme, "/");
}

/**
 * redfish_conf_url() - check the address of a Redfish service
 * @text: address
 *
 * Return: false unless @text is https://HOST[:PORT][/PATH] or the same with http: no user, and a path
 * without /redfish and without a slash at its end.
 */
bool redfish_conf_url(const char *text)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
	char port[PORT_DIGITS + 2];
	size_t n, digits;

	if (strlen(text) >= REDFISH_CONF_BYTES)
		return false;
	if (!strncmp(text, "https://", 8))
		text += 8;
	else if (!strncmp(text, "http://", 7))
		text += 7;
	else
		return false;
	if (*text == '[') {
		n = strspn(text + 1, "0123456789abcdefABCDEF:.");
		if (!n || text[n + 1] != ']')
			return false;
		n += 2;
	} else {
		n = strspn(text, name);
	}
	if (!n)
		return false;
	text += n;
	if (*text == ':') {
		digits = strcspn(++text, "/");
		snprintf(port, sizeof(port), "%.*s", (int)digits, text);
		if (digits > PORT_DIGITS || !is_port(port))
			return false;
		text += digits;
	}
	return is_prefix(text);
}

/**
 * redfish_conf_pin() - check the hash of a public key
 * @text: "sha256//" and the hash in base64, as curl's --pinnedpubkey takes it
 *
 * Return: false if @text is no such hash.
 */
bool redfish_conf_pin(const char *text)
{
	size_t n = 0;

	if (strncmp(text, PIN, strlen(PIN)))
		return false;
	text += strlen(PIN);
	while (isalnum((unsigned char)text[n]) || (text[n] && strchr("+/", text[n])))
		n++;
	return n == PIN_DIGITS && !strcmp(text + n, "=");
}

/**
 * redfish_conf_is_plain() - check whether others on the network can read what the BMC is sent
 * @conf: settings
 *
 * Return: true if the address begins with http://.
 */
bool redfish_conf_is_plain(const struct redfish_conf *conf)
{
	return !strncmp(conf->url, "http://", 7);
}

/* A credential that systemd gives the service comes before the file. */
static void find_file(const struct redfish_conf *conf, char *name, size_t size)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");

	snprintf(name, size, "%s/" CREDENTIAL, folder && *folder ? folder : SERVICE_FOLDER);
	if (access(name, F_OK))
		snprintf(name, size, "%s", conf->credentials);
}

static uint64_t stamp_of(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000007 ^ (uint64_t)st->st_mtim.tv_nsec ^
	       (uint64_t)st->st_ino << 20 ^ (uint64_t)st->st_size;
}

/**
 * redfish_login_stamp() - tell whether the file of the credentials is another one by now
 * @conf: settings
 *
 * Return: a number that changes with the file, 0 if it is missing.
 */
uint64_t redfish_login_stamp(const struct redfish_conf *conf)
{
	char name[2 * REDFISH_CONF_BYTES];
	struct stat st;

	find_file(conf, name, sizeof(name));
	return stat(name, &st) ? 0 : stamp_of(&st);
}

/* Only root, or the user of this process, may read or change the file. */
static bool is_private(const char *name, int fd, uint64_t *stamp, char *why, size_t size)
{
	struct stat st;

	if (fstat(fd, &st)) {
		snprintf(why, size, "no Redfish: cannot read %.128s: %s", name, strerror(errno));
		return false;
	}
	*stamp = stamp_of(&st);
	if (!S_ISREG(st.st_mode)) {
		snprintf(why, size, "no Redfish: %.128s is not a file", name);
		return false;
	}
	if ((st.st_uid && st.st_uid != geteuid()) || st.st_mode & 077) {
		snprintf(why, size, "no Redfish: other users can read or replace %.96s: have root own it (chown root), with mode 600, and change the BMC's password in it",
			 name);
		return false;
	}
	return true;
}

static bool parse(struct redfish_login *login, char *text, char *why, size_t size)
{
	char *end = text + strcspn(text, "\r\n"), *colon;

	*end = '\0';
	colon = strchr(text, ':');
	if (!colon || colon == text || colon - text >= REDFISH_CONF_BYTES ||
	    end - colon > REDFISH_CONF_BYTES) {
		snprintf(why, size, "no Redfish: the first line of %.128s must be USER:PASSWORD",
			 login->file);
		return false;
	}
	memcpy(login->user, text, colon - text);
	memcpy(login->password, colon + 1, end - colon - 1);
	return true;
}

/**
 * redfish_login_read() - read the user name and the password
 * @conf: settings
 * @login: set; the caller calls redfish_login_forget() when it needs them no longer
 * @why: set to a message for the log on failure, without anything that the file contains
 * @size: of @why in bytes
 *
 * A service that wants no user needs no file.
 *
 * Return: false if the file cannot be read, is open to others, or would go over the network in
 * clear text.
 */
bool redfish_login_read(const struct redfish_conf *conf, struct redfish_login *login,
			char *why, size_t size)
{
	char text[2 * REDFISH_CONF_BYTES + 2];
	bool right = false;
	ssize_t n;
	int fd;

	*login = (struct redfish_login) { 0 };
	find_file(conf, login->file, sizeof(login->file));
	fd = open(login->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd < 0) {
		snprintf(why, size, "no Redfish: cannot read %.128s: %s%s", login->file,
			 strerror(errno), geteuid() ? "; run this as root" : "");
		return false;
	}
	if (redfish_conf_is_plain(conf)) {
		snprintf(why, size, "no Redfish: with http:// the password in %.128s would cross the network in clear text: use https://, or remove the file",
			 login->file);
	} else if (is_private(login->file, fd, &login->stamp, why, size)) {
		n = read(fd, text, sizeof(text) - 1);
		text[n < 0 ? 0 : n] = '\0';
		right = parse(login, text, why, size);
	}
	close(fd);
	explicit_bzero(text, sizeof(text));
	return right;
}

/**
 * redfish_login_forget() - overwrite the user name and the password in memory
 * @login: user name and password
 */
void redfish_login_forget(struct redfish_login *login)
{
	explicit_bzero(login->user, sizeof(login->user));
	explicit_bzero(login->password, sizeof(login->password));
}
