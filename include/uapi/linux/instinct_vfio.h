/* SPDX-License-Identifier: ((GPL-2.0-only WITH Linux-syscall-note) OR MIT) */
/*
 * Generic netlink family "instinct_vfio": AMD Instinct GPUs that instinct-vfio-pci keeps usable
 * across VFIO resets.
 *
 * include/uapi/instinct_vfio.yaml describes the same family for YNL; the test "uapi" fails when the
 * two differ. A request to read needs no privilege. A request marked "admin" needs CAP_SYS_ADMIN in
 * the initial user namespace, and fails with -EPERM without it; network plugins, which have
 * CAP_NET_ADMIN, cannot change anything. The family exists in the initial network namespace only.
 * Every refusal carries an extack message that says what to do. The kernel log names the process
 * that asked for a reset or a release.
 *
 * INSTINCT_VFIO_CMD_INFO_GET                          do
 *   reply: A_INFO_VERSION           string, version of the module
 *          A_INFO_EPOCH             u64, differs after each module load
 *          A_INFO_NEWEST_SEQ        u64, number of the newest event, 0 if there was none yet
 *          A_INFO_CAPACITY          u32, number of events that the module keeps
 *          A_INFO_POLICY_REQUIRED   flag: no user gets a device without A_POLICY_SET
 *                                   (module parameter require_policy)
 *
 * INSTINCT_VFIO_CMD_DEV_GET                           do, dump
 *   request (do): A_DEV_BDF
 *   reply: A_DEV_BDF                string "0000:c1:00.0"
 *          A_DEV_SERIAL             u64, PCIe Device Serial Number, 0 if none
 *          A_DEV_MODEL, A_DEV_FAMILY    string "MI300X", "mi300x"
 *          A_DEV_STATE              u32, enum instinct_vfio_state
 *          A_DEV_REASON             string, reason why the device is not ready
 *          A_DEV_OPEN               u32, number of VFIO users that have the device open
 *          A_DEV_LOST_BY            u32, BIT(enum instinct_vfio_method)
 *          A_DEV_SECURE_OS          u32, enum instinct_vfio_secure_os
 *          A_DEV_HIVE_NODES, A_DEV_HIVE_NODE   u32, number of nodes in the hive and number of
 *                                   this node, from the hardware; absent if the hardware does
 *                                   not tell
 *          A_DEV_PARTITION          u32, enum instinct_vfio_partition, of the memory
 *          A_DEV_PARTITION_NEXT     flag: somebody has requested another partition of the
 *                                   memory, which takes effect after a reset by the device's
 *                                   driver
 *          A_DEV_COMPUTE            u32, enum instinct_vfio_compute
 *          A_DEV_FINGERPRINT        u32, size and checksum of the IP discovery table, 0 without
 *                                   a good table
 *          A_DEV_C2PMSG_33, A_DEV_C2PMSG_35   u32, registers of MP0's bootloader; absent if the
 *                                   module has never read them
 *          A_DEV_POLICY             nest of every A_POLICY_* in force, and of A_POLICY_SET as in
 *                                   POLICY_GET
 *          A_DEV_RESETS             nest
 *            A_RESETS_HARDWARE      u64, resets that reached the hardware
 *            A_RESETS_COALESCED     u64, resets that were spared, since the device was clean
 *            A_RESETS_QUIESCED      u64, resets that only stopped DMA
 *            A_RESETS_FAILED        u64, resets after which the device was not ready
 *          A_DEV_CONFIG             nest: config writes to the GPU and to the ports of its
 *                                   package
 *            A_CONFIG_BLOCKED       u64, times that a register did not hold the written value
 *            A_CONFIG_RETRIED       u64, times that the module wrote a register again
 *            A_CONFIG_VERIFIED      u64, times that a blocked register came to hold the value
 *            A_CONFIG_FAILED        u64, times that a blocked register did not hold the value
 *                                   in time
 *            A_CONFIG_LONGEST       u64, longest time for which a register was blocked, ns
 *   -ENODEV: the module manages no such device
 *
 * INSTINCT_VFIO_CMD_POLICY_GET                        dump
 *   reply: the policies of devices that the driver does not have: first of endpoints of other drivers
 *   with isolation policy, then of GPUs with a pending policy, which somebody has set or the module
 *   kept when the driver let go of them. One device may be in both parts. A_DEV_POLICY has the
 *   policies of the other GPUs.
 *          A_POLICY_BDF and, of an endpoint, the A_POLICY_* of ACS and ATS, of a GPU all, and
 *            A_POLICY_PENDING        flag: this is the policy that the GPU gets once the driver
 *                                    takes it
 *            A_POLICY_SET            flag: somebody has set the policy since the module was
 *                                    loaded; without the flag, the values are the defaults, or
 *                                    no longer count as set
 *   The module reads no GPU: it takes a GPU of the same kind for the latest one that was there.
 *
 * INSTINCT_VFIO_CMD_POLICY_APPLY                      do, admin
 *   request: A_APPLY_POLICY          nest, once per device, of
 *            A_POLICY_BDF
 *            A_POLICY_DEFAULTS       flag: start from the defaults
 *            A_POLICY_METHOD         u32, enum instinct_vfio_method
 *            A_POLICY_TENANCY        u32, enum instinct_vfio_tenancy
 *            A_POLICY_BUS_PORT       u32, enum instinct_vfio_bus_port
 *            A_POLICY_READY_TIMEOUT  u32, ms, 1000 to 600000, or 0 for 300 s
 *            A_POLICY_MAILBOX        u32, byte offset of MP1 in the register BAR, or 0 to take
 *                                    it from the IP discovery table
 *            A_POLICY_OVERLAP        u32, enum instinct_vfio_overlap
 *            A_POLICY_SCOPE          u32, enum instinct_vfio_scope
 *            A_POLICY_HIVE           u32, number of the XGMI hive, 1 to 255;
 *                                    INSTINCT_VFIO_HIVE_AUTO: all GPUs of the family in this
 *                                    host are one hive; INSTINCT_VFIO_HIVE_NONE: in no hive
 *            A_POLICY_PARTITION      u32, enum instinct_vfio_partition: no user gets a GPU
 *                                    whose memory is partitioned otherwise
 *            A_POLICY_FIRST_RESET    u32, enum instinct_vfio_first_reset
 *            A_POLICY_XGMI           u32, enum instinct_vfio_xgmi
 *            A_POLICY_CONTAIN        u32, enum instinct_vfio_contain
 *            A_POLICY_CONFIG_VERIFY  u32, enum instinct_vfio_verify
 *            A_POLICY_CONFIG_UNBLOCK u32, enum instinct_vfio_unblock
 *            A_POLICY_CONFIG_TIMEOUT u32, ms, 100 to 600000: a device becomes lost if a
 *                                    register does not hold the written value for longer
 *            A_POLICY_ACS            u32, enum instinct_vfio_acs: preset for the ports on the
 *                                    paths of the device and of its peers
 *            A_POLICY_ACS_ROOT_PORT, A_POLICY_ACS_SWITCH_UPSTREAM,
 *            A_POLICY_ACS_DOWNSTREAM, A_POLICY_ACS_PEER_DOWNSTREAM,
 *            A_POLICY_ACS_PACKAGE    u32, value of ACS Control, up to 0x1fff, or
 *                                    INSTINCT_VFIO_ACS_BITS_PRESET
 *            A_POLICY_ISOLATION_LOSS u32, enum instinct_vfio_isolation_loss
 *            A_POLICY_ATS            u32, enum instinct_vfio_ats, for the device and its peers
 *            A_POLICY_CHECK_INTERVAL u32, interval between two checks of ACS and ATS, ms, 100
 *                                    to 3600000, or 0 for no checks
 *            A_POLICY_PEER           binary: for each of up to 16 kinds of peers two u32,
 *                                    INSTINCT_VFIO_PEER_* and a value
 *            A_POLICY_PENDING        flag: for a GPU of a known family that the driver does
 *                                    not have, keep the policy until the driver takes the GPU;
 *                                    if it has the GPU by now, the policy takes effect at once
 *   An absent attribute leaves its value as it is. A device that the driver does not have takes
 *   ACS, ATS and the attributes that belong to them, and no other.
 *   The module takes all policies or none: it checks every policy before it sets the first,
 *   and undoes all changes if a later device refuses its policy after all. A refusal points at
 *   the A_APPLY_POLICY, or at an attribute in it, that is to blame (NLMSGERR_ATTR_OFFS). A request
 *   may name a GPU that the driver does not have twice: once as any endpoint and once with
 *   A_POLICY_PENDING. If the driver has the GPU by then, the module sets the latter and ignores
 *   the former.
 *   -ENODEV, -EINVAL, -ERANGE
 *   -EEXIST: a device named twice; -E2BIG: more than 256 policies
 *   -EOPNOTSUPP: the device does not have this method
 *   -EINVAL: IOMMU groups rely on ACS that the policy would switch off
 *   -EAGAIN: the device is being bound or unbound, which may take as long as a reset, or
 *   somebody else resets it; the caller sends the request again in a moment
 *   -ENXIO, with A_POLICY_PENDING: the GPU does not answer, so that nobody can tell which GPU it
 *   is. The caller sends the policies of the others without it: the policy that was kept for any
 *   GPU at its address no longer counts as set (A_POLICY_SET)
 *
 * INSTINCT_VFIO_CMD_RESET                             do, admin
 *   request: A_RESET_BDF
 *            A_RESET_METHOD          u32; if absent, the module goes by policy, and spares the
 *                                    reset of a clean device
 *            A_RESET_DRY_RUN         flag: only list the methods that the module would try
 *            A_RESET_READY_TIMEOUT   u32, ms, replaces A_POLICY_READY_TIMEOUT for this reset, of
 *                                    all GPUs that take part in it
 *            A_RESET_BUS_PORT        u32, enum instinct_vfio_bus_port, replaces
 *                                    A_POLICY_BUS_PORT for this reset, of all GPUs that take
 *                                    part in it
 *            A_RESET_FATAL           flag: a RAS fatal error has come before; a mode-1 reset tells
 *                                    the SMU of all GPUs that take part in it
 *   reply: A_RESET_BDF, A_RESET_METHOD (method that the module used), A_RESET_DURATION (ns),
 *          A_RESET_COALESCED         flag: the device was clean, and the module did nothing
 *          A_RESET_STEP              dry run only: nest, once per step of the method list, in
 *                                    order
 *            A_STEP_METHOD           u32, enum instinct_vfio_method
 *            A_STEP_REFUSAL          string, reason why the module cannot try the method; absent
 *                                    if it can
 *   -ENODEV, -EBUSY (open, or being unbound), -EOPNOTSUPP, -EIO (lost), -ERANGE
 *
 * INSTINCT_VFIO_CMD_RELEASE                           do, admin
 *   request: A_DEV_BDF
 *            A_DEV_LOST_BY           u32, BIT(enum instinct_vfio_method): the module may try these
 *                                    methods again though they have lost the device, and the
 *                                    request changes nothing else; if absent, a quarantined
 *                                    device becomes ready, and the next user gets it even if
 *                                    the module can only quiesce it
 *   -ENODEV, -EBUSY, -EINVAL (not quarantined, or not lost by these methods)
 *
 * INSTINCT_VFIO_CMD_ISOLATION_CHECK                   do, admin
 *   The module checks ACS and ATS of all ports and functions now, and repairs drift.
 *
 * INSTINCT_VFIO_CMD_ISOLATION_GET                     dump
 *   reply: results of the last check, once per port with isolation policy, and once per
 *   endpoint and per peer of it
 *            A_ISO_BDF              string
 *            A_ISO_ROLE             u32, enum instinct_vfio_acs_role; ports only
 *            A_ISO_CAPABLE          u32, bits that the port's ACS Control has
 *            A_ISO_FOUND            u32, ACS Control
 *            A_ISO_WANTED           u32, value that ACS Control should have
 *            A_ISO_MASK             u32, bits that policy covers
 *            A_ISO_BEFORE           u32, ACS Control before policy covered the port
 *            A_ISO_OF               string, the endpoint that the function is, or is a peer of;
 *                                   functions only
 *            A_ISO_ATS              u32, enum instinct_vfio_ats, by policy
 *            A_ISO_ATS_STATE        u32, enum instinct_vfio_ats_state
 *            A_ISO_DRIFTS           u64, times that ACS or ATS was not as it should be
 *            A_ISO_LOOKED           u64, time of the last look that got an answer, or that found
 *                                   a port without ACS, ns of CLOCK_BOOTTIME; absent if
 *                                   there was none
 *
 * INSTINCT_VFIO_CMD_ALARM                             do, admin
 *   request: A_EVENT_BDF            string
 *            A_EVENT_KIND           u32, one of the thermal kinds
 *            A_EVENT_SENSOR         u32, enum instinct_vfio_sensor
 *            A_EVENT_SOURCE         u32, enum instinct_vfio_source
 *            A_EVENT_TEMPERATURE    s32, millidegrees Celsius, -60000 to 250000
 *            A_EVENT_ALARM          u32, enum instinct_vfio_alarm: the alarm of the kind; for
 *                                   thermal-cleared the cleared alarm; NONE for other kinds
 *            A_EVENT_THRESHOLD      s32, millidegrees Celsius, in the same range
 *            A_EVENT_REASON         string, up to 95 bytes, should be printable ASCII; optional
 *   User space judges temperatures; the module knows none, and checks the range of each value alone.
 *   The module numbers this event, keeps it and sends it to the subscribers like every other one.
 *   -ENODEV, -EINVAL, -ERANGE
 *
 * INSTINCT_VFIO_CMD_STATS_GET                         dump
 *   reply: first, of all devices since the module was loaded
 *            A_STATS_DURATION       nest, once per method with a reset that ended well:
 *                                   durations of these resets
 *              A_DURATION_OF        u32, enum instinct_vfio_method
 *              A_DURATION_COUNT     u64, number of these resets
 *              A_DURATION_SUM       u64, sum of their durations, ns
 *            A_STATS_PHASE          nest, once per phase: durations of the phase in these
 *                                   resets; A_DURATION_OF is enum instinct_vfio_phase
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
 *            A_STATS_POLICY_TIME    u64, time of the last applied policy, s since 1970; absent
 *                                   if there was none
 *
 * INSTINCT_VFIO_CMD_EVENT_GET                         dump
 *   request: A_EVENT_SEQ             u64, first wanted number; if absent, the oldest
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
 *   A_EVENT_PHASES                   binary: for each enum instinct_vfio_phase a u64 in ns, 0 for a
 *                                    phase that the reset did not pass; absent without duration
 *   A_EVENT_SECURE_OS                u32, enum instinct_vfio_secure_os; reset-done and
 *                                    reset-coalesced only
 *   A_EVENT_REASON                   string, reason as a text
 *   A_EVENT_REGISTER                 u32, offset in the config space; config events only
 *   A_EVENT_PORT                     string, port or function; acs and ats events only
 *   A_EVENT_FOUND, A_EVENT_WANTED    u32, its ACS or ATS Control; acs and ats events only
 *   A_EVENT_SENSOR                   u32, enum instinct_vfio_sensor; this and the attributes
 *                                    below: thermal events only
 *   A_EVENT_SOURCE                   u32, enum instinct_vfio_source
 *   A_EVENT_TEMPERATURE              s32, millidegrees Celsius
 *   A_EVENT_ALARM                    u32, enum instinct_vfio_alarm: the alarm that is raised or
 *                                    cleared
 *   A_EVENT_THRESHOLD                s32, threshold of that alarm, millidegrees Celsius
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

/* Bounds of A_POLICY_CHECK_INTERVAL, in ms; the module allows 0, too. */
#define INSTINCT_VFIO_CHECK_INTERVAL_MIN	100
#define INSTINCT_VFIO_CHECK_INTERVAL_MAX	3600000

