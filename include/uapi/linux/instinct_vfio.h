/* SPDX-License-Identifier: ((GPL-2.0-only WITH Linux-syscall-note) OR MIT) */
/*
 * Generic netlink family "instinct_vfio": AMD Instinct GPUs that
 * instinct-vfio-pci keeps usable across VFIO resets.
 *
 * include/uapi/instinct_vfio.yaml describes the same family for YNL; the test
 * "uapi" fails when the two differ. Reading needs no privilege. Requests marked
 * "admin" need CAP_SYS_ADMIN in the initial user namespace, -EPERM else; network
 * plugins, which have CAP_NET_ADMIN, cannot change anything. The family exists in the
 * initial network namespace only. Every refusal carries an extack message that says
 * what to do. The kernel log says which process asked for a reset or a release.
 *
 * INSTINCT_VFIO_CMD_INFO_GET                          do
 *   reply: A_INFO_VERSION           string, of the module
 *          A_INFO_EPOCH             u64, differs after each module load
 *          A_INFO_OLDEST_SEQ, A_INFO_NEWEST_SEQ   u64, bounds of the event ring
 *          A_INFO_CAPACITY          u32, events that the ring can keep
 *          A_INFO_POLICY_REQUIRED   flag: a device that is not A_POLICY_RULED is not
 *                                   handed out (module parameter require_policy)
 *
 * INSTINCT_VFIO_CMD_DEV_GET                           do, dump
 *   request (do): A_DEV_BDF
 *   reply: A_DEV_BDF                string "0000:c1:00.0"
 *          A_DEV_SERIAL             u64, PCIe Device Serial Number, 0 if none
 *          A_DEV_VENDOR, A_DEV_DEVICE   u32, PCI IDs
 *          A_DEV_MODEL, A_DEV_FAMILY    string "MI300X", "mi300x"
 *          A_DEV_STATE              u32, enum instinct_vfio_state
 *          A_DEV_REASON             string, why it is not ready
 *          A_DEV_NUMA_NODE          s32, -1 if unknown
 *          A_DEV_OPEN               u32, VFIO users that have it open
 *          A_DEV_LOST_BY            u32, BIT(enum instinct_vfio_method)
 *          A_DEV_PORT               nest, once per port, root port first
 *            A_PORT_BDF             string
 *            A_PORT_VENDOR, A_PORT_DEVICE   u32
 *            A_PORT_ROLE            u32, enum instinct_vfio_role
 *          A_DEV_POLICY             nest of A_POLICY_*
 *          A_DEV_RESETS             nest
 *            A_RESETS_HARDWARE      u64, resets that reached the hardware
 *            A_RESETS_COALESCED     u64, asked of a clean device, not repeated
 *            A_RESETS_QUIESCED      u64, done without a hardware reset
 *            A_RESETS_FAILED        u64, after which the device was not ready
 *          A_DEV_CONFIG             nest: config writes, to the GPU and to the
 *                                   ports of its package
 *            A_CONFIG_BLOCKED       u64, times that a register did not hold what
 *                                   was written
 *            A_CONFIG_RETRIED       u64, times that one was written again
 *            A_CONFIG_VERIFIED      u64, of the blocked, that did hold it later
 *            A_CONFIG_FORCED        u64, repeated whatever read back
 *            A_CONFIG_FAILED        u64, times that a register did not hold it in time
 *            A_CONFIG_LONGEST       u64, ns, for which one did not at most
 *   -ENODEV: no such device is managed
 *
 * INSTINCT_VFIO_CMD_POLICY_GET                        do, dump
 *   request (do): A_POLICY_BDF
 *            A_POLICY_WAITING        flag: of a GPU that the driver does not have, what
 *                                    waits for it; without, what is in force on it,
 *                                    which is its ACS and ATS only
 *   reply: A_POLICY_BDF and every A_POLICY_* in force, and
 *            A_POLICY_WAITING        flag: the driver does not have this GPU; this is
 *                                    what it will be under when the driver takes it
 *            A_POLICY_RULED          flag: somebody has set it since the module was
 *                                    loaded; without, these are the defaults
 *   Errors (do): -ENODEV; with A_POLICY_WAITING -EPERM without CAP_SYS_ADMIN, since the
 *   GPU is asked which one it is, and -ENXIO and -EAGAIN as of POLICY_SET. Who dumps
 *   without CAP_SYS_ADMIN has GPUs not looked at: one of that kind is taken for the latest
 *   that was there
 *   A dump has managed devices first, then endpoints that somebody else drives and
 *   policy speaks of, then GPUs for which a policy waits, set so or kept when the
 *   driver let go of them. One device may be both.
 *
 * INSTINCT_VFIO_CMD_POLICY_SET                        do, admin
 *   request: A_POLICY_BDF
 *            A_POLICY_DEFAULTS       flag: start from the defaults
 *            A_POLICY_METHOD         u32, enum instinct_vfio_method
 *            A_POLICY_TENANCY        u32, enum instinct_vfio_tenancy
 *            A_POLICY_BUS_PORT       u32, enum instinct_vfio_bus_port
 *            A_POLICY_READY_TIMEOUT  u32, ms, 1000 to 600000
 *            A_POLICY_MAILBOX        u32, byte offset of MP1 in the register
 *                                    BAR, 0: from the IP discovery table
 *            A_POLICY_OVERLAP        u32, enum instinct_vfio_overlap
 *            A_POLICY_SCOPE          u32, enum instinct_vfio_scope
 *            A_POLICY_HIVE           u32, number of the XGMI hive, 1 to 255;
 *                                    INSTINCT_VFIO_HIVE_AUTO: that of all GPUs
 *                                    of its family in this host;
 *                                    INSTINCT_VFIO_HIVE_NONE: in no hive
 *            A_POLICY_RESCAN         u32, enum instinct_vfio_rescan
 *            A_POLICY_CONFIG_VERIFY  u32, enum instinct_vfio_verify
 *            A_POLICY_CONFIG_UNBLOCK u32, enum instinct_vfio_unblock
 *            A_POLICY_CONFIG_TIMEOUT u32, ms, 100 to 600000: a register that does
 *                                    not hold what was written for longer loses
 *                                    the device
 *            A_POLICY_ACS            u32, enum instinct_vfio_acs: what the ports
 *                                    of its path and of its peers' carry
 *            A_POLICY_ACS_ROOT_PORT, A_POLICY_ACS_SWITCH_UPSTREAM,
 *            A_POLICY_ACS_DOWNSTREAM, A_POLICY_ACS_PEER_DOWNSTREAM,
 *            A_POLICY_ACS_PACKAGE    u32, ACS Control itself, up to 0x1fff, or
 *                                    INSTINCT_VFIO_ACS_BITS_PRESET
 *            A_POLICY_ISOLATION_LOSS u32, enum instinct_vfio_isolation_loss
 *            A_POLICY_ATS            u32, enum instinct_vfio_ats, for it and for
 *                                    its peers
 *            A_POLICY_CHECK_INTERVAL u32, ms, 100 to 3600000, 0: never: how often
 *                                    ACS and ATS are looked at
 *            A_POLICY_PEER           string: "none", "auto", or addresses and
 *                                    vendor:device pairs with a blank between
 *            A_POLICY_WAITING        flag: see POLICY_APPLY, of which this is the case
 *                                    of one device
 *   What is absent stays as it is. All of it is taken or nothing is. Of a device
 *   that the driver does not have, ACS, ATS and what belongs to them can be set
 *   all the same; nothing else can.
 *   -ENODEV, -EINVAL, -ERANGE, -EOPNOTSUPP (method the device cannot do); -EINVAL
 *   also if IOMMU groups rely on what it would switch off; -EAGAIN: it is being bound
 *   or unbound, which may take as long as a reset, or somebody else resets it: send it
 *   again in a moment; -ENXIO, with A_POLICY_WAITING: it does not answer, so that
 *   nobody can tell which GPU it is. Send the others without it: what was kept for any
 *   GPU at its place does not count as set (A_POLICY_RULED) any more
 *
 * INSTINCT_VFIO_CMD_POLICY_APPLY                      do, admin
 *   request: A_APPLY_POLICY          nest of A_POLICY_*, as in POLICY_SET, once for
 *                                    each device. Also there:
 *            A_POLICY_WAITING        flag: for a GPU of a known family that the driver
 *                                    does not have: keep it until the driver takes it
 *                                    (if it has meanwhile, it is set at once)
 *   All of it is taken, or nothing is: every policy is checked before the first is
 *   set, and what has been done is undone when a later device refuses all the same.
 *   A refusal points at the A_APPLY_POLICY, or at an attribute in it, that is to blame
 *   (NLMSGERR_ATTR_OFFS). A GPU that the driver does not have may be there once as any
 *   endpoint and once with A_POLICY_WAITING; if the driver has it by then, the latter
 *   is set and the former ignored.
 *   Errors as of POLICY_SET; -EEXIST: a device named twice; -E2BIG: more than 256
 *   policies
 *
 * INSTINCT_VFIO_CMD_RESET                             do, admin
 *   request: A_RESET_BDF
 *            A_RESET_METHOD          u32, absent: as policy says, and not at
 *                                    all if the device is clean
 *            A_RESET_DRY_RUN         flag: only say what would be tried
 *            A_RESET_READY_TIMEOUT   u32, ms, in place of A_POLICY_READY_TIMEOUT this
 *                                    once, of all GPUs that are reset with it
 *            A_RESET_BUS_PORT        u32, enum instinct_vfio_bus_port, in place of
 *                                    A_POLICY_BUS_PORT this once, of all as well
 *   reply: A_RESET_BDF, A_RESET_METHOD (what was done), A_RESET_DURATION (ns),
 *          A_RESET_COALESCED         flag: the device was clean, nothing done
 *          A_RESET_STEP              dry run only: nest, once per method, in
 *                                    the order in which they are tried
 *            A_STEP_METHOD           u32, enum instinct_vfio_method
 *            A_STEP_REFUSAL          string, absent if it can be tried: why not
 *   -ENODEV, -EBUSY (open, or being unbound), -EOPNOTSUPP, -EIO (lost), -ERANGE
 *
 * INSTINCT_VFIO_CMD_RELEASE                           do, admin
 *   request: A_DEV_BDF
 *   Quarantined becomes ready, and methods that lost the device are offered
 *   again. -ENODEV, -EBUSY, -EIO (lost: reset it first)
 *
 * INSTINCT_VFIO_CMD_ISOLATION_CHECK                   do, admin
 *   Look at all ports and functions now, and mend what is to be mended.
 *
 * INSTINCT_VFIO_CMD_ISOLATION_GET                     dump
 *   reply: once for each port that policy speaks of, and for each endpoint and
 *   each of its peers, as they were when they were looked at last
 *            A_ISO_BDF              string
 *            A_ISO_ROLE             u32, enum instinct_vfio_acs_role; ports only
 *            A_ISO_CAPABLE          u32, bits that its ACS Control has
 *            A_ISO_FOUND            u32, ACS Control
 *            A_ISO_WANTED           u32, what it should be
 *            A_ISO_MASK             u32, bits that policy speaks of
 *            A_ISO_BEFORE           u32, what it was before policy spoke of it
 *            A_ISO_OF               string, endpoint that a function is or is a
 *                                   peer of; functions only
 *            A_ISO_ATS              u32, enum instinct_vfio_ats, by policy
 *            A_ISO_ATS_STATE        u32, enum instinct_vfio_ats_state
 *            A_ISO_DRIFTS           u64, times that it was not as it should be
 *
 * INSTINCT_VFIO_CMD_ALARM                             do, admin
 *   request: A_EVENT_BDF            string
 *            A_EVENT_KIND           u32, one of the thermal kinds
 *            A_EVENT_SENSOR         u32, enum instinct_vfio_sensor
 *            A_EVENT_SOURCE         u32, enum instinct_vfio_source
 *            A_EVENT_TEMPERATURE    s32, millidegrees Celsius, -60000 to 250000
 *            A_EVENT_ALARM          u32, enum instinct_vfio_alarm: the one of the kind;
 *                                   of thermal-cleared which one; else NONE
 *            A_EVENT_THRESHOLD      s32, millidegrees, in the same range
 *            A_EVENT_REASON         string, printable ASCII, up to 95 bytes; optional
 *   User space judges temperatures; the module knows none. The module numbers this
 *   event, keeps it and sends it to the subscribers like every other one.
 *   -ENODEV, -EINVAL, -ERANGE
 *
 * INSTINCT_VFIO_CMD_STATS_GET                         dump
 *   reply: first, of all devices since the module was loaded
 *            A_STATS_BOUND          u64, ns, once per upper bound of a bucket, in
 *                                   order; one more bucket has no bound
 *            A_STATS_DURATION       nest, once per method that resets went by:
 *                                   how long those took that ended well
 *              A_HISTOGRAM_OF       u32, enum instinct_vfio_method
 *              A_HISTOGRAM_COUNT    u64
 *              A_HISTOGRAM_SUM      u64, ns
 *              A_HISTOGRAM_BUCKET   u64, once per bucket, in order: how many fell
 *                                   into it (not into those before)
 *            A_STATS_PHASE          nest, once per phase: the same of the phase,
 *                                   A_HISTOGRAM_OF is enum instinct_vfio_phase
 *          then once per device, since the driver took it
 *            A_STATS_BDF            string
 *            A_STATS_RESET          nest, once per combination that occurred
 *              A_TALLY_METHOD       u32, enum instinct_vfio_method
 *              A_TALLY_CAUSE        u32, enum instinct_vfio_cause
 *              A_TALLY_RESULT       u32, enum instinct_vfio_result
 *              A_TALLY_COUNT        u64
 *            A_STATS_EVENT          nest, once per kind that occurred
 *              A_TALLY_EVENT        u32, enum instinct_vfio_event
 *              A_TALLY_COUNT        u64
 *            A_STATS_POLICY_TIME    u64, s since 1970, when a policy was applied
 *                                   last; absent if none was
 *
 * INSTINCT_VFIO_CMD_EVENT_GET                         dump
 *   request: A_EVENT_SEQ             u64, first number wanted; absent: oldest
 *   reply: the kept events in order, each as in INSTINCT_VFIO_CMD_EVENT
 *
 * INSTINCT_VFIO_CMD_EVENT                             multicast group "events"
 *   A_EVENT_SEQ                      u64, from 1, without gaps
 *   A_EVENT_EPOCH                    u64, differs after each module load
 *   A_EVENT_TIME                     u64, ns of CLOCK_BOOTTIME
 *   A_EVENT_KIND                     u32, enum instinct_vfio_event
 *   A_EVENT_BDF, A_EVENT_SERIAL      the device
 *   A_EVENT_STATE                    u32, state after the event
 *   A_EVENT_CAUSE                    u32, enum instinct_vfio_cause
 *   A_EVENT_METHOD                   u32, enum instinct_vfio_method
 *   A_EVENT_ERROR                    u32, errno, absent if none
 *   A_EVENT_DURATION                 u64, ns
 *   A_EVENT_PHASE                    nest, once per phase passed, in order
 *     A_PHASE_NAME                   u32, enum instinct_vfio_phase
 *     A_PHASE_DURATION               u64, ns
 *   A_EVENT_REASON                   string for people
 *   A_EVENT_REGISTER                 u32, offset in the config space, of config
 *                                    events only
 *   A_EVENT_PORT                     string, port or function, and
 *   A_EVENT_FOUND, A_EVENT_WANTED    u32, its ACS or ATS Control; or, of the link
 *                                    below it, speed and width as in the Link
 *                                    Status register: of acs, ats and link events
 *   A_EVENT_SENSOR                   u32, enum instinct_vfio_sensor,
 *   A_EVENT_SOURCE                   u32, enum instinct_vfio_source,
 *   A_EVENT_TEMPERATURE              s32, millidegrees Celsius,
 *   A_EVENT_ALARM                    u32, enum instinct_vfio_alarm: which one is
 *                                    raised or cleared, and
 *   A_EVENT_THRESHOLD                s32, millidegrees, of that alarm: of thermal
 *                                    events only
 */
