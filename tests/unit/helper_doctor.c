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

/* The host of the policy checks: two GPUs, of which as many as asked have a policy. */
static struct device policy_gpus[2];
static struct policy_finding policy_found[2];

static struct facts policy_facts(size_t under, const char *require_policy)
{
	struct facts facts = {
		.known = 2, .told = true, .tells_policy = true, .managed = { policy_gpus, 2 },
		.findings = { .conf.name = "policy.conf", .policy = policy_found, .policies = 2 },
	};
	size_t i;

	snprintf(facts.module.require_policy.text, WORD_BYTES, "%s", require_policy);
	for (i = 0; i < 2; i++) {
		policy_gpus[i].policy_set = i < under;
		policy_found[i] = (struct policy_finding) { .ok = i < under, .change.policy_set = i < under };
	}
	return facts;
}

/* Returns the text of the only finding, or of the whole result. */
static const char *policy_says(const struct facts *facts, enum verdict verdict)
{
	struct result result = { 0 };
	static char text[sizeof(result.text)];

	check_isolation_policy(facts, &result);
	CHECK_INT(result.verdict, verdict);
	CHECK(result.findings <= 1);
	snprintf(text, sizeof(text), "%s", result.findings ? result.finding[0].text : result.text);
	result_free(&result);
	return text;
}

#define WRONG	"the installed policy has 1 error, so it cannot be applied; "
#define NONE	"no policy is installed (/etc/instinct-vfio/policy.conf); "

/* A policy with errors says nothing about what is in force. */
static void what_is_in_force_without_a_right_policy(void)
{
	struct facts facts = policy_facts(2, "Y");

	facts.findings_code = EXIT_ERROR;
	facts.findings.conf.errors = 1;
	facts.findings.policies = 0;
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), WRONG "the earlier policy stays in force on 2 GPUs, and users can open those that are ready");
	policy_gpus[1].policy_set = false;
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), WRONG "the earlier policy stays in force on 1 of 2 GPUs; no user can open the others");
	facts.module.require_policy.text[0] = 'N';
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), WRONG "the earlier policy stays in force on 1 of 2 GPUs; users can open the others, with the defaults (require_policy=N)");
	policy_gpus[0].policy_set = false;
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), WRONG "no policy is in force, and users can open GPUs, with the defaults (require_policy=N)");
	facts.module.require_policy.text[0] = 'Y';
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), WRONG "no policy is in force, and no user can open a GPU");
	facts.managed.count = 0;
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), WRONG "no GPU is bound, so no policy is in force");
	facts.findings.no_module = true;
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), WRONG "the module is not loaded, so no policy is in force");
	facts.told = false;
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), WRONG "only the module can tell what is in force");
	facts = policy_facts(2, "Y");
	facts.findings.conf.name = NULL;
	facts.findings.policies = 0;
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), NONE "the earlier policy stays in force on 2 GPUs, and users can open those that are ready");
}

static void which_policies_differ(void)
{
	struct facts facts = policy_facts(2, "Y");

	CHECK_STR(policy_says(&facts, VERDICT_OK), "the installed policy is in force on 2 devices");
	policy_found[0].ok = false;
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), "1 of 2 policies in force differ from the files");
	facts = policy_facts(0, "Y");
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), "no policy has been applied to 2 of 2 devices: the module hands them to no user");
	facts = policy_facts(1, "N");
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), "no policy has been applied to 1 of 2 devices: the module hands them to users with the defaults (require_policy=N)");
	facts.findings.no_module = true;
	CHECK_STR(policy_says(&facts, VERDICT_FAIL), "the module is not loaded, so the installed policy is not in force");
	facts = policy_facts(2, "Y");
	policy_found[1] = (struct policy_finding) { .unsure = true };
	CHECK_STR(policy_says(&facts, VERDICT_SKIPPED), "the section of 1 GPU is unknown: the serial number cannot be read");
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
	RUN(what_is_in_force_without_a_right_policy);
	RUN(which_policies_differ);
	RUN(who_has_the_last_word);
	RUN(what_a_program_says);
	RUN(a_fact);
	RUN(a_signature_lies_in_its_file);
	return unit_end();
}