/* Bounds of A_EVENT_TEMPERATURE and A_EVENT_THRESHOLD, in millidegrees Celsius. */
#define INSTINCT_VFIO_TEMPERATURE_MIN	(-60000)
#define INSTINCT_VFIO_TEMPERATURE_MAX	250000

/* Values of A_POLICY_ACS_ROOT_PORT and of the other A_POLICY_ACS_* of one role. */
#define INSTINCT_VFIO_ACS_BITS_MAX	0x1fff
#define INSTINCT_VFIO_ACS_BITS_PRESET	0xffffffff

/*
 * Kinds of peers in A_POLICY_PEER: network functions (value 0); the function at an address, domain << 16 |
 * bus << 8 | slot << 3 | function; functions with an ID, vendor << 16 | device.
 */
#define INSTINCT_VFIO_PEER_AUTO		0
#define INSTINCT_VFIO_PEER_ADDRESS	1
#define INSTINCT_VFIO_PEER_ID		2

/* Values of A_POLICY_HIVE. */
#define INSTINCT_VFIO_HIVE_AUTO		0
#define INSTINCT_VFIO_HIVE_MAX		255
#define INSTINCT_VFIO_HIVE_NONE		0xffffffff

/**
 * enum instinct_vfio_state - state of a device
 * @INSTINCT_VFIO_STATE_READY: a user can open the device, or has it open
 * @INSTINCT_VFIO_STATE_RESETTING: a reset is under way
 * @INSTINCT_VFIO_STATE_LOST: the device does not answer, or shows no sign of life
 * @INSTINCT_VFIO_STATE_QUARANTINED: the device did not get a reset that policy requires
 * @INSTINCT_VFIO_STATE_BLOCKED: the device is in order, but policy or another GPU of its hive keeps
 *	it from a new user; the reason tells which
 */
