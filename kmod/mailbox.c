// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "discovery.h"
#include "mailbox.h"
#include "profile.h"

/**
 * instinct_registers_map() - map the register BAR
 * @regs: filled in; @regs->map is NULL if there is nothing to map
 * @pdev: function
 * @family: facts
 * @lock: the GPU's reset_lock
 *
 * The region is not requested: vfio does that when a user maps the BAR.
 *
 * Context: may sleep.
 */
void instinct_registers_map(struct instinct_registers *regs, struct pci_dev *pdev,
			    const struct instinct_family *family, struct mutex *lock)
{
	int bar = family->register_bar;

	regs->lock = lock;
	regs->pdev = pdev;
	regs->family = family;
	regs->map = NULL;
	if (pci_resource_start(pdev, bar) && pci_resource_flags(pdev, bar) & IORESOURCE_MEM &&
	    pci_resource_len(pdev, bar) >= family->register_bytes)
		regs->map = ioremap(pci_resource_start(pdev, bar), family->register_bytes);
}

/**
 * instinct_registers_unmap() - undo instinct_registers_map()
 * @regs: mapped or not
 */
void instinct_registers_unmap(struct instinct_registers *regs)
{
	if (regs->map)
		iounmap(regs->map);
	regs->map = NULL;
}

/**
 * instinct_registers_open() - turn memory decoding on
 * @regs: of a function that answers config reads: an MMIO read of one that
 *	does not can cost milliseconds or a machine check
 *
 * Context: may sleep; under the device's reset_lock.
 *
 * Return: the Command register as it was, for instinct_registers_close().
 */
u16 instinct_registers_open(struct instinct_registers *regs)
{
	u16 command;

	lockdep_assert_held(regs->lock);
	pci_read_config_word(regs->pdev, PCI_COMMAND, &command);
	pci_write_config_word(regs->pdev, PCI_COMMAND, command | PCI_COMMAND_MEMORY);
	return command;
}

/**
 * instinct_registers_close() - put the Command register back
 * @regs: of the function
 * @command: from instinct_registers_open()
 */
void instinct_registers_close(struct instinct_registers *regs, u16 command)
{
	pci_write_config_word(regs->pdev, PCI_COMMAND, command);
}

/**
 * registers_read() - read a register
 * @regs: mapped and open
 * @offset: in bytes, inside the mapping
 *
 * Return: its value, all ones if the device does not answer.
 */
static u32 registers_read(const struct instinct_registers *regs, u32 offset)
{
	return readl(regs->map + offset);
}

/**
 * registers_write() - write a register
 * @regs: mapped and open
 * @offset: in bytes, inside the mapping
 * @val: value
 */
static void registers_write(const struct instinct_registers *regs, u32 offset, u32 val)
{
	writel(val, regs->map + offset);
}

/**
 * instinct_registers_alive() - does the device show life through MMIO?
 * @regs: open
 *
 * Config reads prove little, since a switch may answer them. The memory-size
 * register reads all ones while the device is dead (amdgpu waits for the same
 * in amdgpu_device_mode1_reset()), and 0 before its firmware has run.
 *
 * Return: true if it does.
 */
bool instinct_registers_alive(const struct instinct_registers *regs)
{
	u32 mib;

	if (!regs->map)
		return false;
	mib = registers_read(regs, regs->family->memory_size);
	return mib && mib != ~0u;
}

/**
 * registers_read_discovery() - copy the IP discovery binary
 * @regs: open, of a device that is alive
 * @bin: INSTINCT_DISCOVERY_BYTES long
 * @why: set to the reason, for people, on failure
 *
 * Context: may sleep.
 *
 * Return: 0, -ENXIO if the VRAM BAR does not reach it, -ENOMEM.
 */
