// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "now.h"
#include "prom.h"

#define PREFIX		"instinct_vfio_"

/**
 * prom_family() - begin a family, to which the next samples belong
 * @prom: text
 * @name: name of the family, without its prefix
 * @type: "counter", "gauge" or "summary"
 * @help: one line, without backslashes
 *
 * A family without samples leaves no trace in the text.
 */
void prom_family(struct prom *prom, const char *name, const char *type,
		 const char *help)
{
	prom->name = name;
	prom->type = type;
	prom->help = help;
	prom->begun = false;
}

/* Escapes a label's value, so that no value can end the label or the line; the result is ASCII. */
static void put_label(struct prom *prom, const char *text)
{
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '\n')
			fputs("\\n", prom->out);
		else if (c == '\\' || c == '"')
			fprintf(prom->out, "\\%c", c);
		else
			putc(c < ' ' || c > '~' ? '?' : c, prom->out);
	}
}

static void put_sample(struct prom *prom, const char *suffix, const char *value,
		       va_list labels)
{
	const char *name, *gap = "{";

	if (!prom->begun)
		fprintf(prom->out, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s %s\n",
			prom->name, prom->help, prom->name, prom->type);
	prom->begun = true;
	fprintf(prom->out, PREFIX "%s%s", prom->name, suffix);
	while ((name = va_arg(labels, const char *))) {
		fprintf(prom->out, "%s%s=\"", gap, name);
		put_label(prom, va_arg(labels, const char *));
		putc('"', prom->out);
		gap = ",";
	}
	fprintf(prom->out, "%s %s\n", *gap == ',' ? "}" : "", value);
}

/**
 * prom_sample() - write a sample of the family
 * @prom: text
 * @suffix: appended to the family's name; "" except for a summary
 * @value: a number
 * @...: name and value of each label, then NULL
 */
void prom_sample(struct prom *prom, const char *suffix, const char *value, ...)
{
	va_list labels;

	va_start(labels, value);
	put_sample(prom, suffix, value, labels);
	va_end(labels);
}

/**
 * prom_count() - write a sample that is an integer
 * @prom: text
 * @value: the integer
 * @...: name and value of each label, then NULL
 */
void prom_count(struct prom *prom, uint64_t value, ...)
{
	char text[PROM_VALUE_BYTES];
	va_list labels;

	snprintf(text, sizeof(text), "%" PRIu64, value);
	va_start(labels, value);
	put_sample(prom, "", text, labels);
	va_end(labels);
}

/* Removes trailing zeros after the decimal point. */
static void trim(char *text)
{
	char *end = text + strlen(text);

	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		*--end = '\0';
}

/**
 * prom_format_seconds() - format a time in seconds, as Prometheus expects
 * @ns: the time in ns
 * @text: set
 * @size: of @text in bytes; PROM_VALUE_BYTES suffices
 */
void prom_format_seconds(uint64_t ns, char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64 ".%09u", (uint64_t)(ns / NS_PER_S),
		 (unsigned int)(ns % NS_PER_S));
	trim(text);
}

/**
 * prom_seconds() - write a sample that is a time, in seconds
 * @prom: text
 * @ns: the time in ns
 * @...: name and value of each label, then NULL
 */
void prom_seconds(struct prom *prom, uint64_t ns, ...)
{
	char text[PROM_VALUE_BYTES];
	va_list labels;

	prom_format_seconds(ns, text, sizeof(text));
	va_start(labels, ns);
	put_sample(prom, "", text, labels);
	va_end(labels);
}

/**
 * prom_celsius() - write a sample that is a temperature, in degrees Celsius
 * @prom: text
 * @millidegrees: the temperature in millidegrees Celsius
 * @...: name and value of each label, then NULL
 */
void prom_celsius(struct prom *prom, int64_t millidegrees, ...)
{
	uint64_t amount = millidegrees < 0 ? -millidegrees : millidegrees;
	char text[PROM_VALUE_BYTES];
	va_list labels;

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%03u", millidegrees < 0 ? "-" : "",
		 amount / 1000, (unsigned int)(amount % 1000));
	trim(text);
	va_start(labels, millidegrees);
	put_sample(prom, "", text, labels);
	va_end(labels);
}