enum instinct_vfio_state {
	INSTINCT_VFIO_STATE_READY,
	INSTINCT_VFIO_STATE_RESETTING,
	INSTINCT_VFIO_STATE_LOST,
	INSTINCT_VFIO_STATE_QUARANTINED,
	INSTINCT_VFIO_STATE_BLOCKED,

	/* private: */
	__INSTINCT_VFIO_STATE_MAX
};

/**
 * enum instinct_vfio_method - reset method
 * @INSTINCT_VFIO_METHOD_AUTO: mode-1, where it is not known to lose the GPU, then quiesce
 * @INSTINCT_VFIO_METHOD_MODE1: mode-1 reset through the SMU mailbox
 * @INSTINCT_VFIO_METHOD_QUIESCE: no hardware reset; the module only stops DMA
 * @INSTINCT_VFIO_METHOD_BUS: secondary bus reset, after which the module restores the path
 */
enum instinct_vfio_method {
	INSTINCT_VFIO_METHOD_AUTO,
	INSTINCT_VFIO_METHOD_MODE1,
	INSTINCT_VFIO_METHOD_QUIESCE,
	INSTINCT_VFIO_METHOD_BUS,

	/* private: */
	__INSTINCT_VFIO_METHOD_MAX
};

/**
 * enum instinct_vfio_tenancy - next user of the device
 * @INSTINCT_VFIO_TENANCY_SINGLE: the same tenant always gets the device
 * @INSTINCT_VFIO_TENANCY_MULTI: any tenant may get the device, so the reset after a close must
 *	scrub it
 */
