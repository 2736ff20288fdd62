// SPDX-License-Identifier: GPL-2.0-only
/* Archives: a written tree reads back, and a hostile archive is refused. */
#include <errno.h>
#include <limits.h>

#include "archive_read.h"
#include "archive_write.h"
#include "helper_util.h"
#include "say.h"
#include "sysroot.h"
#include "tree_path.h"

#define BLOCK	512

static const struct archive_limits small = { .entries = 8, .file_bytes = 4096, .bytes = 8192 };

/* An archive made by hand, since tar would not write most of these entries. */
static char tar[64 * BLOCK];
static size_t used;

static void begin(void)
{
	memset(tar, 0, sizeof(tar));
	used = 0;
}

static void put_size(const char *name, char type, const char *target, const char *data,
		     unsigned long long size)
{
	char *head = tar + used;
	unsigned int sum = 0, i;

	snprintf(head, 100, "%s", name);
	snprintf(head + 100, 8, "%07o", 0644);
	snprintf(head + 108, 8, "%07o", 0);
	snprintf(head + 116, 8, "%07o", 0);
	snprintf(head + 124, 12, "%011llo", size);
	snprintf(head + 136, 12, "%011o", 0);
	head[156] = type;
	snprintf(head + 157, 100, "%s", target);
	memcpy(head + 257, "ustar\00000", 8);
	/* The number of /dev/null, which only a device entry uses. */
	snprintf(head + 329, 8, "%07o", 1);
	snprintf(head + 337, 8, "%07o", 3);
	memset(head + 148, ' ', 8);
	for (i = 0; i < BLOCK; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	used += BLOCK;
	if (data) {
		memcpy(tar + used, data, strlen(data));
		used += BLOCK;
	}
}

static void put(const char *name, char type, const char *target, const char *data)
{
	put_size(name, type, target, data, data ? strlen(data) : 0);
}

static struct tree tree;

/* Reads an archive into tree; @said receives the messages. */
static int read_file(const char *file, const struct archive_limits *limits, const char **said)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), code;

	tree_free(&tree);
	util_catch(STDERR_FILENO);
	code = archive_read_tree(fd, file, limits, &tree);
	*said = util_caught_text();
	close(fd);
	return code;
}

static int read_made(const char **said)
{
	util_write_bytes("made.tar", tar, used + 2 * BLOCK);
	return read_file("made.tar", &small, said);
}

static void refused(int line, const char *why)
{
	const char *said;

	if (read_made(&said) != EXIT_ERROR || !strstr(said, why))
		unit_fail(__FILE__, line, said);
}

#define REFUSED(why)	refused(__LINE__, why)

static void test_good(void)
{
	const char *said;

	begin();
	put("./top/", '5', "", NULL);
	put("./top/sys/link", '2', "../proc", NULL);
	put("./top/etc/masked", '2', "/dev/null", NULL);
	put("./top/proc//version", '0', "", "Linux\n");
	put("./top/sys/folder/", '5', "", NULL);
	CHECK_INT(read_made(&said), EXIT_OK);
	CHECK_STR(said, "");
	CHECK(tree_find(&tree, "proc/version"));
	CHECK_STR(tree_find(&tree, "proc/version")->data.data, "Linux\n");
	CHECK_STR(tree_find(&tree, "etc/masked")->data.data, "/dev/null");
	CHECK(tree_is_folder(&tree, "sys/folder"));
	CHECK(tree_is_folder(&tree, "etc"));
}

static void test_paths(void)
{
	begin();
	put("../outside", '0', "", "x");
	REFUSED("a path that leads out");
	begin();
	put("top/../../outside", '0', "", "x");
	REFUSED("a path that leads out");
	begin();
	put("top/..", '5', "", NULL);
	REFUSED("a path that leads out");
	begin();
	put("/tmp/helper-archive-outside", '0', "", "x");
	REFUSED("a path that leads out");
	CHECK(access("outside", F_OK));
	CHECK(access("/tmp/helper-archive-outside", F_OK));
}

/* Links resolve inside the archive, so a link out of it reaches no file of this host. */
static void test_links(void)
{
	const char *said;
	char text[16];

	begin();
	put("top/etc", '2', "/etc", NULL);
	put("top/up", '2', "../../../../../../etc", NULL);
	put("top/ring", '2', "ring", NULL);
	put("top/sys/x", '0', "", "x");
	CHECK_INT(read_made(&said), EXIT_OK);
	sysroot_set("made.tar", &tree);
	CHECK_INT(sysroot_read("made.tar/etc/passwd", text, sizeof(text)), -ELOOP);
	CHECK_INT(sysroot_read("made.tar/up/passwd", text, sizeof(text)), -ELOOP);
	CHECK_INT(sysroot_open_file("made.tar/ring"), -ELOOP);
	CHECK_INT(sysroot_read("made.tar/../../sys/x", text, sizeof(text)), 1);
	sysroot_set("", NULL);
	begin();
	put("top/file", '1', "/etc/passwd", NULL);
	REFUSED("a hard link");
}