#ifndef _UAPI_LINUX_INSTINCT_VFIO_H
#define _UAPI_LINUX_INSTINCT_VFIO_H

#define INSTINCT_VFIO_FAMILY_NAME	"instinct_vfio"
#define INSTINCT_VFIO_FAMILY_VERSION	1
#define INSTINCT_VFIO_MCGRP_EVENTS	"events"

/* Bounds of A_POLICY_READY_TIMEOUT, in ms. */
#define INSTINCT_VFIO_READY_TIMEOUT_MIN	1000
#define INSTINCT_VFIO_READY_TIMEOUT_MAX	600000

/* Bounds of A_POLICY_CONFIG_TIMEOUT, in ms. */
#define INSTINCT_VFIO_CONFIG_TIMEOUT_MIN	100
#define INSTINCT_VFIO_CONFIG_TIMEOUT_MAX	600000

/* Bounds of A_POLICY_CHECK_INTERVAL, in ms; 0 is allowed too. */
#define INSTINCT_VFIO_CHECK_INTERVAL_MIN	100
#define INSTINCT_VFIO_CHECK_INTERVAL_MAX	3600000

/* Bounds of A_EVENT_TEMPERATURE and A_EVENT_THRESHOLD, in millidegrees. */
#define INSTINCT_VFIO_TEMPERATURE_MIN	(-60000)
#define INSTINCT_VFIO_TEMPERATURE_MAX	250000

