// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts of ports. QEMU's ports do not see the events of the modelled ones, so the
 * model raises them itself, in hard interrupt context like real ones.
 */
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/irqdesc.h>
#include <linux/pci.h>

#include "model.h"

static void raise_all(struct irq_work *work)
{
	struct im_tree *tree;
	struct im_func *f;

	list_for_each_entry(tree, &im_trees, node)
		list_for_each_entry(f, &tree->funcs, node) {
			unsigned int irq = xchg(&f->irq, 0);

			if (irq)
				generic_handle_irq(irq);
		}
}

static DEFINE_IRQ_WORK(raise, raise_all);

/* Return: true if the port has an interrupt to raise now. */
static bool prepare(struct im_func *f)
{
	struct pci_dev *pdev;

	if (!f->irq_due)
		return false;
	pdev = pci_get_domain_bus_and_slot(pci_domain_nr(f->tree->root_bus),
					   f->path->number, f->devfn);
	if (!pdev)
		return false;
	WRITE_ONCE(f->irq_due, false);
	if (pdev->msi_enabled)
		xchg(&f->irq, pdev->irq);
	pci_dev_put(pdev);
	return f->irq;
}

/**
 * im_interrupt_deliver() - raise the interrupts that are due
 *
 * Context: process; one thread only.
 */
void im_interrupt_deliver(void)
{
	struct im_tree *tree;
	struct im_func *f;
	bool any = false;

	list_for_each_entry(tree, &im_trees, node)
		list_for_each_entry(f, &tree->funcs, node)
			any |= prepare(f);
	if (any)
		irq_work_queue(&raise);
}

/**
 * im_interrupt_stop() - wait for interrupts under way
 *
 * Context: process.
 */
void im_interrupt_stop(void)
{
	irq_work_sync(&raise);
}
