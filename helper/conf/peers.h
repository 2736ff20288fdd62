/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a policy's peers; the module knows their numbers only. */
#ifndef PEERS_H
#define PEERS_H

#include "policy/policy.h"

#define PEERS_BYTES	256

int peers_parse(struct instinct_peers *peers, const char *text, const char **why);
void peers_format(const struct instinct_peers *peers, char *text);
bool peers_take(struct instinct_peers *peers, const void *data, size_t size);

#endif /* PEERS_H */