/* Values of A_POLICY_ACS_ROOT_PORT and those after it. */
#define INSTINCT_VFIO_ACS_BITS_MAX	0x1fff
#define INSTINCT_VFIO_ACS_BITS_PRESET	0xffffffff

/* Values of A_POLICY_HIVE. */
#define INSTINCT_VFIO_HIVE_AUTO		0
#define INSTINCT_VFIO_HIVE_MAX		255
#define INSTINCT_VFIO_HIVE_NONE		0xffffffff

/**
 * enum instinct_vfio_state - whether a device can be handed out
 * @INSTINCT_VFIO_STATE_READY: it can
 * @INSTINCT_VFIO_STATE_RESETTING: a reset is under way
 * @INSTINCT_VFIO_STATE_LOST: it does not answer, or shows no sign of life
 * @INSTINCT_VFIO_STATE_QUARANTINED: a reset that policy requires was not done
 */
enum instinct_vfio_state {
	INSTINCT_VFIO_STATE_READY,
	INSTINCT_VFIO_STATE_RESETTING,
	INSTINCT_VFIO_STATE_LOST,
	INSTINCT_VFIO_STATE_QUARANTINED,

	/* private: */
	__INSTINCT_VFIO_STATE_MAX
};

/**
 * enum instinct_vfio_method - how to reset a device
 * @INSTINCT_VFIO_METHOD_AUTO: the ladder of the device's family
 * @INSTINCT_VFIO_METHOD_MODE1: mode-1 reset through the SMU mailbox
 * @INSTINCT_VFIO_METHOD_QUIESCE: no hardware reset, DMA stopped only
 * @INSTINCT_VFIO_METHOD_BUS: secondary bus reset, the path restored after it
 * @INSTINCT_VFIO_METHOD_FLR: function level reset, the path restored after it
 */
enum instinct_vfio_method {
	INSTINCT_VFIO_METHOD_AUTO,
	INSTINCT_VFIO_METHOD_MODE1,
	INSTINCT_VFIO_METHOD_QUIESCE,
	INSTINCT_VFIO_METHOD_BUS,
	INSTINCT_VFIO_METHOD_FLR,

	/* private: */
	__INSTINCT_VFIO_METHOD_MAX
};

