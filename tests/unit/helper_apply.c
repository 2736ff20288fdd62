// SPDX-License-Identifier: GPL-2.0-only
/* Putting a policy in force, against a fake module. */
#include <errno.h>
#include <stdlib.h>

#include "apply.h"
#include "helper_util.h"
#include "inventory.h"
#include "out_apply.h"
#include "out_change.h"
#include "policy_state.h"
#include "say.h"

/* The fake module: its devices and answers. */
static struct device gpu[4];
static size_t gpus;
static int answers[16];			/* to each request in turn */
static int always;			/* to a request without an answer above */
static int64_t clock_ms;
static struct isolated port;
static size_t ports;
static unsigned int sets, looks;
static struct nl_blame blames;
static void (*between)(void);		/* called between plan and request */
static void (*after)(void);		/* called between request and reading back */

static int fake_list(struct nl *nl, struct devices *devices)
{
	size_t i;

	(void)nl;
	for (i = 0; i < gpus; i++)
		*devices_add(devices) = gpu[i];
	return 0;
}

static void take(const struct change *change)
{
	size_t i;

	for (i = 0; i < gpus; i++)
		if (!strcmp(gpu[i].bdf, change->bdf) && gpu[i].unmanaged == change->unmanaged) {
			gpu[i].policy = change->wanted;
			gpu[i].policy_set = true;
		}
}

static int fake_set(struct nl *nl, const struct changes *changes, struct nl_blame *blame)
{
	void (*meanwhile)(void) = between;
	size_t i;
	int ret;

	(void)nl;
	between = NULL;
	if (meanwhile)
		meanwhile();
	ret = sets < 16 && answers[sets] ? answers[sets] : always;
	sets++;
	*blame = blames;
	if (ret && ret != -ENOBUFS)
		return ret;
	for (i = 0; i < changes->count; i++)
		take(&changes->list[i]);
	meanwhile = after;
	after = NULL;
	if (meanwhile)
		meanwhile();
	return ret;
}

static int fake_look(struct nl *nl)
{
	(void)nl;
	looks++;
	return 0;
}

static const char *fake_message(const struct nl *nl)
{
	(void)nl;
	return "IOMMU groups rely on it";
}

static int fake_ports(struct nl *nl, struct isolation *isolation)
{
	size_t i;

	(void)nl;
	for (i = 0; i < ports; i++)
		*isolation_add(isolation) = port;
	return 0;
}

static int64_t fake_now(void)
{
	return clock_ms;
}

static void fake_pause(unsigned int ms)
{
	CHECK(ms >= 50 && ms <= 1000);
	clock_ms += ms;
}

static const char *no_message(const struct nl *nl)
{
	(void)nl;
	return "";
}

static struct apply_calls fake = {
	.list = fake_list, .set = fake_set, .read = fake_list, .look = fake_look,
	.ports = fake_ports, .message = fake_message, .now = fake_now, .pause = fake_pause,
};

static void add(const char *bdf, bool pending)
{
	struct device *dev = &gpu[gpus++];

	*dev = (struct device) { .vendor = 0x1002, .device = 0x74a1, .family = "mi300x",
				 .pending = pending, .iommu_group = GROUP_NONE };
	snprintf(dev->bdf, sizeof(dev->bdf), "%s", bdf);
	conf_defaults(&dev->policy);
}

static void host(void)
{
	say_reported();
	memset(answers, 0, sizeof(answers));
	fake.message = fake_message;
	always = 0;
	clock_ms = 1000;
	ports = 0;
	gpus = 0;
	sets = 0;
	looks = 0;
	between = NULL;
	after = NULL;
	blames = (struct nl_blame) { .change = 99 };
	add("0000:c1:00.0", false);
	add("0000:c2:00.0", true);
}

static struct conf conf;

/* Applies @text; returns the exit code, and leaves stderr in util_caught. */
static int run(struct apply *apply, const char *text)
{
	int code;

	*apply = (struct apply) { .calls = &fake, .conf = &conf };
	util_write("policy.conf", text);
	util_catch(STDERR_FILENO);
	code = conf_open(&conf, "policy.conf");
	CHECK_INT(code, 0);
	code = apply_run(apply);
	util_caught_text();
	return code;
}

