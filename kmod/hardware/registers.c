// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "core/event.h"
#include "core/profile.h"
#include "hardware/config.h"
#include "hardware/registers.h"

/* Maps a part of a BAR. Returns NULL if the BAR has no address or ends before, or without memory. */
static void __iomem *bar_map(struct pci_dev *pdev, int bar, u64 at, u64 bytes)
{
	const struct resource *res = &pdev->resource[bar];

	if (!(res->flags & IORESOURCE_MEM) || res->flags & IORESOURCE_UNSET || !res->start ||
	    at > resource_size(res) || resource_size(res) - at < bytes)
		return NULL;
	return ioremap(res->start + at, bytes);
}

/**
 * instinct_registers_map() - map the register BAR
 * @regs: set; @regs->map is NULL if the BAR has no address or is too small
 * @pdev: function
 * @family: hardware facts
 * @lock: the GPU's reset_lock
 *
 * The function does not request the region: vfio-pci-core does so when a user maps the BAR.
 *
 * Context: may sleep.
 */
void instinct_registers_map(struct instinct_registers *regs, struct pci_dev *pdev,
			    const struct instinct_family *family, struct mutex *lock)
{
	regs->lock = lock;
	regs->pdev = pdev;
	regs->family = family;
	regs->map = bar_map(pdev, family->register_bar, 0, family->register_bytes);
}

/**
 * instinct_registers_open() - turn memory decoding on
 * @regs: registers of a GPU
 *
 * The function writes nothing to a GPU that does not answer config reads. A caller must not read
 * registers of such a GPU: an MMIO read can cost milliseconds or a machine check.
 *
 * Context: may sleep; under the device's reset_lock.
 *
 * Return: the old value of Command, for instinct_registers_close(), or all ones if the GPU does not
 * answer.
 */
u16 instinct_registers_open(struct instinct_registers *regs)
{
	u16 command = U16_MAX;

	lockdep_assert_held(regs->lock);
	if (instinct_endpoint_answers(regs->pdev))
		pci_read_config_word(regs->pdev, PCI_COMMAND, &command);
	if (command != U16_MAX)
		pci_write_config_word(regs->pdev, PCI_COMMAND, command | PCI_COMMAND_MEMORY);
	return command;
}

/**
 * instinct_registers_close() - put the Command register back
 * @regs: registers of a GPU
 * @command: value from instinct_registers_open()
 */
void instinct_registers_close(struct instinct_registers *regs, u16 command)
{
	if (command != U16_MAX && instinct_endpoint_answers(regs->pdev))
		pci_write_config_word(regs->pdev, PCI_COMMAND, command);
}

/* GIM accepts neither a larger memory size nor all ones (mi300_gpuiov.c). */
#define MEMORY_MAX_MIB	0x80000u

/**
 * instinct_registers_alive() - does the device show life through MMIO?
 * @regs: open registers
 *
 * Config reads prove little, since a switch may answer them. The register with the memory size
 * reads all ones while the device is dead (amdgpu_device_mode1_reset() waits for the same), and 0
 * before the firmware has run.
 *
 * Return: true if the register holds a size that a GPU can have.
 */
bool instinct_registers_alive(const struct instinct_registers *regs)
{
	u32 mib;

	if (!regs->map)
		return false;
	mib = readl(regs->map + regs->family->memory_size);
	return mib && mib < MEMORY_MAX_MIB;
}

/* Copies @bytes from the offset @at in video memory. May sleep. */
static int vram_read(const struct instinct_registers *regs, u64 at, u8 *bin, size_t bytes,
		     const char **why)
{
	void __iomem *map = bar_map(regs->pdev, regs->family->vram_bar, at, INSTINCT_DISCOVERY_BYTES);

	if (!map) {
		*why = "the VRAM BAR does not reach the IP discovery table, or has no address";
		return -ENXIO;
	}
	memcpy_fromio(bin, map, bytes);
	iounmap(map);
	return 0;
}

/*
 * Copies the first @bytes, up to INSTINCT_DISCOVERY_BYTES, of the IP discovery binary of a device
 * that is alive. May sleep. Returns 0, or -ENXIO if the VRAM BAR does not reach the binary or cannot
 * be mapped.
 */