/**
 * enum instinct_vfio_tenancy - who may get the device next
 * @INSTINCT_VFIO_TENANCY_SINGLE: always the same tenant
 * @INSTINCT_VFIO_TENANCY_MULTI: anybody, so a close must really reset it
 */
enum instinct_vfio_tenancy {
	INSTINCT_VFIO_TENANCY_SINGLE,
	INSTINCT_VFIO_TENANCY_MULTI,

	/* private: */
	__INSTINCT_VFIO_TENANCY_MAX
};

/**
 * enum instinct_vfio_bus_port - where method "bus" resets
 * @INSTINCT_VFIO_BUS_PORT_SWDS: downstream port inside the GPU's package
 * @INSTINCT_VFIO_BUS_PORT_SWITCH: port above the package
 */
enum instinct_vfio_bus_port {
	INSTINCT_VFIO_BUS_PORT_SWDS,
	INSTINCT_VFIO_BUS_PORT_SWITCH,

	/* private: */
	__INSTINCT_VFIO_BUS_PORT_MAX
};

/**
 * enum instinct_vfio_overlap - which resets go on without who asked for them
 * @INSTINCT_VFIO_OVERLAP_NONE: none
 * @INSTINCT_VFIO_OVERLAP_CLOSE: that after a close; the next open waits for it
 * @INSTINCT_VFIO_OVERLAP_ALL: VFIO_DEVICE_RESET too; what touches the device
 *	next waits for it
 */
enum instinct_vfio_overlap {
	INSTINCT_VFIO_OVERLAP_NONE,
	INSTINCT_VFIO_OVERLAP_CLOSE,
	INSTINCT_VFIO_OVERLAP_ALL,

	/* private: */
	__INSTINCT_VFIO_OVERLAP_MAX
};

/**
 * enum instinct_vfio_scope - what a reset of one device concerns
 * @INSTINCT_VFIO_SCOPE_AUTO: the hive for methods that need it (mode1), else
 *	the device
 * @INSTINCT_VFIO_SCOPE_DEVICE: the device alone
 * @INSTINCT_VFIO_SCOPE_HIVE: all devices of its XGMI hive, together
 */
enum instinct_vfio_scope {
	INSTINCT_VFIO_SCOPE_AUTO,
	INSTINCT_VFIO_SCOPE_DEVICE,
	INSTINCT_VFIO_SCOPE_HIVE,

	/* private: */
	__INSTINCT_VFIO_SCOPE_MAX
};

/**
 * enum instinct_vfio_rescan - is a lost device's package enumerated anew?
 * @INSTINCT_VFIO_RESCAN_NO: no
 * @INSTINCT_VFIO_RESCAN_YES: once it is lost and nobody has it open, it is
 *	removed from its package's upstream port down, and the bus above rescanned;
 *	once for each loss
 */
enum instinct_vfio_rescan {
	INSTINCT_VFIO_RESCAN_NO,
	INSTINCT_VFIO_RESCAN_YES,

	/* private: */
	__INSTINCT_VFIO_RESCAN_MAX
};

/**
 * enum instinct_vfio_verify - whether config writes are verified
 * @INSTINCT_VFIO_VERIFY_OFF: the driver does not look whether they took effect
 * @INSTINCT_VFIO_VERIFY_ON: registers are read back, and written until they hold
 */
enum instinct_vfio_verify {
	INSTINCT_VFIO_VERIFY_OFF,
	INSTINCT_VFIO_VERIFY_ON,

	/* private: */
	__INSTINCT_VFIO_VERIFY_MAX
};

/**
 * enum instinct_vfio_unblock - what may be tried to let config writes land
 * @INSTINCT_VFIO_UNBLOCK_NONE: nothing but to repeat them
 * @INSTINCT_VFIO_UNBLOCK_READ: reads of the Vendor ID, of the function and of the
 *	ports above it up to its package's link
 * @INSTINCT_VFIO_UNBLOCK_BUSES: and those ports' bus numbers, written once more
 * @INSTINCT_VFIO_UNBLOCK_RETRAIN: and that link, retrained
 */
enum instinct_vfio_unblock {
	INSTINCT_VFIO_UNBLOCK_NONE,
	INSTINCT_VFIO_UNBLOCK_READ,
	INSTINCT_VFIO_UNBLOCK_BUSES,
	INSTINCT_VFIO_UNBLOCK_RETRAIN,

	/* private: */
	__INSTINCT_VFIO_UNBLOCK_MAX
};

/**
 * enum instinct_vfio_acs - Access Control Services of the ports
 * @INSTINCT_VFIO_ACS_KERNEL: as Linux has them
 * @INSTINCT_VFIO_ACS_VM_P2P: all is redirected to the IOMMU but for requests that
 *	peers below the same switch have translated by ATS
 * @INSTINCT_VFIO_ACS_VM: all is redirected to the IOMMU
 * @INSTINCT_VFIO_ACS_BARE_METAL: nothing is redirected
 */
enum instinct_vfio_acs {
	INSTINCT_VFIO_ACS_KERNEL,
	INSTINCT_VFIO_ACS_VM_P2P,
	INSTINCT_VFIO_ACS_VM,
	INSTINCT_VFIO_ACS_BARE_METAL,

	/* private: */
	__INSTINCT_VFIO_ACS_MAX
};

/**
 * enum instinct_vfio_acs_role - what a port is to an endpoint and its peers
 * @INSTINCT_VFIO_ACS_ROLE_ROOT_PORT: root port
 * @INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM: upstream port of a switch
 * @INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM: downstream port of a switch, above the
 *	endpoint, or above a peer that reaches it through the root complex only
 * @INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM: downstream port above a peer that is
 *	below the same switch as the endpoint
 * @INSTINCT_VFIO_ACS_ROLE_PACKAGE: port inside the GPU's package
 */
enum instinct_vfio_acs_role {
	INSTINCT_VFIO_ACS_ROLE_ROOT_PORT,
	INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM,
	INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM,
	INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM,
	INSTINCT_VFIO_ACS_ROLE_PACKAGE,

	/* private: */
	__INSTINCT_VFIO_ACS_ROLE_MAX
};

/**
 * enum instinct_vfio_isolation_loss - may IOMMU groups stop isolating?
 * @INSTINCT_VFIO_ISOLATION_LOSS_NO: no
 * @INSTINCT_VFIO_ISOLATION_LOSS_YES: ACS that they rely on may be switched off
 */
enum instinct_vfio_isolation_loss {
	INSTINCT_VFIO_ISOLATION_LOSS_NO,
	INSTINCT_VFIO_ISOLATION_LOSS_YES,

