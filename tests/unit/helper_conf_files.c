// SPDX-License-Identifier: GPL-2.0-only
/* The installed policy: its files, their precedence, and unreadable files. */
#include "conf.h"
#include "helper_util.h"
#include "say.h"

#define ETC	"./etc/instinct-vfio"
#define VOLATILE "./run/instinct-vfio"
#define LIB	"./usr/lib/instinct-vfio"

static const struct device gpu = {
	.bdf = "0000:c1:00.0", .family = "mi300x", .vendor = 0x1002, .device = 0x74a1,
	.serial = 0x00c030b089104000,
};
static const struct device other = {
	.bdf = "0000:c2:00.0", .family = "mi300x", .vendor = 0x1002, .device = 0x74a1,
	.serial = 0x00c030b089104001,
};

/* Creates the three folders of a policy, empty. */
static void begin(void)
{
	CHECK_INT(system("rm -rf etc run usr && mkdir -p etc/instinct-vfio/policy.d "
			 "run/instinct-vfio/policy.d usr/lib/instinct-vfio/policy.d"), 0);
	opt_sysroot = ".";
}

static int open_installed(struct conf *conf)
{
	int code;

	util_catch(STDERR_FILENO);
	code = conf_open(conf, NULL);
	util_caught_text();
	return code;
}

static void expect_files(const struct conf *conf, const char *const *files, size_t count)
{
	size_t i;

	CHECK_INT(conf->files_count, count);
	for (i = 0; i < count && i < conf->files_count; i++)
		CHECK_STR(conf->files[i], files[i]);
}

static void test_first_main_file(void)
{
	const char *const files[] = { ETC "/policy.conf" };
	struct policy policy;
	struct conf conf;

	begin();
	util_write(LIB "/policy.conf", "[default]\nmethod = quiesce\ntenancy = single\n");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	CHECK_STR(conf.name, LIB "/policy.conf");
	conf_free(&conf);

	util_write(ETC "/policy.conf", "[default]\nmethod = mode1\n");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	CHECK_STR(conf.name, ETC "/policy.conf");
	expect_files(&conf, files, 1);
	CHECK_INT(conf.dropins, 0);
	conf_merge(&conf, &gpu, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_MODE1);
	CHECK_INT(policy.tenancy, INSTINCT_VFIO_TENANCY_MULTI);
	conf_free(&conf);

	/* An empty main file means all defaults, and masks those in later folders. */
	util_write(ETC "/policy.conf", "");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	expect_files(&conf, files, 1);
	conf_merge(&conf, &gpu, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_AUTO);
	conf_free(&conf);
}

static void test_dropins(void)
{
	const char *const files[] = {
		VOLATILE "/policy.conf", ETC "/policy.d/10-a.conf", LIB "/policy.d/20-b.conf",
		VOLATILE "/policy.d/30-c.conf",
	};
	struct policy policy;
	struct conf conf;

	begin();
	util_write(VOLATILE "/policy.conf", "[default]\nmethod = bus\n[family mi300x]\ntenancy = multi\n");
	util_write(VOLATILE "/policy.d/30-c.conf", "[default]\nmethod = quiesce\ntenancy = single\n");
	util_write(LIB "/policy.d/20-b.conf", "[default]\nmethod = mode1\nscope = device\n");
	util_write(ETC "/policy.d/10-a.conf", "[default]\nscope = hive\nats = required\n");
	util_write(LIB "/policy.d/10-a.conf", "not\neven\nright\n");
	util_write(ETC "/policy.d/note", "not\nread\n");
	util_write(ETC "/policy.d/.hidden.conf", "not\nread\n");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	CHECK_STR(util_caught, "");
	expect_files(&conf, files, 4);
	CHECK_INT(conf.dropins, 3);
	conf_merge(&conf, &gpu, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_QUIESCE);
	CHECK_INT(policy.scope, INSTINCT_VFIO_SCOPE_DEVICE);
	CHECK_INT(policy.ats, INSTINCT_VFIO_ATS_REQUIRED);
	/* A more specific section wins, even from an earlier file. */
	CHECK_INT(policy.tenancy, INSTINCT_VFIO_TENANCY_MULTI);
	CHECK_STR(conf_ruling(&conf, &gpu, CONF_METHOD)->file, VOLATILE "/policy.d/30-c.conf");
	CHECK_STR(conf_ruling(&conf, &gpu, CONF_TENANCY)->file, VOLATILE "/policy.conf");
	CHECK(!conf_ruling(&conf, &gpu, CONF_PARTITION));
	conf_free(&conf);
}

