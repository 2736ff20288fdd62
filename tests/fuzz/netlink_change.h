/* SPDX-License-Identifier: GPL-2.0-only */
/* A fuzzer's input is a sequence of aligned netlink messages. */
#ifndef NETLINK_CHANGE_H
#define NETLINK_CHANGE_H

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

size_t netlink_message(const uint8_t *data, size_t size, size_t at);

#endif /* NETLINK_CHANGE_H */
