// SPDX-License-Identifier: GPL-2.0-only
/*
 * A driver for any function whose driver_override names it, such as the NIC beside a GPU.
 * Like many NIC drivers it asks for a reset after each error and restarts in resume().
 */
#include <linux/pci.h>

#include "model.h"

static int neighbour_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	return 0;
}

static void neighbour_remove(struct pci_dev *pdev)
{
	im_import_end();
}

static pci_ers_result_t neighbour_error_detected(struct pci_dev *pdev,
						 pci_channel_state_t state)
{
	pci_info(pdev, "neighbour: an error\n");
	return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT :
						      PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t neighbour_slot_reset(struct pci_dev *pdev)
{
	pci_info(pdev, "neighbour: its slot was reset\n");
	return PCI_ERS_RESULT_RECOVERED;
}

static void neighbour_resume(struct pci_dev *pdev)
{
	pci_info(pdev, "neighbour: up again\n");
}

static const struct pci_error_handlers neighbour_err_handlers = {
	.error_detected = neighbour_error_detected,
	.slot_reset = neighbour_slot_reset,
	.resume = neighbour_resume,
};

static const struct pci_device_id neighbour_table[] = {
	{ }
};

static struct pci_driver neighbour_driver = {
	.name = "instinct-neighbour",
	.id_table = neighbour_table,
	.probe = neighbour_probe,
	.remove = neighbour_remove,
	.dev_groups = im_import_groups,
	.err_handler = &neighbour_err_handlers,
};

/**
 * im_neighbour_start() - register the driver
 *
 * Return: 0 or a negative errno.
 */
int im_neighbour_start(void)
{
	return pci_register_driver(&neighbour_driver);
}

/**
 * im_neighbour_stop() - unregister the driver
 */
void im_neighbour_stop(void)
{
	pci_unregister_driver(&neighbour_driver);
}