static int discovery_read(const struct instinct_registers *regs, u8 *bin, size_t bytes,
			  const char **why)
{
	const struct instinct_family *family = regs->family;
	u64 at = ((u64)readl(regs->map + family->memory_size) << 20) -
		 family->discovery_from_end, elsewhere;
	int ret = vram_read(regs, at, bin, bytes, why);

	/* The place of amdgpu_discovery_get_tmr_info() counts if the usual one has no table. */
	if ((!ret && le32_to_cpup((const __le32 *)bin) == INSTINCT_DISCOVERY_SIGNATURE) ||
	    !readl(regs->map + family->scratch + 8))
		return ret;
	elsewhere = readl(regs->map + family->scratch) |
		    (u64)readl(regs->map + family->scratch + 4) << 32;
	return vram_read(regs, elsewhere, bin, bytes, why);
}

/* Messages and responses of the SMU: Linux's smu_v13_0_6_ppsmc.h and smu_cmn.c. */
#define SMU_MSG_TEST		0x1
#define SMU_MSG_GFX_RESET	0x3
#define SMU_ARG_MODE1		0x1
#define SMU_ARG_FATAL		BIT(16)

#define SMU_RESP_PENDING	0x00
#define SMU_RESP_OK		0x01
#define SMU_RESP_BUSY		0xfc
#define SMU_RESP_UNKNOWN	0xfe
#define SMU_RESP_FAILED		0xff

#define SMU_TIMEOUT_US		1000000	/* a live SMU takes far less */
#define SMU_POLL_US		100

/* smu_v13_0_6_check_fw_status() reads the flags of MP1's firmware so, through the SMN window. */
#define SMN_INDEX		0x38
#define SMN_DATA		0x3c
#define MP1_FIRMWARE_FLAGS	0x3b10028

/* The SMU answers a test message with its argument plus one. */
#define TEST_VALUE		0x5a5a0000u

/* A GPU that takes the message has registers that read all ones long before this. */
#define MODE1_BEGINS		(5 * NSEC_PER_SEC)
/* The SMU may say "failed" and correct itself within about 1 ms (GIM, mi300_smu_send_msg_with_param_ex()). */
#define REFUSED_MS		50

static void __iomem *mp1_at(const struct instinct_mailbox *mailbox, u32 dword)
{
	return mailbox->regs->map + (mailbox->base + dword) * 4;
}

static u32 mailbox_response(const struct instinct_mailbox *mailbox)
{
	return readl(mp1_at(mailbox, mailbox->regs->family->mp1.response));
}

static u32 mp0_read(const struct instinct_mailbox *mailbox, u32 dword)
{
	return readl(mailbox->regs->map + (mailbox->regs->family->mp0_base + dword) * 4);
}

static void mailbox_post(const struct instinct_mailbox *mailbox, u32 message, u32 argument)
{
	const struct instinct_mp1 *mp1 = &mailbox->regs->family->mp1;

	writel(0, mp1_at(mailbox, mp1->response));
	writel(argument, mp1_at(mailbox, mp1->argument));
	writel(message, mp1_at(mailbox, mp1->message));
}

static int mailbox_error(u32 response, const char **why)
{
	static const char *const refusals[] = {
		"the SMU is busy", "the SMU misses a prerequisite of the message",
		"the SMU does not know the message", "the SMU failed to carry the message out",
	};

	switch (response) {
	case SMU_RESP_OK:
		return 0;
	case SMU_RESP_PENDING:
		*why = "the SMU does not answer its mailbox";
		return -ETIMEDOUT;
	case ~0u:
		*why = "the SMU mailbox reads all ones";
		return -ENXIO;
	case SMU_RESP_BUSY ... SMU_RESP_FAILED:
		*why = refusals[response - SMU_RESP_BUSY];
		return response == SMU_RESP_UNKNOWN ? -EOPNOTSUPP : -EREMOTEIO;
	default:
		*why = "the SMU answers with an unknown code";
		return -EPROTO;
	}
}

/* Waits until the mailbox serves no message. Returns the response, PENDING on a timeout. */
static u32 mailbox_wait(const struct instinct_mailbox *mailbox)
{
	u32 response;

	read_poll_timeout(mailbox_response, response, response != SMU_RESP_PENDING, SMU_POLL_US,
			  SMU_TIMEOUT_US, false, mailbox);
	return response;
}

