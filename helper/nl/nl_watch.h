/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A socket that waits for the module to be loaded. */
#ifndef NL_WATCH_H
#define NL_WATCH_H

struct nl_watch;

struct nl_watch *nl_watch_open(int *error);
int nl_watch_fd(const struct nl_watch *watch);
int nl_watch_read(struct nl_watch *watch);
void nl_watch_close(struct nl_watch *watch);

#endif /* NL_WATCH_H */
