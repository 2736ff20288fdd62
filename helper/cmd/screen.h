/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A terminal that shows a text which is drawn anew every few seconds, until the user types q. */
#ifndef SCREEN_H
#define SCREEN_H

/**
 * struct screen - a text to show
 * @draw: prints the text on standard output
 * @data: passed to @draw
 * @seconds: time between two drawings
 */
struct screen {
	void (*draw)(void *data);
	void *data;
	unsigned int seconds;
};

int screen_run(const struct screen *screen);

#endif /* SCREEN_H */