/* Finds the mailbox through the IP discovery table. Returns 0 or a negative errno, with *why set. */
static int mailbox_find(struct instinct_mailbox *mailbox, const char **why)
{
	const struct instinct_family *family = mailbox->regs->family;
	struct instinct_discovery found;
	u8 *bin;
	int ret;

	bin = kmalloc(INSTINCT_DISCOVERY_BYTES, GFP_KERNEL);
	if (!bin) {
		*why = "no memory to read the IP discovery table";
		return -ENOMEM;
	}
	ret = discovery_read(mailbox->regs, bin, INSTINCT_DISCOVERY_BYTES, why);
	if (!ret)
		ret = instinct_discovery_parse(bin, INSTINCT_DISCOVERY_BYTES, &found, why);
	kfree(bin);
	if (ret)
		return ret;

	if (((u64)found.mp1 + family->mp1.response + 1) * 4 > family->register_bytes) {
		*why = "IP discovery table puts MP1 outside the register BAR";
		return -ERANGE;
	}
	mailbox->table = found;
	return 0;
}

/*
 * Does the mailbox answer a test message? Not for a GPU with a fatal error: its SMU may hang on any message
 * but a few, among them the reset message (AMD's GIM, mi300_powerplay.c). Returns 0; -ETIMEDOUT if the
 * SMU's firmware does not run or nothing answers; -EPROTO if the answer is not that of an SMU; another
 * negative errno if the mailbox reads all ones, or the SMU refuses the message.
 */
static int mailbox_test(const struct instinct_mailbox *mailbox, const char **why)
{
	void __iomem *argument = mp1_at(mailbox, mailbox->regs->family->mp1.argument);
	u32 response, answer;

	/* AMD's drivers send no message to an SMU whose firmware does not run (INTERRUPTS_ENABLED). */
	writel(MP1_FIRMWARE_FLAGS, mailbox->regs->map + SMN_INDEX);
	readl(mailbox->regs->map + SMN_INDEX);
	if (!(readl(mailbox->regs->map + SMN_DATA) & BIT(0))) {
		*why = "the SMU's firmware does not run (MP1_FIRMWARE_FLAGS)";
		return -ETIMEDOUT;
	}
	/* A response of 0 means a message under way, or the last reset has left it there. */
	mailbox_wait(mailbox);
	mailbox_post(mailbox, SMU_MSG_TEST, TEST_VALUE);
	response = mailbox_wait(mailbox);
	if (response == SMU_RESP_FAILED)
		read_poll_timeout(mailbox_response, response, response == SMU_RESP_OK, SMU_POLL_US,
				  REFUSED_MS * USEC_PER_MSEC, false, mailbox);
	if (response != SMU_RESP_OK)
		return mailbox_error(response, why);
	/* GIM reads the answer up to three times. */
	if (!readl_poll_timeout(argument, answer, answer == TEST_VALUE + 1, 1000, 3000))
		return 0;
	*why = "the SMU does not answer a test message with its value plus one";
	return answer == ~0u ? -ENXIO : -EPROTO;
}

/**
 * instinct_mailbox_inspect() - find the SMU's mailbox, and test it
 * @mailbox: mailbox
 * @by_policy: its byte offset in the register BAR by policy; 0 if the IP discovery table says where it
 *	is, which the function reads once
 * @used: a user could have written the table, which lies in video memory
 * @whole: the GPU is in order as far as the module knows; else the function tests nothing
 *
 * The function tests each place once, when the driver takes the device or when policy names another
 * place.
 *
 * Context: may sleep, up to two seconds if the SMU is silent; under the device's reset_lock.
 *
 * Return: NULL if the mailbox is known, else the reason, for the user.
 */
const char *instinct_mailbox_inspect(struct instinct_mailbox *mailbox, u32 by_policy, bool used,
				     bool whole)
{
	u32 base = by_policy ? by_policy / 4 : mailbox->table.mp1;
	const char *why = NULL;
	u16 command;
	int ret;

	lockdep_assert_held(mailbox->regs->lock);
	if (!base && used)
		return "its IP discovery table could be its last user's (policy: mailbox)";
	if (base && base == mailbox->tested) {
		mailbox->base = base;
		return mailbox->denied;
	}
	command = instinct_registers_open(mailbox->regs);
	if (!instinct_registers_alive(mailbox->regs))
		why = base ? NULL : "the device shows no sign of life";
	else if (!base && !mailbox_find(mailbox, &why))
		base = mailbox->table.mp1;
	mailbox->base = base;
	mailbox->tested = 0;
	WRITE_ONCE(mailbox->denied, NULL);
	if (whole && base && !why) {
		ret = mailbox_test(mailbox, &why);
		/* Registers that read all ones say nothing of the mailbox. */
		mailbox->tested = ret == -ENXIO ? 0 : base;
		if (ret)
			pci_warn(mailbox->regs->pdev, "the SMU's mailbox does not pass a test message: %s\n",
				 why);
		why = ret == -EPROTO ? why : NULL;
		WRITE_ONCE(mailbox->denied, why);
	}
	instinct_registers_close(mailbox->regs, command);
	return why;
}

