// SPDX-License-Identifier: GPL-2.0-or-later
#include "left_out.h"
#include "say.h"

/**
 * left_out() - check whether a device cannot be put under policy
 * @conf: policy
 * @dev: device, from inventory_get() or conf_add_unmanaged()
 *
 * The module gives a GPU that it cannot identify no policy, and hands out no GPU without a
 * policy. So leaving such a GPU out does not weaken isolation.
 *
 * Return: the reason for leaving the device out, or LEFT_OUT_NOT.
 */
enum left_out left_out(const struct conf *conf, const struct device *dev)
{
	if (dev->pending && dev->silent)
		return LEFT_OUT_SILENT;
	return conf_is_unsure(conf, dev) ? LEFT_OUT_UNSURE : LEFT_OUT_NOT;
}

/**
 * left_out_warn() - warn about a device that is left out
 * @conf: policy; conf_check_managed() has already reported devices that are LEFT_OUT_UNSURE
 * @dev: device that is left out
 */
void left_out_warn(const struct conf *conf, const struct device *dev)
{
	if (!dev->unmanaged && left_out(conf, dev) != LEFT_OUT_UNSURE)
		say_warning("%s is left out: it does not answer, so it has no policy and cannot be opened",
			    dev->bdf);
}
