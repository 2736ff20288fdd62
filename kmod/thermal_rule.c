// SPDX-License-Identifier: GPL-2.0-only
#include "thermal_rule.h"

#define NS_PER_MS	1000000ull
#define SCALE_MAX	1000000
#define ADD_MAX		1000000
#define BAR_MAX		5

/**
 * instinct_thermal_register_same() - do two registers say the same?
 * @a: one
 * @b: the other
 *
 * Return: true if they do.
 */
bool instinct_thermal_register_same(const struct instinct_thermal_register *a,
				    const struct instinct_thermal_register *b)
{
	return a->set == b->set && a->bar == b->bar && a->offset == b->offset &&
	       a->mask == b->mask && a->shift == b->shift && a->scale == b->scale &&
	       a->add == b->add;
}

/**
 * instinct_thermal_same() - are two policies the same?
 * @a: one
 * @b: the other
 *
 * Return: true if all of it is.
 */
bool instinct_thermal_same(const struct instinct_thermal_policy *a,
			   const struct instinct_thermal_policy *b)
{
	unsigned int i;

	for (i = 0; i < INSTINCT_MMIO_SENSORS; i++)
		if (!instinct_thermal_register_same(&a->mmio[i], &b->mmio[i]))
			return false;
	return !memcmp(a->limits, b->limits, sizeof(a->limits)) &&
	       a->hysteresis == b->hysteresis && a->hold == b->hold &&
	       a->stale == b->stale && a->interval == b->interval;
}

/**
 * instinct_thermal_register_check() - can it be one?
 * @reg: register
 * @why: set to the reason, for people, when it cannot
 *
 * Return: 0 or -ERANGE.
 */
int instinct_thermal_register_check(const struct instinct_thermal_register *reg,
				    const char **why)
{
	if (!reg->set)
		return 0;
	if (reg->bar > BAR_MAX || reg->offset % 4) {
		*why = "a temperature's register must be in BAR 0 to 5, at a dword-aligned offset";
		return -ERANGE;
	}
	if (!reg->mask || reg->shift > 31 || !(reg->mask >> reg->shift)) {
		*why = "mask and shift of a temperature's register must leave something of it";
		return -ERANGE;
	}
	if (!reg->scale || reg->scale > SCALE_MAX || reg->scale < -SCALE_MAX ||
	    reg->add > ADD_MAX || reg->add < -ADD_MAX) {
		*why = "scale of a temperature's register must be 1 to 1000000 millidegrees or as much below 0, add 0 to 1000000 or as much below 0";
		return -ERANGE;
	}
	return 0;
}

/**
 * instinct_thermal_limits_check() - do thresholds go together?
 * @limits: of a sensor, each in its range
 * @why: set to the reason, for people, when they do not
 *
 * Return: 0 or -ERANGE.
 */
int instinct_thermal_limits_check(const struct instinct_thermal_limits *limits,
				  const char **why)
{
	if (limits->warning && limits->critical && limits->warning > limits->critical) {
		*why = "a warning threshold must not be above the critical one of its sensor";
		return -ERANGE;
	}
	return 0;
}

static int digit(char c, unsigned int base)
{
	unsigned int value;

	if (c >= '0' && c <= '9')
		value = c - '0';
	else if (c >= 'a' && c <= 'f')
		value = c - 'a' + 10;
	else
		return -1;
	return value < base ? (int)value : -1;
}

/* A number of 32 bits at *text, which is moved past it. */
static bool scan_u32(const char **text, u32 *value)
{
	unsigned int base = 10;
	const char *at = *text;
	u64 number = 0;

	if (at[0] == '0' && at[1] == 'x') {
		base = 16;
		at += 2;
	}
	if (digit(*at, base) < 0)
		return false;
	for (; digit(*at, base) >= 0; at++) {
		number = number * base + digit(*at, base);
		if (number > 0xffffffffull)
			return false;
	}
	*text = at;
	*value = number;
	return true;
}

static bool scan_s32(const char **text, s32 *value)
{
	bool negative = **text == '-';
	u32 number;

	*text += negative;
	if (!scan_u32(text, &number) || number > 0x7fffffff)
		return false;
	*value = negative ? -(s32)number : (s32)number;
	return true;
}

static bool skip(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length))
		return false;
	*text += length;
	return true;
}

static bool scan_option(const char **text, struct instinct_thermal_register *reg)
{
	if (skip(text, ",mask="))
		return scan_u32(text, &reg->mask);
	if (skip(text, ",shift="))
		return scan_u32(text, &reg->shift);
	if (skip(text, ",scale="))
		return scan_s32(text, &reg->scale);
	if (skip(text, ",add="))
		return scan_s32(text, &reg->add);
	return false;
}

/**
 * instinct_thermal_register_parse() - a register as policy writes it
 * @reg: set
 * @text: "none", or "BAR:OFFSET" and after that ",mask=M", ",shift=N", ",scale=N",
 *	",add=N" as needed
 * @why: set to what is wrong, for people
 *
 * Return: 0, -EINVAL, or -ERANGE.
 */