static void test_kinds(void)
{
	begin();
	put("top/null", '3', "", NULL);
	REFUSED("no file, link or folder");
	begin();
	put("top/disk", '4', "", NULL);
	REFUSED("no file, link or folder");
	begin();
	put("top/fifo", '6', "", NULL);
	REFUSED("no file, link or folder");
}

static void test_sizes(void)
{
	char name[32];
	int i;

	begin();
	put_size("top/big", '0', "", "x", 1ull << 32);
	REFUSED("a file that is too big");
	begin();
	for (i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "top/%d", i);
		put(name, '0', "", "x");
	}
	REFUSED("too many files");
	begin();
	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "top/%d", i);
		put_size(name, '0', "", NULL, 4096);
		used += 4096;
	}
	REFUSED("too big");
	/* Entries for the archive's root count, too. */
	begin();
	for (i = 0; i < 9; i++)
		put("./", '5', "", NULL);
	REFUSED("too many files");
	begin();
	put("top/folder", '5', "", "x");
	REFUSED("cannot be read as a capture");
	begin();
	put("top/folder/", '0', "", "x");
	REFUSED("a content");
	begin();
	put("./.", '0', "", "x");
	REFUSED("a content");
	begin();
	put("top/cut", '0', "", "x");
	used -= 3 * BLOCK;
	REFUSED("cannot be read as a capture");
}

/* A kilobyte unpacks to megabytes; the reader stops at its limit. */
static void test_bomb(void)
{
	static const struct archive_limits limits = { 8, 1 << 20, 1 << 20 };
	const char *said;

	CHECK(!system("truncate -s 900000 one two; tar cf - one two | gzip -9 >bomb.tar.gz"));
	CHECK_INT(read_file("bomb.tar.gz", &limits, &said), EXIT_ERROR);
	CHECK(strstr(said, "too big"));
	/* A hole may unpack to any size, and takes no room in the archive. */
	CHECK(!system("truncate -s 500000 hole; printf x >>hole; tar cSf hole.tar hole"));
	CHECK_INT(read_file("hole.tar", &limits, &said), EXIT_ERROR);
	CHECK(strstr(said, "a file with holes"));
}

static void test_no_archive(void)
{
	const char *said;

	begin();
	memset(tar, 'x', sizeof(tar));
	used = 4 * BLOCK;
	CHECK_INT(read_made(&said), EXIT_ERROR);
	CHECK(strstr(said, "made.tar: cannot be read as a capture"));
	begin();
	CHECK_INT(read_made(&said), EXIT_ERROR);
	CHECK(strstr(said, "empty"));
}

static void write_as(const struct tree *from, enum archive_filter filter, const char *file)
{
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK_INT(archive_write_tree(from, "top", 1000, filter, fd, file), EXIT_OK);
	close(fd);
}

/* On a full disk, the message names the file and the reason. */
static void test_full(void)
{
	static const enum archive_filter filters[] = { ARCHIVE_PLAIN, ARCHIVE_ZSTD, ARCHIVE_GZIP };
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct tree from = { 0 };
	size_t i;

	tree_add(&from, "sys/devices/x", TREE_FILE);
	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		CHECK_INT(archive_write_tree(&from, "top", 1000, filters[i], fd, "a.tar"),
			  EXIT_ERROR);
		CHECK_STR(say_last_error(), "cannot write a.tar: No space left on device");
	}
	close(fd);
	tree_free(&from);
}

/* Names are bytes, in our archives and in those of tar. */
static void test_names(void)
{
	static const char name[] = "etc/modprobe.d/\xc3\xbc.conf", odd[] = "etc/\xff\xfe";
	struct tree from = { 0 };
	const char *said;

	bytes_add(&tree_add(&from, name, TREE_FILE)->data, "x", 1);
	bytes_add(&tree_add(&from, odd, TREE_LINK)->data, "\xc3\xbc", 2);
	tree_sort(&from);
	write_as(&from, ARCHIVE_PLAIN, "one");
	CHECK_INT(read_file("one", &archive_limits, &said), EXIT_OK);
	CHECK_STR(said, "");
	CHECK(tree_find(&tree, name));
	CHECK_STR(tree_find(&tree, odd)->data.data, "\xc3\xbc");
	tree_free(&from);
	CHECK(!system("mkdir -p top/etc/modprobe.d && touch top/etc/modprobe.d/\xc3\xbc.conf && "
		      "tar --format=pax -cf pax.tar top"));
	CHECK_INT(read_file("pax.tar", &archive_limits, &said), EXIT_OK);
	CHECK(tree_find(&tree, name));
}