static int registers_read_discovery(const struct instinct_registers *regs,
				    u8 *bin, const char **why)
{
	const struct instinct_family *family = regs->family;
	u32 mib = registers_read(regs, family->memory_size);
	u64 at = ((u64)mib << 20) - family->discovery_from_end;
	u64 len = pci_resource_len(regs->pdev, family->vram_bar);
	void __iomem *map;

	if (!mib || mib == ~0u || !len || at > len || len - at < INSTINCT_DISCOVERY_BYTES) {
		*why = "the VRAM BAR does not reach the IP discovery table";
		return -ENXIO;
	}
	map = ioremap(pci_resource_start(regs->pdev, family->vram_bar) + at,
		      INSTINCT_DISCOVERY_BYTES);
	if (!map) {
		*why = "no memory to map the IP discovery table";
		return -ENOMEM;
	}
	memcpy_fromio(bin, map, INSTINCT_DISCOVERY_BYTES);
	iounmap(map);
	return 0;
}

/* Messages and answers: Linux's smu_v13_0_6_ppsmc.h and smu_cmn.c. */
#define SMU_MSG_TEST		0x1
#define SMU_MSG_GFX_RESET	0x3
#define SMU_ARG_MODE1		0x1

#define SMU_RESP_PENDING	0x00
#define SMU_RESP_OK		0x01
#define SMU_RESP_BUSY		0xfc
#define SMU_RESP_PREREQ		0xfd
#define SMU_RESP_UNKNOWN	0xfe
#define SMU_RESP_FAILED		0xff

#define SMU_TIMEOUT_US		1000000	/* an SMU that lives takes far less */
#define SMU_POLL_US		100

#define BOOTLOADER_STEADY	0x80000000u

static u32 mp1_offset(const struct instinct_mailbox *mailbox, u32 dword)
{
	return (mailbox->base + dword) * 4;
}

static u32 mailbox_response(const struct instinct_mailbox *mailbox)
{
	const struct instinct_family *family = mailbox->regs->family;

	return registers_read(mailbox->regs, mp1_offset(mailbox, family->mp1.response));
}

static void mailbox_post(const struct instinct_mailbox *mailbox, u32 message, u32 argument)
{
	const struct instinct_registers *regs = mailbox->regs;
	const struct instinct_mp1 *mp1 = &regs->family->mp1;

	registers_write(regs, mp1_offset(mailbox, mp1->response), 0);
	registers_write(regs, mp1_offset(mailbox, mp1->argument), argument);
	registers_write(regs, mp1_offset(mailbox, mp1->message), message);
}

static int mailbox_error(u32 response, const char **why)
{
	switch (response) {
	case SMU_RESP_OK:
		return 0;
	case SMU_RESP_PENDING:
		*why = "the SMU does not answer its mailbox";
		return -ETIMEDOUT;
	case SMU_RESP_BUSY:
		*why = "the SMU is busy";
		return -EBUSY;
	case SMU_RESP_PREREQ:
		*why = "the SMU misses a prerequisite of the message";
		return -EPROTO;
	case SMU_RESP_UNKNOWN:
		*why = "the SMU does not know the message";
		return -EOPNOTSUPP;
	case SMU_RESP_FAILED:
		*why = "the SMU failed to carry the message out";
		return -EREMOTEIO;
	case ~0u:
		*why = "the SMU mailbox reads all ones";
		return -ENXIO;
	default:
		*why = "the SMU answers with an unknown code";
		return -EPROTO;
	}
}

/* Wait until the mailbox is not serving a message. */
static u32 mailbox_wait(const struct instinct_mailbox *mailbox)
{
	u32 response;

	read_poll_timeout(mailbox_response, response, response != SMU_RESP_PENDING, SMU_POLL_US,
			  SMU_TIMEOUT_US, false, mailbox);
	return response;
}

/**
 * instinct_mailbox_find() - locate the mailbox by the IP discovery table
 * @mailbox: @mailbox->discovered is set
 * @why: set to the reason, for people, on failure
 *
 * Best done before a tenant had the device: the table lies in video memory.
 *
 * Context: may sleep; under the device's reset_lock; the registers are open.
 *
 * Return: 0 or a negative errno.
 */