enum instinct_vfio_tenancy {
	INSTINCT_VFIO_TENANCY_SINGLE,
	INSTINCT_VFIO_TENANCY_MULTI,

	/* private: */
	__INSTINCT_VFIO_TENANCY_MAX
};

/**
 * enum instinct_vfio_bus_port - port whose secondary bus method "bus" resets
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
 * enum instinct_vfio_overlap - resets that run in the background, while the requester goes on
 * @INSTINCT_VFIO_OVERLAP_NONE: no reset
 * @INSTINCT_VFIO_OVERLAP_CLOSE: the reset after a close; the next open waits for it
 * @INSTINCT_VFIO_OVERLAP_ALL: VFIO_DEVICE_RESET too; the next access to the device waits for it
 */
enum instinct_vfio_overlap {
	INSTINCT_VFIO_OVERLAP_NONE,
	INSTINCT_VFIO_OVERLAP_CLOSE,
	INSTINCT_VFIO_OVERLAP_ALL,

	/* private: */
	__INSTINCT_VFIO_OVERLAP_MAX
};

/**
 * enum instinct_vfio_scope - devices that take part in a reset of one device
 * @INSTINCT_VFIO_SCOPE_AUTO: the hive for methods that need it (mode1), otherwise the device alone
 * @INSTINCT_VFIO_SCOPE_DEVICE: the device alone
 * @INSTINCT_VFIO_SCOPE_HIVE: all devices of the XGMI hive, together
 */
enum instinct_vfio_scope {
	INSTINCT_VFIO_SCOPE_AUTO,
	INSTINCT_VFIO_SCOPE_DEVICE,
	INSTINCT_VFIO_SCOPE_HIVE,

	/* private: */
	__INSTINCT_VFIO_SCOPE_MAX
};

/**
 * enum instinct_vfio_secure_os - secure OS that the next guest's driver finds in a GPU
 * @INSTINCT_VFIO_SECURE_OS_UNKNOWN: not known
 * @INSTINCT_VFIO_SECURE_OS_ABSENT: no secure OS runs: the guest's driver loads it, and starts
 * @INSTINCT_VFIO_SECURE_OS_RUNNING: a secure OS runs: the guest's driver resets the GPU by itself;
 *	a driver that sees only a part of a hive does not, and stays in minimal init
 */