static void end(struct apply *apply)
{
	apply_free(apply);
	conf_free(&conf);
}

static void test_all_at_once_then_nothing(void)
{
	struct apply apply;

	host();
	CHECK_INT(run(&apply, "[default]\nmethod = mode1\n"), EXIT_OK);
	CHECK_INT(sets, 1);
	CHECK_INT(looks, 0);
	CHECK_INT(apply.written, 2);
	CHECK(apply.applied && apply.verified);
	CHECK_INT(gpu[1].policy.method, INSTINCT_VFIO_METHOD_MODE1);
	end(&apply);
	CHECK_INT(run(&apply, "[default]\nmethod = mode1\n"), EXIT_OK);
	CHECK_INT(sets, 1);
	CHECK_INT(looks, 1);
	CHECK_INT(apply.written, 0);
	CHECK(apply.applied && apply.verified);
	end(&apply);
	/* A key that is removed from the file returns to its default. */
	CHECK_INT(run(&apply, ""), EXIT_OK);
	CHECK_INT(sets, 2);
	CHECK_INT(gpu[0].policy.method, INSTINCT_VFIO_METHOD_AUTO);
	end(&apply);
}

static void test_wrong_policy(void)
{
	struct apply apply;

	host();
	CHECK_INT(run(&apply, "[default]\nmethod = flx\nscope = host\n[device 0000:fe:00.0]\nacs = vm\n"),
		  EXIT_ERROR);
	CHECK_INT(sets, 0);
	CHECK_INT(conf.errors, 2);
	CHECK(strstr(util_caught, "policy.conf: 2 errors; nothing has been changed"));
	CHECK(!apply.applied);
	end(&apply);
}

static void test_refused(void)
{
	struct apply apply;

	host();
	answers[0] = -EINVAL;
	blames = (struct nl_blame) { 1, &conf_keys[CONF_ACS] };
	CHECK_INT(run(&apply, "[default]\nacs = vm-p2p\n"), EXIT_ERROR);
	CHECK_STR(util_caught, "instinctctl: 0000:c2:00.0: acs: IOMMU groups rely on it (Invalid argument)\n");
	CHECK_INT(apply.written, 0);
	CHECK(!apply.applied && !apply.verified);
	end(&apply);
	answers[1] = -EOPNOTSUPP;
	blames.key = NULL;
	CHECK_INT(run(&apply, ""), EXIT_UNSUPPORTED);
	CHECK(strstr(util_caught, "0000:c2:00.0: IOMMU"));
	end(&apply);
	answers[2] = -EPERM;
	blames.change = 2;
	CHECK_INT(run(&apply, ""), EXIT_PERMISSION);
	CHECK(strstr(util_caught, "set policies: IOMMU"));
	end(&apply);
}

static void comes(void)
{
	add("0000:c3:00.0", false);
}

static void goes(void)
{
	gpus--;
	answers[0] = -ENODEV;
}

/* The driver binds the pending GPU, with the policy that was sent for it. */
static void is_taken(void)
{
	gpu[1].pending = false;
}

static void somebody_else(void)
{
	gpu[0].policy.method = INSTINCT_VFIO_METHOD_BUS;
}

static void somebody_else_again(void)
{
	somebody_else();
	after = somebody_else;
}

static void test_the_host_changes(void)
{
	struct apply apply;

	host();
	between = comes;
	CHECK_INT(run(&apply, "[default]\nmethod = mode1\n"), EXIT_OK);
	CHECK_INT(sets, 2);
	CHECK_INT(apply.written, 3);
	CHECK(gpu[2].policy_set);
	end(&apply);

	host();
	between = goes;
	CHECK_INT(run(&apply, ""), EXIT_OK);
	CHECK_INT(sets, 2);
	CHECK_INT(apply.written, 1);
	end(&apply);

	host();
	after = is_taken;
	CHECK_INT(run(&apply, ""), EXIT_OK);
	CHECK_INT(sets, 1);
	end(&apply);

	host();
	after = somebody_else;
	CHECK_INT(run(&apply, ""), EXIT_OK);
	CHECK_INT(sets, 2);
	end(&apply);
}

