/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files that only decide include: the same source compiles in the
 * kernel and, for unit tests, in user space. They touch no register and take
 * no lock.
 */
#ifndef _INSTINCT_PURE_H
#define _INSTINCT_PURE_H

#ifdef __KERNEL__
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
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
typedef int32_t s32;
typedef int64_t s64;

#define fallthrough	__attribute__((fallthrough))
#define BIT(n)		(1UL << (n))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
/* There are no races to be told of in user space. */
#define data_race(e)	(e)
#endif

#include <linux/instinct_vfio.h>

#endif /* _INSTINCT_PURE_H */
