// SPDX-License-Identifier: GPL-2.0-only
/* Parts of doctor's checks: the command line, results, NCCL's files, programs, signatures. */
#include <errno.h>

#include "checks.h"
#include "command_line.h"
#include "first_line.h"
#include "helper_util.h"
#include "say.h"
#include "signature.h"

static void command_line_words(void)
{
	const char *line = "BOOT_IMAGE=/vmlinuz ro iommu=pt quiet iommu=nopt,off nox2apic";
	char value[64];

	CHECK(command_line_value(line, "iommu", value, sizeof(value)));
	CHECK_STR(value, "nopt,off");
	CHECK(command_line_value(line, "ro", value, sizeof(value)));
	CHECK_STR(value, "");
	CHECK(command_line_value(line, "nox2apic", value, sizeof(value)));
	CHECK(!command_line_value(line, "io", value, sizeof(value)));
	CHECK(!command_line_value("", "ro", value, sizeof(value)));
	CHECK(!command_line_value("quiet -- ro", "ro", value, sizeof(value)));
}

static void command_line_parts(void)
{
	const char *line = "pci=noaer,realloc=off \"pci=config_acs=xx1@0:1;xx0@0:2,noats\"";
	char value[64], little[4];

	CHECK(command_line_says(line, "pci", "noaer"));
	CHECK(command_line_says(line, "pci", "noats"));
	CHECK(!command_line_says(line, "pci", "no"));
	CHECK(!command_line_says(line, "pc", "noaer"));
	CHECK(command_line_part(line, "pci", "realloc", value, sizeof(value)));
	CHECK_STR(value, "off");
	CHECK(command_line_part(line, "pci", "config_acs", value, sizeof(value)));
	CHECK_STR(value, "xx1@0:1;xx0@0:2");
	CHECK(command_line_part(line, "pci", "config_acs", little, sizeof(little)));
	CHECK_STR(little, "xx1");
	CHECK(command_line_says("a=\"b c,d\" e", "a", "d"));
	CHECK(!command_line_says("pci", "pci", "noats"));
	CHECK(!command_line_says("pci=", "pci", "noats"));
}

static void the_same_finding_is_one(void)
{
	struct result result = { 0 };

	result_warn(&result, 3, "mend it", "%d lanes", 8);
	result_warn(&result, 5, "mend it", "%d lanes", 8);
	result_warn(&result, 5, "mend it", "%d lanes", 8);
	result_warn(&result, 7, "mend it", "%d lanes", 4);
	CHECK_INT(result.findings, 2);
	CHECK_INT(result.finding[0].functions, 2);
	CHECK_INT(result.finding[0].function[1], 5);
	CHECK_INT(result.verdict, VERDICT_WARN);
	result_fail(&result, RESULT_NO_FUNCTION, "", "worse");
	CHECK_INT(result.finding[2].functions, 0);
	CHECK_INT(result.verdict, VERDICT_FAIL);
	result_warn(&result, 1, "", "less");
	CHECK_INT(result.verdict, VERDICT_FAIL);
	result_ok(&result, "fine");
	result_skip(&result, "dark");
	CHECK_INT(result.verdict, VERDICT_FAIL);
	result_free(&result);
}

static void what_was_not_looked_at_is_not_well(void)
{
	struct result result = { 0 };

	result_skip(&result, "the capture has none");
	result_ok(&result, "fine");
	CHECK_INT(result.verdict, VERDICT_SKIPPED);
	CHECK_STR(result.text, "the capture has none");
	result_free(&result);
}

static void sizes(void)
{
	char text[32];

	CHECK_STR(checks_size(0, text, sizeof(text)), "0 B");
	CHECK_STR(checks_size(1023, text, sizeof(text)), "1023 B");
	CHECK_STR(checks_size((uint64_t)256 << 30, text, sizeof(text)), "256 GiB");
	CHECK_STR(checks_size((uint64_t)4097 << 20, text, sizeof(text)), "4.0 GiB");
	CHECK_STR(checks_size((uint64_t)3 << 40, text, sizeof(text)), "3 TiB");
	CHECK_STR(checks_size(UINT64_MAX, text, sizeof(text)), "16777216 TiB");
}

static void names_are_unique(void)
{
	size_t i;

	for (i = 0; i < checks_count; i++) {
		CHECK(checks_find(checks[i].name) == &checks[i]);
		CHECK(!checks[i].name[strspn(checks[i].name,
					     "abcdefghijklmnopqrstuvwxyz0123456789-")]);
	}
	CHECK(!checks_find("link"));
}