static void test_it_never_settles(void)
{
	struct apply apply;

	host();
	always = -ENODEV;
	CHECK_INT(run(&apply, ""), EXIT_ERROR);
	CHECK(sets > 10);
	CHECK(clock_ms >= 11000 && clock_ms <= 12000);
	CHECK_STR(util_caught, "instinctctl: a device: IOMMU groups rely on it\n");
	CHECK(!apply.applied);
	end(&apply);

	host();
	always = -EEXIST;
	fake.message = no_message;
	CHECK_INT(run(&apply, ""), EXIT_ERROR);
	CHECK_STR(util_caught, "instinctctl: devices come and go while the policy is applied; run it again when that is over\n");
	end(&apply);

	host();
	after = somebody_else_again;
	CHECK_INT(run(&apply, ""), EXIT_ERROR);
	CHECK(strstr(util_caught, "0000:c1:00.0: policy does not read back"));
	CHECK(!apply.applied && !apply.verified);
	end(&apply);
}

static void test_bound_meanwhile(void)
{
	struct apply apply;

	host();
	answers[0] = -EAGAIN;
	answers[1] = -EBUSY;
	answers[2] = -EAGAIN;
	CHECK_INT(run(&apply, ""), EXIT_OK);
	CHECK_INT(sets, 4);
	CHECK_INT(apply.written, 2);
	CHECK_STR(util_caught, "");
	end(&apply);
}

/* apply waits for a busy device for 100 s, and then gives up. */
static void test_busy_for_long(void)
{
	struct apply apply;

	host();
	blames.change = 1;
	always = -EAGAIN;
	CHECK_INT(run(&apply, ""), EXIT_ERROR);
	CHECK(clock_ms >= 101000 && clock_ms <= 102000);
	CHECK_STR(util_caught,
		  "instinctctl: warning: 0000:c2:00.0 is being bound, unbound or reset; its policy waits for that\n"
		  "instinctctl: 0000:c2:00.0 has been bound, unbound or reset for 100 s; nothing has been changed, try again\n");
	CHECK(!apply.applied);
	end(&apply);
}

/* A GPU that does not answer must not keep the others from their policy. */
static void test_silent(void)
{
	struct apply apply;
	json_t *json, *list;

	host();
	add("0000:c3:00.0", true);
	gpu[2].silent = true;
	CHECK_INT(run(&apply, "[default]\nmethod = mode1\nacs = vm\n"), EXIT_OK);
	CHECK_STR(util_caught, "instinctctl: warning: 0000:c3:00.0 is left out: it does not answer, so it has no policy and cannot be opened\n");
	CHECK_INT(sets, 1);
	CHECK(apply.applied && apply.verified && gpu[0].policy_set && gpu[1].policy_set);
	CHECK(!gpu[2].policy_set);
	json = out_apply_json(&apply);
	list = json_object_get(json, "unreachable");
	CHECK_INT(json_array_size(list), 1);
	CHECK_STR(json_string_value(json_array_get(list, 0)), "0000:c3:00.0");
	json_decref(json);
	end(&apply);

	/* The module reports that the GPU does not answer. */
	host();
	answers[0] = -ENXIO;
	blames.change = 1;
	CHECK_INT(run(&apply, ""), EXIT_OK);
	CHECK(strstr(util_caught, "0000:c2:00.0 is left out: it does not answer"));
	CHECK_INT(sets, 2);
	CHECK_INT(apply.written, 1);
	CHECK(apply.applied && gpu[0].policy_set && !gpu[1].policy_set);
	end(&apply);

	host();
	blames.change = 99;
	always = -ENXIO;
	CHECK_INT(run(&apply, ""), EXIT_ERROR);
	CHECK_INT(sets, 1);
	end(&apply);
}

