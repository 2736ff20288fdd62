/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds XML that the parsers of RCCL and NCCL do not accept. */
#ifndef GUEST_FORM_H
#define GUEST_FORM_H

const char *guest_form_wrong(const char *text, int *line);

#endif /* GUEST_FORM_H */
