// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "found.h"
#include "now.h"
#include "redfish_link.h"

#define CONNECT_MS	3000
#define ANSWER_MAX	(1 << 20)	/* bytes of a resource with its headers */
#define REDIRECTS_MAX	3
#define REFUSED_MS	600000		/* pause after a wrong password: BMCs lock users out */
#define PATH_BYTES	512
#define URL_BYTES	(REDFISH_CONF_BYTES + PATH_BYTES)

/**
 * struct redfish_link - a connection to a BMC's Redfish service
 * @conf: settings
 * @calls: the library's calls
 * @curl: the library's handle, which keeps the connection open between requests
 * @login: the file of the credentials, without the credentials
 * @refused_until: the BMC has refused the credentials: earliest time of the next attempt with
 *	the same file, in ms of now_ms(); 0 if it has not
 * @answer: headers and body of the last answer
 * @used: bytes in @answer
 * @size: allocated bytes of @answer
 * @received: bytes of the answer with its headers
 * @error: the library's text for an error
 * @message: the last error
 */
struct redfish_link {
	struct redfish_conf conf;
	const struct curl_calls *calls;
	CURL *curl;
	struct redfish_login login;
	int64_t refused_until;
	char *answer;
	size_t used;
	size_t size;
	size_t received;
	char error[CURL_ERROR_SIZE];
	char message[TEXT_BYTES];
};

