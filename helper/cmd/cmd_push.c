// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "module.h"
#include "out.h"
#include "say.h"
#include "sysfs.h"

/* A temperature as it is written: "hotspot=97.5". */
struct sample {
	uint32_t sensor;
	int32_t temperature;		/* millidegrees */
};

static bool parse_degrees(const char *text, int32_t *temperature)
{
	double degrees;
	char *end;

	errno = 0;
	degrees = strtod(text, &end);
	if (end == text || *end || errno || !isfinite(degrees) ||
	    degrees * 1000 < INSTINCT_VFIO_TEMPERATURE_MIN ||
	    degrees * 1000 > INSTINCT_VFIO_TEMPERATURE_MAX)
		return false;
	*temperature = lround(degrees * 1000);
	return true;
}

static int wrong(const char *where, const char *word)
{
	say_error("push: %s\"%s\" is no sample: allowed are hotspot=, memory= and board= with -60 to 250 degrees Celsius, such as hotspot=97.5",
		  where, word);
	return EXIT_USAGE;
}

static int parse(const char *where, const char *word, struct sample *sample)
{
	const char *equal = strchr(word, '=');
	char name[16];
	int sensor = -1;

	if (equal && equal - word < (int)sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", (int)(equal - word), word);
		sensor = name_find(&sensor_names, name);
	}
	if (sensor < 0 || !parse_degrees(equal + 1, &sample->temperature))
		return wrong(where, word);
	sample->sensor = sensor;
	return EXIT_OK;
}

static int send_sample(struct nl *nl, const char *bdf, const struct sample *sample)
{
	return nl_sample(nl, bdf, sample->sensor, INSTINCT_VFIO_SOURCE_OTHER,
			 sample->temperature);
}

static int told(struct nl *nl, const char *bdf, const struct sample *sample, int ret)
{
	if (ret)
		return out_failed(bdf, cmd_failed(nl, "push a temperature to", bdf, ret));
	if (opt_json)
		out_done(bdf, json_pack("{s:s, s:i}", "sensor", name_of(&sensor_names, sample->sensor),
					"temperature_millidegrees", (int)sample->temperature));
	return EXIT_OK;
}

static int push(struct nl *nl, const char *bdf, const struct sample *sample)
{
	return told(nl, bdf, sample, send_sample(nl, bdf, sample));
}

/* While standard input lasts the module may go, and another one come; NULL: it is gone. */
static int push_meanwhile(struct nl **nl, const char *bdf, const struct sample *sample)
{
	int ret = *nl ? send_sample(*nl, bdf, sample) : -ENOENT, code;

	if (ret != -ENOENT)
		return told(*nl, bdf, sample, ret);
	if (*nl)
		nl_close(*nl);
	*nl = module_open(MODULE_IF_LOADED, &code);
	if (*nl)
		return push(*nl, bdf, sample);
	if (code)
		return code;
	say_error("push: the module %s is not loaded any more", DRIVER_NAME);
	return EXIT_ERROR;
}

/* All is parsed before anything is pushed. */
static int push_words(const char *bdf, int count, char *words[])
{
	struct sample *samples = calloc(count, sizeof(*samples));
	int code = samples ? EXIT_OK : EXIT_ERROR, i;
	struct nl *nl = NULL;

	for (i = 0; i < count && !code; i++)
		code = parse("", words[i], &samples[i]);
	if (!code)
		nl = module_open(MODULE_LOAD, &code);
	for (i = 0; i < count && !code; i++)
		code = push(nl, bdf, &samples[i]);
	if (nl)
		nl_close(nl);
	free(samples);
	return code;
}

static int push_line(struct nl **nl, unsigned int number, char *line, size_t length)
{
	char bdf[BDF_BYTES], where[32], *rest = line, *word;
	struct sample sample;
	int code = EXIT_OK;

	snprintf(where, sizeof(where), "line %u: ", number);
	if (strlen(line) != length) {
		say_error("push: %sit has a NUL in it", where);
		return EXIT_USAGE;
	}
	line[strcspn(line, "\n")] = '\0';
	word = strsep(&rest, " \t");
	if (!*word || *word == '#')
		return EXIT_OK;
	if (!bdf_parse(word, bdf))
		return wrong(where, word);
	while (!code && (word = strsep(&rest, " \t"))) {
		if (!*word)
			continue;
		code = parse(where, word, &sample);
		if (!code)
			code = push_meanwhile(nl, bdf, &sample);
	}
	return code;
}

/* A wrong line is said and passed over: the others are no worse for it. */
static int push_stdin(void)
{
	unsigned int number = 0;
	int code, failed = EXIT_OK;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	struct nl *nl;

	nl = module_open(MODULE_LOAD, &code);
	if (!nl)
		return code;
	while ((length = getline(&line, &size, stdin)) >= 0) {
		code = push_line(&nl, ++number, line, length);
		if (code)
			failed = code;
	}
	if (!feof(stdin)) {
		say_error("push: cannot read standard input: %s", strerror(errno));
		failed = EXIT_ERROR;
	}
	free(line);
	if (nl)
		nl_close(nl);
	return failed;
}

/**
 * cmd_push() - instinctctl push
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_push(int argc, char *argv[])
{
	char bdf[BDF_BYTES];

	if (args_option(argc, argv) != ARGS_END)
		return EXIT_USAGE;
	if (argc - optind == 1 && !strcmp(argv[optind], "-"))
		return push_stdin();
	if (argc - optind < 2)
		return cmd_usage("needs a GPU and a temperature");
	if (!bdf_parse(argv[optind], bdf))
		return cmd_usage("\"%s\" is not a PCI address, such as 0000:c1:00.0",
				 argv[optind]);
	return push_words(bdf, argc - optind - 1, argv + optind + 1);
}
