// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "out.h"
#include "push.h"
#include "say.h"
#include "sysfs.h"

/* One sample of the command line: "hotspot=97.5". */
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
	say_error(ERROR_USAGE, "push: %s\"%s\" is no sample: allowed are hotspot=, memory= and board= with -60 to 250 degrees Celsius, such as hotspot=97.5",
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

/* Report why samples do not get to the service. */
static int unreachable(int error)
{
	if (error == -ENOENT || error == -ECONNREFUSED)
		say_error(ERROR_NO_SERVICE, "push: no service runs that judges temperatures: systemctl start instinct-vfio-monitor");
	else if (exit_code_of(-error) == EXIT_PERMISSION)
		say_error(ERROR_PERMISSION, "push: not permitted: run this as root");
	else
		say_error(ERROR_NO_SERVICE, "push: the service does not answer (%s): systemctl status instinct-vfio-monitor",
			  strerror(-error));
	return exit_code_of(-error);
}

static int push(const char *bdf, const struct sample *sample)
{
	struct sample_line line = {
		.is_sample = true, .sensor = sample->sensor,
		.source = INSTINCT_VFIO_SOURCE_OTHER, .temperature = sample->temperature,
	};
	/* Connect for each sample: the service may restart while standard input lasts. */
	int fd = push_connect(PUSH_SOCKET), ret = fd;
	char why[PUSH_ANSWER] = "";

	snprintf(line.bdf, sizeof(line.bdf), "%s", bdf);
	if (fd >= 0) {
		ret = push_send(fd, &line, why, sizeof(why));
		close(fd);
	}
	if (ret)
		return out_failed(bdf, unreachable(ret));
	if (*why) {
		say_error(ERROR_REFUSED, "push: %s: %s", bdf, why);
		return out_failed(bdf, EXIT_ERROR);
	}
	if (opt_json)
		out_done(bdf, json_pack("{s:s, s:i}", "sensor", name_of(&sensor_names, sample->sensor),
					"temperature_millidegrees", (int)sample->temperature));
	return EXIT_OK;
}

/* Parse all samples before the first push, so that an error pushes none. */
static int push_words(const char *bdf, int count, char *words[])
{
	struct sample *samples = calloc(count, sizeof(*samples));
	int code = samples ? EXIT_OK : EXIT_ERROR, i;

	for (i = 0; i < count && !code; i++)
		code = parse("", words[i], &samples[i]);
	for (i = 0; i < count && !code; i++)
		code = push(bdf, &samples[i]);
	free(samples);
	return code;
}

static int push_line(unsigned int number, char *line, size_t length)
{
	char bdf[BDF_BYTES], where[32], *rest = line, *word;
	struct sample sample;
	int code = EXIT_OK;

	snprintf(where, sizeof(where), "line %u: ", number);
	if (strlen(line) != length) {
		say_error(ERROR_USAGE, "push: %sit has a NUL in it", where);
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
			code = push(bdf, &sample);
	}
	return code;
}

/* Report a wrong line and go on: the other lines are still valid. */
static int push_stdin(void)
{
	unsigned int number = 0;
	int code, failed = EXIT_OK;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while ((length = getline(&line, &size, stdin)) >= 0) {
		code = push_line(++number, line, length);
		if (code)
			failed = code;
	}
	if (!feof(stdin)) {
		say_error(error_code_of(errno, ERROR_IO), "push: cannot read standard input: %s", strerror(errno));
		failed = EXIT_ERROR;
	}
	free(line);
	return failed;
}

/**
 * cmd_push() - run instinctctl push
 * @argc: number of words, with the name of the command
 * @argv: the words
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