static int fail(struct redfish_link *link, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct redfish_link *link, int error, const char *format, ...)
{
	char text[2 * TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	found_clean(text, link->message, sizeof(link->message));
	return error;
}

static bool is_too_large(struct redfish_link *link, size_t more)
{
	link->received += more;
	return link->received > ANSWER_MAX;
}

/* The library ends a transfer whose callback returns fewer bytes than it was given. */
static size_t take_header(char *data, size_t size, size_t count, void *user)
{
	(void)data;
	return is_too_large(user, size * count) ? 0 : size * count;
}

static size_t take_body(char *data, size_t size, size_t count, void *user)
{
	struct redfish_link *link = user;
	size_t more = size * count;

	if (is_too_large(link, more))
		return 0;
	if (link->used + more > link->size) {
		size_t room = 2 * (link->used + more);
		char *answer = realloc(link->answer, room);

		if (!answer)
			return 0;
		link->answer = answer;
		link->size = room;
	}
	memcpy(link->answer + link->used, data, more);
	link->used += more;
	return more;
}

/* Without the option that was to protect the connection, no connection may be made. */
static bool set_trust(struct redfish_link *link, char *why, size_t size)
{
	typeof(&curl_easy_setopt) set = link->calls->setopt;
	const char *ca = link->conf.ca;
	CURLcode code;

	if (redfish_conf_pin(ca)) {
		/* The library compares the key itself; the certificate may say anything. */
		code = set(link->curl, CURLOPT_PINNEDPUBLICKEY, ca);
		code = code ?: set(link->curl, CURLOPT_SSL_VERIFYPEER, 0l);
		code = code ?: set(link->curl, CURLOPT_SSL_VERIFYHOST, 0l);
	} else {
		code = set(link->curl, CURLOPT_SSL_VERIFYPEER, 1l);
		code = code ?: set(link->curl, CURLOPT_SSL_VERIFYHOST, 2l);
		if (*ca == '/')
			code = code ?: set(link->curl, CURLOPT_CAINFO, ca);
		/* A library without this option has no such folder to trust. */
		if (*ca == '/')
			set(link->curl, CURLOPT_CAPATH, (char *)NULL);
	}
	if (code)
		snprintf(why, size, "no Redfish: libcurl cannot do what redfish_ca = %.80s wants (%.80s), so nothing is sent",
			 ca, link->calls->strerror(code));
	return !code;
}

static bool set_up(struct redfish_link *link, char *why, size_t size)
{
	typeof(&curl_easy_setopt) set = link->calls->setopt;
	CURL *curl = link->curl;

	set(curl, CURLOPT_ERRORBUFFER, link->error);
	set(curl, CURLOPT_NOSIGNAL, 1l);
	set(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	set(curl, CURLOPT_TIMEOUT_MS, (long)REDFISH_REQUEST_MS);
	set(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	/* The BMC is near, so no proxy of the environment is asked, which would see the host. */
	set(curl, CURLOPT_PROXY, "");
	set(curl, CURLOPT_FOLLOWLOCATION, 0l);
	set(curl, CURLOPT_USERAGENT, "instinctctl/" INSTINCT_VERSION);
	set(curl, CURLOPT_HEADERFUNCTION, take_header);
	set(curl, CURLOPT_HEADERDATA, link);
	set(curl, CURLOPT_WRITEFUNCTION, take_body);
	set(curl, CURLOPT_WRITEDATA, link);
	return set_trust(link, why, size);
}

/*
 * Each request carries the user's name and password (HTTP Basic). A session would spare the BMC
 * their verification, but a process that is killed would leave it open, and BMCs have few.
 */
static bool log_in(struct redfish_link *link, char *why, size_t size)
{
	if (!redfish_login_read(&link->conf, &link->login, why, size))
		return false;
	link->calls->setopt(link->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	link->calls->setopt(link->curl, CURLOPT_USERNAME, *link->login.user ? link->login.user : NULL);
	link->calls->setopt(link->curl, CURLOPT_PASSWORD, *link->login.user ? link->login.password : NULL);
	redfish_login_forget(&link->login);
	return true;
}

/**
 * redfish_link_open() - prepare the library for reading the BMC
 * @conf: settings
 * @why: set to a message for the log on failure
 * @size: of @why in bytes
 *
 * Return: the connection, or NULL on failure. Nothing has been sent to the BMC.
 */
struct redfish_link *redfish_link_open(const struct redfish_conf *conf, char *why, size_t size)
{
	struct redfish_link *link;

	if (!*conf->url) {
		snprintf(why, size, "no Redfish: monitor.conf names no BMC (redfish = https://HOST)");
		return NULL;
	}
	link = calloc(1, sizeof(*link));
	if (!link) {
		snprintf(why, size, "no Redfish: no memory");
		return NULL;
	}
	link->conf = *conf;
	link->calls = curl_library(why, size);
	if (!link->calls) {
		free(link);
		return NULL;
	}
	link->curl = link->calls->init();
	if (link->curl && set_up(link, why, size) && log_in(link, why, size))
		return link;
	redfish_link_close(link);
	return NULL;
}

/**
 * redfish_link_close() - end the connection and free it
 * @link: connection, or NULL
 */
void redfish_link_close(struct redfish_link *link)
{
	if (!link)
		return;
	if (link->curl)
		link->calls->cleanup(link->curl);
	free(link->answer);
	free(link);
}

/**
 * redfish_link_message() - get the last error
 * @link: connection
 *
 * Return: text for the log.
 */
const char *redfish_link_message(const struct redfish_link *link)
{
	return link->message;
}

/**
 * redfish_link_is_path() - check a link of a resource before it is followed
 * @path: link, from the BMC
 *
 * Return: true if @path is an absolute path on the BMC itself, to a resource of Redfish.
 */
bool redfish_link_is_path(const char *path)
{
	const char *at;

	if (*path != '/' || path[1] == '/' || !strstr(path, "/redfish/") || strlen(path) >= PATH_BYTES ||
	    strstr(path, ".."))
		return false;
	for (at = path; *at; at++)
		if (*at <= ' ' || *at >= 0x7f || strchr("\\@#\"<>", *at))
			return false;
	return true;
}

/*
 * Makes the address of a resource. A service behind a path may have that path in its links, or may
 * not know of it. Returns false for a link to another service of the same host.
 */
static bool make_url(const struct redfish_link *link, const char *path, char *url, size_t size)
{
	size_t origin = redfish_conf_origin(link->conf.url);
	const char *prefix = link->conf.url + origin;
	size_t length = strlen(prefix);

	if (!strncmp(path, "/redfish/", 9))
		snprintf(url, size, "%s%s", link->conf.url, path);
	else if (length && !strncmp(path, prefix, length) && !strncmp(path + length, "/redfish/", 9))
		snprintf(url, size, "%.*s%s", (int)origin, link->conf.url, path);
	else
		return false;
	return true;
}

/* Explains an error of the library. An error of this kind concerns each resource of the BMC. */
static int fail_transfer(struct redfish_link *link, CURLcode code)
{
	const char *text = *link->error ? link->error : link->calls->strerror(code);

	if (link->received > ANSWER_MAX)
		return fail(link, -EPROTO, "an answer is larger than %d MiB", ANSWER_MAX >> 20);
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
		return fail(link, -ETIMEDOUT, "%s does not answer within %d s", link->conf.url,
			    REDFISH_REQUEST_MS / 1000);
	case CURLE_PEER_FAILED_VERIFICATION:
		return fail(link, -ECONNREFUSED, "the certificate of %.64s is not trusted (%.60s): set redfish_ca to a file of its authority, or to its key, and redfish to a name in it",
			    link->conf.url, text);
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
		return fail(link, -ECONNREFUSED, "the key of %.64s is not the one of redfish_ca: make sure that it is your BMC",
			    link->conf.url);
	case CURLE_SSL_CACERT_BADFILE:
		return fail(link, -ECONNREFUSED, "cannot read the certificates of redfish_ca, %.128s",
			    link->conf.ca);
	default:
		return fail(link, -ECONNREFUSED, "cannot reach %.64s: %.128s", link->conf.url, text);
	}
}

static int fail_refused(struct redfish_link *link)
{
	link->refused_until = now_ms() + REFUSED_MS;
	if (!link->login.stamp)
		return fail(link, -EACCES, "%.64s wants a user: put USER:PASSWORD into %.96s, for root only (mode 600)",
			    link->conf.url, link->login.file);
	return fail(link, -EACCES, "%.64s refuses the user or password of %.96s, or HTTP Basic: mend it; until then the next try is in %d min",
		    link->conf.url, link->login.file, REFUSED_MS / 60000);
}

static int fail_status(struct redfish_link *link, const char *path, long status)
{
	switch (status) {
	case 401:
		return fail_refused(link);
	case 403:
		return fail(link, -EACCES, "%.64s does not let the user read %.96s: give it the role ReadOnly",
			    link->conf.url, path);
	case 404:
	case 410:
		return fail(link, -ENOENT, "%.64s has no %.96s", link->conf.url, path);
	default:
		return fail(link, -EIO, "%.64s answers %ld to %.96s", link->conf.url, status, path);
	}
}

/*
 * Returns the path that a redirection leads to, or NULL if that is on another host. The library
 * puts the user and the password into the address of a redirection that names no host.
 */
static const char *redirected(struct redfish_link *link)
{
	const char *host = strstr(link->conf.url, "://") + 3, *at;
	size_t scheme = host - link->conf.url, length = redfish_conf_origin(link->conf.url) - scheme;
	char *to = NULL;

	link->calls->getinfo(link->curl, CURLINFO_REDIRECT_URL, &to);
	if (!to || strncmp(to, link->conf.url, scheme))
		return NULL;
	to += scheme;
	at = memrchr(to, '@', strcspn(to, "/?#"));
	if (at)
		to += at + 1 - to;
	if (strncmp(to, host, length) || !redfish_link_is_path(to + length))
		return NULL;
	return to + length;
}

/* Requests a resource once. Returns its HTTP status, or a negative errno. */
static long request(struct redfish_link *link, const char *path)
{
	char url[URL_BYTES];
	long status = 0;
	CURLcode code;
	sighandler_t before;

	if (!make_url(link, path, url, sizeof(url)))
		return fail(link, -ENOENT, "%.64s does not have %.96s, which is outside of its path",
			    link->conf.url, path);
	link->used = 0;
	link->received = 0;
	*link->error = '\0';
	link->calls->setopt(link->curl, CURLOPT_URL, url);
	/* TLS writes to a connection that the BMC may have closed. */
	before = signal(SIGPIPE, SIG_IGN);
	code = link->calls->perform(link->curl);
	signal(SIGPIPE, before);
	if (code)
		return fail_transfer(link, code);
	link->calls->getinfo(link->curl, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

/* A file that has changed may have the right password. */
static int try_again(struct redfish_link *link)
{
	char why[TEXT_BYTES] = "";

	if (redfish_login_stamp(&link->conf) == link->login.stamp) {
		if (now_ms() < link->refused_until)
			return -EACCES;
	} else if (!log_in(link, why, sizeof(why))) {
		return fail(link, -EACCES, "%s", why);
	}
	link->refused_until = 0;
	return 0;
}

/**
 * redfish_link_get() - read a resource of the BMC
 * @link: connection
 * @path: absolute path, for which redfish_link_is_path() is true
 * @json: set to the resource, an object to be freed by the caller; NULL on failure
 *
 * The function takes REDFISH_REQUEST_MS for each of the few redirections that it follows.
 *
 * Return: 0; -EACCES if the BMC refuses the user; -ECONNREFUSED if it cannot be reached or
 * trusted; -ETIMEDOUT; -ENOENT if it has no such resource; -EPROTO for an answer that is no
 * resource; -EIO for another error. On failure redfish_link_message() gives the reason.
 */
int redfish_link_get(struct redfish_link *link, const char *path, json_t **json)
{
	char now[PATH_BYTES];
	json_error_t error;
	const char *to;
	long status;
	int tries;

	*json = NULL;
	if (link->refused_until && try_again(link))
		return -EACCES;
	snprintf(now, sizeof(now), "%s", path);
	status = request(link, now);
	for (tries = 0; status / 100 == 3; tries++) {
		to = redirected(link);
		if (!to || tries == REDIRECTS_MAX)
			return fail(link, -EPROTO, "%.64s redirects %.96s %s", link->conf.url, now,
				    to ? "for ever" : "to another host, which is not asked");
		snprintf(now, sizeof(now), "%s", to);
		status = request(link, now);
	}
	if (status < 0)
		return status;
	if (status != 200)
		return fail_status(link, path, status);
	*json = json_loadb(link->answer ? link->answer : "", link->used, 0, &error);
	if (json_is_object(*json))
		return 0;
	json_decref(*json);
	*json = NULL;
	return fail(link, -EPROTO, "the answer of %.64s to %.96s is no Redfish (%.64s)", link->conf.url,
		    path, *error.text ? error.text : "no object");
}
