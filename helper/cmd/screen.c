// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "now.h"
#include "say.h"
#include "screen.h"
#include "stop.h"

#define ENTER	"\033[?1049h\033[?25l\033[?7l" /* another screen, no cursor, lines cut off */
#define LEAVE	"\033[?7h\033[?25h\033[?1049l"
#define HOME	"\033[H"
#define LINE	"\033[K\n"		/* erase the rest of the line */
#define REST	"\033[J"		/* erase the rest of the screen */

#define MS_PER_S	1000

static volatile sig_atomic_t resized;

static void on_resize(int number)
{
	(void)number;
	resized = 1;
}

/* Take what draw() prints; NULL without memory. */
static char *take(const struct screen *screen)
{
	FILE *terminal = stdout;
	char *text = NULL;
	size_t size;

	stdout = open_memstream(&text, &size);
	if (!stdout) {
		stdout = terminal;
		return NULL;
	}
	screen->draw(screen->data);
	fclose(stdout);
	stdout = terminal;
	return text;
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* Lines below the screen would scroll the first ones away, so the last line counts them. */
static void show(char *text)
{
	struct winsize size = { 0 };
	size_t rows, lines = count_lines(text), i;
	char *rest = text, *line;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	rows = size.ws_row > 1 ? size.ws_row - 1 : 23;
	fputs(HOME, stdout);
	for (i = 0; i < lines && i < rows - (lines > rows); i++) {
		line = strsep(&rest, "\n");
		printf("%s" LINE, line);
	}
	if (i < lines)
		printf("(%zu more lines)" LINE, lines - i);
	fputs(REST, stdout);
	fflush(stdout);
}

/* Return false once the user has typed q, or the terminal is gone. */
static bool read_keys(void)
{
	char keys[64];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	return n < 0 ? errno == EINTR || errno == EAGAIN :
		       n && !memchr(keys, 'q', n) && !memchr(keys, 'Q', n);
}

/* Wait for the next drawing; return false if there is none. */
static bool wait_for(unsigned int seconds, const sigset_t *before)
{
	int64_t end = now_ms() + (int64_t)seconds * MS_PER_S, left;

	for (left = end - now_ms(); left > 0 && !stop && !resized; left = end - now_ms()) {
		struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
		struct timespec wait = { left / MS_PER_S, left % MS_PER_S * 1000000l };

		if (ppoll(&keys, 1, &wait, before) > 0 && !read_keys())
			return false;
	}
	resized = 0;
	return !stop;
}

/**
 * screen_run() - show a text until the user types q or a signal ends the command
 * @screen: text
 *
 * Return: exit code.
 */
int screen_run(const struct screen *screen)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction resize = { .sa_handler = on_resize };
	struct termios found, plain;
	sigset_t before;
	char *text;

	if (tcgetattr(STDIN_FILENO, &found) || !is_terminal(STDOUT_FILENO)) {
		say_error(ERROR_USAGE, "--watch needs a terminal, as input and output");
		return EXIT_USAGE;
	}
	stop_on(signals, sizeof(signals) / sizeof(*signals), &before);
	sigaction(SIGWINCH, &resize, NULL);
	plain = found;
	plain.c_lflag &= ~(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &plain);
	fputs(ENTER, stdout);
	do {
		text = take(screen);
		if (text)
			show(text);
		free(text);
	} while (wait_for(screen->seconds, &before));
	fputs(LEAVE, stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &found);
	return EXIT_OK;
}
