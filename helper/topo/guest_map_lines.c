// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"

#define WORDS_MAX	3
#define BLANKS		" \t\r,"

static int split(char *line, char *word[])
{
	char *rest, *at;
	int count = 0;

	line[strcspn(line, "#")] = '\0';
	for (at = strtok_r(line, BLANKS, &rest); at; at = strtok_r(NULL, BLANKS, &rest)) {
		if (count < WORDS_MAX)
			word[count] = at;
		count++;
	}
	return count;
}

static bool parse_node(const char *text, int *node)
{
	int length = 0;

	return sscanf(text, "%2d%n", node, &length) == 1 && !text[length] && *node >= 0 &&
	       *node < NUMA_NODES_MAX;
}

static void take_line(struct guest_map *map, const char *file, int line, char *word[], int count)
{
	char host[BDF_BYTES], guest[BDF_BYTES] = "";
	struct guest_device *dev;
	int node = NUMA_NONE;

	if (count < 2 || count > WORDS_MAX) {
		guest_map_wrong(map, file, line,
				"found %d word%s, wanted HOST GUEST, and the NUMA node in the guest if it is known",
				count, count == 1 ? "" : "s");
		return;
	}
	if (!bdf_parse(word[0], host)) {
		guest_map_wrong(map, file, line,
				"\"%s\" is no PCI address of the host, such as 0000:c1:00.0", word[0]);
		return;
	}
	/* A colon marks a PCI address; a VMM's name of a device has none. */
	if (!bdf_parse(word[1], guest) && strchr(word[1], ':')) {
		guest_map_wrong(map, file, line,
				"\"%s\" is no PCI address of the guest, such as 0000:05:00.0", word[1]);
		return;
	}
	if (count > 2 && !parse_node(word[2], &node)) {
		guest_map_wrong(map, file, line, "\"%s\" is no NUMA node of the guest: 0 to %d",
				word[2], NUMA_NODES_MAX - 1);
		return;
	}
	dev = guest_map_add(map, file, line);
	snprintf(dev->host, sizeof(dev->host), "%s", host);
	snprintf(dev->guest, sizeof(dev->guest), "%s", guest);
	if (!*guest)
		snprintf(dev->id, sizeof(dev->id), "%s", word[1]);
	dev->node = node;
}

/* Checks for a line that begins with a PCI address, or for a file without any word. */
static bool has_address(const char *text)
{
	bool words = false;
	size_t length;

	for (; *text; text += length + (text[length] == '\n')) {
		const char *at = text + strspn(text, BLANKS);
		unsigned int bus, slot;
		char head[32];

		length = strcspn(text, "\n");
		if (at >= text + length || *at == '#')
			continue;
		words = true;
		/* sscanf() would measure all of the text for each line. */
		snprintf(head, sizeof(head), "%.*s", (int)sizeof(head) - 1, at);
		if (sscanf(head, "%x:%x.", &bus, &slot) == 2 || sscanf(head, "%*x:%x:%x.", &bus, &slot) == 2)
			return true;
	}
	return !words;
}

/**
 * guest_map_lines() - read lines "HOST GUEST", "HOST GUEST NODE" or "HOST ID"
 * @map: the devices are added
 * @file: name of the file, for messages
 * @text: contents of the file; modified
 * @size: of @text in bytes; a NUL follows
 *
 * "#" begins a comment.
 */
void guest_map_lines(struct guest_map *map, const char *file, char *text, size_t size)
{
	char *word[WORDS_MAX], *rest = text, *line;
	int number = 1, count;

	if (memchr(text, '\0', size)) {
		guest_map_wrong(map, file, 0,
				"no text, nor the command line of a QEMU with vfio-pci devices");
		return;
	}
	if (!has_address(text)) {
		guest_map_wrong(map, file, 1,
				"this looks like text of another kind, without any PCI address: give libvirt's XML, QMP's query-pci, info pci or info qtree of QEMU's monitor, Cloud Hypervisor's vm.info, or lines HOST GUEST");
		return;
	}
	for (; (line = strsep(&rest, "\n")); number++) {
		count = split(line, word);
		if (count)
			take_line(map, file, number, word, count);
	}
}
