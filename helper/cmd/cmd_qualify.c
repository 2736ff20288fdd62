// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "args.h"
#include "bdf.h"
#include "cmd.h"
#include "conf_key.h"
#include "digest.h"
#include "look.h"
#include "module.h"
#include "out.h"
#include "out_look.h"
#include "out_qualify.h"
#include "output_file.h"
#include "progress.h"
#include "report.h"
#include "say.h"
#include "stop.h"
#include "sysfs.h"
#include "text_file.h"
#include "textfile.h"

#define LOCK_FILE	"/run/instinctctl-qualify.lock"

/**
 * struct order - the options of qualify
 * @bdf: PCI address of the GPU
 * @yes: do not ask before a method
 * @dry: only print the plan
 * @report: file for the report, or NULL
 * @policy: file for the policy, or NULL
 * @verify: report to verify, or NULL
 * @look: only look at GPUs
 * @anyway: read registers even where the firmware owns AER
 * @tries: an option was given that only trials have
 * @under_load: watch the resets of a guest
 * @methods: an option was given that only a run with methods has
 */
struct order {
	char bdf[BDF_BYTES];
	bool yes;
	bool dry;
	const char *report;
	const char *policy;
	const char *verify;
	bool look;
	bool anyway;
	bool tries;
	bool under_load;
	bool methods;
};

static bool is_stopped(void)
{
	return stop;
}

static void tell(const char *text)
{
	fprintf(stderr, "%s\n", text);
}

static void describe(const struct qualify *qualify, const struct trial *trial, char *text,
		     size_t size)
{
	snprintf(text, size, "%s %s (risk %s), %u time%s%s", trial->kind->name,
		 trial->kind->what, name_of(&risk_names, trial->kind->risk), qualify->rounds,
		 plural(qualify->rounds), trial->wide && qualify->others.count ?
		 ", with all GPUs of its hive" : "");
}

static bool announce(const struct qualify *qualify, const struct trial *trial)
{
	char text[2 * TEXT_BYTES];

	describe(qualify, trial, text, sizeof(text));
	tell(text);
	return true;
}

/* Ask on standard error, since standard output is for the report. */
static bool ask(const struct qualify *qualify, const struct trial *trial)
{
	char text[2 * TEXT_BYTES], answer[16] = "";

	describe(qualify, trial, text, sizeof(text));
	fprintf(stderr, "%s. Try it? [y/N] ", text);
	if (!fgets(answer, sizeof(answer), stdin))
		fputc('\n', stderr);
	return *answer == 'y' || *answer == 'Y';
}

/* Two runs at a time could not tell whose reset lost a GPU of their hive. */
static int lock(void)
{
	int fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0) {
		say_error(error_code_of(errno, ERROR_IO), "cannot open %s: %s", LOCK_FILE, strerror(errno));
		return -1;
	}
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	say_error(ERROR_BUSY, "another qualify is under way on this host; wait for its end");
	close(fd);
	return -1;
}

/* The name of the user behind sudo, or of the current user. */
static const char *who(void)
{
	const char *sudo = getenv("SUDO_USER");
	const struct passwd *user = getpwuid(getuid());
	const char *name = sudo && *sudo ? sudo : user ? user->pw_name : "";
	json_t *json = json_string(name);
	bool known = json && *name;

	json_decref(json);
	return known ? name : "unknown";
}

/* Check the file before a reset puts the GPU at risk for a report that cannot be written. */
static int check_file(const char *path)
{
	int ret = path ? textfile_may_replace(path) : 0;

	if (!ret)
		return path ? output_file_check(path) : EXIT_OK;
	say_error(error_code_of(-ret, ERROR_IO), "cannot write %s: %s", path, strerror(-ret));
	return exit_code_of(-ret);
}

static int write_file(const char *path, const char *text)
{
	int ret = textfile_write(path, text, strlen(text)) ?: textfile_flush(path);

	if (!ret)
		return EXIT_OK;
	say_error(error_code_of(-ret, ERROR_IO), "%s cannot be written: %s", path, strerror(-ret));
	return exit_code_of(-ret);
}

static int write_report(const json_t *report, const char *path)
{
	char *text = json_dumps(report, JSON_INDENT(2) | JSON_SORT_KEYS);
	int code = EXIT_ERROR;

	if (text)
		code = write_file(path, text);
	else
		say_error(ERROR_FAILED, "the report cannot be made");
	free(text);
	return code;
}

/* An empty policy would mean the defaults, and the trials say nothing about these. */
static int write_policy(const json_t *report, const char *path)
{
	const char *text = json_string_value(json_object_get(json_object_get(report,
								"recommended"), "policy"));

	if (*text)
		return write_file(path, text);
	fprintf(stderr, "no policy is recommended: %s is not written\n", path);
	return EXIT_OK;
}

static const char *saved_to;

