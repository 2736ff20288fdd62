// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "host_clock.h"
#include "now.h"
#include "out_topo.h"
#include "core/profile.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

/* Sizes in pixels; a row is a line of text. */
#define ROW		17
#define INDENT		16
#define BOX		11
#define BASELINE	9	/* of the text, below the top of its box */
#define TOP		54
#define LEFT		12
#define COLUMN_WIDTH	556
#define CHARACTER	7
#define DEPTH_MAX	64

/**
 * struct picture - progress of drawing, from top to bottom
 * @topo: host
 * @all: as for out_topo_text()
 * @column: column that is being drawn
 * @row: next row of the column
 * @rows: rows of the longest column so far
 * @turn: row after which the next NUMA node begins the second column
 * @draws: this pass draws; the other only counts rows
 */
struct picture {
	const struct topo *topo;
	bool all;
	int column;
	int row;
	int rows;
	int turn;
	bool draws;
};

/* Names come from the kernel or from a captured host, so they are not trusted. */
static void print_escaped(const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", stdout);
		else if (*text == '&')
			fputs("&amp;", stdout);
		else if (*text >= ' ' && *text <= '~')
			putchar(*text);
		else
			putchar('?');
	}
}

static int row_y(int row)
{
	return TOP + row * ROW;
}

static int depth_x(const struct picture *picture, int depth)
{
	return LEFT + picture->column * COLUMN_WIDTH + depth * INDENT;
}

/*
 * A port with one device or switch below it has no row of its own, nor has a GPU's package, unless
 * the link above it is degraded.
 */
static bool is_folded(const struct picture *picture, int index)
{
	const struct topo *topo = picture->topo;
	int child, shown = 0;

	if (picture->all || topo->kind[index] != TOPO_PORT ||
	    host_link_is_degraded(&topo->host, index) ||
	    (topo->host.node[index].kind == INSTINCT_NODE_UPSTREAM &&
	     !topo->host.node[index].package))
		return false;
	for (child = topo->child[index]; child >= 0; child = topo->sibling[child])
		shown += out_topo_is_shown(topo, child, false);
	return shown == 1;
}

static const char *class_of(const struct topo *topo, int index)
{
	switch (topo->kind[index]) {
	case TOPO_GPU:
		return "gpu";
	case TOPO_NIC:
	case TOPO_DATA_DIRECT:
		return "nic";
	case TOPO_NVME:
		return "nvme";
	case TOPO_NVSWITCH:
		return "nvswitch";
	case TOPO_PORT:
		return topo->host.node[index].package ? "package" : "port";
	default:
		return "other";
	}
}

/* Draws a line from the box above down to the middle of this row, then to the right. */
static void draw_edge(const struct picture *picture, int depth, int above, bool degraded)
{
	int x = depth_x(picture, depth - 1) + BOX / 2, row = picture->row;

	printf("<path class=\"%s\" d=\"M%d %dV%dH%d\"/>\n", degraded ? "edge degraded" : "edge",
	       x, row_y(above) + BOX, row_y(row) + BOX / 2, depth_x(picture, depth));
}

static void draw_function(const struct picture *picture, int index, int depth, int above)
{
	const struct topo *topo = picture->topo;
	struct host_link link = host_link_best(&topo->host, index);
	bool degraded = host_link_is_degraded(&topo->host, index);
	int x = depth_x(picture, depth), y = row_y(picture->row);
	char text[OUT_TOPO_TEXT], now[32], best[32];

	draw_edge(picture, depth, above, degraded);
	printf("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n",
	       class_of(topo, index), x, y, BOX, BOX);
	out_topo_describe(topo, index, true, text, sizeof(text));
	printf("<text x=\"%d\" y=\"%d\">", x + BOX + 5, y + BASELINE);
	print_escaped(text);
	printf("</text>\n");
	out_topo_link(&link, now, sizeof(now));
	if (!*now)
		return;
	link.speed = link.max_speed;
	link.width = link.max_width;
	out_topo_link(&link, best, sizeof(best));
	printf("<text class=\"link%s\" x=\"%d\" y=\"%d\">%s%s%s</text>\n",
	       degraded ? " degraded" : "", depth_x(picture, 0) + COLUMN_WIDTH - 2 * LEFT, y + BASELINE, now,
	       degraded ? ", could be " : "", degraded ? best : "");
}

static void draw_below(struct picture *picture, int first, int depth, int above)
{
	const struct topo *topo = picture->topo;
	int i;

	for (i = first; i >= 0 && depth < DEPTH_MAX; i = topo->sibling[i]) {
		int row = picture->row;

		if (!out_topo_is_shown(topo, i, picture->all))
			continue;
		if (is_folded(picture, i)) {
			draw_below(picture, topo->child[i], depth, above);
			continue;
		}
		if (picture->draws)
			draw_function(picture, i, depth, above);
		picture->row++;
		draw_below(picture, topo->child[i], depth + 1, row);
	}
}

static void draw_heading(const struct picture *picture, const char *class, int depth,
			 const char *text)
{
	if (picture->draws)
		printf("<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", class,
		       depth_x(picture, depth), row_y(picture->row) + BASELINE, text);
}