/**
 * instinct_mailbox_mode1() - post the message for a mode-1 reset
 * @mailbox: mailbox with a known @mailbox->base
 * @fatal: tell the SMU of a RAS fatal error
 *
 * The function does not look at the response register first: amdgpu posts this message even while
 * it reads 0 (SMU_MSG_NO_PRECHECK), and GIM never waits for it. Nor does the function wait for an
 * answer: from here on all registers may read all ones until the module writes the config space
 * back (GIM, mi300_reset.c).
 *
 * Context: under the device's reset_lock; the registers are open.
 */
void instinct_mailbox_mode1(struct instinct_mailbox *mailbox, bool fatal)
{
	lockdep_assert_held(mailbox->regs->lock);
	mailbox->sos = mp0_read(mailbox, mailbox->regs->family->mp1.sos);
	mailbox->gone = false;
	mailbox->blank = false;
	mailbox->early = false;
	mailbox->refused_at = 0;
	mailbox_post(mailbox, SMU_MSG_GFX_RESET, SMU_ARG_MODE1 | (fatal ? SMU_ARG_FATAL : 0));
}

/**
 * instinct_mailbox_blank() - are the registers of the mailbox out of reach?
 * @mailbox: mailbox with open registers
 *
 * A message would be lost, and the return of the registers would look like the end of its reset.
 *
 * Context: under the device's reset_lock.
 *
 * Return: true if the response register reads all ones.
 */
bool instinct_mailbox_blank(const struct instinct_mailbox *mailbox)
{
	lockdep_assert_held(mailbox->regs->lock);
	return mailbox_response(mailbox) == ~0u;
}

/**
 * instinct_mailbox_mode1_done() - is the mode-1 reset over?
 * @mailbox: mailbox after instinct_mailbox_mode1(), of a GPU that answers and decodes memory
 *	accesses
 * @passed: time since the message, ns
 * @why: set to an error text if the GPU was not reset
 *
 * amdgpu and GIM wait for both registers of the bootloader. These registers alone prove nothing,
 * since they may read the same before the reset. A secure OS that has gone proves nothing without
 * them: the registers of a GPU that is dead for good were seen to read 0 (tinygrad, MI350P).
 *
 * With both registers ready, each of these proves the reset:
 * - The secure OS has gone: its sign of life was not 0 before the message, and is 0 now.
 * - The registers have read all ones, or the GPU has stopped answering, and the SMU then says OK.
 *   An OK from before the registers read all ones counts only if the GPU has stopped answering.
 * - The registers of a GPU without a secure OS have gone and come back, and the SMU stays silent.
 *
 * Context: under the device's reset_lock.
 *
 * Return: 1 once the reset is over, 0 before that, a negative errno if the GPU was not reset.
 */
int instinct_mailbox_mode1_done(struct instinct_mailbox *mailbox, u64 passed, const char **why)
{
	const struct instinct_mp1 *mp1 = &mailbox->regs->family->mp1;
	bool alive = instinct_registers_alive(mailbox->regs), ok;
	u32 response = mailbox_response(mailbox), sos;
	/* A reset may leave any other value in the register. */
	bool refused = response >= SMU_RESP_BUSY && response <= SMU_RESP_FAILED;
	u64 now = ktime_get_ns();

	lockdep_assert_held(mailbox->regs->lock);
	mailbox->blank |= response == ~0u;
	mailbox->early |= response == SMU_RESP_OK && !mailbox->blank;
	mailbox->refused_at = refused ? mailbox->refused_at ?: now : 0;
	if (!alive)
		return 0;
	if (refused && !mailbox->gone && !mailbox->blank)
		return now - mailbox->refused_at < REFUSED_MS * NSEC_PER_MSEC ? 0 : mailbox_error(response, why);
	if (mp0_read(mailbox, mp1->ready) != INSTINCT_BOOTLOADER_READY ||
	    mp0_read(mailbox, mp1->bootloader) != INSTINCT_BOOTLOADER_READY)
		return 0;
	sos = mp0_read(mailbox, mp1->sos);
	ok = mailbox_response(mailbox) == SMU_RESP_OK;
	if (mailbox->sos && mailbox->sos != ~0u && !sos) {
		mailbox->gone = true;
		return 1;
	}
	if (mailbox->gone || mailbox->blank)
		return mailbox->sos ? ok && (mailbox->gone || !mailbox->early) :
				      ok || (!sos && !refused);
	if (passed < MODE1_BEGINS)
		return 0;
	if (ok && !sos)
		return 1;
	*why = ok ? "the SMU says that it has reset the GPU, but its secure OS still runs" :
		    "the SMU has not taken the message: nothing has been seen of a reset";
	return -ETIMEDOUT;
}