/* NCCL keeps the value that it reads first. */
static void who_has_the_last_word(void)
{
	static const char variables[] =
		"HOME=/home/me\0NCCL_DEBUG=INFO\0PATH=/bin\0NCCL_EMPTY=\0=x\0RCCL_X=1";
	struct nccl_environment environment;

	mkdir("proc", 0700);
	mkdir("proc/self", 0700);
	mkdir("etc", 0700);
	mkdir("home", 0700);
	mkdir("home/me", 0700);
	util_write_bytes("proc/self/environ", variables, sizeof(variables));
	util_write("home/me/.nccl.conf", "# NCCL_A=0\r\nNCCL_DEBUG=WARN\r\nNCCL_A=1\n");
	util_write("etc/nccl.conf", "NCCL_A=2\nNCCL_B=\033[2Jx\nno sign\n");
	nccl_environment_read(&environment);
	CHECK_STR(nccl_environment_value(&environment, "NCCL_DEBUG"), "INFO");
	CHECK_STR(nccl_environment_value(&environment, "NCCL_A"), "1");
	CHECK_STR(nccl_environment_find(&environment, "NCCL_A")->origin, "/home/me/.nccl.conf");
	CHECK_STR(nccl_environment_value(&environment, "NCCL_B"), "?[2Jx");
	CHECK_STR(nccl_environment_value(&environment, "NCCL_EMPTY"), "");
	CHECK_STR(nccl_environment_value(&environment, "RCCL_X"), "1");
	CHECK(!nccl_environment_value(&environment, "PATH"));
	nccl_environment_free(&environment);
}

static void what_a_program_says(void)
{
	char line[32];

	CHECK(first_line_of("/bin/echo", "--version", line, sizeof(line)));
	CHECK(*line);
	CHECK(first_line_of("/bin/echo", "a line that is longer than there is room", line,
			    sizeof(line)));
	CHECK_STR(line, "a line that is longer than ther");
	CHECK(!first_line_of("/bin/true", "--", line, sizeof(line)));
	CHECK_STR(line, "");
	CHECK(!first_line_of("/nonexistent", "--version", line, sizeof(line)));
	/* first_line_of() does not wait for a program that prints nothing. */
	CHECK(!first_line_of("/bin/sleep", "60", line, sizeof(line)));
}

static void a_fact(void)
{
	struct fact fact;

	util_write("choice", "always [madvise] never\nmore");
	fact_read(&fact, "/%s", "choice");
	CHECK_INT(fact.error, 0);
	CHECK_STR(fact.text, "always [madvise] never");
	CHECK(fact_choice_is(&fact, "madvise"));
	CHECK(!fact_choice_is(&fact, "always"));
	CHECK(fact_is(&fact, "always [madvise] never"));
	fact_read(&fact, "/absent");
	CHECK_INT(fact.error, ENOENT);
	CHECK(!fact_is(&fact, ""));
	CHECK(!fact_choice_is(&fact, "madvise"));
}

/* The end of a module, with the trailer of a signature of nine bytes. */
static const uint8_t module_end[] = "code" "signature" "\0\0\2\0\0\0\0\0\0\0\0\x09~Module signature appended~\n";

/* tests/static/doctor reads real signatures. */
static void a_signature_lies_in_its_file(void)
{
	const size_t size = sizeof(module_end) - 1;
	struct signature signature;
	uint8_t certificate[16] = { 0x30, 0x0e };
	char name[16], id[KEY_ID_BYTES];
	size_t i;

	CHECK(signature_find(module_end, size, &signature));
	CHECK_INT(signature.size, 9);
	CHECK(signature.data == module_end + 4);
	CHECK(signature_library());
	CHECK(!signature_signer(&signature, name, sizeof(name)));
	CHECK(!signature_is_by(&signature, certificate, sizeof(certificate), id));
	CHECK(!signature_find(module_end, size - 1, &signature));
	CHECK(!signature_find(module_end + 5, size - 5, &signature));
	for (i = 0; i < size; i++)
		signature_find(module_end + i, size - i, &signature);
}

int main(void)
{
	util_begin();
	opt_sysroot = util_folder;
	RUN(command_line_words);
	RUN(command_line_parts);
	RUN(the_same_finding_is_one);
	RUN(what_was_not_looked_at_is_not_well);
	RUN(sizes);
	RUN(names_are_unique);
	RUN(who_has_the_last_word);
	RUN(what_a_program_says);
	RUN(a_fact);
	RUN(a_signature_lies_in_its_file);
	return unit_end();
}