/* A GPU whose section cannot be determined gets no policy. */
static void test_unsure(void)
{
	struct apply apply;

	host();
	gpu[1].serial_unknown = true;
	CHECK_INT(run(&apply, "[device serial=0123-4567-89ab-cdef]\ntenancy = multi\n"), EXIT_OK);
	CHECK(strstr(util_caught, "cannot read the serial number of 0000:c2:00.0"));
	CHECK(gpu[0].policy_set && !gpu[1].policy_set);
	end(&apply);
	CHECK_INT(run(&apply, "[default]\ntenancy = multi\n"), EXIT_OK);
	CHECK_STR(util_caught, "");
	CHECK(gpu[1].policy_set);
	end(&apply);
}

/* A section for a GPU that is not there, by its address or its serial number, is no fault of the others. */
static void test_absent(void)
{
	struct apply apply;
	json_t *json;

	host();
	CHECK_INT(run(&apply, "[default]\nmethod = mode1\n[device 0000:fe:00.0]\nmethod = bus\nats = required\n"),
		  EXIT_ABSENT);
	CHECK_STR(util_caught, "policy.conf:3: warning: this host has no PCI device with the address, found [device 0000:fe:00.0]; instinctctl ignores this section\n");
	CHECK_INT(apply.written, 2);
	CHECK(apply.applied && apply.verified && gpu[0].policy_set && gpu[1].policy_set);
	CHECK_INT(gpu[0].policy.method, INSTINCT_VFIO_METHOD_MODE1);
	json = out_apply_json(&apply);
	CHECK_STR(json_string_value(json_array_get(json_object_get(json, "absent"), 0)), "0000:fe:00.0");
	json_decref(json);
	end(&apply);
	CHECK_INT(run(&apply, "[default]\nmethod = mode1\n[device serial=0123456789abcdef]\n"), EXIT_ABSENT);
	CHECK(strstr(util_caught, "warning: no GPU of this host has the serial number"));
	CHECK_INT(apply.written, 0);
	CHECK(apply.applied && apply.verified);
	end(&apply);
	/* A port that does not take its ACS is worse. */
	ports = 1;
	port = (struct isolated) { .bdf = "0000:00:01.0", .found = 0x41, .wanted = 0x1d, .mask = 0x1f };
	CHECK_INT(run(&apply, "[default]\nmethod = mode1\n[device 0000:fe:00.0]\n"), EXIT_DRIFT);
	end(&apply);
}

/* A port does not accept the ACS settings that were written to it. */
static void test_stubborn_port(void)
{
	struct apply apply;
	json_t *json;

	host();
	ports = 2;
	port = (struct isolated) { .bdf = "0000:00:01.0", .found = 0x41, .wanted = 0x1d, .mask = 0x1f };
	CHECK_INT(run(&apply, "[default]\ntenancy = multi\n"), EXIT_DRIFT);
	CHECK_STR(util_caught, "instinctctl: 0000:00:01.0 does not take its ACS: 0x0041, wanted 0x001d, and it is not the only port; see instinctctl check\n");
	CHECK_INT(apply.written, 2);
	CHECK(!apply.applied && !apply.verified);
	json = out_apply_json(&apply);
	CHECK_INT(json_array_size(json_object_get(json, "errors")), 1);
	json_decref(json);
	end(&apply);
	/* apply checks the ports even if no policy changes. */
	CHECK_INT(run(&apply, "[default]\ntenancy = multi\n"), EXIT_DRIFT);
	CHECK_INT(looks, 1);
	CHECK(!apply.applied && !apply.verified);
	end(&apply);
	port.found = 0x5d;
	CHECK_INT(run(&apply, "[default]\ntenancy = multi\n"), EXIT_OK);
	CHECK(apply.verified);
	end(&apply);
}

static void test_older_module(void)
{
	struct apply apply;

	host();
	always = -EOPNOTSUPP;
	fake.message = no_message;
	CHECK_INT(run(&apply, ""), EXIT_UNSUPPORTED);
	CHECK(strstr(util_caught, "the module is older than instinctctl: reload it"));
	end(&apply);
}

