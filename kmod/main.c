// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

#include "errand.h"
#include "event.h"
#include "isolation.h"
#include "netlink.h"
#include "record.h"
#include "rescan.h"
#include "variant.h"

static int __init instinct_init(void)
{
	int ret;

	ret = instinct_errand_init();
	if (ret)
		return ret;
	ret = instinct_record_init();
	if (ret)
		goto err_errand;
	ret = instinct_event_init();
	if (ret)
		goto err_record;
	ret = instinct_isolation_init();
	if (ret)
		goto err_event;
	ret = instinct_netlink_init();
	if (ret)
		goto err_isolation;
	ret = instinct_rescan_init();
	if (ret)
		goto err_netlink;
	ret = instinct_variant_init();
	if (ret)
		goto err_rescan;
	return 0;

err_rescan:
	instinct_rescan_exit();
err_netlink:
	instinct_netlink_exit();
err_isolation:
	instinct_isolation_exit();
err_event:
	instinct_event_exit();
err_record:
	instinct_record_exit();
err_errand:
	instinct_errand_exit();
	return ret;
}

static void __exit instinct_exit(void)
{
	instinct_variant_exit();
	instinct_rescan_exit();
	instinct_netlink_exit();
	instinct_isolation_exit();
	instinct_event_exit();
	instinct_errand_exit();
	instinct_record_exit();
}

module_init(instinct_init);
module_exit(instinct_exit);

MODULE_DESCRIPTION("VFIO for AMD Instinct GPUs that survive their resets");
MODULE_AUTHOR("The instinct-vfio authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(INSTINCT_VFIO_VERSION);
