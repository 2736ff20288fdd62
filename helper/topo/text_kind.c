// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "model.h"
#include "text_kind.h"

#define PREFIX_MAX	120	/* of what may precede lspci's own line */

const char *const text_kind_titles[TEXT_KINDS] = {
	[TEXT_OTHER] = "text of an unknown kind",
	[TEXT_BINARY] = "no text",
	[TEXT_EMPTY] = "an empty file",
	[TEXT_XML_LIBVIRT] = "a libvirt domain",
	[TEXT_XML_HWLOC] = "a topology of hwloc (lstopo)",
	[TEXT_XML_NCCL] = "a topology file of NCCL or RCCL",
	[TEXT_XML_OTHER] = "XML of an unknown kind",
	[TEXT_JSON] = "JSON",
	[TEXT_LSPCI_HEX] = "the output of lspci -xxxx",
	[TEXT_LSPCI] = "the output of lspci without config spaces",
	[TEXT_LSPCI_TREE] = "the output of lspci -t",
	[TEXT_INFO_PCI] = "the answer of QEMU's monitor to info pci",
	[TEXT_INFO_QTREE] = "the answer of QEMU's monitor to info qtree",
	[TEXT_PROXMOX] = "Proxmox's configuration of a VM",
	[TEXT_COMMAND] = "a command line of QEMU",
	[TEXT_CLOUD] = "options of Cloud Hypervisor",
	[TEXT_LSPCI_M] = "the output of lspci -m, for machines",
	[TEXT_LOG] = "a kernel log",
	[TEXT_SMI] = "the output of a GPU tool (nvidia-smi, amd-smi, rocm-smi)",
	[TEXT_LSTOPO] = "lstopo's output for people",
	[TEXT_LSCPU] = "the output of lscpu",
	[TEXT_DMI] = "the output of dmidecode",
	[TEXT_HTML] = "a web page",
	[TEXT_INI] = "a file with sections, such as a policy",
	[TEXT_SCRIPT] = "a script",
};

static bool has(const char *text, size_t size, const char *part)
{
	return memmem(text, size, part, strlen(part));
}

/* Checks whether a line begins with @part, after blanks. */
static bool has_line(const char *text, size_t size, const char *part)
{
	const char *at = text, *end = text + size;

	while (at && at < end) {
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if ((size_t)(end - at) >= strlen(part) && !memcmp(at, part, strlen(part)))
			return true;
		at = memchr(at, '\n', end - at);
		if (at)
			at++;
	}
	return false;
}

static bool begins(const char *text, const char *with)
{
	return !strncasecmp(text, with, strlen(with));
}

static enum text_kind kind_of_xml(const char *text, size_t size)
{
	if (begins(text, "<!doctype html") || begins(text, "<html") || has(text, size, "<body"))
		return TEXT_HTML;
	if (has(text, size, "<topology") && has(text, size, "<object "))
		return TEXT_XML_HWLOC;
	if (has(text, size, "<domain") || has(text, size, "<domstatus"))
		return TEXT_XML_LIBVIRT;
	return has(text, size, "<system") ? TEXT_XML_NCCL : TEXT_XML_OTHER;
}

/* Parses an address as lspci writes it; returns the text after the blank that follows, or NULL. */
static const char *take_address(const char *at, char *bdf)
{
	size_t length = strcspn(at, " \n");
	char word[BDF_BYTES];

	/* A domain has four digits or more, a bus and a slot have two. */
	if (at[length] != ' ' || length < 7 || length >= sizeof(word) || at[length - 2] != '.' ||
	    at[length - 5] != ':' || (length > 7 && (length < 12 || at[length - 8] != ':')))
		return NULL;
	snprintf(word, sizeof(word), "%.*s", (int)length, at);
	return bdf_parse(word, bdf) ? at + length + 1 : NULL;
}

/* Checks for "PCI bridge [0604]: " or "0604: ", the class of a function. */
static bool is_class(const char *at)
{
	size_t length = strcspn(at, ":\n");

	return (isupper((unsigned char)*at) || isxdigit((unsigned char)*at)) && length > 3 &&
	       !memchr(at, '#', length) && at[length] == ':' && at[length + 1] == ' ';
}

/* Checks whether something can be a line's beginning that stands after a prefix. */
static bool is_after(const char *line, size_t at)
{
	size_t word = at;

	if (!at || strchr(" \t>|+", line[at - 1]))
		return true;
	/* grep writes a file's name, or a number, and a colon. */
	while (word && !isspace((unsigned char)line[word - 1]))
		word--;
	return line[at - 1] == ':' && word + 1 < at && strspn(line, " \t") == word;
}

/**
 * text_lspci_function() - look for the first line of a function, as lspci writes it
 * @line: line, which ends with a newline or a NUL; a prefix may precede lspci's own
 * @bdf: receives the address with its domain
 *
 * Return: the text after the address, or NULL.
 */
