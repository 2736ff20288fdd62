/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A captured host that is a file: an archive, or the output of lspci or lstopo. */
#ifndef CAPTURE_H
#define CAPTURE_H

int capture_open(void);

#endif /* CAPTURE_H */