enum instinct_vfio_secure_os {
	INSTINCT_VFIO_SECURE_OS_UNKNOWN,
	INSTINCT_VFIO_SECURE_OS_ABSENT,
	INSTINCT_VFIO_SECURE_OS_RUNNING,

	/* private: */
	__INSTINCT_VFIO_SECURE_OS_MAX
};

/**
 * enum instinct_vfio_partition - partition of a GPU's memory
 * @INSTINCT_VFIO_PARTITION_ANY: in a policy: any partition; of a device: not known
 * @INSTINCT_VFIO_PARTITION_NPS1: one partition
 * @INSTINCT_VFIO_PARTITION_NPS2: two partitions
 * @INSTINCT_VFIO_PARTITION_NPS4: four partitions
 * @INSTINCT_VFIO_PARTITION_NPS8: eight partitions
 */
enum instinct_vfio_partition {
	INSTINCT_VFIO_PARTITION_ANY,
	INSTINCT_VFIO_PARTITION_NPS1,
	INSTINCT_VFIO_PARTITION_NPS2,
	INSTINCT_VFIO_PARTITION_NPS4,
	INSTINCT_VFIO_PARTITION_NPS8,

	/* private: */
	__INSTINCT_VFIO_PARTITION_MAX
};

/**
 * enum instinct_vfio_first_reset - reset of a GPU that nobody has used
 * @INSTINCT_VFIO_FIRST_RESET_AUTO: none: such a GPU is clean
 * @INSTINCT_VFIO_FIRST_RESET_ALWAYS: as of any other GPU
 */
enum instinct_vfio_first_reset {
	INSTINCT_VFIO_FIRST_RESET_AUTO,
	INSTINCT_VFIO_FIRST_RESET_ALWAYS,

	/* private: */
	__INSTINCT_VFIO_FIRST_RESET_MAX
};

/**
 * enum instinct_vfio_xgmi - users of the GPUs of a hive, which reach each other's memory
 * @INSTINCT_VFIO_XGMI_PRIVATE: one user at a time has GPUs of the hive
 * @INSTINCT_VFIO_XGMI_SHARED: several users may
 */
enum instinct_vfio_xgmi {
	INSTINCT_VFIO_XGMI_PRIVATE,
	INSTINCT_VFIO_XGMI_SHARED,

	/* private: */
	__INSTINCT_VFIO_XGMI_MAX
};

/**
 * enum instinct_vfio_contain - ports whose error registers a reset of the device may write
 * @INSTINCT_VFIO_CONTAIN_LINUX_OWNED: ports whose errors and hot-plug the firmware has left to Linux
 * @INSTINCT_VFIO_CONTAIN_ALWAYS: also ports whose errors the firmware keeps to itself
 */
enum instinct_vfio_contain {
	INSTINCT_VFIO_CONTAIN_LINUX_OWNED,
	INSTINCT_VFIO_CONTAIN_ALWAYS,

	/* private: */
	__INSTINCT_VFIO_CONTAIN_MAX
};

/**
 * enum instinct_vfio_compute - partition of a GPU's compute dies
 * @INSTINCT_VFIO_COMPUTE_UNKNOWN: not known
 * @INSTINCT_VFIO_COMPUTE_SPX: one partition
 * @INSTINCT_VFIO_COMPUTE_DPX: two partitions
 * @INSTINCT_VFIO_COMPUTE_TPX: three partitions
 * @INSTINCT_VFIO_COMPUTE_QPX: four partitions
 * @INSTINCT_VFIO_COMPUTE_CPX: one partition for each die
 */
enum instinct_vfio_compute {
	INSTINCT_VFIO_COMPUTE_UNKNOWN,
	INSTINCT_VFIO_COMPUTE_SPX,
	INSTINCT_VFIO_COMPUTE_DPX,
	INSTINCT_VFIO_COMPUTE_TPX,
	INSTINCT_VFIO_COMPUTE_QPX,
	INSTINCT_VFIO_COMPUTE_CPX,

	/* private: */
	__INSTINCT_VFIO_COMPUTE_MAX
};

/**
 * enum instinct_vfio_verify - whether the module verifies config writes
 * @INSTINCT_VFIO_VERIFY_OFF: the module does not check whether they took effect
 * @INSTINCT_VFIO_VERIFY_ON: the module reads registers back, and repeats writes that did not
 *	take effect
 */
enum instinct_vfio_verify {
	INSTINCT_VFIO_VERIFY_OFF,
	INSTINCT_VFIO_VERIFY_ON,

	/* private: */
	__INSTINCT_VFIO_VERIFY_MAX
};

