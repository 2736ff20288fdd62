/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parser of policy files: sections, keys and their errors. */
#ifndef CONF_PARSE_H
#define CONF_PARSE_H

#include "conf.h"
#include "ini_file.h"

extern const struct ini_calls conf_parse_calls;

bool conf_parse_serial(const char *text, uint64_t *serial);

#endif /* CONF_PARSE_H */
