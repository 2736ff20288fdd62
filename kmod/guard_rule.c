// SPDX-License-Identifier: GPL-2.0-only
#include "guard_rule.h"

/* Initiate Function Level Reset, PCIe r6.0 sec 7.5.3.4: bit 15, so in the
 * register's second byte.
 */
#define FLR_BYTE	1
#define FLR_MASK	0x80

/**
 * instinct_guard_rule_is_flr() - does a config write start an FLR?
 * @devctl: offset of the function's Device Control register, 0 if it has none
 * @where: offset of the write
 * @size: its size in bytes: 1, 2 or 4
 * @val: what is written
 *
 * Return: true if it does.
 */
bool instinct_guard_rule_is_flr(u16 devctl, int where, int size, u32 val)
{
	int byte = devctl + FLR_BYTE - where;

	if (!devctl || byte < 0 || byte >= size)
		return false;
	return (val >> (8 * byte)) & FLR_MASK;
}

/**
 * instinct_guard_rule_without_flr() - the same write, without the FLR
 * @devctl: offset of the function's Device Control register
 * @where: offset of the write, for which instinct_guard_rule_is_flr() is true
 * @val: what is written
 *
 * Return: the value with the FLR bit clear.
 */
u32 instinct_guard_rule_without_flr(u16 devctl, int where, u32 val)
{
	return val & ~((u32)FLR_MASK << (8 * (devctl + FLR_BYTE - where)));
}

/* PowerState, PCI PM r1.2 sec 3.2.4: the two lowest bits. */
#define POWER_STATE_MASK	0x3

/**
 * instinct_guard_rule_without_d3() - a config write, with PowerState as D0
 * @pmcsr: offset of the function's PM Control/Status register, 0 if it has none
 * @where: offset of the write
 * @size: its size in bytes: 1, 2 or 4
 * @val: what is written
 *
 * Return: the value, changed if it had put the function into another state.
 */
u32 instinct_guard_rule_without_d3(u16 pmcsr, int where, int size, u32 val)
{
	if (!pmcsr || where > pmcsr || where + size <= pmcsr)
		return val;
	return val & ~((u32)POWER_STATE_MASK << (8 * (pmcsr - where)));
}