	/* private: */
	__INSTINCT_VFIO_ISOLATION_LOSS_MAX
};

/**
 * enum instinct_vfio_ats - Address Translation Services of an endpoint and its peers
 * @INSTINCT_VFIO_ATS_IGNORE: not looked at
 * @INSTINCT_VFIO_ATS_PREFERRED: put back where it was lost
 * @INSTINCT_VFIO_ATS_REQUIRED: and the endpoint is not handed out without it
 */
enum instinct_vfio_ats {
	INSTINCT_VFIO_ATS_IGNORE,
	INSTINCT_VFIO_ATS_PREFERRED,
	INSTINCT_VFIO_ATS_REQUIRED,

	/* private: */
	__INSTINCT_VFIO_ATS_MAX
};

/**
 * enum instinct_vfio_ats_state - what the IOMMU driver believes, and what is so
 * @INSTINCT_VFIO_ATS_STATE_ABSENT: the function has no such capability
 * @INSTINCT_VFIO_ATS_STATE_OFF: off, as the IOMMU driver has it
 * @INSTINCT_VFIO_ATS_STATE_ON: on, as the IOMMU driver has it
 * @INSTINCT_VFIO_ATS_STATE_LOST: off, though the IOMMU driver has it on
 * @INSTINCT_VFIO_ATS_STATE_ASTRAY: on, behind the IOMMU driver's back
 * @INSTINCT_VFIO_ATS_STATE_GONE: the function does not answer
 */
enum instinct_vfio_ats_state {
	INSTINCT_VFIO_ATS_STATE_ABSENT,
	INSTINCT_VFIO_ATS_STATE_OFF,
	INSTINCT_VFIO_ATS_STATE_ON,
	INSTINCT_VFIO_ATS_STATE_LOST,
	INSTINCT_VFIO_ATS_STATE_ASTRAY,
	INSTINCT_VFIO_ATS_STATE_GONE,

	/* private: */
	__INSTINCT_VFIO_ATS_STATE_MAX
};

/**
 * enum instinct_vfio_role - what a port on the way to a GPU is
 * @INSTINCT_VFIO_ROLE_ROOT_PORT: root port
 * @INSTINCT_VFIO_ROLE_SWITCH_UPSTREAM: upstream port of a switch
 * @INSTINCT_VFIO_ROLE_SWITCH_DOWNSTREAM: downstream port of a switch
 * @INSTINCT_VFIO_ROLE_SWUS: upstream port inside the GPU's package
 * @INSTINCT_VFIO_ROLE_SWDS: downstream port inside the GPU's package
 * @INSTINCT_VFIO_ROLE_OTHER: any other bridge
 */
enum instinct_vfio_role {
	INSTINCT_VFIO_ROLE_ROOT_PORT,
	INSTINCT_VFIO_ROLE_SWITCH_UPSTREAM,
	INSTINCT_VFIO_ROLE_SWITCH_DOWNSTREAM,
	INSTINCT_VFIO_ROLE_SWUS,
	INSTINCT_VFIO_ROLE_SWDS,
	INSTINCT_VFIO_ROLE_OTHER,

	/* private: */
	__INSTINCT_VFIO_ROLE_MAX
};

/**
 * enum instinct_vfio_cause - who asked for a reset
 * @INSTINCT_VFIO_CAUSE_NONE: nobody
 * @INSTINCT_VFIO_CAUSE_OPEN: a VFIO user opened the device
 * @INSTINCT_VFIO_CAUSE_CLOSE: the last VFIO user closed it
 * @INSTINCT_VFIO_CAUSE_VFIO_RESET: VFIO_DEVICE_RESET
 * @INSTINCT_VFIO_CAUSE_GUEST_FLR: FLR written through VFIO's config space
 * @INSTINCT_VFIO_CAUSE_SYSFS: sysfs "reset", or another kernel user
 * @INSTINCT_VFIO_CAUSE_NETLINK: INSTINCT_VFIO_CMD_RESET
 * @INSTINCT_VFIO_CAUSE_HOT_RESET: VFIO_DEVICE_PCI_HOT_RESET
 * @INSTINCT_VFIO_CAUSE_HIVE: another member of its hive is reset
 * @INSTINCT_VFIO_CAUSE_RECOVERY: error recovery (AER, DPC) of the PCI core
 */
enum instinct_vfio_cause {
	INSTINCT_VFIO_CAUSE_NONE,
	INSTINCT_VFIO_CAUSE_OPEN,
	INSTINCT_VFIO_CAUSE_CLOSE,
	INSTINCT_VFIO_CAUSE_VFIO_RESET,
	INSTINCT_VFIO_CAUSE_GUEST_FLR,
	INSTINCT_VFIO_CAUSE_SYSFS,
	INSTINCT_VFIO_CAUSE_NETLINK,
	INSTINCT_VFIO_CAUSE_HOT_RESET,
	INSTINCT_VFIO_CAUSE_HIVE,
	INSTINCT_VFIO_CAUSE_RECOVERY,

	/* private: */
	__INSTINCT_VFIO_CAUSE_MAX
};

/**
 * enum instinct_vfio_event - what happened
 * @INSTINCT_VFIO_EVENT_DEVICE_ADDED: the driver took a device
 * @INSTINCT_VFIO_EVENT_DEVICE_REMOVED: the driver let go of it
 * @INSTINCT_VFIO_EVENT_RESET_BEGUN: a reset began
 * @INSTINCT_VFIO_EVENT_RESET_DONE: it ended well
 * @INSTINCT_VFIO_EVENT_RESET_FAILED: a method, or the whole reset, failed
 * @INSTINCT_VFIO_EVENT_RESET_COALESCED: not needed, the device was clean
 * @INSTINCT_VFIO_EVENT_DEVICE_LOST: the device became lost
 * @INSTINCT_VFIO_EVENT_DEVICE_RECOVERED: a lost device is ready again
 * @INSTINCT_VFIO_EVENT_DEVICE_QUARANTINED: nobody may open it
 * @INSTINCT_VFIO_EVENT_DEVICE_RELEASED: an operator released it
 * @INSTINCT_VFIO_EVENT_POLICY_APPLIED: a policy took effect
 * @INSTINCT_VFIO_EVENT_POLICY_REJECTED: a policy was refused, or is in force but for what
 *	cannot be, which the driver found when it took the device
 * @INSTINCT_VFIO_EVENT_CONFIG_BLOCKED: a register does not hold what was written
 * @INSTINCT_VFIO_EVENT_CONFIG_VERIFIED: the register holds it now
 * @INSTINCT_VFIO_EVENT_CONFIG_FAILED: the register did not hold it in time
 * @INSTINCT_VFIO_EVENT_ACS_DRIFT: a port's ACS is not as policy wants it
 * @INSTINCT_VFIO_EVENT_ACS_REPAIRED: it is again
 * @INSTINCT_VFIO_EVENT_ACS_FAILED: it cannot be brought to be
 * @INSTINCT_VFIO_EVENT_ATS_DRIFT: a function's ATS is not what the IOMMU driver
 *	believes
 * @INSTINCT_VFIO_EVENT_ATS_REPAIRED: it is again
 * @INSTINCT_VFIO_EVENT_ATS_UNMET: a device was not handed out for want of ATS
 * @INSTINCT_VFIO_EVENT_THERMAL_WARNING: a sensor has reached its warning threshold
 * @INSTINCT_VFIO_EVENT_THERMAL_CRITICAL: a sensor has reached its critical one
 * @INSTINCT_VFIO_EVENT_THERMAL_CLEARED: it is well below the one that it had
 *	reached
 * @INSTINCT_VFIO_EVENT_THERMAL_STALE: a sensor's source says nothing any more
 * @INSTINCT_VFIO_EVENT_THERMAL_FRESH: it does again
 * @INSTINCT_VFIO_EVENT_LINK_DEGRADED: a link above the device is slower or
 *	narrower than both its ends can do
 * @INSTINCT_VFIO_EVENT_LINK_RESTORED: it is not any more
 * @INSTINCT_VFIO_EVENT_POLICY_MISSING: a device was not handed out, for no policy
 *	has been set since the module was loaded
 */
