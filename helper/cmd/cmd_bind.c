// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "core/profile.h"
#include "doctor.h"
#include "driver.h"
#include "each.h"
#include "kernel_log.h"
#include "kind.h"
#include "module.h"
#include "nl_policy.h"
#include "oam.h"
#include "out.h"
#include "persist.h"
#include "say.h"
#include "sysfs.h"
#include "user.h"

#define NOIOMMU_PATH	"/sys/module/vfio/parameters/enable_unsafe_noiommu_mode"
#define REGISTER_BAR	5

/* The module binds only known GPUs, and no virtual functions. */
static int check_device(const char *bdf)
{
	long long vendor, device, class;
	char owner[BDF_BYTES];

	if (!sysfs_exists(bdf, "")) {
		say_error(ERROR_NO_DEVICE, "%s: no such PCI device", bdf);
		return EXIT_ERROR;
	}
	if (sysfs_read_link(bdf, "physfn", owner, sizeof(owner))) {
		say_error(ERROR_UNSUPPORTED, "%s: is a virtual function of %s; virtual functions stay with stock drivers (vfio-pci)",
			  bdf, owner);
		return EXIT_UNSUPPORTED;
	}
	/* An unbind would take the driver away under the VFs, and the module would still refuse. */
	if (sysfs_exists(bdf, "virtfn0")) {
		say_error(ERROR_UNSUPPORTED, "%s: has virtual functions enabled; write 0 to its sriov_numvfs first, with the driver bound that enabled them",
			  bdf);
		return EXIT_UNSUPPORTED;
	}
	if (!sysfs_read_number(bdf, "vendor", &vendor) ||
	    !sysfs_read_number(bdf, "device", &device)) {
		say_error(ERROR_IO, "%s: cannot read its vendor and device ID", bdf);
		return EXIT_ERROR;
	}
	if (!instinct_profile_find(vendor, device)) {
		if (!sysfs_read_number(bdf, "class", &class) || !kind_is_amd_accelerator(vendor, class))
			say_error(ERROR_UNSUPPORTED, "%s: [%04llx:%04llx] is not an AMD Instinct GPU; it stays with its own driver, or with the kernel's vfio-pci for a guest",
				  bdf, vendor, device);
		else
			say_error(ERROR_UNSUPPORTED, "%s: [%04llx:%04llx] is an AMD accelerator that this version (" INSTINCT_VERSION ") does not know; leave it to its driver. Do not bind it to the kernel's vfio-pci: a reset may lose it until the host reboots. A newer version may know it; if not, report its ID (lspci -nns %s)",
				  bdf, vendor, device, bdf);
		return EXIT_UNSUPPORTED;
	}
	return EXIT_OK;
}

/* Print what the doctor says about the lack of an IOMMU group. */
static int no_group_complain(const char *bdf)
{
	const struct check *check = checks_find("iommu-on");
	struct doctor doctor = { 0 };
	const struct result *result;

	doctor_add(&doctor, check);
	result = doctor_run(&doctor, false, 0) == EXIT_DRIFT ? &doctor.row[0].result : NULL;
	if (result && result->findings)
		say_error(ERROR_REFUSED, "%s: has no IOMMU group: %s; %s (instinctctl doctor --only %s)",
			  bdf, result->finding[0].text, result->finding[0].remedy, check->name);
	else
		say_error(ERROR_REFUSED, "%s: has no IOMMU group, so VFIO would give it to no VM (instinctctl doctor --only %s)",
			  bdf, check->name);
	doctor_free(&doctor);
	return EXIT_ERROR;
}

static bool needs_group(void)
{
	char text[4] = "";

	sysfs_read(NOIOMMU_PATH, text, sizeof(text) - 1);
	return *text != 'Y';
}

static bool has_registers(const char *bdf)
{
	char path[PATH_MAX], text[1024], *line, *rest = text;
	uint64_t first = 0;
	ssize_t n;
	int i;

	sysfs_device_path(bdf, "resource", path, sizeof(path));
	n = sysfs_read(path, text, sizeof(text) - 1);
	if (n <= 0)
		return true;
	text[n] = '\0';
	for (i = 0; i <= REGISTER_BAR; i++)
		line = strsep(&rest, "\n");
	return !line || sscanf(line, "%" SCNx64, &first) != 1 || first;
}