int instinct_mailbox_find(struct instinct_mailbox *mailbox, const char **why)
{
	const struct instinct_family *family = mailbox->regs->family;
	u32 base;
	u8 *bin;
	int ret;

	lockdep_assert_held(mailbox->regs->lock);
	bin = kmalloc(INSTINCT_DISCOVERY_BYTES, GFP_KERNEL);
	if (!bin) {
		*why = "no memory to read the IP discovery table";
		return -ENOMEM;
	}
	ret = registers_read_discovery(mailbox->regs, bin, why);
	if (!ret)
		ret = instinct_discovery_find_mp1(bin, INSTINCT_DISCOVERY_BYTES, &base, why);
	kfree(bin);
	if (ret)
		return ret;

	if (!base || ((u64)base + family->mp1.response + 1) * 4 > family->register_bytes) {
		*why = "IP discovery table puts MP1 outside the register BAR";
		return -ERANGE;
	}
	WRITE_ONCE(mailbox->discovered, base);
	return 0;
}

/**
 * instinct_mailbox_test() - does the mailbox answer?
 * @mailbox: found
 * @why: set to the reason, for people, on failure
 *
 * Context: may sleep up to two times a second; under the device's reset_lock;
 * the registers are open.
 *
 * Return: 0 or a negative errno.
 */
int instinct_mailbox_test(const struct instinct_mailbox *mailbox, const char **why)
{
	u32 response;

	lockdep_assert_held(mailbox->regs->lock);
	response = mailbox_wait(mailbox);
	if (response == SMU_RESP_PENDING || response == ~0u)
		return mailbox_error(response, why);
	mailbox_post(mailbox, SMU_MSG_TEST, 0);
	return mailbox_error(mailbox_wait(mailbox), why);
}

/**
 * instinct_mailbox_mode1() - ask for a mode-1 reset
 * @mailbox: found and tested
 *
 * Does not wait for an answer: from here on all registers read all ones until
 * the config space is written back (AMD's GIM, mi300_reset.c), and then
 * instinct_mailbox_mode1_done() reads it.
 *
 * Context: under the device's reset_lock; the registers are open.
 */
void instinct_mailbox_mode1(const struct instinct_mailbox *mailbox)
{
	lockdep_assert_held(mailbox->regs->lock);
	mailbox_post(mailbox, SMU_MSG_GFX_RESET, SMU_ARG_MODE1);
}

/**
 * instinct_mailbox_reacted() - is there no more to wait for after a message?
 * @mailbox: posted to; its registers are open
 *
 * Return: true if the SMU has refused, or its registers are blocked.
 */
bool instinct_mailbox_reacted(const struct instinct_mailbox *mailbox)
{
	u32 response = mailbox_response(mailbox);

	return response != SMU_RESP_PENDING && response != SMU_RESP_OK;
}

/**
 * instinct_mailbox_mode1_done() - is the mode-1 reset over?
 * @mailbox: found; its registers are open
 * @why: set to the reason, for people, when the SMU refused
 *
 * Return: 1 once the SMU has said so and the bootloader is steady, 0 before
 * that, a negative errno if the SMU refused the reset.
 */
int instinct_mailbox_mode1_done(const struct instinct_mailbox *mailbox, const char **why)
{
	const struct instinct_registers *regs = mailbox->regs;
	const struct instinct_family *family = regs->family;
	u32 at = (family->mp0_base + family->mp1.bootloader) * 4;
	u32 response = mailbox_response(mailbox);

	if (response == SMU_RESP_PENDING || response == ~0u)
		return 0;
	if (response != SMU_RESP_OK)
		return mailbox_error(response, why);
	return registers_read(regs, at) == BOOTLOADER_STEADY;
}
