/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The help text of each policy key. */
#ifndef CONF_HELP_H
#define CONF_HELP_H

#include "conf_key.h"

const char *conf_help(const struct conf_key *key);

#endif /* CONF_HELP_H */