/* Each compression reads back, and the same tree gives the same archive, byte by byte. */
static void test_round(void)
{
	static const enum archive_filter filters[] = {
		ARCHIVE_PLAIN, ARCHIVE_ZSTD, ARCHIVE_XZ, ARCHIVE_GZIP,
	};
	struct tree from = { 0 };
	const char *said;
	size_t i;

	bytes_add(&tree_add(&from, "/sys/devices/x/config", TREE_FILE)->data, "\0\1\2", 3);
	bytes_add(&tree_add(&from, "sys/bus/x", TREE_LINK)->data, "../devices/x", 12);
	tree_add(&from, "sys/devices/x/empty", TREE_FILE);
	tree_add(&from, "instinct-vfio/netlink", TREE_FOLDER);
	tree_miss(&from, "sys/absent", "why");
	tree_add(&from, "sys/bus/x", TREE_LINK);
	tree_sort(&from);
	CHECK_INT(from.count, 5);
	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		write_as(&from, filters[i], "one");
		write_as(&from, filters[i], "two");
		CHECK(!system("cmp one two"));
		CHECK_INT(read_file("one", &archive_limits, &said), EXIT_OK);
		CHECK_INT(tree.count, 4);
		CHECK(!memcmp(tree_find(&tree, "sys/devices/x/config")->data.data, "\0\1\2", 3));
		CHECK_INT(tree_find(&tree, "sys/devices/x/config")->data.size, 3);
		CHECK_INT(tree_find(&tree, "sys/devices/x/empty")->data.size, 0);
		CHECK_STR(tree_find(&tree, "sys/bus/x")->data.data, "../devices/x");
		CHECK(tree_is_folder(&tree, "instinct-vfio/netlink"));
		CHECK(!tree_find(&tree, "sys/absent"));
	}
	tree_free(&from);
}

/* The reader strips a top folder only if it holds all entries and is not sys. */
static void test_top(void)
{
	const char *said;

	begin();
	put("sys/x", '0', "", "x");
	CHECK_INT(read_made(&said), EXIT_OK);
	CHECK(tree_find(&tree, "sys/x"));
	begin();
	put("a/x", '0', "", "x");
	put("ab/x", '0', "", "x");
	CHECK_INT(read_made(&said), EXIT_OK);
	CHECK(tree_find(&tree, "ab/x") && tree_find(&tree, "a/x"));
	begin();
	put("top", '0', "", "x");
	CHECK_INT(read_made(&said), EXIT_OK);
	CHECK(tree_find(&tree, "top"));
}

static int is_shown(const struct dirent *entry)
{
	return strcmp(entry->d_name, "hidden");
}