/**
 * instinct_mailbox_boots() - does the firmware of a GPU still start?
 * @mailbox: mailbox with open registers that show life
 *
 * amdgpu sends nothing to a GPU before both registers of its bootloader are ready.
 *
 * Context: under the device's reset_lock.
 *
 * Return: true if no secure OS runs and the bootloader is not ready.
 */
bool instinct_mailbox_boots(const struct instinct_mailbox *mailbox)
{
	const struct instinct_mp1 *mp1 = &mailbox->regs->family->mp1;

	lockdep_assert_held(mailbox->regs->lock);
	return !mp0_read(mailbox, mp1->sos) &&
	       (mp0_read(mailbox, mp1->ready) != INSTINCT_BOOTLOADER_READY ||
		mp0_read(mailbox, mp1->bootloader) != INSTINCT_BOOTLOADER_READY);
}

/* BIOS_SCRATCH_7: GIM's ATOM_ASIC_INIT_COMPLETE. */
#define ASIC_INIT_COMPLETE	0x200u

/**
 * instinct_mailbox_settle() - tidy up after a mode-1 reset
 * @mailbox: mailbox with open registers that show life
 * @anew: the firmware has written the IP discovery table anew, and no user has changed it since
 *
 * The function has the next driver post the VBIOS: a guest's amdgpu posts it only if the bit is clear
 * (amdgpu_device_need_post()). amdgpu posts it after each mode-1 reset of its own, and GIM clears the
 * bit (mi300_reset_whole_gpu_reset()). The function reads no more of the table than its fingerprint,
 * since the next open waits for that.
 *
 * Context: may sleep; under the device's reset_lock.
 */
void instinct_mailbox_settle(struct instinct_mailbox *mailbox, bool anew)
{
	void __iomem *at = mailbox->regs->map + mailbox->regs->family->posted;
	u8 head[INSTINCT_DISCOVERY_HEAD];
	u32 value = readl(at);
	const char *why;

	lockdep_assert_held(mailbox->regs->lock);
	if (value != ~0u && value & ASIC_INIT_COMPLETE)
		writel(value & ~ASIC_INIT_COMPLETE, at);
	if (anew && !discovery_read(mailbox->regs, head, sizeof(head), &why))
		mailbox->table.fingerprint = instinct_discovery_fingerprint(head) ?:
					     mailbox->table.fingerprint;
}

/* MC_VM_XGMI_LFB_CNTL: fields of gc_9_4_3_sh_mask.h, bounds of gfxhub_v1_2_get_xgmi_info(). */
#define XGMI_NODE(_cntl)	((_cntl) & 0xf)
#define XGMI_LAST_NODE(_cntl)	((_cntl) >> 4 & 0xf)
#define XGMI_NODES_MAX		8

/* BIF_BX_PF0_PARTITION_MEM_STATUS and _COMPUTE_STATUS: nbio_7_9_0_sh_mask.h, nbio_v7_9.c. */
#define MEMORY_NEXT(_status)	(((_status) & 0xf) == 8)
#define MEMORY_NPS(_status)	((_status) >> 4 & 0xff)
#define COMPUTE_MODE(_status)	((_status) >> 4 & 0xf)

/* Reads a register of a block. Returns all ones if the IP discovery table has no such block. */
static u32 block_read(const struct instinct_mailbox *mailbox, u32 base, u32 dword)
{
	u64 at = ((u64)base + dword) * 4;

	if (!base || at + sizeof(u32) > mailbox->regs->family->register_bytes)
		return ~0u;
	return readl(mailbox->regs->map + at);
}