enum instinct_vfio_event {
	INSTINCT_VFIO_EVENT_DEVICE_ADDED,
	INSTINCT_VFIO_EVENT_DEVICE_REMOVED,
	INSTINCT_VFIO_EVENT_RESET_BEGUN,
	INSTINCT_VFIO_EVENT_RESET_DONE,
	INSTINCT_VFIO_EVENT_RESET_FAILED,
	INSTINCT_VFIO_EVENT_RESET_COALESCED,
	INSTINCT_VFIO_EVENT_DEVICE_LOST,
	INSTINCT_VFIO_EVENT_DEVICE_RECOVERED,
	INSTINCT_VFIO_EVENT_DEVICE_QUARANTINED,
	INSTINCT_VFIO_EVENT_DEVICE_RELEASED,
	INSTINCT_VFIO_EVENT_POLICY_APPLIED,
	INSTINCT_VFIO_EVENT_POLICY_REJECTED,
	INSTINCT_VFIO_EVENT_CONFIG_BLOCKED,
	INSTINCT_VFIO_EVENT_CONFIG_VERIFIED,
	INSTINCT_VFIO_EVENT_CONFIG_FAILED,
	INSTINCT_VFIO_EVENT_ACS_DRIFT,
	INSTINCT_VFIO_EVENT_ACS_REPAIRED,
	INSTINCT_VFIO_EVENT_ACS_FAILED,
	INSTINCT_VFIO_EVENT_ATS_DRIFT,
	INSTINCT_VFIO_EVENT_ATS_REPAIRED,
	INSTINCT_VFIO_EVENT_ATS_UNMET,
	INSTINCT_VFIO_EVENT_THERMAL_WARNING,
	INSTINCT_VFIO_EVENT_THERMAL_CRITICAL,
	INSTINCT_VFIO_EVENT_THERMAL_CLEARED,
	INSTINCT_VFIO_EVENT_THERMAL_STALE,
	INSTINCT_VFIO_EVENT_THERMAL_FRESH,
	INSTINCT_VFIO_EVENT_LINK_DEGRADED,
	INSTINCT_VFIO_EVENT_LINK_RESTORED,
	INSTINCT_VFIO_EVENT_POLICY_MISSING,

	/* private: */
	__INSTINCT_VFIO_EVENT_MAX
};

/**
 * enum instinct_vfio_result - what became of a reset
 * @INSTINCT_VFIO_RESULT_DONE: it ended well
 * @INSTINCT_VFIO_RESULT_FAILED: the method, or the whole reset, failed
 * @INSTINCT_VFIO_RESULT_COALESCED: not needed, the device was clean
 */
enum instinct_vfio_result {
	INSTINCT_VFIO_RESULT_DONE,
	INSTINCT_VFIO_RESULT_FAILED,
	INSTINCT_VFIO_RESULT_COALESCED,

	/* private: */
	__INSTINCT_VFIO_RESULT_MAX
};

/**
 * enum instinct_vfio_sensor - where a temperature is measured
 * @INSTINCT_VFIO_SENSOR_HOTSPOT: the hottest spot of the dies (junction)
 * @INSTINCT_VFIO_SENSOR_MEMORY: the HBM stacks
 * @INSTINCT_VFIO_SENSOR_BOARD: the module or the board that the GPU sits on
 */
enum instinct_vfio_sensor {
	INSTINCT_VFIO_SENSOR_HOTSPOT,
	INSTINCT_VFIO_SENSOR_MEMORY,
	INSTINCT_VFIO_SENSOR_BOARD,

	/* private: */
	__INSTINCT_VFIO_SENSOR_MAX
};

/**
 * enum instinct_vfio_source - where a temperature comes from
 * @INSTINCT_VFIO_SOURCE_HWMON: a hwmon device of this host
 * @INSTINCT_VFIO_SOURCE_IPMI: the BMC
 * @INSTINCT_VFIO_SOURCE_OTHER: elsewhere
 */
enum instinct_vfio_source {
	INSTINCT_VFIO_SOURCE_HWMON,
	INSTINCT_VFIO_SOURCE_IPMI,
	INSTINCT_VFIO_SOURCE_OTHER,

	/* private: */
	__INSTINCT_VFIO_SOURCE_MAX
};

/**
 * enum instinct_vfio_alarm - what a sensor's temperature amounts to
 * @INSTINCT_VFIO_ALARM_NONE: nothing
 * @INSTINCT_VFIO_ALARM_WARNING: it has reached the warning threshold
 * @INSTINCT_VFIO_ALARM_CRITICAL: it has reached the critical threshold
 */
enum instinct_vfio_alarm {
	INSTINCT_VFIO_ALARM_NONE,
	INSTINCT_VFIO_ALARM_WARNING,
	INSTINCT_VFIO_ALARM_CRITICAL,

	/* private: */
	__INSTINCT_VFIO_ALARM_MAX
};

