// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "out_topo.h"
#include "profile.h"

/* Sizes in pixels; a row is a line of text. */
#define ROW		22
#define INDENT		34
#define BOX		16
#define TOP		46
#define LEFT		16
#define WIDTH		980
#define CHARACTER	7
#define DEPTH_MAX	64

/**
 * struct picture - what is drawn, from top to bottom
 * @topo: host
 * @all: as for out_topo_text()
 * @row: the next one
 * @draws: lines are drawn, not counted
 */
struct picture {
	const struct topo *topo;
	bool all;
	int row;
	bool draws;
};

/* Names are the kernel's or a captured host's. */
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

static const char *class_of(const struct topo *topo, int index)
{
	switch (topo->kind[index]) {
	case TOPO_GPU:
		return "gpu";
	case TOPO_NIC:
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

/* From the box above down to the middle of this row, and to the right. */
static void draw_edge(int depth, int above, int row, bool degraded)
{
	int x = LEFT + (depth - 1) * INDENT + BOX / 2;

	printf("<path class=\"%s\" d=\"M%d %dV%dH%d\"/>\n", degraded ? "edge degraded" : "edge",
	       x, row_y(above) + BOX, row_y(row) + BOX / 2, LEFT + depth * INDENT);
}

static void draw_function(const struct picture *picture, int index, int depth, int above)
{
	const struct topo *topo = picture->topo;
	struct host_link link = host_link_best(&topo->host, index);
	bool degraded = host_link_is_degraded(&topo->host, index);
	int x = LEFT + depth * INDENT, y = row_y(picture->row);
	char text[OUT_TOPO_TEXT], now[32], best[32];

	draw_edge(depth, above, picture->row, degraded);
	printf("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n",
	       class_of(topo, index), x, y, BOX, BOX);
	out_topo_describe(topo, index, text, sizeof(text));
	printf("<text x=\"%d\" y=\"%d\">", x + BOX + 6, y + 13);
	print_escaped(text);
	printf("</text>\n");
	out_topo_link(&link, now, sizeof(now));
	if (!*now)
		return;
	link.speed = link.max_speed;
	link.width = link.max_width;
	out_topo_link(&link, best, sizeof(best));
	printf("<text class=\"link%s\" x=\"%d\" y=\"%d\">%s%s%s</text>\n",
	       degraded ? " degraded" : "", WIDTH - LEFT, y + 13, now,
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
		       LEFT + depth * INDENT, row_y(picture->row) + 13, text);
}

/* All with no port above, of one NUMA node; each root complex has a heading. */
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
		if (picture->draws)
			draw_function(picture, i, 1, heading);
		picture->row++;
		draw_below(picture, topo->child[i], 2, row);
	}
}

static void draw_all(struct picture *picture)
{
	const struct numa *numa = &picture->topo->numa;
	char name[512];
	int i;

	picture->row = 0;
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
	     "text { font: 12px monospace; fill: #222 }\n"
	     ".title { font: bold 14px sans-serif }\n"
	     ".node { font: bold 13px sans-serif }\n"
	     ".complex { font-style: italic }\n"
	     ".link { text-anchor: end; fill: #555 }\n"
	     ".edge { fill: none; stroke: #999; stroke-width: 1.5 }\n"
	     "rect { stroke: #555 }\n"
	     ".port { fill: #ddd } .package { fill: #f3d9a4 } .other { fill: #fff }\n"
	     ".gpu { fill: #e4572e } .nic { fill: #3a86c8 } .nvme { fill: #57a773 }\n"
	     ".nvswitch { fill: #9b6bb3 }\n"
	     "path.degraded { stroke: #c00; stroke-width: 3; stroke-dasharray: 5 3 }\n"
	     "text.degraded { fill: #c00; font-weight: bold }\n"
	     "</style>");
}

static void print_legend(void)
{
	static const struct {
		const char *class, *text;
	} items[] = {
		{ "gpu", "GPU" }, { "nic", "NIC" }, { "nvme", "NVMe" }, { "package", "GPU's package" },
		{ "port", "port" },
	};
	int x = WIDTH - LEFT - 420;
	size_t i;

	for (i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		printf("<rect class=\"%s\" x=\"%d\" y=\"10\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n",
		       items[i].class, x, BOX, BOX);
		printf("<text x=\"%d\" y=\"23\">%s</text>\n", x + BOX + 5, items[i].text);
		x += BOX + 20 + CHARACTER * (int)strlen(items[i].text);
	}
}

/**
 * out_topo_svg() - the tree of a host as a picture
 * @topo: host
 * @all: as for out_topo_text()
 *
 * A degraded link is a dashed red line.
 */
void out_topo_svg(const struct topo *topo, bool all)
{
	struct picture picture = { .topo = topo, .all = all };
	int height;

	draw_all(&picture);
	height = row_y(picture.row) + LEFT;
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
	       WIDTH, height, WIDTH, height);
	print_style();
	printf("<rect x=\"0\" y=\"0\" width=\"%d\" height=\"%d\" style=\"fill:#fff;stroke:none\"/>\n",
	       WIDTH, height);
	printf("<text class=\"title\" x=\"%d\" y=\"23\">PCIe topology</text>\n", LEFT);
	print_legend();
	picture.draws = true;
	draw_all(&picture);
	puts("</svg>");
}
