// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "sysfs.h"
#include "user.h"

/**
 * struct words - the words of a command line
 * @text: words, each with a NUL behind it
 * @size: bytes of @text
 */
struct words {
	const char *text;
	size_t size;
};

static const char *next(const struct words *words, const char *word)
{
	word += strlen(word) + 1;
	return word < words->text + words->size ? word : NULL;
}

/* Finds the word after an option, or after "option=" in the same word. */
static const char *value_of(const struct words *words, const char *option)
{
	size_t length = strlen(option);
	const char *word;

	for (word = words->text; word; word = next(words, word)) {
		if (strncmp(word, option, length))
			continue;
		if (word[length] == '=')
			return word + length + 1;
		if (!word[length])
			return next(words, word);
	}
	return NULL;
}

static bool has(const struct words *words, const char *part)
{
	return memmem(words->text, words->size, part, strlen(part));
}

/* Copies "guest=NAME,debug-threads=on", or "NAME,…". QEMU writes a comma in a name twice. */
static void take_name(const char *value, char *name, size_t size)
{
	size_t at = 0;

	if (!strncmp(value, "guest=", strlen("guest=")))
		value += strlen("guest=");
	for (; *value && at + 1 < size; value++) {
		if (*value == ',' && *++value != ',')
			break;
		name[at++] = *value;
	}
	name[at] = '\0';
}

static void name_qemu(const struct words *words, struct user *user)
{
	const char *value = value_of(words, "-name"), *id = value_of(words, "-id");
	char *mark;

	if (value)
		take_name(value, user->vm, sizeof(user->vm));
	if (has(words, "/run/kubevirt")) {
		/* A namespace's name has no underscore. */
		mark = strchr(user->vm, '_');
		if (mark)
			*mark = '/';
		snprintf(user->manager, sizeof(user->manager), "kubevirt");
	} else if (has(words, "/lib/libvirt/")) {
		snprintf(user->manager, sizeof(user->manager), "libvirt");
	} else if (id && has(words, "/qemu-server/")) {
		char name[sizeof(user->vm)];

		memcpy(name, user->vm, sizeof(name));
		snprintf(user->vm, sizeof(user->vm), "%.10s%s%.200s%s", id, *name ? " (" : "", name,
			 *name ? ")" : "");
		snprintf(user->manager, sizeof(user->manager), "proxmox");
	} else {
		snprintf(user->manager, sizeof(user->manager), "qemu");
	}
}

/* Cloud Hypervisor knows no names: the socket of its API stands for the VM. */
static void name_cloud_hypervisor(const struct words *words, struct user *user)
{
	const char *value = value_of(words, "--api-socket");

	if (value && !strncmp(value, "path=", strlen("path=")))
		value += strlen("path=");
	if (value)
		snprintf(user->vm, sizeof(user->vm), "%.*s", (int)strcspn(value, ","), value);
	snprintf(user->manager, sizeof(user->manager), "cloud-hypervisor");
}

/**
 * user_name_vm() - name the VM of a process by its command line
 * @command: words, each with a NUL behind it, and a NUL behind the last
 * @size: bytes of @command, without that last NUL
 * @user: its name of the VM, and of the VM's manager, are set if the process is a known VMM
 */
void user_name_vm(const char *command, size_t size, struct user *user)
{
	const struct words words = { .text = command, .size = size };
	char program[64];

	sysfs_last_part(command, program, sizeof(program));
	if (!strncmp(program, "qemu-system-", strlen("qemu-system-")) ||
	    !strcmp(program, "qemu-kvm") || !strcmp(program, "kvm"))
		name_qemu(&words, user);
	else if (!strncmp(program, "cloud-hypervisor", strlen("cloud-hypervisor")))
		name_cloud_hypervisor(&words, user);
	sysfs_make_plain(user->vm);
}

/**
 * user_describe() - describe a process for people
 * @user: process
 * @text: buffer
 * @size: bytes of @text
 */
void user_describe(const struct user *user, char *text, size_t size)
{
	snprintf(text, size, "%s (process %d%s%s)", user->comm, user->pid,
		 *user->vm ? ", VM " : "", user->vm);
}