/**
 * enum instinct_vfio_phase - a stretch of a reset
 * @INSTINCT_VFIO_PHASE_QUIESCE: DMA stopped, transactions drained, state kept
 * @INSTINCT_VFIO_PHASE_TRIGGER: the hardware told to reset
 * @INSTINCT_VFIO_PHASE_PATH: link up, ports of the package restored
 * @INSTINCT_VFIO_PHASE_READY: until the function answered
 * @INSTINCT_VFIO_PHASE_RESTORE: its config space written back
 * @INSTINCT_VFIO_PHASE_LIVENESS: until it showed life through MMIO
 */
enum instinct_vfio_phase {
	INSTINCT_VFIO_PHASE_QUIESCE,
	INSTINCT_VFIO_PHASE_TRIGGER,
	INSTINCT_VFIO_PHASE_PATH,
	INSTINCT_VFIO_PHASE_READY,
	INSTINCT_VFIO_PHASE_RESTORE,
	INSTINCT_VFIO_PHASE_LIVENESS,

	/* private: */
	__INSTINCT_VFIO_PHASE_MAX
};

enum {
	INSTINCT_VFIO_A_INFO_VERSION = 1,
	INSTINCT_VFIO_A_INFO_EPOCH,
	INSTINCT_VFIO_A_INFO_OLDEST_SEQ,
	INSTINCT_VFIO_A_INFO_NEWEST_SEQ,
	INSTINCT_VFIO_A_INFO_PAD,
	INSTINCT_VFIO_A_INFO_CAPACITY,
	INSTINCT_VFIO_A_INFO_POLICY_REQUIRED,

