/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The help of policy keys as text, as JSON and for the man page. */
#ifndef OUT_KEYS_H
#define OUT_KEYS_H

#include <jansson.h>

#include "conf_key.h"

void out_key_text(const struct conf_key *key);
json_t *out_key_json(const struct conf_key *key);
void out_keys_scdoc(void);

#endif /* OUT_KEYS_H */
