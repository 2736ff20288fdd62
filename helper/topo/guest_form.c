// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "guest_form.h"

#define BLANKS		" \n\r"		/* skipped by the libraries between tags */
#define WORD_ENDS	" \t\n\r=>/"
/* NCCL refuses longer text; RCCL up to 5.4 has no check and overruns beyond 255. */
#define LENGTH_MAX	253
#define ATTRIBUTES_MAX	16

#define TAB	"a tab, which the libraries do not know for a blank"

/**
 * struct reader - progress of the libraries' parser
 * @at: next character to read; a NUL ends the text
 * @why: construct at @at that the parser rejects, NULL while it accepts all
 */
struct reader {
	const char *at;
	const char *why;
};

static void stumble(struct reader *reader, const char *why)
{
	reader->why = *reader->at == '\t' ? TAB : why;
}

/* The parser reads a comment's first word as it reads a tag's name. */
static void skip_comment(struct reader *reader)
{
	size_t word = strcspn(reader->at, " \n\r=>/");
	const char *end = strstr(reader->at, "-->");

	if (reader->at[word] == '=' || word > LENGTH_MAX)
		reader->why = "a comment whose first word the libraries take for an attribute, or for a name that is too long: put a blank behind <!--";
	else
		reader->at = end ? end + strlen("-->") : reader->at + strlen(reader->at);
}

static void read_closing(struct reader *reader)
{
	reader->at += strcspn(reader->at, WORD_ENDS);
	if (*reader->at == '>')
		reader->at++;
	else
		stumble(reader, "a closing tag with a blank before its end, which the libraries do not take");
}

/* Reads a value, from the character after the "=". */
static void read_value(struct reader *reader)
{
	size_t length;

	if (*reader->at != '"') {
		stumble(reader, *reader->at == '\'' ?
			"single quotes, which the libraries do not end a value at" :
			"a blank beside =, which the libraries do not skip");
		return;
	}
	reader->at++;
	length = strcspn(reader->at, "\"");
	if (memchr(reader->at, '&', length))
		reader->why = "an entity such as &amp;, which the libraries do not decode";
	else if (length > LENGTH_MAX)
		reader->why = "a value of more than 253 characters, for which the libraries have no room";
	else
		reader->at += length + (reader->at[length] == '"');
}

/* The libraries begin an attribute at each blank, even if another blank follows. */
static void read_attributes(struct reader *reader)
{
	int count = 0;
	size_t length;

	while (*reader->at == ' ' && !reader->why) {
		reader->at++;
		length = strcspn(reader->at, WORD_ENDS);
		if (length && count++ >= ATTRIBUTES_MAX) {
			reader->why = "more than 16 attributes and surplus blanks, so that the libraries drop the last attributes";
			return;
		}
		count += !length;
		reader->at += length;
		if (*reader->at == '=') {
			reader->at++;
			read_value(reader);
		} else if (length) {
			stumble(reader, "a blank beside =, which the libraries do not skip");
		}
	}
}

static void read_tag(struct reader *reader)
{
	reader->at += strcspn(reader->at, WORD_ENDS);
	read_attributes(reader);
	if (reader->why)
		return;
	if (!strncmp(reader->at, "/>", 2))
		reader->at += 2;
	else if (*reader->at == '>')
		reader->at++;
	else
		stumble(reader, "a tag that goes on in another line, which the libraries do not take");
}

static void read_markup(struct reader *reader)
{
	static const struct {
		const char *begin, *why;
	} unknown[] = {
		{ "<?", "an XML declaration or another instruction, which the libraries take for a broken tag: remove it" },
		{ "<![CDATA[", "CDATA, which the libraries do not know" },
		{ "<!", "a DOCTYPE, which the libraries take for a broken tag: remove it" },
	};
	size_t i;

	if (!strncmp(reader->at, "<!--", 4)) {
		reader->at++;
		skip_comment(reader);
		return;
	}
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (!strncmp(reader->at, unknown[i].begin, strlen(unknown[i].begin))) {
			reader->why = unknown[i].why;
			return;
		}
	reader->at++;
	if (*reader->at == '/') {
		reader->at++;
		read_closing(reader);
	} else {
		read_tag(reader);
	}
}

/**
 * guest_form_wrong() - find the first construct that the libraries' parser rejects
 * @text: well-formed XML; a NUL ends it
 * @line: set to the line of the construct, if there is one
 *
 * The libraries accept only a subset of XML. Their parser reads a byte at a time, and looks
 * only for the end of a tag or a value (xmlGetNode() and xmlGetToken() in src/graph/xml.cc).
 *
 * Return: a noun phrase for a message, or NULL if the parser accepts the text.
 */
const char *guest_form_wrong(const char *text, int *line)
{
	struct reader reader = { .at = text };
	const char *c;

	while (!reader.why) {
		reader.at += strspn(reader.at, BLANKS);
		if (*reader.at == '<')
			read_markup(&reader);
		else if (*reader.at)
			stumble(&reader, "text between elements, which the libraries do not take");
		else
			return NULL;
	}
	*line = 1;
	for (c = text; c < reader.at; c++)
		*line += *c == '\n';
	return reader.why;
}