	__INSTINCT_VFIO_A_INFO_MAX,
	INSTINCT_VFIO_A_INFO_MAX = (__INSTINCT_VFIO_A_INFO_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_PORT_BDF = 1,
	INSTINCT_VFIO_A_PORT_VENDOR,
	INSTINCT_VFIO_A_PORT_DEVICE,
	INSTINCT_VFIO_A_PORT_ROLE,

	__INSTINCT_VFIO_A_PORT_MAX,
	INSTINCT_VFIO_A_PORT_MAX = (__INSTINCT_VFIO_A_PORT_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_POLICY_BDF = 1,
	INSTINCT_VFIO_A_POLICY_DEFAULTS,
	INSTINCT_VFIO_A_POLICY_METHOD,
	INSTINCT_VFIO_A_POLICY_TENANCY,
	INSTINCT_VFIO_A_POLICY_BUS_PORT,
	INSTINCT_VFIO_A_POLICY_READY_TIMEOUT,
	INSTINCT_VFIO_A_POLICY_MAILBOX,
	INSTINCT_VFIO_A_POLICY_OVERLAP,
	INSTINCT_VFIO_A_POLICY_SCOPE,
	INSTINCT_VFIO_A_POLICY_HIVE,
	INSTINCT_VFIO_A_POLICY_RESCAN,
	INSTINCT_VFIO_A_POLICY_CONFIG_VERIFY,
	INSTINCT_VFIO_A_POLICY_CONFIG_UNBLOCK,
	INSTINCT_VFIO_A_POLICY_CONFIG_TIMEOUT,
	INSTINCT_VFIO_A_POLICY_ACS,
	INSTINCT_VFIO_A_POLICY_ACS_ROOT_PORT,
	INSTINCT_VFIO_A_POLICY_ACS_SWITCH_UPSTREAM,
	INSTINCT_VFIO_A_POLICY_ACS_DOWNSTREAM,
	INSTINCT_VFIO_A_POLICY_ACS_PEER_DOWNSTREAM,
	INSTINCT_VFIO_A_POLICY_ACS_PACKAGE,
	INSTINCT_VFIO_A_POLICY_ISOLATION_LOSS,
	INSTINCT_VFIO_A_POLICY_ATS,
	INSTINCT_VFIO_A_POLICY_CHECK_INTERVAL,
	INSTINCT_VFIO_A_POLICY_PEER,
	INSTINCT_VFIO_A_POLICY_WAITING,
	INSTINCT_VFIO_A_POLICY_RULED,

	__INSTINCT_VFIO_A_POLICY_MAX,
	INSTINCT_VFIO_A_POLICY_MAX = (__INSTINCT_VFIO_A_POLICY_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_APPLY_POLICY = 1,

	__INSTINCT_VFIO_A_APPLY_MAX,
	INSTINCT_VFIO_A_APPLY_MAX = (__INSTINCT_VFIO_A_APPLY_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_RESETS_HARDWARE = 1,
	INSTINCT_VFIO_A_RESETS_COALESCED,
	INSTINCT_VFIO_A_RESETS_QUIESCED,
	INSTINCT_VFIO_A_RESETS_FAILED,
	INSTINCT_VFIO_A_RESETS_PAD,

	__INSTINCT_VFIO_A_RESETS_MAX,
	INSTINCT_VFIO_A_RESETS_MAX = (__INSTINCT_VFIO_A_RESETS_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_CONFIG_BLOCKED = 1,
	INSTINCT_VFIO_A_CONFIG_RETRIED,
	INSTINCT_VFIO_A_CONFIG_VERIFIED,
	INSTINCT_VFIO_A_CONFIG_FORCED,
	INSTINCT_VFIO_A_CONFIG_FAILED,
	INSTINCT_VFIO_A_CONFIG_LONGEST,
	INSTINCT_VFIO_A_CONFIG_PAD,

	__INSTINCT_VFIO_A_CONFIG_MAX,
	INSTINCT_VFIO_A_CONFIG_MAX = (__INSTINCT_VFIO_A_CONFIG_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_DEV_BDF = 1,
	INSTINCT_VFIO_A_DEV_SERIAL,
	INSTINCT_VFIO_A_DEV_VENDOR,
	INSTINCT_VFIO_A_DEV_DEVICE,
	INSTINCT_VFIO_A_DEV_MODEL,
	INSTINCT_VFIO_A_DEV_FAMILY,
	INSTINCT_VFIO_A_DEV_STATE,
	INSTINCT_VFIO_A_DEV_REASON,
	INSTINCT_VFIO_A_DEV_NUMA_NODE,
	INSTINCT_VFIO_A_DEV_OPEN,
	INSTINCT_VFIO_A_DEV_LOST_BY,
	INSTINCT_VFIO_A_DEV_PORT,
	INSTINCT_VFIO_A_DEV_POLICY,
	INSTINCT_VFIO_A_DEV_RESETS,
	INSTINCT_VFIO_A_DEV_PAD,
	INSTINCT_VFIO_A_DEV_CONFIG,

	__INSTINCT_VFIO_A_DEV_MAX,
	INSTINCT_VFIO_A_DEV_MAX = (__INSTINCT_VFIO_A_DEV_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_RESET_BDF = 1,
	INSTINCT_VFIO_A_RESET_METHOD,
	INSTINCT_VFIO_A_RESET_DURATION,
	INSTINCT_VFIO_A_RESET_DRY_RUN,
	INSTINCT_VFIO_A_RESET_COALESCED,
	INSTINCT_VFIO_A_RESET_STEP,
	INSTINCT_VFIO_A_RESET_PAD,
	INSTINCT_VFIO_A_RESET_READY_TIMEOUT,
	INSTINCT_VFIO_A_RESET_BUS_PORT,

	__INSTINCT_VFIO_A_RESET_MAX,
	INSTINCT_VFIO_A_RESET_MAX = (__INSTINCT_VFIO_A_RESET_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_STEP_METHOD = 1,
	INSTINCT_VFIO_A_STEP_REFUSAL,

	__INSTINCT_VFIO_A_STEP_MAX,
	INSTINCT_VFIO_A_STEP_MAX = (__INSTINCT_VFIO_A_STEP_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_PHASE_NAME = 1,
	INSTINCT_VFIO_A_PHASE_DURATION,
	INSTINCT_VFIO_A_PHASE_PAD,

	__INSTINCT_VFIO_A_PHASE_MAX,
	INSTINCT_VFIO_A_PHASE_MAX = (__INSTINCT_VFIO_A_PHASE_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_EVENT_SEQ = 1,
	INSTINCT_VFIO_A_EVENT_EPOCH,
	INSTINCT_VFIO_A_EVENT_TIME,
	INSTINCT_VFIO_A_EVENT_KIND,
	INSTINCT_VFIO_A_EVENT_BDF,
	INSTINCT_VFIO_A_EVENT_SERIAL,
	INSTINCT_VFIO_A_EVENT_STATE,
	INSTINCT_VFIO_A_EVENT_CAUSE,
	INSTINCT_VFIO_A_EVENT_METHOD,
	INSTINCT_VFIO_A_EVENT_ERROR,
	INSTINCT_VFIO_A_EVENT_DURATION,
	INSTINCT_VFIO_A_EVENT_PHASE,
	INSTINCT_VFIO_A_EVENT_REASON,
	INSTINCT_VFIO_A_EVENT_PAD,
	INSTINCT_VFIO_A_EVENT_REGISTER,
	INSTINCT_VFIO_A_EVENT_PORT,
	INSTINCT_VFIO_A_EVENT_FOUND,
	INSTINCT_VFIO_A_EVENT_WANTED,
	INSTINCT_VFIO_A_EVENT_SENSOR,
	INSTINCT_VFIO_A_EVENT_SOURCE,
	INSTINCT_VFIO_A_EVENT_TEMPERATURE,
	INSTINCT_VFIO_A_EVENT_ALARM,
	INSTINCT_VFIO_A_EVENT_THRESHOLD,

	__INSTINCT_VFIO_A_EVENT_MAX,
	INSTINCT_VFIO_A_EVENT_MAX = (__INSTINCT_VFIO_A_EVENT_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_ISO_BDF = 1,
	INSTINCT_VFIO_A_ISO_ROLE,
	INSTINCT_VFIO_A_ISO_CAPABLE,
	INSTINCT_VFIO_A_ISO_FOUND,
	INSTINCT_VFIO_A_ISO_WANTED,
	INSTINCT_VFIO_A_ISO_MASK,
	INSTINCT_VFIO_A_ISO_BEFORE,
	INSTINCT_VFIO_A_ISO_OF,
	INSTINCT_VFIO_A_ISO_ATS,
	INSTINCT_VFIO_A_ISO_ATS_STATE,
	INSTINCT_VFIO_A_ISO_DRIFTS,
	INSTINCT_VFIO_A_ISO_PAD,

	__INSTINCT_VFIO_A_ISO_MAX,
	INSTINCT_VFIO_A_ISO_MAX = (__INSTINCT_VFIO_A_ISO_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_HISTOGRAM_OF = 1,
	INSTINCT_VFIO_A_HISTOGRAM_COUNT,
	INSTINCT_VFIO_A_HISTOGRAM_SUM,
	INSTINCT_VFIO_A_HISTOGRAM_BUCKET,
	INSTINCT_VFIO_A_HISTOGRAM_PAD,

	__INSTINCT_VFIO_A_HISTOGRAM_MAX,
	INSTINCT_VFIO_A_HISTOGRAM_MAX = (__INSTINCT_VFIO_A_HISTOGRAM_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_TALLY_METHOD = 1,
	INSTINCT_VFIO_A_TALLY_CAUSE,
	INSTINCT_VFIO_A_TALLY_RESULT,
	INSTINCT_VFIO_A_TALLY_EVENT,
	INSTINCT_VFIO_A_TALLY_COUNT,
	INSTINCT_VFIO_A_TALLY_PAD,

	__INSTINCT_VFIO_A_TALLY_MAX,
	INSTINCT_VFIO_A_TALLY_MAX = (__INSTINCT_VFIO_A_TALLY_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_STATS_BOUND = 1,
	INSTINCT_VFIO_A_STATS_DURATION,
	INSTINCT_VFIO_A_STATS_PHASE,
	INSTINCT_VFIO_A_STATS_BDF,
	INSTINCT_VFIO_A_STATS_RESET,
	INSTINCT_VFIO_A_STATS_EVENT,
	INSTINCT_VFIO_A_STATS_POLICY_TIME,
	INSTINCT_VFIO_A_STATS_PAD,

	__INSTINCT_VFIO_A_STATS_MAX,
	INSTINCT_VFIO_A_STATS_MAX = (__INSTINCT_VFIO_A_STATS_MAX - 1)
};

enum {
	INSTINCT_VFIO_CMD_INFO_GET = 1,
	INSTINCT_VFIO_CMD_DEV_GET,
	INSTINCT_VFIO_CMD_POLICY_GET,
	INSTINCT_VFIO_CMD_POLICY_SET,
	INSTINCT_VFIO_CMD_RESET,
	INSTINCT_VFIO_CMD_RELEASE,
	INSTINCT_VFIO_CMD_EVENT_GET,
	INSTINCT_VFIO_CMD_EVENT,
	INSTINCT_VFIO_CMD_ISOLATION_CHECK,
	INSTINCT_VFIO_CMD_ISOLATION_GET,
	INSTINCT_VFIO_CMD_ALARM,
	INSTINCT_VFIO_CMD_STATS_GET,
	INSTINCT_VFIO_CMD_POLICY_APPLY,

	__INSTINCT_VFIO_CMD_MAX,
	INSTINCT_VFIO_CMD_MAX = (__INSTINCT_VFIO_CMD_MAX - 1)
};

#endif /* _UAPI_LINUX_INSTINCT_VFIO_H */