/**
 * enum instinct_vfio_unblock - remedies that the module may try when config writes get lost
 * @INSTINCT_VFIO_UNBLOCK_NONE: none; the module only repeats the writes
 * @INSTINCT_VFIO_UNBLOCK_READ: read the Vendor ID of the function and of the ports above it, up to
 *	the link of its package
 * @INSTINCT_VFIO_UNBLOCK_BUSES: also write the bus numbers of those ports once more
 * @INSTINCT_VFIO_UNBLOCK_RETRAIN: also retrain that link
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
 * enum instinct_vfio_acs - preset for the Access Control Services of the ports
 * @INSTINCT_VFIO_ACS_KERNEL: the ports keep the ACS of Linux
 * @INSTINCT_VFIO_ACS_VM_P2P: the ports redirect all requests to the IOMMU, except requests between
 *	peers below the same switch with addresses translated by ATS
 * @INSTINCT_VFIO_ACS_VM: the ports redirect all requests to the IOMMU
 * @INSTINCT_VFIO_ACS_BARE_METAL: the ports redirect no request
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
 * enum instinct_vfio_acs_role - role of a port for an endpoint and its peers
 * @INSTINCT_VFIO_ACS_ROLE_ROOT_PORT: root port
 * @INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM: upstream port of a switch
 * @INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM: downstream port of a switch, above the endpoint, or above a
 *	peer that reaches the endpoint through the root complex only
 * @INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM: downstream port of a switch, above a peer that is below
 *	the same switch as the endpoint
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
 * enum instinct_vfio_isolation_loss - whether IOMMU groups may lose their isolation
 * @INSTINCT_VFIO_ISOLATION_LOSS_NO: the module keeps ACS on which IOMMU groups rely
 * @INSTINCT_VFIO_ISOLATION_LOSS_YES: the module may switch off ACS on which IOMMU groups rely
 */
enum instinct_vfio_isolation_loss {
	INSTINCT_VFIO_ISOLATION_LOSS_NO,
	INSTINCT_VFIO_ISOLATION_LOSS_YES,

	/* private: */
	__INSTINCT_VFIO_ISOLATION_LOSS_MAX
};

/**
 * enum instinct_vfio_ats - policy for the Address Translation Services of an endpoint and its peers
 * @INSTINCT_VFIO_ATS_IGNORE: the module does not look at ATS
 * @INSTINCT_VFIO_ATS_PREFERRED: the module switches lost ATS on again
 * @INSTINCT_VFIO_ATS_REQUIRED: in addition, no user gets the endpoint without ATS
 */
enum instinct_vfio_ats {
	INSTINCT_VFIO_ATS_IGNORE,
	INSTINCT_VFIO_ATS_PREFERRED,
	INSTINCT_VFIO_ATS_REQUIRED,

	/* private: */
	__INSTINCT_VFIO_ATS_MAX
};

/**
 * enum instinct_vfio_ats_state - ATS of a function, compared with the state in the IOMMU driver
 * @INSTINCT_VFIO_ATS_STATE_ABSENT: the function has no ATS capability
 * @INSTINCT_VFIO_ATS_STATE_OFF: ATS is off, as the IOMMU driver believes
 * @INSTINCT_VFIO_ATS_STATE_ON: ATS is on, as the IOMMU driver believes
 * @INSTINCT_VFIO_ATS_STATE_LOST: ATS is off, and the IOMMU driver believes that it is on
 * @INSTINCT_VFIO_ATS_STATE_ASTRAY: ATS is on, and the IOMMU driver believes that it is off
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
 * enum instinct_vfio_cause - cause of a reset
 * @INSTINCT_VFIO_CAUSE_NONE: no cause
 * @INSTINCT_VFIO_CAUSE_OPEN: a VFIO user opened the device
 * @INSTINCT_VFIO_CAUSE_CLOSE: the last VFIO user closed the device
 * @INSTINCT_VFIO_CAUSE_VFIO_RESET: a user asked by VFIO_DEVICE_RESET
 * @INSTINCT_VFIO_CAUSE_GUEST_FLR: a guest wrote Initiate FLR through VFIO's config space
 * @INSTINCT_VFIO_CAUSE_SYSFS: somebody wrote sysfs "reset", or another part of the kernel asked
 * @INSTINCT_VFIO_CAUSE_NETLINK: somebody sent INSTINCT_VFIO_CMD_RESET
 * @INSTINCT_VFIO_CAUSE_HOT_RESET: a user asked by VFIO_DEVICE_PCI_HOT_RESET
 * @INSTINCT_VFIO_CAUSE_HIVE: another member of the hive is in reset
 * @INSTINCT_VFIO_CAUSE_RECOVERY: the PCI core recovers from an error (AER, DPC)
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
 * enum instinct_vfio_event - kind of an event
 * @INSTINCT_VFIO_EVENT_DEVICE_ADDED: the driver took a device
 * @INSTINCT_VFIO_EVENT_DEVICE_REMOVED: the driver let go of a device
 * @INSTINCT_VFIO_EVENT_RESET_BEGUN: a reset began
 * @INSTINCT_VFIO_EVENT_RESET_DONE: a reset ended well
 * @INSTINCT_VFIO_EVENT_RESET_FAILED: a method, or the whole reset, failed
 * @INSTINCT_VFIO_EVENT_RESET_COALESCED: the module spared a reset, since the device was clean
 * @INSTINCT_VFIO_EVENT_DEVICE_LOST: a device became lost
 * @INSTINCT_VFIO_EVENT_DEVICE_RECOVERED: a lost device is ready again
 * @INSTINCT_VFIO_EVENT_DEVICE_QUARANTINED: a device became quarantined, and nobody may open it
 * @INSTINCT_VFIO_EVENT_DEVICE_RELEASED: an operator released a device
 * @INSTINCT_VFIO_EVENT_POLICY_APPLIED: a policy took effect
 * @INSTINCT_VFIO_EVENT_POLICY_REJECTED: the module refused a policy; or the driver took a device
 *	that cannot have a part of its policy, and the rest is in force
 * @INSTINCT_VFIO_EVENT_CONFIG_BLOCKED: a register does not hold the written value
 * @INSTINCT_VFIO_EVENT_CONFIG_VERIFIED: the blocked register holds the value now
 * @INSTINCT_VFIO_EVENT_CONFIG_FAILED: the blocked register did not hold the value in time
 * @INSTINCT_VFIO_EVENT_ACS_DRIFT: a port's ACS is not as policy wants it
 * @INSTINCT_VFIO_EVENT_ACS_REPAIRED: the port's ACS is as policy wants it again
 * @INSTINCT_VFIO_EVENT_ACS_FAILED: the module cannot repair the port's ACS
 * @INSTINCT_VFIO_EVENT_ATS_DRIFT: a function's ATS is not as the IOMMU driver believes
 * @INSTINCT_VFIO_EVENT_ATS_REPAIRED: the function's ATS is as the IOMMU driver believes again
 * @INSTINCT_VFIO_EVENT_ATS_UNMET: a user did not get a device, since a function lacks ATS
 * @INSTINCT_VFIO_EVENT_THERMAL_WARNING: a sensor has reached its warning threshold
 * @INSTINCT_VFIO_EVENT_THERMAL_CRITICAL: a sensor has reached its critical threshold
 * @INSTINCT_VFIO_EVENT_THERMAL_CLEARED: a sensor is well below the threshold that it had reached
 * @INSTINCT_VFIO_EVENT_THERMAL_STALE: the source of a sensor delivers no values any more
 * @INSTINCT_VFIO_EVENT_THERMAL_FRESH: the source of a sensor delivers values again
 * @INSTINCT_VFIO_EVENT_OPEN_REFUSED: a user did not get a device, for the reason in the event
 * @INSTINCT_VFIO_EVENT_DEVICE_CHANGED: a device's memory or compute dies have another partition than
 *	before, or it has another IP discovery table or subsystem ID
 * @INSTINCT_VFIO_EVENT_RESET_POSTPONED: the reset after a close waits for the rest of the hive to be
 *	closed
 * @INSTINCT_VFIO_EVENT_DEVICE_UNSCRUBBED: the kernel's vfio-pci has taken a GPU, and nothing scrubs
 *	it there
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
	INSTINCT_VFIO_EVENT_OPEN_REFUSED,
	INSTINCT_VFIO_EVENT_DEVICE_CHANGED,
	INSTINCT_VFIO_EVENT_RESET_POSTPONED,
	INSTINCT_VFIO_EVENT_DEVICE_UNSCRUBBED,

	/* private: */
	__INSTINCT_VFIO_EVENT_MAX
};