/* Foresee the refusals of the driver's probe, which comes only after the unbind. */
static int check_ahead(const char *bdf)
{
	char name[DRIVER_BYTES];

	if (needs_group() && !sysfs_read_link(bdf, "iommu_group", name, sizeof(name)))
		return no_group_complain(bdf);
	if (!has_registers(bdf)) {
		say_error(ERROR_REFUSED, "%s: its register BAR has no address, and the driver would refuse it: free address space (\"Above 4G Decoding\" in the BIOS)",
			  bdf);
		return EXIT_ERROR;
	}
	return EXIT_OK;
}

/**
 * struct request - what to do with each GPU
 * @driver: the driver to bind it to
 * @named: the user has named the driver
 * @persist: bind it at each boot too
 * @fit: GPUs that nothing keeps from being bound
 */
struct request {
	const char *driver;
	bool named;
	bool persist;
	struct targets fit;
};

/* Does the GPU stay where it is? Without a driver that the user names, each of both will do. */
static bool stays(const char *bdf, const struct request *request)
{
	char driver[DRIVER_BYTES];

	return driver_of(bdf, driver) &&
	       (request->named ? !strcmp(driver, request->driver) : sysfs_is_ours(driver));
}

static int check(const char *bdf, void *data)
{
	struct request *request = data;
	char override[DRIVER_BYTES];
	int code = check_device(bdf);

	if (!code && !stays(bdf, data))
		code = check_ahead(bdf) ?: driver_check_unused(bdf, OPEN_UNKNOWN) ?:
		       driver_override_get(bdf, override);
	if (!code)
		targets_add(&request->fit, bdf);
	return code;
}

/* One GPU that cannot be bound keeps all others back, which the user may not want. */
static void tell_fit(const struct targets *targets, const struct request *request)
{
	const struct targets *fit = &request->fit;
	char list[32 * BDF_BYTES] = "";
	size_t at = 0, i;

	if (targets->count < 2)
		return;
	for (i = 0; i < fit->count && at < sizeof(list); i++)
		at += snprintf(list + at, sizeof(list) - at, " %s", fit->bdf[i]);
	if (fit->count)
		say_warning("nothing has been done, since not all of the %zu can be bound; the other%s can: instinctctl bind%s%s%s%s",
			    targets->count, plural(fit->count), request->named ? " --as " : "",
			    request->named ? request->driver : "", request->persist ? " --persist" : "", list);
	else
		say_warning("nothing has been done: none of the %zu can be bound", targets->count);
}

static void done(const char *bdf, bool changed)
{
	enum persist persist = persist_of(bdf);
	char driver[DRIVER_BYTES] = "";

	driver_of(bdf, driver);

	if (opt_json)
		out_done(bdf, json_pack("{s:s, s:b, s:o}", "driver", driver,
					"changed", changed, "persist", out_persist_json(persist)));
	else
		printf("%s: %sbound to %s%s%s\n", bdf, changed ? "" : "already ", driver,
		       persist ? ", and at each boot by " : "", persist ? name_of(&persist_names, persist) : "");
}

/* Put the GPU back as it was, and say why the driver has not taken it. */
static int undo(const char *bdf, const struct request *request, const char *driver,
		const char *override, const struct kernel_log *log)
{
	char now[DRIVER_BYTES];
	bool other = driver_of(bdf, now);
	const char *why = log->count ? log->line[log->count - 1] : "";
	int code = EXIT_OK;

	if (other)
		driver_override(bdf, override);
	else
		code = driver_put_back(bdf, driver, override);
	if (code)
		return code;
	say_error(ERROR_FAILED, "%s: not bound to %s but to %s%s; %s%s", bdf, request->driver,
		  other ? now : *driver ? driver : "no driver",
		  other ? "" : ", as before", *why ? "the kernel log says: " : "dmesg may say why",
		  why);
	return EXIT_ERROR;
}

static int move(const char *bdf, const struct request *request, const char *driver,
		const char *override)
{
	const char *const words[] = { bdf };
	struct kernel_log log;
	int code = driver_override(bdf, request->driver);

	if (code)
		return code;
	code = *driver ? driver_unbind(bdf) : EXIT_OK;
	if (code) {
		/* The kernel may still wait for a user; then this waits for it in the background. */
		say_hush(true);
		driver_override(bdf, override);
		say_hush(false);
		return code;
	}
	kernel_log_begin(&log);
	if (driver_probe(bdf)) {
		say_error(ERROR_FAILED, "%s: the probe of %s does not end; dmesg may say why", bdf,
			  request->driver);
		code = EXIT_ERROR;
	}
	kernel_log_read(&log, words, 1, true);
	kernel_log_end(&log);
	if (!code && !driver_is_ours(bdf))
		code = undo(bdf, request, driver, override, &log);
	kernel_log_free(&log);
	return code;
}