static void test_dropins_alone(void)
{
	struct conf conf;

	begin();
	util_write(LIB "/policy.d/50-a.conf", "[default]\nmethod = mode1\n");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	CHECK_STR(conf.name, LIB "/policy.d");
	CHECK_INT(conf.dropins, 1);
	conf_free(&conf);
}

static void test_nothing_at_all(void)
{
	static const char none[] = "instinctctl: cannot read the policy ./etc/instinct-vfio/policy.conf: No such file or directory; no policy is installed, an empty file means all defaults\n";
	struct conf conf;

	begin();
	CHECK_INT(open_installed(&conf), EXIT_ERROR);
	CHECK_STR(util_caught, none);
	conf_free(&conf);
	/* A mask alone is no policy. */
	CHECK_INT(symlink("/dev/null", ETC "/policy.d/50-a.conf"), 0);
	CHECK_INT(open_installed(&conf), EXIT_ERROR);
	CHECK_STR(util_caught, none);
	conf_free(&conf);
	CHECK_INT(system("rm -rf etc run usr"), 0);
	CHECK_INT(open_installed(&conf), EXIT_ERROR);
	conf_free(&conf);
}

static void test_masks(void)
{
	struct policy policy;
	struct conf conf;

	begin();
	util_write(LIB "/policy.d/10-a.conf", "[default]\nmethod = quiesce\n");
	util_write(LIB "/policy.d/20-b.conf", "[default]\nmethod = bus\n");
	util_write(LIB "/policy.d/30-c.conf", "[default]\ntenancy = multi\n");
	CHECK_INT(symlink("/dev/null", ETC "/policy.d/10-a.conf"), 0);
	util_write(VOLATILE "/policy.d/20-b.conf", "");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	CHECK_INT(conf.files_count, 1);
	CHECK_INT(conf.found.count, 5);
	CHECK(conf.found.list[0].empty && !conf.found.list[0].by);
	CHECK_STR(conf.found.list[1].by, ETC "/policy.d/10-a.conf");
	CHECK_STR(conf.found.list[3].by, VOLATILE "/policy.d/20-b.conf");
	conf_merge(&conf, &gpu, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_AUTO);
	CHECK_INT(policy.tenancy, INSTINCT_VFIO_TENANCY_MULTI);
	conf_free(&conf);
}

/* Sections by address and by serial number have the same rank. */
static void test_serial(void)
{
	struct policy policy;
	struct conf conf;

	begin();
	util_write(ETC "/policy.conf", "[device c1:00.0]\nmethod = mode1\n"
		   "[device serial=0x00c030b089104000]\nmethod = quiesce\ntenancy = multi\n"
		   "[device serial = 00-C0-30-B0-89-10-40-01]\nscope = device\n");
	util_write(ETC "/policy.d/10-a.conf", "[device c1:00.0]\ntenancy = single\n");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	CHECK_STR(util_caught, "");
	conf_merge(&conf, &gpu, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_QUIESCE);
	CHECK_INT(policy.tenancy, INSTINCT_VFIO_TENANCY_SINGLE);
	CHECK_INT(policy.scope, INSTINCT_VFIO_SCOPE_AUTO);
	conf_merge(&conf, &other, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_AUTO);
	CHECK_INT(policy.scope, INSTINCT_VFIO_SCOPE_DEVICE);
	conf_free(&conf);
}

static void test_wrong_serials(void)
{
	static const char *const wrong[] = {
		"12", "0x", "00c030b08910400", "00c030b0891040000", "0000000000000000",
		"-0c030b089104000", "00c0:30b0:8910:400g", "",
	};
	char text[128], error[256];
	struct conf conf;
	size_t i;

	begin();
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "[device serial=%s]\n", wrong[i]);
		snprintf(error, sizeof(error), ETC "/policy.conf:1: not a serial number, found \"%s\", allowed: 16 hexadecimal digits, as instinctctl status --json prints them\n",
			 wrong[i]);
		util_write(ETC "/policy.conf", text);
		CHECK_INT(open_installed(&conf), EXIT_OK);
		CHECK_STR(util_caught, error);
		CHECK_INT(conf.errors, 1);
		conf_free(&conf);
	}
}