const char *text_lspci_function(const char *line, char *bdf)
{
	size_t at, length = strcspn(line, "\n");
	const char *after;

	for (at = 0; at < length && at < PREFIX_MAX; at++) {
		if (!isxdigit((unsigned char)line[at]) || !is_after(line, at))
			continue;
		after = take_address(line + at, bdf);
		if (after && is_class(after))
			return after;
	}
	return NULL;
}

/**
 * text_lspci_hex() - look for a line of a config space, as lspci -x writes it
 * @line: line, which ends with a newline or a NUL; a prefix may precede lspci's own
 * @offset: receives the offset of the first byte
 *
 * Return: the bytes as text, or NULL.
 */
const char *text_lspci_hex(const char *line, unsigned int *offset)
{
	size_t at, digits, length = strcspn(line, "\n"), own = strspn(line, " \t");
	unsigned int count;

	for (at = 0; at + 6 <= length && at < PREFIX_MAX; at++) {
		for (digits = 0; isxdigit((unsigned char)line[at + digits]);)
			digits++;
		if (digits < 2 || digits > 3 || line[at + digits] != ':' || !is_after(line, at))
			continue;
		for (count = 0; count < 16; count++) {
			const char *pair = line + at + digits + 1 + 3 * count;

			if (pair >= line + length || *pair != ' ' || !isxdigit((unsigned char)pair[1]) ||
			    !isxdigit((unsigned char)pair[2]) || isalnum((unsigned char)pair[3]))
				break;
		}
		/* The last line of a copy may be cut off. */
		if (count == 16 || (count && at == own)) {
			*offset = strtoul(line + at, NULL, 16);
			return line + at + digits + 1;
		}
	}
	return NULL;
}

/**
 * text_hostpci() - look for a device of the host in Proxmox's configuration of a VM
 * @line: line, which ends with a newline or a NUL; grep's prefix, or a mark of a list or a table, may
 *	precede it
 * @index: receives the number of the hostpci
 *
 * Return: the value as text, or NULL.
 */
const char *text_hostpci(const char *line, unsigned int *index)
{
	static const char key[] = "hostpci";
	const char *at = line + strspn(line, " \t-*+|"), *found;
	size_t word = strcspn(at, " \t\n");

	found = memmem(at, word, key, strlen(key));
	if (*at == '#' || !found || (found > at && found[-1] != ':'))
		return NULL;
	at = found + strlen(key);
	if (!isdigit((unsigned char)*at))
		return NULL;
	for (*index = 0; isdigit((unsigned char)*at) && *index < 100; at++)
		*index = *index * 10 + (*at - '0');
	at += strspn(at, " \t");
	if (*at != ':' && *at != '|')
		return NULL;
	at++;
	return at + strspn(at, " \t");
}

static const char *next_line(const char *line, const char *end)
{
	const char *stop = memchr(line, '\n', end - line);

	return stop ? stop + 1 : NULL;
}

/* Checks for "[   12.345678] " or a date, which begin a line of the kernel log, and for what is in one. */
static bool is_log(const char *text, size_t size)
{
	const char *line = text, *end = text + size;
	unsigned int lines = 0, found = 0;
	double seconds;
	int length, year;

	for (; line && line < end; line = next_line(line, end)) {
		const char *at = line + strspn(line, " \t");

		length = 0;
		/* "<6>" is a priority. */
		if (*at == '<' && isdigit((unsigned char)at[1]) && at[2] == '>')
			at += 3;
		lines++;
		found += (sscanf(at, "[%lf]%n", &seconds, &length) == 1 && length) ||
			 sscanf(at, "[%*3[A-Za-z] %*3[A-Za-z] %*2d %*2d:%*2d:%*2d %4d] ", &year) == 1 ||
			 memmem(at, strcspn(at, "\n"), " kernel: ", 9) || !strncmp(at, "pci 0000:", 9) ||
			 !strncmp(at, "pcieport 0000:", 14);
		if (lines == 64)
			break;
	}
	return 2 * found > lines;
}

/* Checks for "[name]" on a line of its own, and "key = value". */
static bool is_ini(const char *text, size_t size)
{
	const char *line = text, *end = text + size;

	for (; line && line < end; line = next_line(line, end)) {
		size_t length = strcspn(line, "\n"), close = strcspn(line, "]\n");

		length -= length && line[length - 1] == '\r';
		if (*line == '[' && isalpha((unsigned char)line[1]) && close + 1 == length)
			return true;
		if (*line != '#' && *line != ';' && length)
			return false;
	}
	return false;
}

static bool has_hostpci(const char *text, size_t size)
{
	const char *line = text, *end = text + size;
	unsigned int index;

	for (; line && line < end; line = next_line(line, end))
		if (text_hostpci(line, &index))
			return true;
	return false;
}