static int bind(const char *bdf, void *data)
{
	char driver[DRIVER_BYTES], override[DRIVER_BYTES];
	const struct request *request = data;
	bool stay = stays(bdf, request);
	enum persist now;
	int code = EXIT_OK;

	driver_of(bdf, driver);
	if (!stay)
		code = driver_override_get(bdf, override) ?: move(bdf, request, driver, override);
	if (!code && request->persist)
		code = persist_begin(bdf, stay ? driver : request->driver, &now);
	if (!code)
		done(bdf, !stay);
	return code;
}

static int find_all(struct targets *targets)
{
	struct devices gpus = { 0 };
	int code = sysfs_gpus(&gpus);
	size_t i;

	for (i = 0; !code && i < gpus.count; i++)
		targets_add(targets, gpus.list[i].bdf);
	if (!code && !gpus.count) {
		say_error(ERROR_NO_DEVICE, "no AMD Instinct GPU that instinct-vfio knows on this host");
		code = EXIT_ERROR;
	}
	devices_free(&gpus);
	return code;
}

/* The module refuses an open of a GPU without policy, bound or not yet. */
static void warn_unruled(struct nl *nl, const struct targets *targets)
{
	struct devices known = { 0 };
	struct nl_info info;
	const struct device *dev;
	bool told;
	size_t i;

	told = !nl_info_get(nl, &info) && info.policy_required && !nl_devices_get(nl, &known) &&
	       !nl_policies_get(nl, &known);
	for (i = 0; told && i < targets->count; i++) {
		dev = devices_find_gpu(&known, targets->bdf[i]);
		if (!dev || !dev->policy_set)
			say_warning("%s: no policy has been applied to it, so no user can open it (instinctctl apply)",
				    targets->bdf[i]);
	}
	devices_free(&known);
}

/* amdgpu tells the numbers of its GPUs, by which the monitor finds a BMC's sensors, as long as it has them. */
static void remember_numbers(void)
{
	struct devices gpus = { 0 };
	struct oams oams = { 0 };

	if (!sysfs_gpus(&gpus))
		oam_find(&oams, &gpus, "");
	oam_record(&oams);
	oam_free(&oams);
	devices_free(&gpus);
}

/* Load the drop-in where it is installed. Its version tells it from the kernel's vfio-pci. */
static bool load_dropin(void)
{
	struct module_version installed;

	if (sysfs_has_dropin())
		return true;
	if (module_installed("vfio_pci", &installed) || strcmp(installed.text, INSTINCT_VERSION))
		return false;
	module_load("vfio_pci");
	if (!sysfs_has_dropin())
		say_warning("the drop-in " DROPIN_NAME " is installed, but not loaded: the kernel's may be in its place. When no VM has a device of vfio-pci: " MODULE_DROPIN_TAKES_OVER);
	return sysfs_has_dropin();
}

/**
 * cmd_bind() - run instinctctl bind
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_bind(int argc, char *argv[])
{
	struct request request = { 0 };
	struct targets targets;
	int code = targets_take(&targets, argc, argv, find_all, &request.persist, &request.driver);
	struct nl *nl = NULL;

	request.named = request.driver;
	/* Most tools look for the drop-in's name, so that is preferred where it is to be had. */
	if (!code && !request.named) {
		request.driver = load_dropin() ? DROPIN_NAME : DRIVER_NAME;
	} else if (!code && !strcmp(request.driver, DROPIN_NAME) && !load_dropin()) {
		say_error(ERROR_REFUSED, "the driver " DROPIN_NAME " of this host is not instinct-vfio's (package instinct-vfio-dropin), and a reset by it may lose a GPU");
		code = EXIT_ERROR;
	}
	/* bind must touch no device unless it can bind all. */
	if (!code) {
		code = each_target(&targets, check, &request);
		if (code)
			tell_fit(&targets, &request);
	}
	if (!code)
		nl = module_open(MODULE_LOAD, &code);
	if (nl) {
		warn_unruled(nl, &targets);
		remember_numbers();
		code = each_target(&targets, bind, &request);
		nl_close(nl);
	}
	targets_free(&request.fit);
	targets_free(&targets);
	return code;
}