static void save(const struct qualify *qualify)
{
	json_t *report = report_make(qualify);

	write_report(report, saved_to);
	json_decref(report);
}

/* Print the findings even if the file cannot be written. */
static int publish(const struct qualify *qualify, const struct order *order)
{
	json_t *report = report_make(qualify);
	int code = EXIT_OK;

	if (order->report || !report)
		code = write_report(report, order->report);
	if (!report)
		return code;
	if (order->policy)
		code = code ?: write_policy(report, order->policy);
	if (opt_json) {
		out_json(report, JSON_INDENT(2) | JSON_SORT_KEYS);
		return code;
	}
	out_qualify_text(stdout, report);
	json_decref(report);
	return code;
}

static int print_plan(const struct qualify *qualify)
{
	json_t *plan = report_plan(qualify);

	if (opt_json) {
		out_json(plan, JSON_INDENT(2));
		return EXIT_OK;
	}
	out_qualify_plan(stdout, plan);
	json_decref(plan);
	return EXIT_OK;
}

static int run(struct qualify *qualify, const struct order *order)
{
	const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t before;
	int code, fd;

	code = check_file(order->report) ?: check_file(order->policy);
	fd = code || order->dry || order->under_load ? 0 : lock();
	if (!code)
		code = fd < 0 ? EXIT_ERROR : qualify_prepare(qualify);
	if (code)
		return out_failed(order->bdf, code);
	if (order->dry)
		return print_plan(qualify);
	stop_on(signals, sizeof(signals) / sizeof(*signals), &before);
	/* Signals may arrive at any time: qualify checks them between rounds only. */
	sigprocmask(SIG_SETMASK, &before, NULL);
	qualify_run(qualify);
	progress_end();
	code = publish(qualify, order);
	if (!qualify_is_clean(qualify))
		return EXIT_DRIFT;
	return code ?: qualify->ended == ENDED_COMPLETE || qualify->ended == ENDED_DECLINED ?
		EXIT_OK : EXIT_ERROR;
}

static int qualify_gpu(struct qualify *qualify, const struct order *order)
{
	struct nl_info info = { .version = "" };
	int code;

	memcpy(qualify->bdf, order->bdf, sizeof(qualify->bdf));
	qualify->nl = module_open(MODULE_IF_LOADED, &code);
	if (!qualify->nl && !code) {
		say_error(ERROR_NO_MODULE, "qualify %s: the module is not loaded, so no GPU is managed (instinctctl bind %s)",
			  order->bdf, order->bdf);
		code = EXIT_ERROR;
	}
	if (!qualify->nl) {
		out_failed(order->bdf, code);
	} else {
		nl_info_get(qualify->nl, &info);
		memcpy(qualify->module, info.version, sizeof(qualify->module));
		code = run(qualify, order);
	}
	if (qualify->nl)
		nl_close(qualify->nl);
	qualify_free(qualify);
	return code;
}

static json_t *load_report(const char *path)
{
	json_error_t error;
	json_t *report = strcmp(path, "-") ? json_load_file(path, 0, &error) :
					     json_loadf(stdin, 0, &error);
	const char *kind = json_string_value(json_object_get(report, "report"));

	path = text_file_title(path);
	if (!report) {
		/* jansson's text quotes the file, which may hold escape sequences. */
		sysfs_make_plain(error.text);
		say_error(ERROR_INPUT, "%s is no report: %s", path, error.text);
	} else if (!kind || (strcmp(kind, REPORT_KIND) && strcmp(kind, LOOK_KIND)) ||
		   json_integer_value(json_object_get(report, "version")) != REPORT_VERSION) {
		say_error(ERROR_INPUT, "%s is no report of instinctctl qualify, or of another version of its form",
			  path);
		json_decref(report);
		report = NULL;
	}
	return report;
}

static int verify(const char *path)
{
	json_t *report = load_report(path);
	bool holds;

	if (!report)
		return EXIT_ERROR;
	holds = digest_holds(report);
	if (opt_json)
		out_json(json_pack("{s:i, s:s, s:b}", "version", REPORT_VERSION, "file", path,
				   "as_sealed", holds), JSON_COMPACT);
	else if (!strcmp(json_string_value(json_object_get(report, "report")), LOOK_KIND))
		out_look_text(stdout, report);
	else
		out_qualify_text(stdout, report);
	json_decref(report);
	return holds ? EXIT_OK : EXIT_DRIFT;
}

static int take_number(const char *text, struct qualify *qualify)
{
	uint64_t number;

	if (!args_number(text, &number) || !number || number > ROUNDS_MAX)
		return cmd_usage("--rounds \"%s\", allowed: 1 to %u", text, ROUNDS_MAX);
	qualify->rounds = number;
	return EXIT_OK;
}

