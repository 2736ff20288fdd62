/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sending and receiving with a callback during long waits. */
#ifndef NL_SEND_H
#define NL_SEND_H

#include <libmnl/libmnl.h>

#include "nl.h"

int nl_send(const struct mnl_socket *socket, const struct nlmsghdr *nlh, nl_tick_t tick);
void nl_await(const struct mnl_socket *socket, nl_tick_t tick);

#endif /* NL_SEND_H */
