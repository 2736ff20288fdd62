// SPDX-License-Identifier: GPL-2.0-or-later
#include "left_out.h"
#include "say.h"

/**
 * left_out() - can a device not be put under policy?
 * @conf: policy
 * @dev: device, by inventory_get() or conf_add_plain()
 *
 * A GPU that nobody can identify is given no policy by the module. Without one it is
 * not handed out, so that to leave it out opens nothing.
 *
 * Return: why not, or LEFT_OUT_NOT.
 */
enum left_out left_out(const struct conf *conf, const struct device *dev)
{
	if (dev->waiting && dev->silent)
		return LEFT_OUT_SILENT;
	return conf_is_unsure(conf, dev) ? LEFT_OUT_UNSURE : LEFT_OUT_NOT;
}

/**
 * left_out_warn() - say so
 * @conf: policy, of whose unsure ones conf_check_managed() has told
 * @dev: device that is left out
 */
void left_out_warn(const struct conf *conf, const struct device *dev)
{
	if (!dev->plain && left_out(conf, dev) != LEFT_OUT_UNSURE)
		say_warning("%s is left out: it does not answer, and stays shut: no policy",
			    dev->bdf);
}