int instinct_thermal_register_parse(struct instinct_thermal_register *reg,
				    const char *text, const char **why)
{
	*reg = (struct instinct_thermal_register) { };
	if (!strcmp(text, "none"))
		return 0;
	reg->set = true;
	reg->mask = ~0u;
	reg->scale = 1000;
	*why = "a temperature's register is written as none or BAR:OFFSET[,mask=M][,shift=N][,scale=N][,add=N]";
	if (!scan_u32(&text, &reg->bar) || !skip(&text, ":") ||
	    !scan_u32(&text, &reg->offset))
		return -EINVAL;
	while (*text)
		if (!scan_option(&text, reg))
			return -EINVAL;
	return instinct_thermal_register_check(reg, why);
}

/**
 * instinct_thermal_register_format() - the opposite
 * @reg: register
 * @text: set; what is as it is by default is left out
 * @size: of @text in bytes, INSTINCT_MMIO_BYTES is enough
 */
void instinct_thermal_register_format(const struct instinct_thermal_register *reg,
				      char *text, size_t size)
{
	size_t used;

	if (!reg->set) {
		snprintf(text, size, "none");
		return;
	}
	used = snprintf(text, size, "%u:0x%x", reg->bar, reg->offset);
	if (reg->mask != ~0u && used < size)
		used += snprintf(text + used, size - used, ",mask=0x%x", reg->mask);
	if (reg->shift && used < size)
		used += snprintf(text + used, size - used, ",shift=%u", reg->shift);
	if (reg->scale != 1000 && used < size)
		used += snprintf(text + used, size - used, ",scale=%d", reg->scale);
	if (reg->add && used < size)
		snprintf(text + used, size - used, ",add=%d", reg->add);
}

/**
 * instinct_thermal_register_value() - what a register says
 * @reg: register
 * @read: what it holds
 * @temperature: set
 *
 * Return: false if that is no temperature: all ones, or nothing that could be.
 */
bool instinct_thermal_register_value(const struct instinct_thermal_register *reg,
				     u32 read, s32 *temperature)
{
	s64 value = (s64)((read & reg->mask) >> reg->shift) * reg->scale + reg->add;

	if (read == ~0u || value < INSTINCT_VFIO_TEMPERATURE_MIN ||
	    value > INSTINCT_VFIO_TEMPERATURE_MAX)
		return false;
	*temperature = value;
	return true;
}

/**
 * instinct_thermal_threshold() - of an alarm
 * @limits: of the sensor
 * @alarm: which, not NONE
 *
 * Return: it, 0 for none.
 */
s32 instinct_thermal_threshold(const struct instinct_thermal_limits *limits,
			       enum instinct_vfio_alarm alarm)
{
	return alarm == INSTINCT_VFIO_ALARM_WARNING ? limits->warning : limits->critical;
}

static bool is_over(const struct instinct_thermal_policy *policy, s32 limit,
		    s32 temperature, u64 held)
{
	if (!limit)
		return true;
	/* Below it in any case, or an alarm would be cleared and raised in one step. */
	return temperature < limit && temperature <= limit - (s32)policy->hysteresis &&
	       held >= policy->hold * NS_PER_MS;
}

/**
 * instinct_thermal_step() - what a sample changes
 * @policy: of the device
 * @sensor: which
 * @alarms: of the sensor, changed
 * @temperature: the sample
 * @now: when it was taken, ns
 * @change: set to what is to be told, in that order: on the way up the warning comes
 *	first, on the way down it goes last
 *
 * An alarm is raised at once, however short ago it was cleared, and is cleared only
 * when the temperature has fallen by the hysteresis and the alarm has stood for as
 * long as policy wants: so nothing is hidden, and jitter tells nothing.
 *
 * Return: how many.
 */
unsigned int instinct_thermal_step(const struct instinct_thermal_policy *policy,
				   enum instinct_vfio_sensor sensor,
				   struct instinct_thermal_alarms *alarms,
				   s32 temperature, u64 now,
				   struct instinct_thermal_change change[INSTINCT_ALARMS])
{
	const struct instinct_thermal_limits *limits = &policy->limits[sensor];
	unsigned int changes = 0, alarm;
	s32 limit;

	for (alarm = INSTINCT_ALARMS; alarm; alarm--) {
		limit = instinct_thermal_threshold(limits, alarm);
		if (!(alarms->raised & BIT(alarm)) ||
		    !is_over(policy, limit, temperature, now - alarms->since[alarm]))
			continue;
		alarms->raised &= ~BIT(alarm);
		change[changes++] = (struct instinct_thermal_change) {
			.alarm = alarm, .threshold = limit,
		};
	}
	for (alarm = 1; alarm <= INSTINCT_ALARMS; alarm++) {
		limit = instinct_thermal_threshold(limits, alarm);
		if ((alarms->raised & BIT(alarm)) || !limit || temperature < limit)
			continue;
		alarms->raised |= BIT(alarm);
		alarms->since[alarm] = now;
		change[changes++] = (struct instinct_thermal_change) {
			.alarm = alarm, .raised = true, .threshold = limit,
		};
	}
	return changes;
}

/**
 * instinct_thermal_level() - the gravest alarm that is raised
 * @raised: BIT(enum instinct_vfio_alarm) of a sensor
 *
 * Return: it.
 */
enum instinct_vfio_alarm instinct_thermal_level(u32 raised)
{
	if (raised & BIT(INSTINCT_VFIO_ALARM_CRITICAL))
		return INSTINCT_VFIO_ALARM_CRITICAL;
	return raised & BIT(INSTINCT_VFIO_ALARM_WARNING) ?
	       INSTINCT_VFIO_ALARM_WARNING : INSTINCT_VFIO_ALARM_NONE;
}
