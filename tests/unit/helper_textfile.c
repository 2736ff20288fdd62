// SPDX-License-Identifier: GPL-2.0-only
/* A textfile has either its old or its new content, even after an error. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "helper_util.h"
#include "textfile.h"

static const char *file_text(const char *path)
{
	static char text[256];
	FILE *in = fopen(path, "r");

	text[in ? fread(text, 1, sizeof(text) - 1, in) : 0] = '\0';
	if (in)
		fclose(in);
	return text;
}

static int entries_of(const char *folder)
{
	DIR *dir = opendir(folder);
	int count = -2;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static void test_textfile(void)
{
	struct stat st;

	mkdir("textfile", 0700);
	umask(077);
	CHECK_INT(textfile_write("textfile/a.prom", "old\n", 4), 0);
	umask(022);
	CHECK_STR(file_text("textfile/a.prom"), "old\n");
	CHECK(!stat("textfile/a.prom", &st));
	CHECK_INT(st.st_mode & 07777, 0644);
	CHECK_INT(textfile_write("textfile/a.prom", "newer\n", 6), 0);
	CHECK_STR(file_text("textfile/a.prom"), "newer\n");
	CHECK_INT(textfile_write("b.prom", "here\n", 5), 0);
	CHECK_STR(file_text("b.prom"), "here\n");
	CHECK_INT(entries_of("textfile"), 1);
}

/* A reader that has opened the old file still reads the old content. */
static void test_textfile_is_whole(void)
{
	int fd;
	char text[16] = "";

	textfile_write("textfile/a.prom", "before\n", 7);
	fd = open("textfile/a.prom", O_RDONLY | O_CLOEXEC);
	textfile_write("textfile/a.prom", "", 0);
	CHECK_INT(read(fd, text, sizeof(text)), 7);
	CHECK_STR(text, "before\n");
	CHECK_STR(file_text("textfile/a.prom"), "");
	close(fd);
}

/* The size limit acts as a full disk for the temporary file. */
static void test_textfile_fails(void)
{
	struct rlimit before, small = { 0 };

	textfile_write("textfile/a.prom", "old\n", 4);
	getrlimit(RLIMIT_FSIZE, &before);
	small.rlim_max = before.rlim_max;
	small.rlim_cur = 8;
	setrlimit(RLIMIT_FSIZE, &small);
	CHECK_INT(textfile_write("textfile/a.prom", "much longer than that\n", 22), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK_STR(file_text("textfile/a.prom"), "old\n");
	CHECK_INT(entries_of("textfile"), 1);

	mkdir("textfile/folder", 0755);
	CHECK(!symlink("a.prom", "textfile/link"));
	CHECK_INT(textfile_write("textfile/folder", "x", 1), -EISDIR);
	CHECK_INT(textfile_write("textfile/folder/", "x", 1), -EISDIR);
	CHECK_INT(textfile_write("textfile/absent/", "x", 1), -EISDIR);
	CHECK_INT(textfile_write("textfile/link", "x", 1), -EINVAL);
	CHECK_INT(textfile_write("textfile/absent/a.prom", "x", 1), -ENOENT);
	CHECK_STR(file_text("textfile/a.prom"), "old\n");
	CHECK_INT(entries_of("textfile"), 3);
}

int main(void)
{
	util_begin();
	signal(SIGXFSZ, SIG_IGN);
	RUN(test_textfile);
	RUN(test_textfile_is_whole);
	RUN(test_textfile_fails);
	return unit_end();
}
