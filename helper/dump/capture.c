// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_read.h"
#include "capture.h"
#include "say.h"
#include "sysroot.h"

/**
 * capture_open() - if opt_sysroot is an archive, read it
 *
 * Return: 0, or an exit code, and then it has said why.
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
		say_error("cannot read %s: %s", opt_sysroot, strerror(errno));
		return code;
	}
	code = archive_read_tree(fd, opt_sysroot, &archive_limits, &tree);
	close(fd);
	if (code)
		tree_free(&tree);
	else
		sysroot_set(opt_sysroot, &tree);
	return code;
}
