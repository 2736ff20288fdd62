/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each key of a policy is for. */
#ifndef CONF_HELP_H
#define CONF_HELP_H

#include "conf_key.h"

const char *conf_help(const struct conf_key *key);

#endif /* CONF_HELP_H */
