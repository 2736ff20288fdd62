// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "text_kind.h"

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

static enum text_kind kind_of_xml(const char *text, size_t size)
{
	if (has(text, size, "<topology") && has(text, size, "<object "))
		return TEXT_XML_HWLOC;
	if (has(text, size, "<domain") || has(text, size, "<domstatus"))
		return TEXT_XML_LIBVIRT;
	return has(text, size, "<system") ? TEXT_XML_NCCL : TEXT_XML_OTHER;
}

/* Checks for "0000:05:00.0 " or "05:00.0 " and a class, as lspci begins a function. */
static bool is_function(const char *line)
{
	unsigned int domain, bus, slot, function;
	int length = 0;

	if (sscanf(line, "%4x:%2x:%2x.%1u %n", &domain, &bus, &slot, &function, &length) != 4 ||
	    !length) {
		length = 0;
		if (sscanf(line, "%2x:%2x.%1u %n", &bus, &slot, &function, &length) != 3 ||
		    !length)
			return false;
	}
	/* A line of a map has a second address there. */
	line += length;
	return (isalpha((unsigned char)*line) || isdigit((unsigned char)*line)) &&
	       strcspn(line, ":\n") > 3 && line[strcspn(line, ":\n")] == ':' &&
	       (line[strcspn(line, ":\n") + 1] == ' ');
}

static enum text_kind kind_of_lines(const char *text, size_t size)
{
	if (is_function(text))
		return has_line(text, size, "00: ") ? TEXT_LSPCI_HEX : TEXT_LSPCI;
	if (!strncmp(text, "-[", 2))
		return TEXT_LSPCI_TREE;
	if (has_line(text, size, "Bus ") && has(text, size, ", device ") && has(text, size, "PCI device "))
		return TEXT_INFO_PCI;
	if (has_line(text, size, "dev: ") && has_line(text, size, "bus: "))
		return TEXT_INFO_QTREE;
	if (has_line(text, size, "hostpci"))
		return TEXT_PROXMOX;
	if (has(text, size, "vfio-pci,") || has(text, size, "\"vfio-pci\""))
		return TEXT_COMMAND;
	if (has(text, size, "cloud-hypervisor") || has_line(text, size, "--device") ||
	    has(text, size, " path=/sys/bus/pci/devices/"))
		return TEXT_CLOUD;
	return TEXT_OTHER;
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
	if (nul && (has(text, size, "vfio-pci,") || has(text, size, "\"vfio-pci\"")))
		return TEXT_COMMAND;
	if (nul && has(text, size, "cloud-hypervisor"))
		return TEXT_CLOUD;
	if (nul)
		return TEXT_BINARY;
	if (text[at] == '<')
		return kind_of_xml(text + at, size - at);
	if (text[at] == '{' || text[at] == '[')
		return TEXT_JSON;
	/* The monitor's prompt and commands may stand before its answers, and comments before all. */
	return kind_of_lines(text + at, size - at);
}
