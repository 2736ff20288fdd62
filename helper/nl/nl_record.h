/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recorder of the module's answers, which nl_replay gives again on another host. */
#ifndef NL_RECORD_H
#define NL_RECORD_H

#include "bytes.h"
#include "nl.h"

typedef void (*nl_record_t)(const char *name, int error, const struct bytes *answers,
			    void *data);

void nl_record_all(struct nl *nl, nl_record_t call, void *data);

#endif /* NL_RECORD_H */