/* A policy may be written for a whole fleet, so an absent serial number is no error. */
static void test_serial_elsewhere(void)
{
	struct device list[] = { gpu };
	struct devices devices = { list, 1 };
	struct conf conf;

	begin();
	util_write(ETC "/policy.conf", "[device serial=1122334455667788]\nmethod = quiesce\n");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	util_catch(STDERR_FILENO);
	conf_check_present(&conf);
	conf_check_managed(&conf, &devices);
	CHECK_STR(util_caught_text(), ETC "/policy.conf:1: warning: no GPU of this host has the serial number, found [device serial=0x1122334455667788]; instinctctl ignores this section\n");
	CHECK_INT(conf.errors, 0);
	conf_free(&conf);
}

/* A dangling link to the drop-ins is an error, and so is a file name that is no plain text. */
static void test_wrong_names(void)
{
	struct conf conf;

	begin();
	CHECK_INT(system("rm -r etc/instinct-vfio/policy.d && ln -s nowhere etc/instinct-vfio/policy.d"), 0);
	util_write(LIB "/policy.conf", "");
	util_write(LIB "/policy.d/50-a\n50-b.conf", "");
	CHECK_INT(open_installed(&conf), EXIT_ERROR);
	CHECK_STR(util_caught,
		  "instinctctl: cannot read the policy " ETC "/policy.d: No such file or directory; it is a dangling link\n"
		  "instinctctl: cannot read the policy " LIB "/policy.d/50-a?50-b.conf: Its name is no plain text\n");
	CHECK_INT(conf.errors, 2);
	conf_free(&conf);
}

/* A repeated key is an error only within one file, and each error names its file. */
static void test_errors_name_their_file(void)
{
	struct conf conf;

	begin();
	util_write(ETC "/policy.conf", "[default]\nmethod = quiesce\nmetod = flr\n");
	util_write(VOLATILE "/policy.d/10-a.conf", "[default]\nmethod = bus\nmethod = quiesce\n[default]\n");
	util_write(LIB "/policy.d/20-b.conf", "method = bus\n");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	CHECK_INT(conf.errors, 4);
	CHECK_STR(conf.error[0].file, ETC "/policy.conf");
	CHECK_INT(conf.error[0].line, 3);
	CHECK_STR(conf.error[1].file, VOLATILE "/policy.d/10-a.conf");
	CHECK_INT(conf.error[1].line, 3);
	CHECK_STR(conf.error[2].text, "section given twice, found [default], allowed: once in a file; the first is in line 1");
	CHECK_STR(conf.error[3].file, LIB "/policy.d/20-b.conf");
	CHECK(strstr(conf.error[3].text, "key outside a section"));
	conf_free(&conf);
}

static void expect_unreadable(const char *why)
{
	char error[512];
	struct conf conf;

	snprintf(error, sizeof(error), "instinctctl: cannot read the policy " ETC "/policy.d/10-a.conf: %s\n"
		 ETC "/policy.d/20-b.conf:1: unknown section, found [x], allowed: [default], [family NAME], [device BDF] or [device serial=NUMBER]\n",
		 why);
	CHECK_INT(open_installed(&conf), EXIT_ERROR);
	CHECK_STR(util_caught, error);
	CHECK_INT(conf.errors, 2);
	CHECK_INT(conf.error[0].line, 0);
	conf_free(&conf);
	CHECK_INT(system("rm -rf etc/instinct-vfio/policy.d/10-a.conf"), 0);
}

/* An unreadable drop-in is an error, and the next drop-in is read all the same. */
static void test_unreadable(void)
{
	static char large[300000];

	begin();
	util_write(ETC "/policy.d/20-b.conf", "[x]\n");
	mkdir(ETC "/policy.d/10-a.conf", 0700);
	expect_unreadable("Not a regular file");
	CHECK_INT(mkfifo(ETC "/policy.d/10-a.conf", 0600), 0);
	expect_unreadable("Not a regular file");
	CHECK_INT(symlink("10-a.conf", ETC "/policy.d/10-a.conf"), 0);
	expect_unreadable("Too many levels of symbolic links");
	CHECK_INT(symlink("nowhere", ETC "/policy.d/10-a.conf"), 0);
	expect_unreadable("No such file or directory; it is a dangling link");
	memset(large, '#', sizeof(large));
	util_write_bytes(ETC "/policy.d/10-a.conf", large, sizeof(large));
	expect_unreadable("Larger than 256 KiB");
}

