/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a host's hardware as text, as JSON and as a picture. */
#ifndef OUT_TOPO_H
#define OUT_TOPO_H

#include <jansson.h>

#include "topo.h"

#define OUT_TOPO_TEXT	160

bool out_topo_is_shown(const struct topo *topo, int index, bool all);
void out_topo_describe(const struct topo *topo, int index, bool named, char *text, size_t size);
const char *out_topo_what(const struct topo *topo, int index);
void out_topo_link(const struct host_link *link, char *text, size_t size);
void out_topo_text(const struct topo *topo, bool all);
json_t *out_topo_json(const struct topo *topo, bool all);
void out_topo_svg(const struct topo *topo, bool all);

#endif /* OUT_TOPO_H */