/* The register has one bit for each mode, and sets exactly one of them. */
static enum instinct_vfio_partition partition_of(u32 nps)
{
	static const u8 bits[] = {
		[INSTINCT_VFIO_PARTITION_NPS1] = 0x01, [INSTINCT_VFIO_PARTITION_NPS2] = 0x02,
		[INSTINCT_VFIO_PARTITION_NPS4] = 0x08, [INSTINCT_VFIO_PARTITION_NPS8] = 0x80,
	};
	enum instinct_vfio_partition partition = ARRAY_SIZE(bits) - 1;

	while (partition > INSTINCT_VFIO_PARTITION_ANY && bits[partition] != nps)
		partition--;
	return partition;
}

/**
 * instinct_mailbox_look() - read the facts that a GPU's registers give
 * @mailbox: mailbox with open registers that show life
 * @seen: set, except for @seen->subsystem, which becomes 0
 *
 * Context: under the device's reset_lock.
 */
void instinct_mailbox_look(const struct instinct_mailbox *mailbox, struct instinct_seen *seen)
{
	const struct instinct_family *family = mailbox->regs->family;
	u32 cntl = block_read(mailbox, mailbox->table.gc, family->xgmi);
	u32 memory = block_read(mailbox, mailbox->table.nbif, family->partition_memory);
	u32 compute = block_read(mailbox, mailbox->table.nbif, family->partition_compute);
	u32 sos = mp0_read(mailbox, family->mp1.sos);

	lockdep_assert_held(mailbox->regs->lock);
	*seen = (struct instinct_seen) {
		.ready = mp0_read(mailbox, family->mp1.ready),
		.bootloader = mp0_read(mailbox, family->mp1.bootloader),
		.fingerprint = mailbox->table.fingerprint,
	};
	if (sos != ~0u)
		seen->secure_os = sos ? INSTINCT_VFIO_SECURE_OS_RUNNING :
					INSTINCT_VFIO_SECURE_OS_ABSENT;
	if (cntl != ~0u && XGMI_LAST_NODE(cntl) && XGMI_LAST_NODE(cntl) < XGMI_NODES_MAX &&
	    XGMI_NODE(cntl) <= XGMI_LAST_NODE(cntl)) {
		seen->hive_nodes = XGMI_LAST_NODE(cntl) + 1;
		seen->hive_node = XGMI_NODE(cntl);
	}
	if (memory != ~0u) {
		seen->partition = partition_of(MEMORY_NPS(memory));
		seen->partition_next = MEMORY_NEXT(memory);
	}
	if (COMPUTE_MODE(compute) <= INSTINCT_VFIO_COMPUTE_CPX - INSTINCT_VFIO_COMPUTE_SPX)
		seen->compute = INSTINCT_VFIO_COMPUTE_SPX + COMPUTE_MODE(compute);
}

/**
 * instinct_mailbox_missing() - describe what a mode-1 reset still waits for
 * @mailbox: mailbox with open registers, after instinct_mailbox_mode1()
 * @why: buffer of INSTINCT_REASON_BYTES that the function may use
 *
 * Return: the description, in @why or in a constant.
 */
const char *instinct_mailbox_missing(const struct instinct_mailbox *mailbox, char *why)
{
	const struct instinct_mp1 *mp1 = &mailbox->regs->family->mp1;
	u32 status = mp0_read(mailbox, mp1->boot_status);

	if (status == ~0u)
		return "its registers show no life";
	if (mp0_read(mailbox, mp1->bootloader) != INSTINCT_BOOTLOADER_READY) {
		snprintf(why, INSTINCT_REASON_BYTES,
			 "its bootloader has not come up (C2PMSG_92 is %#010x, C2PMSG_126 %#x)",
			 status, mp0_read(mailbox, mp1->boot_error));
		return why;
	}
	if (mp0_read(mailbox, mp1->ready) != INSTINCT_BOOTLOADER_READY)
		return "its bootloader takes no commands (C2PMSG_33)";
	if (!instinct_registers_alive(mailbox->regs))
		return "its registers show no life";
	return mailbox->gone || mailbox->blank ? "its SMU has not finished" :
						 "nothing has been seen of a reset";
}