/**
 * enum instinct_vfio_result - result of a reset
 * @INSTINCT_VFIO_RESULT_DONE: the reset ended well
 * @INSTINCT_VFIO_RESULT_FAILED: the method, or the whole reset, failed
 * @INSTINCT_VFIO_RESULT_COALESCED: the module spared the reset, since the device was clean
 */
enum instinct_vfio_result {
	INSTINCT_VFIO_RESULT_DONE,
	INSTINCT_VFIO_RESULT_FAILED,
	INSTINCT_VFIO_RESULT_COALESCED,

	/* private: */
	__INSTINCT_VFIO_RESULT_MAX
};

/**
 * enum instinct_vfio_sensor - place of a temperature
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
 * enum instinct_vfio_source - source of a temperature
 * @INSTINCT_VFIO_SOURCE_HWMON: a hwmon device of this host
 * @INSTINCT_VFIO_SOURCE_IPMI: the BMC, by IPMI
 * @INSTINCT_VFIO_SOURCE_OTHER: another source
 * @INSTINCT_VFIO_SOURCE_REDFISH: the BMC, by Redfish
 */
enum instinct_vfio_source {
	INSTINCT_VFIO_SOURCE_HWMON,
	INSTINCT_VFIO_SOURCE_IPMI,
	INSTINCT_VFIO_SOURCE_OTHER,
	INSTINCT_VFIO_SOURCE_REDFISH,

	/* private: */
	__INSTINCT_VFIO_SOURCE_MAX
};

/**
 * enum instinct_vfio_alarm - alarm of a sensor
 * @INSTINCT_VFIO_ALARM_NONE: no alarm
 * @INSTINCT_VFIO_ALARM_WARNING: the temperature has reached the warning threshold
 * @INSTINCT_VFIO_ALARM_CRITICAL: the temperature has reached the critical threshold
 */
enum instinct_vfio_alarm {
	INSTINCT_VFIO_ALARM_NONE,
	INSTINCT_VFIO_ALARM_WARNING,
	INSTINCT_VFIO_ALARM_CRITICAL,

	/* private: */
	__INSTINCT_VFIO_ALARM_MAX
};

