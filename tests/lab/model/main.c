// SPDX-License-Identifier: GPL-2.0-only
/*
 * instinct-model makes the functions of a QEMU machine look and behave like AMD Instinct
 * GPUs on their boards. It is for tests only; see README.md.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/string.h>
#include <linux/suspend.h>

#include "model.h"

static char *board = "mi300x-1";
module_param(board, charp, 0444);
MODULE_PARM_DESC(board, "mi300x-1, mi300x-8, mi300x-64 or mi355x-8");

static const struct im_board boards[] = {
	{ "mi300x-1", 0x100274a1, 0x15b3101e },
	{ "mi300x-8", 0x100274a1, 0x15b3101e },
	{ "mi300x-64", 0x100274a1, 0x15b3101e },
	{ "mi355x-8", 0x100275a3, 0x1dd81003 },
};

const struct im_board *im_board;

static bool released;

static int on_sleep(struct notifier_block *block, unsigned long event, void *unused)
{
	im_reset_sleep(event == PM_SUSPEND_PREPARE);
	return NOTIFY_DONE;
}

static struct notifier_block sleep_listener = {
	.notifier_call = on_sleep,
};

static int __init model_init(void)
{
	int err;
	int i;

	for (i = 0; i < ARRAY_SIZE(boards); i++)
		if (!strcmp(board, boards[i].name))
			im_board = &boards[i];
	if (!im_board) {
		pr_warn("board: %s; allowed: mi300x-1, mi300x-8, mi300x-64, mi355x-8\n", board);
		return -EINVAL;
	}

	err = im_heat_start();
	if (err)
		return err;
	err = im_neighbour_start();
	if (err) {
		im_heat_stop();
		return err;
	}
	err = im_board_start();
	if (err) {
		pr_err("no functions to model: %d\n", err);
		im_neighbour_stop();
		im_heat_stop();
		return err;
	}
	err = im_knob_start() ?: im_regs_start();
	if (err) {
		im_board_stop();
		im_knob_stop();
		im_neighbour_stop();
		im_heat_stop();
		im_board_free();
		return err;
	}

	register_pm_notifier(&sleep_listener);
	__module_get(THIS_MODULE);
	return 0;
}

/**
 * im_release() - make the module unloadable
 *
 * The module holds a reference to itself, since the model may have to refuse its unloading.
 *
 * Context: process, called once at a time.
 * Return: 0, -EBUSY if another interposer sits above the model, -EALREADY.
 */
int im_release(void)
{
	int err;

	if (released)
		return -EALREADY;
	err = im_board_stop();
	if (err)
		return err;
	released = true;
	module_put(THIS_MODULE);
	return 0;
}

static void __exit model_exit(void)
{
	unregister_pm_notifier(&sleep_listener);
	im_knob_stop();
	im_neighbour_stop();
	im_heat_stop();
	im_board_free();
}

module_init(model_init);
module_exit(model_exit);

MODULE_DESCRIPTION("Hardware model of AMD Instinct boards for tests in QEMU");
MODULE_LICENSE("GPL");
