// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/workqueue.h>

#include "device/device.h"
#include "device/record.h"
#include "isolation/isolation.h"
#include "netlink/family.h"
#include "vfio/driver.h"

struct workqueue_struct *instinct_wq;

/* Each part needs the parts before it; work that a request has started may still emit events. */
static int __init instinct_init(void)
{
	int ret;

	instinct_isolation_init();
	/*
	 * Resets in this queue wait for each other, so all of a NUMA node's must run at once. The
	 * host does not sleep during a reset.
	 */
	instinct_wq = alloc_workqueue("instinct_vfio", WQ_UNBOUND | WQ_FREEZABLE, WQ_MAX_ACTIVE);
	if (!instinct_wq)
		return -ENOMEM;
	ret = instinct_guard_init();
	if (ret)
		goto err_work;
	ret = instinct_netlink_init();
	if (ret)
		goto err_guard;
	ret = pci_register_driver(&instinct_pci_driver);
	if (!ret)
		return 0;
	instinct_netlink_exit();
err_guard:
	instinct_guard_exit();
err_work:
	destroy_workqueue(instinct_wq);
	instinct_isolation_exit();
	instinct_record_exit();
	return ret;
}

/* Lets go of all devices first. */
static void __exit instinct_exit(void)
{
	pci_unregister_driver(&instinct_pci_driver);
	instinct_netlink_exit();
	instinct_guard_exit();
	destroy_workqueue(instinct_wq);
	instinct_isolation_exit();
	instinct_record_exit();
}

module_init(instinct_init);
module_exit(instinct_exit);

MODULE_DESCRIPTION("VFIO for AMD Instinct GPUs that survive their resets");
MODULE_AUTHOR("The instinct-vfio authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(INSTINCT_VFIO_VERSION);
