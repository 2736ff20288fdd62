// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the reader of archives, with limits low enough for inputs to reach, and a command of
 * instinctctl on the host in each archive that the reader accepts. An input is one byte that
 * selects the command, and an archive.
 */
#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive_read.h"
#include "command.h"
#include "fuzz.h"
#include "core/pure.h"
#include "tree_path.h"
#include "words.h"
#include "work.h"

#define NAME		"capture.tar"
#define ENTRIES_MAX	64
#define FILE_MAX	20000
#define BYTES_MAX	60000

enum { REFUSED, TAKEN, HOST };

const char *const fuzz_ways[] = {
	[REFUSED] = "refused",
	[TAKEN] = "taken",
	[HOST] = "taken, with a host in it",
	NULL
};

static const char *const commands[][4] = {
	{ "status" }, { "topo", "show", "--all" }, { "doctor" }, { "show-policy" },
	{ "monitor" }, { "topo", "pairs", "--all" },
};

static const struct archive_limits limits = {
	.entries = ENTRIES_MAX, .file_bytes = FILE_MAX, .bytes = BYTES_MAX,
};

/* A path is relative, and has the form that lookups use. */
static void require_path(const char *path)
{
	REQUIRE(strlen(path) < PATH_MAX && *path != '/');
	while (*path) {
		size_t length = strcspn(path, "/");

		REQUIRE(length && (length != 1 || *path != '.'));
		REQUIRE(length != 2 || strncmp(path, "..", 2));
		path += length;
		REQUIRE(!*path || path[1]);
		path += *path == '/';
	}
}

static void require_entries(const struct tree *tree)
{
	size_t bytes = 0, i;

	REQUIRE(tree->count && tree->count <= ENTRIES_MAX);
	for (i = 0; i < tree->count; i++) {
		const struct tree_entry *entry = &tree->list[i];

		require_path(entry->path);
		REQUIRE(!i || strcmp(tree->list[i - 1].path, entry->path) < 0);
		REQUIRE(entry->kind == TREE_FILE || entry->kind == TREE_LINK ||
			entry->kind == TREE_FOLDER);
		REQUIRE(entry->kind != TREE_FOLDER || !entry->data.size);
		REQUIRE(entry->kind != TREE_LINK || strlen(entry->data.data) == entry->data.size);
		REQUIRE(entry->data.size <= FILE_MAX);
		bytes += entry->data.size;
	}
	REQUIRE(bytes <= BYTES_MAX);
}

/* Each name that a folder lists exists. */
static void require_folder(const struct tree *tree, const char *real)
{
	struct dirent **names;
	int count = tree_scandir(tree, real, &names, NULL, alphasort), i;
	char path[2 * PATH_MAX];
	struct stat st;

	REQUIRE(count >= 0 && (size_t)count <= tree->count);
	for (i = 0; i < count; i++) {
		const char *name = names[i]->d_name;

		REQUIRE(*name && !strchr(name, '/'));
		REQUIRE(!i || strcmp(names[i - 1]->d_name, name));
		snprintf(path, sizeof(path), "%s%s%s", real, *real ? "/" : "", name);
		REQUIRE(!tree_stat(tree, path, &st));
		if (S_ISDIR(st.st_mode))
			REQUIRE(names[i]->d_type == DT_DIR);
	}
	while (count--)
		free(names[count]);
	free(names);
}

/* Links lead only to places in the tree. */
static void require_places(const struct tree *tree)
{
	char real[PATH_MAX];
	struct stat st;
	size_t i;

	for (i = 0; i < tree->count; i++) {
		if (tree_resolve(tree, tree->list[i].path, true, real))
			continue;
		require_path(real);
		if (!tree_stat(tree, real, &st) && S_ISDIR(st.st_mode))
			require_folder(tree, real);
	}
	require_folder(tree, "");
}

static int open_archive(const uint8_t *data, size_t size)
{
	int fd = memfd_create("archive", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tree tree = { 0 };
	struct printed said;
	int fd, code;

	fuzz_input();
	if (!size)
		return 0;
	command_begin(work_given_folder());
	fd = open_archive(data + 1, size - 1);
	words_catch();
	code = archive_read_tree(fd, NAME, &limits, &tree);
	REQUIRE(!code == !*words_caught());
	close(fd);
	if (code) {
		fuzz_went(REFUSED);
	} else {
		require_entries(&tree);
		require_places(&tree);
		command_run(&said, &tree, NAME, false, commands[data[0] % ARRAY_SIZE(commands)]);
		said_require(&said, false);
		fuzz_went(*said.out ? HOST : TAKEN);
		said_free(&said);
	}
	tree_free(&tree);
	return 0;
}