/* Draws a NUMA node's functions that are below no port, with a heading for each root complex. */
static void draw_node(struct picture *picture, int numa, const char *name)
{
	const struct topo *topo = picture->topo;
	int i, last = -2, heading = 0;
	bool named = false;
	char text[64];

	for (i = topo->top; i >= 0; i = topo->sibling[i]) {
		const struct host_function *function = &topo->host.function[i];
		int row;

		if (function->numa != numa || !out_topo_is_shown(topo, i, picture->all))
			continue;
		if (!named) {
			if (!picture->column && picture->turn && picture->row >= picture->turn) {
				picture->column = 1;
				picture->row = 0;
			}
			picture->row += !!picture->row;
			draw_heading(picture, "node", 0, name);
			picture->row++;
		}
		named = true;
		if (function->bridge != last) {
			snprintf(text, sizeof(text), "root complex %04x:%02x",
				 function->bridge < 0 ? 0 : function->bridge >> 8,
				 function->bridge & 0xff);
			draw_heading(picture, "complex", 0,
				     function->bridge < 0 ? "root complex unknown" : text);
			heading = picture->row++;
		}
		last = function->bridge;
		row = picture->row;
		if (is_folded(picture, i)) {
			draw_below(picture, topo->child[i], 1, heading);
			continue;
		}
		if (picture->draws)
			draw_function(picture, i, 1, heading);
		picture->row++;
		draw_below(picture, topo->child[i], 2, row);
	}
	if (picture->row > picture->rows)
		picture->rows = picture->row;
}

static void draw_all(struct picture *picture)
{
	const struct numa *numa = &picture->topo->numa;
	char name[512];
	int i;

	picture->row = 0;
	picture->rows = 0;
	picture->column = 0;
	for (i = 0; i < numa->count; i++) {
		const struct numa_node *node = &numa->node[i];

		snprintf(name, sizeof(name), "NUMA node %d%s%s", node->number,
			 *node->cpus ? ", CPUs " : "", node->cpus);
		draw_node(picture, node->number, name);
	}
	draw_node(picture, -1, "NUMA node unknown");
}

static void print_style(void)
{
	puts("<style>\n"
	     "text { font: 11px monospace; fill: #222 }\n"
	     ".title { font: bold 13px sans-serif }\n"
	     ".node { font: bold 12px sans-serif }\n"
	     ".complex { font-style: italic }\n"
	     ".link { text-anchor: end; fill: #555 }\n"
	     ".edge { fill: none; stroke: #999; stroke-width: 1 }\n"
	     "rect { stroke: #555 }\n"
	     ".port { fill: #ddd } .package { fill: #f3d9a4 } .other { fill: #fff }\n"
	     ".gpu { fill: #e4572e } .nic { fill: #3a86c8 } .nvme { fill: #57a773 }\n"
	     ".nvswitch { fill: #9b6bb3 }\n"
	     "path.degraded { stroke: #c00; stroke-width: 2; stroke-dasharray: 5 3 }\n"
	     "text.degraded { fill: #c00; font-weight: bold }\n"
	     "</style>");
}

static void print_legend(void)
{
	static const struct {
		const char *class, *text;
	} items[] = {
		{ "gpu", "GPU" }, { "nic", "NIC" }, { "nvme", "NVMe" }, { "nvswitch", "NVSwitch" },
		{ "port", "switch or port" }, { "package", "GPU's package" },
	};
	int x = LEFT;
	size_t i;

	for (i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		printf("<rect class=\"%s\" x=\"%d\" y=\"30\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n",
		       items[i].class, x, BOX, BOX);
		printf("<text x=\"%d\" y=\"%d\">%s</text>\n", x + BOX + 4, 30 + BASELINE,
		       items[i].text);
		x += BOX + 16 + CHARACTER * (int)strlen(items[i].text);
	}
}

/* Prints the name of the host and the time of the picture, or of the capture if that tells. */
static void print_title(void)
{
	char path[PATH_MAX], name[TEXT_BYTES], date[64] = "";
	struct host_clock clock = host_clock_now();
	time_t seconds = clock.realtime / NS_PER_S;
	struct stat st;
	struct tm tm;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/hostname", opt_sysroot);
	n = sysfs_read(path, name, sizeof(name) - 1);
	name[n < 0 ? 0 : n] = '\0';
	name[strcspn(name, "\n")] = '\0';
	snprintf(path, sizeof(path), "%s/" HOST_CLOCK_FILE, opt_sysroot);
	if ((!*opt_sysroot || !sysroot_stat(path, true, &st)) && gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm);
	printf("<text class=\"title\" x=\"%d\" y=\"20\">PCIe topology%s", LEFT, *name ? " of " : "");
	print_escaped(name);
	printf("%s%s</text>\n", *date ? ", " : "", date);
}

/**
 * out_topo_svg() - draw the tree of a host as SVG
 * @topo: host
 * @all: as for out_topo_text()
 *
 * A dashed red line marks a degraded link. The picture has two columns if the host's devices are in
 * several NUMA nodes.
 */
void out_topo_svg(const struct topo *topo, bool all)
{
	struct picture picture = { .topo = topo, .all = all };
	int height, width;

	draw_all(&picture);
	picture.turn = picture.rows * 2 / 5;	/* nodes are as good as equal */
	draw_all(&picture);
	height = row_y(picture.rows) + LEFT;
	width = (picture.column + 1) * COLUMN_WIDTH;
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
	       width, height, width, height);
	print_style();
	printf("<rect x=\"0\" y=\"0\" width=\"%d\" height=\"%d\" style=\"fill:#fff;stroke:none\"/>\n",
	       width, height);
	print_title();
	print_legend();
	picture.draws = true;
	draw_all(&picture);
	puts("</svg>");
}