/* If the module's answer is lost, reading back shows what it has done. */
static void test_lost_answer(void)
{
	struct apply apply;

	host();
	answers[0] = -ENOBUFS;
	CHECK_INT(run(&apply, "[default]\nmethod = mode1\n"), EXIT_OK);
	CHECK(apply.applied && apply.verified);
	end(&apply);
}

static void test_dry_run(void)
{
	struct apply apply = { .calls = &fake, .conf = &conf, .dry_run = true };

	host();
	util_write("policy.conf", "");
	CHECK_INT(conf_open(&conf, "policy.conf"), 0);
	CHECK_INT(apply_run(&apply), EXIT_DRIFT);
	CHECK_INT(sets + looks, 0);
	CHECK(!apply.applied && !apply.verified);
	end(&apply);
}

/* apply records all GPUs that it finds, also those that it leaves out. */
static void test_record(void)
{
	static char text[512];
	struct apply apply;
	FILE *in;

	host();
	add("0000:c3:00.0", true);
	gpu[0].serial = 0xabc;
	gpu[2].silent = true;
	remove("var/lib/instinct-vfio/gpus");
	CHECK_INT(run(&apply, "[default]\nmethod = mode1\n"), EXIT_OK);
	end(&apply);
	in = fopen("var/lib/instinct-vfio/gpus", "r");
	CHECK(in);
	if (!in)
		return;
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	CHECK_STR(text, "0000:c1:00.0 74a1 serial=0000000000000abc\n"
		  "0000:c2:00.0 74a1 serial=0000000000000000\n"
		  "0000:c3:00.0 74a1 serial=0000000000000000\n");
	/* Neither a failure nor a dry run records anything. */
	add("0000:c4:00.0", false);
	always = -EINVAL;
	CHECK_INT(run(&apply, "[default]\nmethod = bus\n"), EXIT_ERROR);
	end(&apply);
	always = 0;
	apply = (struct apply) { .calls = &fake, .conf = &conf, .dry_run = true };
	CHECK_INT(conf_open(&conf, "policy.conf"), 0);
	util_catch(STDERR_FILENO);
	CHECK_INT(apply_run(&apply), EXIT_DRIFT);
	util_caught_text();
	end(&apply);
	in = fopen("var/lib/instinct-vfio/gpus", "r");
	CHECK_INT(fread(text, 1, sizeof(text) - 1, in), strlen(text));
	fclose(in);
}

static bool needs_module(const char *text)
{
	bool needed;

	util_write("policy.conf", text);
	CHECK_INT(conf_open(&conf, "policy.conf"), 0);
	CHECK_INT(apply_needs_module(&conf, &needed), 0);
	conf_free(&conf);
	return needed;
}

/* apply needs the module only for a GPU, or for an endpoint that the policy names. */
static void test_module_for_nobody(void)
{
	mkdir("sys", 0755);
	mkdir("sys/bus", 0755);
	mkdir("sys/bus/pci", 0755);
	mkdir("sys/bus/pci/devices", 0755);
	CHECK(!needs_module("[default]\nmethod = mode1\n"));
	mkdir("sys/bus/pci/devices/0000:c5:00.0", 0755);
	CHECK(!needs_module("[default]\nmethod = mode1\n"));
	CHECK(needs_module("[device 0000:c5:00.0]\nats = required\n"));
	util_write("sys/bus/pci/devices/0000:c5:00.0/vendor", "0x1002\n");
	util_write("sys/bus/pci/devices/0000:c5:00.0/device", "0x74a1\n");
	CHECK(needs_module(""));
}

/* A dead GPU's config space reads as all ones. Users other than root can read only 64 bytes. */
static void test_config_space(void)
{
	static const char config[] = "sys/bus/pci/devices/0000:c5:00.0/config";
	struct devices devices = { 0 };
	char bytes[65];

	memset(bytes, '\xff', 64);
	bytes[64] = '\0';
	util_write(config, bytes);
	CHECK_INT(inventory_get(NULL, &devices), 0);
	CHECK_INT(devices.count, 1);
	CHECK(devices.list[0].silent && devices.list[0].serial_unknown);
	devices_free(&devices);
	memset(bytes, '\x12', 64);
	util_write(config, bytes);
	CHECK_INT(inventory_get(NULL, &devices), 0);
	CHECK(!devices.list[0].silent && devices.list[0].serial_unknown);
	devices_free(&devices);
}

