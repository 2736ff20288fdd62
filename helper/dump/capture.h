/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A captured host that is still an archive. */
#ifndef CAPTURE_H
#define CAPTURE_H

int capture_open(void);

#endif /* CAPTURE_H */