/* Lists a folder of a captured host in one line. */
static const char *listed(const char *path)
{
	static char line[256];
	struct dirent **entries;
	int count = sysroot_scandir(path, &entries, is_shown, alphasort), i;
	size_t at = 0;

	*line = '\0';
	for (i = 0; i < count; i++) {
		at += snprintf(line + at, sizeof(line) - at, "%s%c ", entries[i]->d_name,
			       entries[i]->d_type == DT_DIR ? '/' :
			       entries[i]->d_type == DT_LNK ? '@' : ' ');
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return count < 0 ? strerrorname_np(errno) : line;
}

/* A host in memory resolves paths as the same files in a folder would. */
static void test_paths_in_memory(void)
{
	char path[PATH_MAX];
	struct tree host = { 0 };
	struct stat st;
	int fd;

	tree_miss(&host, "sys/a/b/0", "gone");
	bytes_add(&tree_add(&host, "sys/a/b/c", TREE_FILE)->data, "text", 4);
	tree_add(&host, "sys/a-b", TREE_FOLDER);
	tree_add(&host, "sys/a/hidden", TREE_FILE);
	tree_miss(&host, "sys/gone/x", "gone");
	bytes_add(&tree_add(&host, "sys/a/up", TREE_LINK)->data, "../../sys/./link", 16);
	bytes_add(&tree_add(&host, "sys/link", TREE_LINK)->data, "/sys/a//b", 9);
	bytes_add(&tree_add(&host, "sys/none", TREE_LINK)->data, "nowhere", 7);
	tree_sort(&host);
	sysroot_set("host", &host);
	CHECK_STR(listed("host/sys"), "a/ a-b/ link@ none@ ");
	CHECK_STR(listed("host/sys/a"), "b/ up@ ");
	CHECK_STR(listed("host/sys/a/up"), "c  ");
	CHECK_STR(listed("host/sys/a/b/c"), "ENOTDIR");
	CHECK_STR(listed("host/sys/gone"), "ENOENT");
	CHECK_STR(listed("host/sys/none"), "ENOENT");
	CHECK(sysroot_realpath("host/sys/a/up/c", path));
	CHECK_STR(path, "/sys/a/b/c");
	CHECK(!sysroot_realpath("host/sys/none", path));
	CHECK(!sysroot_realpath("host/sys/a/b/0", path));
	CHECK(sysroot_readlink("host/sys/a/up", path));
	CHECK_STR(path, "../../sys/./link");
	CHECK(!sysroot_readlink("host/sys/a", path));
	CHECK_STR(path, "");
	CHECK(!sysroot_readlink("host/sys/a/none", path));
	CHECK_STR(path, "");
	CHECK_INT(sysroot_stat("host/sys/a/up", false, &st), 0);
	CHECK(S_ISLNK(st.st_mode));
	CHECK_INT(sysroot_stat("host/sys/a/up", true, &st), 0);
	CHECK(S_ISDIR(st.st_mode));
	CHECK_INT(sysroot_stat("host/sys/none", true, &st), -ENOENT);
	CHECK_INT(sysroot_stat("host/sys/link/c", true, &st), 0);
	CHECK(S_ISREG(st.st_mode) && st.st_size == 4);
	CHECK_INT(sysroot_open_file("host/sys/a"), -EINVAL);
	fd = sysroot_open_file("host/sys/a/up/c");
	CHECK_INT(read(fd, path, sizeof(path)), 4);
	close(fd);
	sysroot_set("", NULL);
	tree_free(&host);
}

/* Tries a path as a file and as a folder, and gets its type with and without following links. */
static void try(const char *root, const char *path, int found[4])
{
	char whole[PATH_MAX], text[16];
	struct stat st;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	found[0] = sysroot_read(whole, text, sizeof(text));
	found[1] = sysroot_open_folder(whole);
	if (found[1] >= 0)
		found[1] = close(found[1]);
	found[2] = sysroot_stat(whole, true, &st) ?: (int)(st.st_mode & S_IFMT);
	found[3] = sysroot_stat(whole, false, &st) ?: (int)(st.st_mode & S_IFMT);
}

/* A host in memory returns the errors of a folder, since callers tell absent from unreadable. */
static void test_errors_in_memory(void)
{
	static const char *const paths[] = {
		"a", "a/", "a/x", "a/x/", "a/x/.", "a/x/y", "a/x/..", "a/no/..", "a/no", "a/no/x",
		"a/../a/x", "a/./x", "ring", "ring/x", "link", "link/", "link/y", "in", "in/x",
		"in/../a/x", "none", "none/x", "..", ".",
	};
	struct tree host = { 0 };
	int found[4], wanted[4];
	size_t i;

	CHECK(!system("mkdir -p disk/a && printf xx >disk/a/x && ln -s ring disk/ring && "
		      "ln -s a/x disk/link && ln -s /a disk/in && ln -s no disk/none"));
	bytes_add(&tree_add(&host, "a/x", TREE_FILE)->data, "xx", 2);
	bytes_add(&tree_add(&host, "ring", TREE_LINK)->data, "ring", 4);
	bytes_add(&tree_add(&host, "link", TREE_LINK)->data, "a/x", 3);
	bytes_add(&tree_add(&host, "in", TREE_LINK)->data, "/a", 2);
	bytes_add(&tree_add(&host, "none", TREE_LINK)->data, "no", 2);
	tree_sort(&host);
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		sysroot_set("disk", NULL);
		try("disk", paths[i], wanted);
		sysroot_set("host", &host);
		try("host", paths[i], found);
		if (memcmp(found, wanted, sizeof(found)))
			unit_fail(__FILE__, __LINE__, paths[i]);
	}
	sysroot_set("", NULL);
	tree_free(&host);
}

int main(void)
{
	util_begin();
	RUN(test_good);
	RUN(test_paths);
	RUN(test_links);
	RUN(test_kinds);
	RUN(test_sizes);
	RUN(test_bomb);
	RUN(test_no_archive);
	RUN(test_names);
	RUN(test_round);
	RUN(test_full);
	RUN(test_top);
	RUN(test_paths_in_memory);
	RUN(test_errors_in_memory);
	tree_free(&tree);
	return unit_end();
}