static bool has_function(const char *text, size_t size, bool *hex)
{
	const char *line = text, *end = text + size;
	unsigned int offset;
	char bdf[BDF_BYTES];
	bool found = false;

	*hex = false;
	for (; line && line < end && !(found && *hex);
	     line = next_line(line, end)) {
		found = found || text_lspci_function(line, bdf);
		*hex = *hex || (found && text_lspci_hex(line, &offset));
	}
	return found;
}

/* Other kinds of text that people keep beside those that can be read, by what only they contain. */
static enum text_kind kind_of_others(const char *text, size_t size)
{
	static const struct {
		const char *line;
		const char *part;
		enum text_kind kind;
	} marks[] = {
		{ "Slot:\t", "Class:\t", TEXT_LSPCI_M }, { "NVIDIA-SMI", NULL, TEXT_SMI },
		{ "| NVIDIA-SMI", NULL, TEXT_SMI }, { "GPU0", "CPU Affinity", TEXT_SMI },
		{ "AMDSMI Tool", NULL, TEXT_SMI }, { "| AMD-SMI", NULL, TEXT_SMI },
		{ "=", "ROCm System Management", TEXT_SMI }, { "=", "ROCm SMI", TEXT_SMI },
		{ "=", "NVSMI LOG", TEXT_SMI }, { "Machine (", NULL, TEXT_LSTOPO },
		{ "Architecture:", "CPU(s):", TEXT_LSCPU }, { "# dmidecode", NULL, TEXT_DMI },
		{ "Handle 0x", "DMI type", TEXT_DMI }, { "#!", NULL, TEXT_SCRIPT },
	};
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (has_line(text, size, marks[i].line) &&
		    (!marks[i].part || has(text, size, marks[i].part)))
			return marks[i].kind;
	return TEXT_OTHER;
}

/* Checks for QEMU's option -device with a device of the host, in each of its forms. */
static bool has_vfio(const char *text, size_t size)
{
	static const char *const forms[] = {
		"vfio-pci,", "driver=vfio-pci", "vfio-pci-nohotplug", "\"vfio-pci\"", "\"vfio-pci\\\"",
	};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (has(text, size, forms[i]))
			return true;
	return false;
}

static enum text_kind kind_of_lines(const char *text, size_t size)
{
	bool hex, function = has_function(text, size, &hex);

	if (hex)
		return TEXT_LSPCI_HEX;
	if (is_log(text, size))
		return TEXT_LOG;
	if (has_line(text, size, "-[0") || has_line(text, size, "-[1"))
		return TEXT_LSPCI_TREE;
	if (has_line(text, size, "Bus ") && has(text, size, ", device ") && has(text, size, "PCI device "))
		return TEXT_INFO_PCI;
	if (has_line(text, size, "dev: ") && has_line(text, size, "bus: "))
		return TEXT_INFO_QTREE;
	/* XML that stands in other text, or is cut off, is no list of words. */
	if (has(text, size, "<domain") || has(text, size, "&lt;domain"))
		return TEXT_XML_LIBVIRT;
	if (has_hostpci(text, size) || (has_line(text, size, "map id=") && has(text, size, "path=")))
		return TEXT_PROXMOX;
	if (has_vfio(text, size))
		return TEXT_COMMAND;
	if (has(text, size, "cloud-hypervisor") || has_line(text, size, "--device") ||
	    has(text, size, " path=/sys/bus/pci/devices/"))
		return TEXT_CLOUD;
	if (function)
		return TEXT_LSPCI;
	if (is_ini(text, size))
		return TEXT_INI;
	return kind_of_others(text, size);
}

/* Checks for the first characters of JSON. */
static bool is_json(const char *text)
{
	const char *next = text + 1 + strspn(text + 1, " \t\r\n");

	if (*text == '{')
		return *next == '"' || *next == '}' || !*next;
	return *text == '[' && (strchr("{[]\"-", *next) || isdigit((unsigned char)*next));
}

/**
 * text_kind_of() - recognise a file of another program
 * @text: contents of the file, followed by a NUL
 * @size: of @text in bytes
 *
 * Return: the kind. A command line from /proc, whose words end with NULs, is text, too.
 */
enum text_kind text_kind_of(const char *text, size_t size)
{
	size_t at = strspn(text, " \t\r\n");
	bool nul = memchr(text, '\0', size);

	if (at == size)
		return TEXT_EMPTY;
	if (nul && has_vfio(text, size))
		return TEXT_COMMAND;
	if (nul && has(text, size, "cloud-hypervisor"))
		return TEXT_CLOUD;
	if (nul)
		return TEXT_BINARY;
	if (text[at] == '<')
		return kind_of_xml(text + at, size - at);
	if (is_json(text + at) && !is_log(text + at, size - at))
		return TEXT_JSON;
	/* The monitor's prompt and commands may stand before its answers, and comments before all. */
	return kind_of_lines(text + at, size - at);
}
