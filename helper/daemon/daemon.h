/* SPDX-License-Identifier: GPL-2.0-or-later */
/* instinctctl monitor --daemon: delivers events to the journal, a file and hooks. */
#ifndef DAEMON_H
#define DAEMON_H

int daemon_run(const char *conf_file);

#endif /* DAEMON_H */
