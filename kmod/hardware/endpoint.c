// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>

#include "hardware/endpoint.h"

/**
 * instinct_endpoint_answers() - does the function answer config reads?
 * @pdev: function
 *
 * A function answers only with its own IDs. All ones mean that no function answers. A root port
 * with RRS software visibility returns a Vendor ID of 0x0001 for a function that is not ready yet
 * (PCIe r6.0 sec 2.3.2). A switch may answer with a placeholder.
 *
 * Return: true if the function is there and ready.
 */
bool instinct_endpoint_answers(struct pci_dev *pdev)
{
	u32 id;

	pci_read_config_dword(pdev, PCI_VENDOR_ID, &id);
	return id == (pdev->device << 16 | pdev->vendor);
}

/**
 * instinct_endpoint_erred() - has the function reported a fatal error?
 * @pdev: function that answers
 *
 * Return: true if Fatal Error Detected is set, which software may have cleared since an error.
 */
bool instinct_endpoint_erred(struct pci_dev *pdev)
{
	u16 status;

	pcie_capability_read_word(pdev, PCI_EXP_DEVSTA, &status);
	return status != U16_MAX && status & PCI_EXP_DEVSTA_FED;
}
