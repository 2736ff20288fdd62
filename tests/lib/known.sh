# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Remembers what a checker has found nothing in. A slow checker need not look at the same input
# again, as ccache need not compile it again: the input is all that decides the result, so it
# includes the checker's version and options. A mark is an empty file, named by the input's hash,
# and lasts for a month after its last use. INSTINCT_KNOWN=no makes the checkers look at all input.

known_marks=${INSTINCT_CACHE:-/var/cache/instinct-vfio}/known

# known_hash: prints the hash of the standard input.
known_hash() { sha256sum | cut -c 1-40; }

# known HASH: succeeds if the checker has found nothing in this input.
known() { [[ ${INSTINCT_KNOWN-} != no ]] && touch -c "$known_marks/$1" 2>/dev/null && [[ -e $known_marks/$1 ]]; }

# known_keep HASH…: remembers that the checker found nothing in these. Without a folder that it can
# write to, the checker looks again next time.
known_keep() {
	local hash
	mkdir -p "$known_marks" 2>/dev/null || return 0
	for hash; do : >"$known_marks/$hash"; done 2>/dev/null
	return 0
}

# known_clean: forgets input that nothing has asked for in a month.
known_clean() { find "$known_marks" -type f -mtime +30 -delete 2>/dev/null || :; }

# known_new SALT FILE…: sets known_files to the files in which the checker has not yet found nothing,
# and known_hashes to their hashes. SALT is all that the result depends on besides the file.
known_new() {
	local salt=$1 file hash
	known_files=() known_hashes=()
	shift
	for file; do
		hash=$({ echo "$salt $file" && cat "$file"; } | known_hash)
		known "$hash" || { known_files+=("$file") && known_hashes+=("$hash"); }
	done
}

# known_checkpatch SCRIPT: prints the hash of checkpatch's own files, and of its options in this tree.
known_checkpatch() { cat "$1" "${1%/*}"/{spelling.txt,const_structs.checkpatch} .checkpatch.conf | known_hash; }

# known_clang ARG…: has clang's analyzer look at a source, the last argument, with $CLANG_ANALYZE and these
# arguments, and prints the findings if there is one that does not match $CLANG_FINE. The source, the
# tree's headers and the versions of what is installed (CLANG_WORLD) stand for all that clang reads. If
# one of them has changed, the source as the preprocessor leaves it does, which takes longer to make. A
# path of this tree (CLANG_TREE) or of the test's own folder is not part of a hash.
known_clang() {
	local written hash found
	written=$({ echo "$CLANG_WORLD $CLANG_ANALYZE $CLANG_FINE $*" && cat "${@: -1}"; } | known_clang_hash)
	! known "$written" || return 0
	hash=$({ echo "$(clang --version) $CLANG_ANALYZE $CLANG_FINE $*" && clang -E -w "$@"; } 2>&1 | known_clang_hash)
	if known "$hash"; then
		known_keep "$written"
		return 0
	fi
	echo "$hash" >>"$CLANG_FOUND.new"
	# shellcheck disable=SC2086 # they are words
	found=$(clang --analyze $CLANG_ANALYZE -w "$@" 2>&1) || { printf '%s\n' "$found" && return; }
	if grep -E '(warning|error): ' <<<"$found" | grep -qvE "$CLANG_FINE"; then
		printf '%s\n' "$found"
	else
		known_keep "$hash" "$written"
	fi
}
known_clang_hash() { sed -e "s|${CLANG_FOUND%/*}||g" -e "s|${CLANG_TREE:-$PWD}||g" | known_hash; }
