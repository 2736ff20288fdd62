// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/workqueue.h>

#include "device/device.h"
#include "device/record.h"
#include "isolation/isolation.h"
#include "netlink/family.h"
#include "vfio/driver.h"

struct workqueue_struct *instinct_wq;

static int work_init(void)
{
	/*
	 * Resets in this queue wait for each other, so all of a NUMA node's must run at once. The
	 * host does not sleep during a reset.
	 */
	instinct_wq = alloc_workqueue("instinct_vfio", WQ_UNBOUND | WQ_FREEZABLE, WQ_MAX_ACTIVE);
	return instinct_wq ? 0 : -ENOMEM;
}

static void work_exit(void)
{
	destroy_workqueue(instinct_wq);
}

static int register_driver(void)
{
	return pci_register_driver(&instinct_pci_driver);
}

/* Lets go of all devices. */
static void unregister_driver(void)
{
	pci_unregister_driver(&instinct_pci_driver);
}

/* Each part needs the parts before it; work that a request has started may still emit events. */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ instinct_record_init, instinct_record_exit },
	{ instinct_isolation_init, instinct_isolation_exit },
	{ work_init, work_exit },
	{ instinct_netlink_init, instinct_netlink_exit },
	{ register_driver, unregister_driver },
};

static unsigned int parts_up;

static void instinct_exit(void)
{
	while (parts_up)
		parts[--parts_up].exit();
}

static int __init instinct_init(void)
{
	int ret;

	for (; parts_up < ARRAY_SIZE(parts); parts_up++) {
		ret = parts[parts_up].init();
		if (ret) {
			instinct_exit();
			return ret;
		}
	}
	return 0;
}

module_init(instinct_init);
module_exit(instinct_exit);

MODULE_DESCRIPTION("VFIO for AMD Instinct GPUs that survive their resets");
MODULE_AUTHOR("The instinct-vfio authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(INSTINCT_VFIO_VERSION);
