// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts.h"
#include "say.h"
#include "signature.h"
#include "sysfs.h"
#include "sysroot.h"

#define FRAMEWORK	"/etc/dkms/framework.conf"
#define FRAMEWORK_MORE	FRAMEWORK ".d"
#define FRAMEWORK_KEY	"mok_certificate="
#define KEYS		"/proc/keys"
#define FILE_LIMIT	(64 << 10)
#define KEYS_LIMIT	(1024 << 10)

/* Read the end of a file, where a signature is; return its size, or 0 after an error. */
static size_t read_end(const char *path, uint8_t data[SIGNATURE_MAX])
{
	char full[PATH_MAX];
	size_t at = 0;
	ssize_t n;
	int fd;

	snprintf(full, sizeof(full), "%s%s", opt_sysroot, path);
	fd = sysroot_open_file(full);
	if (fd < 0)
		return 0;
	if (lseek(fd, -SIGNATURE_MAX, SEEK_END) < 0)
		lseek(fd, 0, SEEK_SET);
	while (at < SIGNATURE_MAX && (n = read(fd, data + at, SIGNATURE_MAX - at)) > 0)
		at += n;
	close(fd);
	return at;
}

/* Is the module signed with the key of this certificate? Then @id receives the key's name. */
static bool try_certificate(struct signing_facts *signing, const struct signature *signature,
			    const char *path, char id[KEY_ID_BYTES])
{
	size_t bytes;
	int error;
	char *data = facts_read_file(path, FILE_LIMIT, &bytes, &error);
	bool found = !error && signature_is_by(signature, (uint8_t *)data, bytes, id);

	free(data);
	if (found) {
		snprintf(signing->certificate, sizeof(signing->certificate), "%s", path);
		sysfs_make_plain(signing->certificate);
	}
	return found;
}

/* mok_certificate=/etc/keys/fleet.der, with or without quotes */
static void read_framework_file(const char *file, char path[PATH_MAX])
{
	char *text, *line, *rest;
	int error;

	text = facts_read_file(file, FILE_LIMIT, NULL, &error);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, FRAMEWORK_KEY, strlen(FRAMEWORK_KEY)))
			continue;
		line += strlen(FRAMEWORK_KEY);
		line += strspn(line, "\"'");
		snprintf(path, PATH_MAX, "%.*s", (int)strcspn(line, "\"' \t"), line);
	}
	free(text);
}

/* The last setting applies; "" if DKMS uses its default certificate. */
static void read_framework(char path[PATH_MAX])
{
	char file[PATH_MAX];
	struct dirent **entries;
	int i, count;

	*path = '\0';
	read_framework_file(FRAMEWORK, path);
	snprintf(file, sizeof(file), "%s" FRAMEWORK_MORE, opt_sysroot);
	count = sysroot_scandir(file, &entries, facts_is_conf, alphasort);
	for (i = 0; i < count; i++) {
		snprintf(file, sizeof(file), FRAMEWORK_MORE "/%s", entries[i]->d_name);
		read_framework_file(file, path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Try the certificate of DKMS' settings, the one that DKMS makes, and that of Ubuntu. */
static bool find_certificate(struct signing_facts *signing, const struct signature *signature,
			     char id[KEY_ID_BYTES])
{
	char own[PATH_MAX];

	read_framework(own);
	return (*own == '/' && try_certificate(signing, signature, own, id)) ||
	       try_certificate(signing, signature, "/var/lib/dkms/mok.pub", id) ||
	       try_certificate(signing, signature, "/var/lib/shim-signed/mok/MOK.der", id);
}

/*
 * Users who may not see keys get a list without any, so the trust is unknown then. A line is
 * "… asymmetri DKMS module signing key: 1001…4c60: X509.rsa fc114c60 []". The key's identifier
 * finds it; without a certificate the signer's name does, which other keys may share.
 */
static enum trust find_key(const char *id, const char *signer)
{
	enum trust trust = TRUST_UNKNOWN;
	char name[WORD_BYTES + 4], *text, *line, *rest;
	int error;

	text = facts_read_file(KEYS, KEYS_LIMIT, NULL, &error);
	snprintf(name, sizeof(name), " %s: ", signer);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strstr(line, " asymmetri ") && trust != TRUST_YES)
			trust = strstr(line, *id ? id : name) ? TRUST_YES : TRUST_NO;
	free(text);
	return trust;
}

/**
 * facts_read_signing() - find the signer of the installed module, and the kernel's trust in it
 * @signing: receives the facts
 * @path: path of the module's file on the host, "" if it is not installed
 */
void facts_read_signing(struct signing_facts *signing, const char *path)
{
	const char *end = strrchr(path, '.');
	char id[KEY_ID_BYTES] = "";
	struct signature signature;
	uint8_t data[SIGNATURE_MAX];
	size_t bytes;

	/* The end of a compressed file does not show the signature. */
	if (!end || strcmp(end, ".ko"))
		return;
	bytes = read_end(path, data);
	if (!bytes)
		return;
	signing->known = true;
	signing->is_signed = signature_find(data, bytes, &signature);
	if (!signing->is_signed || !signature_library())
		return;
	if (!signature_signer(&signature, signing->signer, sizeof(signing->signer)))
		snprintf(signing->signer, sizeof(signing->signer), "an unnamed signer");
	sysfs_make_plain(signing->signer);
	find_certificate(signing, &signature, id);
	signing->trust = find_key(id, signing->signer);
}