/**
 * enum instinct_vfio_phase - phase of a reset
 * @INSTINCT_VFIO_PHASE_QUIESCE: the module stops DMA, drains transactions, and saves state
 * @INSTINCT_VFIO_PHASE_TRIGGER: the module triggers the reset of the hardware
 * @INSTINCT_VFIO_PHASE_PATH: the link comes up, and the module restores the ports of the package
 * @INSTINCT_VFIO_PHASE_READY: the module waits until the function answers
 * @INSTINCT_VFIO_PHASE_RESTORE: the module restores the config space of the function
 * @INSTINCT_VFIO_PHASE_LIVENESS: the module waits until the function shows life through MMIO
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
	INSTINCT_VFIO_A_INFO_NEWEST_SEQ,
	INSTINCT_VFIO_A_INFO_PAD,
	INSTINCT_VFIO_A_INFO_CAPACITY,
	INSTINCT_VFIO_A_INFO_POLICY_REQUIRED,

	__INSTINCT_VFIO_A_INFO_MAX,
	INSTINCT_VFIO_A_INFO_MAX = (__INSTINCT_VFIO_A_INFO_MAX - 1)
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
	INSTINCT_VFIO_A_POLICY_PENDING,
	INSTINCT_VFIO_A_POLICY_SET,
	INSTINCT_VFIO_A_POLICY_PARTITION,
	INSTINCT_VFIO_A_POLICY_FIRST_RESET,
	INSTINCT_VFIO_A_POLICY_XGMI,
	INSTINCT_VFIO_A_POLICY_CONTAIN,

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
	INSTINCT_VFIO_A_CONFIG_FAILED,
	INSTINCT_VFIO_A_CONFIG_LONGEST,
	INSTINCT_VFIO_A_CONFIG_PAD,

	__INSTINCT_VFIO_A_CONFIG_MAX,
	INSTINCT_VFIO_A_CONFIG_MAX = (__INSTINCT_VFIO_A_CONFIG_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_DEV_BDF = 1,
	INSTINCT_VFIO_A_DEV_SERIAL,
	INSTINCT_VFIO_A_DEV_MODEL,
	INSTINCT_VFIO_A_DEV_FAMILY,
	INSTINCT_VFIO_A_DEV_STATE,
	INSTINCT_VFIO_A_DEV_REASON,
	INSTINCT_VFIO_A_DEV_OPEN,
	INSTINCT_VFIO_A_DEV_LOST_BY,
	INSTINCT_VFIO_A_DEV_POLICY,
	INSTINCT_VFIO_A_DEV_RESETS,
	INSTINCT_VFIO_A_DEV_PAD,
	INSTINCT_VFIO_A_DEV_CONFIG,
	INSTINCT_VFIO_A_DEV_SECURE_OS,
	INSTINCT_VFIO_A_DEV_HIVE_NODES,
	INSTINCT_VFIO_A_DEV_HIVE_NODE,
	INSTINCT_VFIO_A_DEV_PARTITION,
	INSTINCT_VFIO_A_DEV_PARTITION_NEXT,
	INSTINCT_VFIO_A_DEV_COMPUTE,
	INSTINCT_VFIO_A_DEV_FINGERPRINT,
	INSTINCT_VFIO_A_DEV_C2PMSG_33,
	INSTINCT_VFIO_A_DEV_C2PMSG_35,

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
	INSTINCT_VFIO_A_RESET_FATAL,

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
	INSTINCT_VFIO_A_EVENT_PHASES,
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
	INSTINCT_VFIO_A_EVENT_SECURE_OS,

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
	INSTINCT_VFIO_A_ISO_LOOKED,

	__INSTINCT_VFIO_A_ISO_MAX,
	INSTINCT_VFIO_A_ISO_MAX = (__INSTINCT_VFIO_A_ISO_MAX - 1)
};

enum {
	INSTINCT_VFIO_A_DURATION_OF = 1,
	INSTINCT_VFIO_A_DURATION_COUNT,
	INSTINCT_VFIO_A_DURATION_SUM,
	INSTINCT_VFIO_A_DURATION_PAD,

	__INSTINCT_VFIO_A_DURATION_MAX,
	INSTINCT_VFIO_A_DURATION_MAX = (__INSTINCT_VFIO_A_DURATION_MAX - 1)
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
	INSTINCT_VFIO_A_STATS_PAD = 1,
	INSTINCT_VFIO_A_STATS_DURATION,
	INSTINCT_VFIO_A_STATS_PHASE,
	INSTINCT_VFIO_A_STATS_BDF,
	INSTINCT_VFIO_A_STATS_RESET,
	INSTINCT_VFIO_A_STATS_EVENT,
	INSTINCT_VFIO_A_STATS_POLICY_TIME,

	__INSTINCT_VFIO_A_STATS_MAX,
	INSTINCT_VFIO_A_STATS_MAX = (__INSTINCT_VFIO_A_STATS_MAX - 1)
};

enum {
	INSTINCT_VFIO_CMD_INFO_GET = 1,
	INSTINCT_VFIO_CMD_DEV_GET,
	INSTINCT_VFIO_CMD_POLICY_GET,
	INSTINCT_VFIO_CMD_POLICY_APPLY,
	INSTINCT_VFIO_CMD_RESET,
	INSTINCT_VFIO_CMD_RELEASE,
	INSTINCT_VFIO_CMD_EVENT_GET,
	INSTINCT_VFIO_CMD_EVENT,
	INSTINCT_VFIO_CMD_ISOLATION_CHECK,
	INSTINCT_VFIO_CMD_ISOLATION_GET,
	INSTINCT_VFIO_CMD_ALARM,
	INSTINCT_VFIO_CMD_STATS_GET,

	__INSTINCT_VFIO_CMD_MAX,
	INSTINCT_VFIO_CMD_MAX = (__INSTINCT_VFIO_CMD_MAX - 1)
};

#endif /* _UAPI_LINUX_INSTINCT_VFIO_H */
