/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that only decide include this header: the same source compiles in the kernel, in the
 * helper and in unit tests. Such a file touches no register and takes no lock.
 */
#ifndef _INSTINCT_PURE_H
#define _INSTINCT_PURE_H

#ifdef __KERNEL__
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define fallthrough	__attribute__((fallthrough))
#define BIT(n)		(1UL << (n))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

#include <linux/instinct_vfio.h>

#endif /* _INSTINCT_PURE_H */
