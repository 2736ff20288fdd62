/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy applied again whenever a GPU or the module has come. */
#ifndef WATCH_H
#define WATCH_H

int watch_run(const char *file);

#endif /* WATCH_H */
