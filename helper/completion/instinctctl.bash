# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of instinctctl for bash: `instinctctl complete` prints the candidates.

# Strip the quotes of a word, without running anything in it.
_instinctctl_plain() {
	local word=$1

	# shellcheck disable=SC2088 # the tilde is literal, as the user typed it
	[[ $word != '~/'* ]] || word=$HOME/${word#'~/'}
	case $word in
	\"*\" | \'*\') word=${word:1:${#word}-2} ;;
	*) word=${word//\\/} ;;
	esac
	printf -v "$2" %s "$word"
}

_instinctctl() {
	local words=() glued='' full part i candidate command

	# Readline also breaks words at colons and equal signs, as in addresses.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		part=${COMP_WORDS[i]-}
		if [[ -n $part && ${#words[@]} -gt 0 && ($glued || $part =~ ^[:=]+$) ]]; then
			words[-1]+=$part
		else
			words+=("$part")
		fi
		[[ $part =~ ^[:=]+$ ]] && glued=yes || glued=''
	done
	full=${words[-1]-}

	# Readline takes this part for other words and does not replace it.
	part=''
	for i in : =; do
		if [[ $COMP_WORDBREAKS == *"$i"* && $full == *"$i"* ]]; then
			candidate=${full%"${full##*"$i"}"}
			((${#candidate} > ${#part})) && part=$candidate
		fi
	done

	# Readline itself handles the quotes of the word under the cursor.
	for ((i = 0; i < ${#words[@]} - 1; i++)); do
		_instinctctl_plain "${words[i]}" "words[i]"
	done
	_instinctctl_plain "${COMP_WORDS[0]}" command

	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		case $candidate in
		:files) compopt -o default 2>/dev/null ;;
		:nospace) compopt -o nospace 2>/dev/null ;;
		*[!A-Za-z0-9._:/=[\]-]*) ;; # a captured host may hold such a word, and bash would not quote it
		*) COMPREPLY+=("${candidate#"$part"}") ;;
		esac
	done < <("$command" complete -- "${words[@]}" 2>/dev/null)
	return 0
}

complete -F _instinctctl instinctctl