/* An unmanaged GPU of this host becomes pending; a pending policy of an absent GPU is dropped. */
static void test_inventory(void)
{
	struct devices found = { 0 }, here = { 0 };
	size_t i;

	host();
	add("0000:d1:00.0", true);
	for (i = 0; i < gpus; i++) {
		gpu[i].policy_set = true;
		*gpu[i].family = '\0';
		*devices_add(&found) = gpu[i];
	}
	gpus = 0;
	add("0000:c3:00.0", false);
	add("0000:c2:00.0", false);
	add("0000:c1:00.0", false);
	for (i = 0; i < gpus; i++) {
		gpu[i].numa_node = i + 1;
		gpu[i].state = STATE_UNMANAGED;
		*devices_add(&here) = gpu[i];
	}
	CHECK_INT(inventory_add_gpus(&found, &here), 0);
	CHECK_INT(found.count, 3);
	for (i = 0; i < 3; i++) {
		CHECK_INT(found.list[i].bdf[6] - '0', i + 1);
		CHECK_INT(found.list[i].numa_node, 3 - i);
		CHECK_STR(found.list[i].family, "mi300x");
		CHECK_INT(found.list[i].pending, i > 0);
		CHECK_INT(found.list[i].policy_set, i < 2);
	}
	*here.list[2].bdf = '1';
	*found.list[0].family = '\0';
	CHECK_INT(inventory_add_gpus(&found, &here), -EAGAIN);
	devices_free(&found);
	devices_free(&here);
}

static const char *changes_text(const struct changes *changes)
{
	util_catch(STDOUT_FILENO);
	out_changes(changes);
	return util_caught_text();
}

static void test_text(void)
{
	struct change list[8] = { 0 };
	struct changes changes = { list, 2 };
	int i;

	for (i = 0; i < 8; i++) {
		snprintf(list[i].bdf, sizeof(list[i].bdf), "0000:c%d:00.0", i);
		conf_defaults(&list[i].found);
		list[i].wanted = list[i].found;
		list[i].policy_set = true;
	}
	list[0].wanted.method = INSTINCT_VFIO_METHOD_MODE1;
	list[1].policy_set = false;
	CHECK_STR(changes_text(&changes),
		  "0000:c0:00.0: method: auto -> mode1\n"
		  "0000:c1:00.0: policy: not set -> set; its values are the defaults that the module has used\n");
	list[1].policy_set = true;
	changes.count = 8;
	for (i = 0; i < 8; i++) {
		list[i].wanted.method = INSTINCT_VFIO_METHOD_MODE1;
		list[i].wanted.scope = INSTINCT_VFIO_SCOPE_DEVICE;
		list[i].wanted.acs = INSTINCT_VFIO_ACS_VM;
	}
	CHECK_STR(changes_text(&changes), "8 GPUs: method: auto -> mode1\n"
		  "8 GPUs: scope: auto -> device\n8 GPUs: acs: kernel -> vm\n");
	list[7].wanted.acs = INSTINCT_VFIO_ACS_VM_P2P;
	CHECK_STR(changes_text(&changes),
		  "0000:c0:00.0 0000:c1:00.0 0000:c2:00.0 0000:c3:00.0 0000:c4:00.0 0000:c5:00.0\n"
		  "0000:c6:00.0:\n"
		  "7 GPUs: method: auto -> mode1\n7 GPUs: scope: auto -> device\n"
		  "7 GPUs: acs: kernel -> vm\n"
		  "0000:c7:00.0: method: auto -> mode1\n0000:c7:00.0: scope: auto -> device\n"
		  "0000:c7:00.0: acs: kernel -> vm-p2p\n");
}

static enum policy_state judge(const char *text, struct policy_verdict *verdict)
{
	struct devices devices = { gpu, gpus };
	struct isolation isolation = { &port, ports };