static void test_unreadable_folder(void)
{
	struct conf conf;

	begin();
	CHECK_INT(system("rmdir etc/instinct-vfio/policy.d && touch etc/instinct-vfio/policy.d"), 0);
	util_write(ETC "/policy.conf", "");
	CHECK_INT(open_installed(&conf), EXIT_ERROR);
	CHECK_STR(util_caught, "instinctctl: cannot read the policy " ETC "/policy.d: Not a directory\n");
	conf_free(&conf);
}

/* Opening a FIFO would wait for a writer. */
static void test_named_file(void)
{
	struct conf conf;

	CHECK_INT(mkfifo("pipe", 0600), 0);
	util_catch(STDERR_FILENO);
	CHECK_INT(conf_open(&conf, "pipe"), EXIT_ERROR);
	CHECK_STR(util_caught_text(), "instinctctl: cannot read the policy pipe: Not a regular file\n");
	conf_free(&conf);
	CHECK_INT(conf_open(&conf, "/dev/null"), EXIT_OK);
	CHECK_INT(conf.files_count, 1);
	conf_free(&conf);
}

static void test_bytes(void)
{
	struct conf conf;

	begin();
	util_write(ETC "/policy.conf", "[default]\n# gr\xfc\xdf\nmethod = \x1b[2J\nmethod = m\xc3\xb6\r\n");
	CHECK_INT(open_installed(&conf), EXIT_OK);
	CHECK_STR(util_caught, ETC "/policy.conf:2: found bytes that are no UTF-8, allowed: text in UTF-8\n"
		  ETC "/policy.conf:3: found a control character, allowed: text\n"
		  ETC "/policy.conf:4: wrong value of method, found \"m\xc3\xb6\", allowed: auto, mode1, quiesce or bus\n");
	conf_free(&conf);
}

static void test_too_many_errors(void)
{
	static char text[4 * (CONF_ERRORS_MAX + 100) + 1];
	struct conf conf;
	size_t i;

	begin();
	for (i = 0; i < CONF_ERRORS_MAX + 100; i++)
		strcpy(text + 4 * i, "x=1\n");
	util_write(ETC "/policy.conf", text);
	CHECK_INT(open_installed(&conf), EXIT_OK);
	CHECK_INT(conf.errors, CONF_ERRORS_MAX + 1);
	CHECK_STR(conf.error[CONF_ERRORS_MAX].text, "too many errors: instinctctl does not print the rest");
	conf_free(&conf);
}

/* A pending GPU gets the policy of a managed one; ACS keys of its own section apply already. */
static void test_pending(void)
{
	struct devices devices = { 0 };
	struct device *dev;
	struct conf conf;

	begin();
	util_write(ETC "/policy.conf", "[device c1:00.0]\nmethod = quiesce\nacs = vm\n"
		   "[device c2:00.0]\nmethod = quiesce\n");
	dev = devices_add(&devices);
	*dev = gpu;
	dev->pending = true;
	dev = devices_add(&devices);
	*dev = other;
	dev->pending = true;
	CHECK_INT(open_installed(&conf), EXIT_OK);
	conf_check_managed(&conf, &devices);
	CHECK_INT(conf.errors, 0);
	conf_merge(&conf, &devices.list[0], &devices.list[0].policy);
	CHECK_INT(devices.list[0].policy.method, INSTINCT_VFIO_METHOD_QUIESCE);
	conf_add_unmanaged(&conf, &devices);
	CHECK_INT(devices.count, 3);
	CHECK(devices.list[2].unmanaged);
	CHECK_STR(devices.list[2].bdf, gpu.bdf);
	conf_merge(&conf, &devices.list[2], &devices.list[2].policy);
	CHECK_INT(devices.list[2].policy.acs, INSTINCT_VFIO_ACS_VM);
	CHECK_INT(devices.list[2].policy.method, INSTINCT_VFIO_METHOD_AUTO);
	devices_free(&devices);
	conf_free(&conf);
}

int main(void)
{
	util_begin();
	RUN(test_first_main_file);
	RUN(test_dropins);
	RUN(test_dropins_alone);
	RUN(test_nothing_at_all);
	RUN(test_masks);
	RUN(test_serial);
	RUN(test_wrong_serials);
	RUN(test_serial_elsewhere);
	RUN(test_wrong_names);
	RUN(test_errors_name_their_file);
	RUN(test_unreadable);
	RUN(test_unreadable_folder);
	RUN(test_named_file);
	RUN(test_bytes);
	RUN(test_too_many_errors);
	RUN(test_pending);
	return unit_end();
}
