// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_read.h"
#include "capture.h"
#include "capture_text.h"
#include "say.h"
#include "sysroot.h"
#include "text_kind.h"
#include "text_plain.h"

#define TEXT_LIMIT	(64u << 20)
#define GIVE	"give the output of lspci -vvvxxxx by root, of lstopo --of xml, a dump (instinctctl dump), or a folder that holds sys"

/* Checks for UTF-8, whose last character may be cut off and few control characters, such as those of colours. */
static bool is_text(const char *text, size_t size)
{
	static const char controls[] = "\033\a\b";
	size_t i, more = 0;

	for (i = 0; i < size; i++) {
		unsigned char byte = text[i];

		if (more) {
			if ((byte & 0xc0) != 0x80)
				return false;
			more--;
		} else if (byte >= 0x80) {
			if (byte < 0xc2 || byte > 0xf4)
				return false;
			more = 1 + (byte >= 0xe0) + (byte >= 0xf0);
		} else if (!isprint(byte) && !isspace(byte) && !strchr(controls, byte)) {
			return false;
		}
	}
	return true;
}

/*
 * Archives hold a NUL in their first block, compressed or not, or their first bytes tell. A byte order mark
 * begins a text, and so may any character of UTF-8, such as that of a prompt.
 */
static bool is_archive(int fd)
{
	char block[512];
	ssize_t n = pread(fd, block, sizeof(block), 0);

	if (n >= 3 && (!memcmp(block, "\xef\xbb\xbf", 3) || !memcmp(block, "\xff\xfe", 2)))
		return false;
	if (n <= 0 || memchr(block, '\0', n) || !strncmp(block, "BZh", 3))
		return true;
	return !is_text(block, n) && ((unsigned char)block[0] >= 0x80 || !memchr(block, '\n', n));
}

static int read_text(char *text, size_t size, struct tree *tree)
{
	enum text_kind kind;
	int code = EXIT_ERROR;

	size = text_plain(text, size);
	kind = text_kind_of(text, size);
	switch (kind) {
	case TEXT_LSPCI_HEX:
		capture_lspci(text, tree);
		code = EXIT_OK;
		break;
	case TEXT_XML_HWLOC:
		code = capture_lstopo(opt_sysroot, text, size, tree);
		break;
	case TEXT_EMPTY:
		say_error(ERROR_INPUT, "%s: cannot be read as a capture: it is empty, or no archive", opt_sysroot);
		break;
	default:
		say_error(ERROR_INPUT, "%s: cannot be read as a capture: this looks like %s: " GIVE, opt_sysroot,
			  text_kind_titles[kind]);
		break;
	}
	if (!code)
		tree_sort(tree);
	return code;
}

static int read_text_file(int fd, struct tree *tree)
{
	struct bytes text = { 0 };
	ssize_t n = bytes_read(&text, fd, TEXT_LIMIT);
	int code = EXIT_ERROR;

	if (n < 0)
		say_error(error_code_of(-n, ERROR_IO), "cannot read %s: %s", opt_sysroot, strerror(-n));
	else
		code = read_text(text.data, text.size, tree);
	bytes_free(&text);
	return code;
}

/**
 * capture_open() - read the file if opt_sysroot names one: an archive, or text of another program
 *
 * Return: 0, or an exit code after printing the error.
 */
int capture_open(void)
{
	static struct tree tree;
	struct stat st;
	int fd, code;

	if (!*opt_sysroot || stat(opt_sysroot, &st) || !S_ISREG(st.st_mode))
		return EXIT_OK;
	fd = open(opt_sysroot, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		code = exit_code_of(errno);
		say_error(error_code_of(errno, ERROR_IO), "cannot read %s: %s", opt_sysroot, strerror(errno));
		return code;
	}
	if (is_archive(fd))
		code = archive_read_tree(fd, opt_sysroot, &archive_limits, &tree);
	else
		code = read_text_file(fd, &tree);
	close(fd);
	if (code)
		tree_free(&tree);
	else
		sysroot_set(opt_sysroot, &tree);
	return code;
}