	util_write("policy.conf", text);
	say_hush(true);
	util_catch(STDERR_FILENO);
	CHECK_INT(conf_open(&conf, "policy.conf"), 0);
	policy_state_judge(verdict, &conf, &devices, &isolation);
	CHECK_STR(util_caught_text(), "");
	say_hush(false);
	conf_free(&conf);
	return verdict->state;
}

static void test_state(void)
{
	struct policy_verdict verdict = { 0 };

	host();
	CHECK_INT(judge("", &verdict), POLICY_STATE_NONE);
	gpu[0].policy_set = true;
	CHECK_INT(judge("", &verdict), POLICY_STATE_DIFFERS);
	CHECK_INT(verdict.astray, 1);
	CHECK_INT(verdict.gpus, 2);
	gpu[1].policy_set = true;
	CHECK_INT(judge("", &verdict), POLICY_STATE_WHOLE);
	CHECK_INT(judge("[default]\nmethod = bus\n", &verdict), POLICY_STATE_DIFFERS);
	CHECK_INT(verdict.astray, 2);
	CHECK_INT(judge("[default]\nmethod = flx\n", &verdict), POLICY_STATE_WRONG);
	CHECK_INT(judge("[device 0000:fe:00.0]\n", &verdict), POLICY_STATE_WHOLE);
}

static const char *state_text(struct policy_verdict *verdict)
{
	util_catch(STDOUT_FILENO);
	policy_state_print(verdict, &conf);
	return util_caught_text();
}

/* A policy that is not known to be in force everywhere must not be reported as whole. */
static void test_state_in_doubt(void)
{
	static const char by_serial[] = "[device serial=0123-4567-89ab-cdef]\ntenancy = multi\n";
	struct policy_verdict verdict = { 0 };

	host();
	gpu[0].policy_set = true;
	gpu[1].policy_set = true;
	ports = 1;
	port = (struct isolated) { .found = 1, .wanted = 2, .mask = 3 };
	CHECK_INT(judge("", &verdict), POLICY_STATE_DIFFERS);
	CHECK_STR(state_text(&verdict), "policy: NOT in force: 1 port has not taken its ACS (instinctctl check)\n");
	ports = 0;
	gpu[1].serial_unknown = true;
	CHECK_INT(judge("", &verdict), POLICY_STATE_WHOLE);
	CHECK_INT(judge(by_serial, &verdict), POLICY_STATE_UNKNOWN);
	CHECK_STR(policy_state_name(verdict.state), "unknown");
	CHECK_STR(state_text(&verdict), "policy: unknown for 1 of 2 GPUs: reading their serial numbers requires root\n");
	gpu[1].silent = true;
	CHECK_INT(judge(by_serial, &verdict), POLICY_STATE_DIFFERS);
	CHECK_INT(judge("", &verdict), POLICY_STATE_DIFFERS);
	CHECK_INT(verdict.astray, 1);
	gpus = 0;
	CHECK_INT(judge("", &verdict), POLICY_STATE_NO_GPU);
	CHECK(policy_state_name(verdict.state));
	CHECK(!policy_state_name(POLICY_STATE_UNASKED));
}

int main(void)
{
	util_begin();
	opt_sysroot = ".";
	mkdir("var", 0755);
	mkdir("var/lib", 0755);
	RUN(test_all_at_once_then_nothing);
	RUN(test_wrong_policy);
	RUN(test_refused);
	RUN(test_the_host_changes);
	RUN(test_it_never_settles);
	RUN(test_bound_meanwhile);
	RUN(test_busy_for_long);
	RUN(test_silent);
	RUN(test_unsure);
	RUN(test_absent);
	RUN(test_stubborn_port);
	RUN(test_older_module);
	RUN(test_lost_answer);
	RUN(test_dry_run);
	RUN(test_record);
	RUN(test_module_for_nobody);
	RUN(test_config_space);
	RUN(test_inventory);
	RUN(test_text);
	RUN(test_state);
	RUN(test_state_in_doubt);
	return unit_end();
}
