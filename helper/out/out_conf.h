/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a policy, the origin of each value, and the errors in them. */
#ifndef OUT_CONF_H
#define OUT_CONF_H

#include <jansson.h>

#include "conf.h"

json_t *out_files_json(const struct conf *conf);
json_t *out_masked_json(const struct conf *conf);
json_t *out_origin_json(const struct conf *conf, const struct device *dev);
void out_found_text(const struct conf *conf);
void out_origin_text(const struct conf *conf, const struct device *dev, bool all);
json_t *out_errors_json(const struct conf *conf);

#endif /* OUT_CONF_H */