static int take_risk(const char *text, struct qualify *qualify)
{
	char allowed[TEXT_BYTES];
	int risk = name_find(&risk_names, text);

	name_list(&risk_names, allowed, sizeof(allowed));
	if (risk < 0)
		return cmd_usage("no risk \"%s\"; there is %s", text, allowed);
	qualify->max_risk = risk;
	return EXIT_OK;
}

static int take_wait(const char *text, struct qualify *qualify)
{
	if (!conf_parse_ms(text, INSTINCT_VFIO_READY_TIMEOUT_MIN,
			   INSTINCT_VFIO_READY_TIMEOUT_MAX, &qualify->wait))
		return cmd_usage("--wait \"%s\", allowed: 1s to 600s, with a unit: ms, s or min", text);
	return EXIT_OK;
}

/* The text goes into JSON, which takes UTF-8 only. */
static int take_text(const char *name, const char *text, const char **to)
{
	json_t *json = json_string(text);

	if (!json || !*text)
		return cmd_usage("--%s takes a text in UTF-8, which is not empty", name);
	json_decref(json);
	*to = text;
	return EXIT_OK;
}

static int take_option(int option, struct qualify *qualify, struct order *order)
{
	order->tries |= !strchr("lRsV", option);
	order->methods |= !!strchr("xynp", option);
	switch (option) {
	case 'u':
		order->under_load = true;
		qualify->under_load = true;
		return EXIT_OK;
	case 'l':
		order->look = true;
		return EXIT_OK;
	case 'R':
		order->anyway = true;
		return EXIT_OK;
	case 'y':
		order->yes = true;
		return EXIT_OK;
	case 'n':
		order->dry = true;
		return EXIT_OK;
	case 'x':
		return take_risk(optarg, qualify);
	case 'k':
		return take_number(optarg, qualify);
	case 'w':
		return take_wait(optarg, qualify);
	case 's':
		qualify->serials = true;
		return EXIT_OK;
	case 'o':
		return take_text("operator", optarg, &qualify->operator);
	case 't':
		return take_text("note", optarg, &qualify->note);
	case 'f':
		order->report = optarg;
		return EXIT_OK;
	case 'p':
		order->policy = optarg;
		return EXIT_OK;
	case 'V':
		order->verify = optarg;
		return EXIT_OK;
	}
	return EXIT_USAGE;
}

static int take_bdf(int argc, char *argv[], struct order *order)
{
	if (argc != 1)
		return cmd_usage(argc ? "takes one GPU, found \"%s\" too" :
				 "no GPU: give its BDF, such as 0000:c1:00.0",
				 argc ? argv[1] : "");
	if (!bdf_parse(argv[0], order->bdf))
		return cmd_usage("\"%s\" is not a PCI address, such as 0000:c1:00.0", argv[0]);
	if (!order->yes && !order->dry && !order->under_load && !isatty(STDIN_FILENO))
		return cmd_usage("qualify asks before each method on a terminal; without a terminal give --yes");
	return EXIT_OK;
}

static int look(const struct qualify *qualify, const struct order *order, int argc, char *argv[])
{
	struct look look = { .anyway = order->anyway, .serials = qualify->serials };

	if (order->tries || order->verify)
		return cmd_usage("--look tries nothing: it goes with --registers, --serials and GPUs alone");
	return cmd_look(&look, argc, argv);
}

/**
 * cmd_qualify() - run instinctctl qualify
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_qualify(int argc, char *argv[])
{
	static struct qualify qualify = {
		.calls = &qualify_live, .max_risk = RISK_LOW, .rounds = QUALIFY_ROUNDS,
		.note = "", .stopped = is_stopped, .tell = tell, .step = progress_step,
	};
	struct order order = { .bdf = "" };
	int option, code;

	qualify.operator = who();
	while ((option = args_option(argc, argv)) != ARGS_END) {
		code = option == ARGS_WRONG ? EXIT_USAGE : take_option(option, &qualify, &order);
		if (code)
			return code;
	}
	if (order.look)
		return look(&qualify, &order, argc - optind, argv + optind);
	if (order.anyway)
		return cmd_usage("--registers belongs to --look");
	if (order.verify && argc > optind)
		return cmd_usage("--verify looks at a report, and takes no GPU");
	if (order.verify)
		return verify(order.verify);
	if (*opt_sysroot)
		return cmd_usage("--sysroot is a captured host, which cannot be asked or changed");
	if (order.under_load && order.methods)
		return cmd_usage("--under-load tries no method: it goes with --rounds, --wait, --report, --operator, --note and --serials");
	if (order.report && order.policy && !strcmp(order.report, order.policy))
		return cmd_usage("--report and --policy: %s cannot be both", order.report);
	code = take_bdf(argc - optind, argv + optind, &order);
	if (code)
		return code;
	saved_to = order.report;
	qualify.save = order.report ? save : NULL;
	qualify.ask = order.yes ? announce : ask;
	return qualify_gpu(&qualify, &order);
}
