# SPDX-License-Identifier: GPL-2.0-only
# The checks: `check` in seconds, `test` with everything in the lab.

UNIT_FLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined \
	-fno-sanitize-recover=all -Ikmod -Iinclude/uapi -Itests/unit
# The files of kmod/ that only decide: the same source as in the module.
PURE := $(addprefix kmod/,profile.c policy.c policy_key.c plan.c tenure.c name.c \
	discovery.c hive_rule.c config_table.c isolation_plan.c)
UNITS := $(addprefix $(BUILD)/unit/,plan tenure policy discovery config_table \
	hive_rule isolation)

$(UNITS): $(BUILD)/unit/%: tests/unit/%.c $(wildcard tests/unit/*.h) $(PURE) \
		$(wildcard kmod/*.h include/uapi/linux/*.h)
	@mkdir -p $(@D)
	@$(CC) $(UNIT_FLAGS) -o $@ $< $(PURE)

# What reads things that others have written, with libFuzzer (clang): the table that a
# device holds, netlink messages, policies, captured hosts (as folders
# and archives), and texts of many kinds. tests/fuzz/corpus/NAME is kept; what is
# found beside it grows in $(BUILD)/fuzz/corpus-NAME from run to run. An input that
# breaks something is left in $(BUILD)/fuzz: $(BUILD)/fuzz/NAME INPUT repeats it.
CLANG ?= clang
SECONDS ?= 60
FUZZ := $(BUILD)/fuzz
FUZZ_TARGETS := discovery netlink policy capture archive texts
FUZZ_CORPUS ?= $(FUZZ)/corpus
FUZZ_FLAGS ?=
# The helper's folders first: a plan is another thing in the module.
FUZZ_CFLAGS := $(addprefix -I,$(HELPER_DIRS)) $(UNIT_FLAGS) -D_GNU_SOURCE \
	-fsanitize=fuzzer-no-link -DINSTINCT_VERSION='"$(VERSION)"' -Itests/fuzz -I$(FUZZ)

# What each is made of, beside its own file. The texts that the helper keeps for ever,
# files and the devices of the host are the fuzzers' own.
FUZZ_KEYS := helper/conf/conf_key.c helper/bdf.c helper/model.c helper/out/say.c \
	$(addprefix kmod/,profile.c policy.c policy_key.c name.c \
	isolation_plan.c)
FUZZ_discovery := tests/fuzz/fuzz.c kmod/discovery.c
FUZZ_netlink := $(addprefix tests/fuzz/,fuzz.c words.c netlink_change.c) \
	$(wildcard helper/nl/nl*.c) helper/apply/plan.c helper/bytes.c $(FUZZ_KEYS)
FUZZ_policy := $(addprefix tests/fuzz/,fuzz.c words.c policy_change.c policy_mend.c \
	policy_files.c) $(addprefix helper/conf/,conf.c conf_check.c \
	conf_files.c conf_merge.c conf_parse.c ini_file.c) \
	$(addprefix helper/host/,aside.c pci_config.c sysfs.c sysfs_path.c sysroot.c tree.c tree_path.c) \
	helper/bytes.c helper/now.c $(FUZZ_KEYS)
# All of instinctctl, run as it is.
FUZZ_HELPER := $(addprefix tests/fuzz/,fuzz.c words.c work.c guard.c command.c \
	host_base.c) $(HELPER_SRCS)
FUZZ_capture := $(addprefix tests/fuzz/,capture_change.c host_change.c host_disk.c) \
	$(FUZZ_HELPER)
FUZZ_archive := tests/fuzz/archive_change.c $(FUZZ_HELPER)
FUZZ_texts := tests/fuzz/texts_change.c $(FUZZ_HELPER)
FUZZ_WRAP_TEXTS := text_intern text_of
FUZZ_WRAP_FILES := sysfs_exists sysroot_open_file sysroot_read sysroot_stat sysroot_readlink \
	sysroot_scandir
FUZZ_WRAP_netlink := $(FUZZ_WRAP_TEXTS) $(FUZZ_WRAP_FILES)
FUZZ_WRAP_policy := $(FUZZ_WRAP_TEXTS) $(FUZZ_WRAP_FILES)
FUZZ_WRAP_HELPER := $(FUZZ_WRAP_TEXTS) capture_open open openat syscall fopen opendir access \
	stat readlink realpath socket fork posix_spawn clock_gettime
FUZZ_WRAP_capture := $(FUZZ_WRAP_HELPER)
FUZZ_WRAP_archive := $(FUZZ_WRAP_HELPER)
FUZZ_WRAP_texts := $(FUZZ_WRAP_HELPER)
FUZZ_SRCS := $(sort $(foreach name,$(FUZZ_TARGETS),tests/fuzz/$(name).c $(FUZZ_$(name))))
FUZZ_OBJS := $(FUZZ_SRCS:%.c=$(FUZZ)/%.o)

$(FUZZ_OBJS): $(FUZZ)/%.o: %.c dkms.conf
	@mkdir -p $(@D)
	@$(CLANG) $(FUZZ_CFLAGS) $$(pkg-config --cflags $(HELPER_LIBS) $(HELPER_LOADED)) \
		-MMD -MP -c -o $@ $<

-include $(FUZZ_OBJS:.o=.d)

# libFuzzer has a main() of its own.
$(FUZZ)/helper/main.o: FUZZ_CFLAGS += -Dmain=instinctctl_main

$(FUZZ)/tests/fuzz/netlink_change.o: $(FUZZ)/netlink_made.h
$(FUZZ)/netlink_made.h: tests/fuzz/netlink_made.py include/uapi/instinct_vfio.yaml
	@mkdir -p $(@D)
	@$< >$@

$(FUZZ)/discovery: $(FUZZ_discovery:%.c=$(FUZZ)/%.o)
$(FUZZ)/policy: $(FUZZ_policy:%.c=$(FUZZ)/%.o)
$(FUZZ)/netlink: $(FUZZ_netlink:%.c=$(FUZZ)/%.o)
$(FUZZ)/capture: $(FUZZ_capture:%.c=$(FUZZ)/%.o)
$(FUZZ)/archive: $(FUZZ_archive:%.c=$(FUZZ)/%.o)
$(FUZZ)/texts: $(FUZZ_texts:%.c=$(FUZZ)/%.o)
$(addprefix $(FUZZ)/,$(FUZZ_TARGETS)): $(FUZZ)/%: $(FUZZ)/tests/fuzz/%.o
	@$(CLANG) -fsanitize=fuzzer,address,undefined $(FUZZ_WRAP_$*:%=-Wl,--wrap=%) -o $@ $^ \
		$$(pkg-config --libs $(HELPER_LIBS)) -lm

# fuzz_NAME: one of them, for SECONDS.
FUZZ_RUNS := $(addprefix fuzz_,$(FUZZ_TARGETS))
.PHONY: $(FUZZ_RUNS)
$(FUZZ_RUNS): fuzz_%: $(FUZZ)/%
	@mkdir -p $(FUZZ_CORPUS)-$*
	@$< -max_len=$(or $(FUZZ_BYTES_$*),8192) -max_total_time=$(SECONDS) -timeout=10 \
		$(addprefix -dict=,$(wildcard tests/fuzz/$*.dict)) \
		-artifact_prefix=$(FUZZ)/$*- $(FUZZ_FLAGS_$*) $(FUZZ_FLAGS) $(FUZZ_CORPUS)-$* tests/fuzz/corpus/$*
FUZZ_BYTES_discovery := 10240
FUZZ_BYTES_policy := 1024
FUZZ_BYTES_capture := 2048
FUZZ_BYTES_archive := 16384
FUZZ_BYTES_texts := 5120
# One change at a time: after several a text is not what it was any more.
FUZZ_FLAGS_texts := -mutate_depth=1
FUZZ_FLAGS_capture := -mutate_depth=2

.PHONY: fuzz
fuzz: $(addprefix fuzz_,$(or $(ONLY),$(FUZZ_TARGETS))) ## fuzz what reads what others wrote (ONLY=policy, SECONDS=60)

# Of the kept corpus and what has been found small inputs, as few as go everywhere. Those
# with a name stay in any case: they have shown something.
FUZZ_KEEPS := $(addprefix fuzz-keep_,$(FUZZ_TARGETS))
.PHONY: fuzz-keep $(FUZZ_KEEPS)
fuzz-keep: $(addprefix fuzz-keep_,$(or $(ONLY),$(FUZZ_TARGETS))) ## keep in the repository what fuzzing found
$(FUZZ_KEEPS): fuzz-keep_%: $(FUZZ)/%
	@mkdir -p $(FUZZ_CORPUS)-$*
	@rm -rf $(FUZZ)/kept-$* && mkdir $(FUZZ)/kept-$*
	@$< -set_cover_merge=1 -use_counters=0 -max_len=$(or $(FUZZ_KEPT_$*),1024) \
		$(FUZZ)/kept-$* tests/fuzz/corpus/$* $(FUZZ_CORPUS)-$* 2>/dev/null
	@find tests/fuzz/corpus/$* -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
	@mv $(FUZZ)/kept-$*/* tests/fuzz/corpus/$*/
	@echo "$*: $$(ls tests/fuzz/corpus/$* | wc -l) files"
FUZZ_KEPT_archive := 12288
FUZZ_KEPT_texts := 4096

# What tests in the lab run; who wants the client gets all of them.
LAB_TOOLS := $(addprefix $(BUILD)/lab/,client dma bmc subscriber producer policies status \
	fuzz-netlink fuzz-vfio)
LAB_NETLINK := $(addprefix $(BUILD)/lab/,subscriber producer policies)

$(BUILD)/lab/client: $(filter-out %/client,$(LAB_TOOLS)) tests/lab/vfio/client.c \
		tests/lab/vfio/replay.c tests/lab/vfio/replay.h
$(BUILD)/lab/dma: tests/lab/vfio/dma.c
$(BUILD)/lab/client $(BUILD)/lab/dma $(BUILD)/lab/fuzz-vfio: tests/lab/vfio/fds.c tests/lab/vfio/fds.h
$(BUILD)/lab/bmc: tests/lab/ipmi/bmc.c
$(BUILD)/lab/status: tests/lab/status.c
$(BUILD)/lab/status: LAB_LIBS := jansson
$(LAB_NETLINK): $(BUILD)/lab/%: tests/lab/netlink/%.c \
		$(wildcard tests/lab/netlink/family.[ch] include/uapi/linux/*.h)
$(BUILD)/lab/fuzz-netlink: $(wildcard tests/lab/fuzz/netlink*.[ch]) tests/lab/fuzz/dice.h \
		$(wildcard tests/lab/netlink/family.[ch]) $(BUILD)/lab/family_table.h
$(BUILD)/lab/fuzz-vfio: $(wildcard tests/lab/fuzz/vfio*.[ch]) tests/lab/fuzz/dice.h
$(LAB_NETLINK) $(BUILD)/lab/fuzz-netlink: LAB_LIBS := libmnl

$(BUILD)/lab/family_table.h: tests/lab/fuzz/family_table.py include/uapi/instinct_vfio.yaml
	@mkdir -p $(@D)
	@$< >$@

$(LAB_TOOLS):
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -pthread -Iinclude/uapi \
		-I$(BUILD)/lab -o $@ $(filter %.c,$^) \
		$(if $(LAB_LIBS),$$(pkg-config --cflags --libs $(LAB_LIBS)))

# RCCL's and NCCL's own topology code; the library's source is fetched once.
$(BUILD)/rccl/rccl-pairs $(BUILD)/rccl/nccl-pairs: $(BUILD)/rccl/%-pairs: tests/rccl/pairs.cc \
		tests/rccl/stand_in_%.cc $(wildcard tests/rccl/*.h) tests/rccl/build tests/rccl/source
	@tests/rccl/build $* $@

.PHONY: units
units: $(UNITS) $(HELPER_UNITS)

.PHONY: coverage-helper
coverage-helper: ## how much of the helper is tested: lines and branches (PROFILES='DIR' of runs elsewhere)
	@tests/coverage-helper $(PROFILES)

.PHONY: check-kmod
check-kmod: $(UNITS)
	@for unit in $(UNITS); do $$unit; done

.PHONY: check
check: check-kmod check-helper ## unit tests, in seconds
	@tests/build/uapi
	@tests/build/nl-table

.PHONY: lines
lines: ## how many lines of code the module has
	@tests/lines

.PHONY: test
test: deps ## everything: unit tests, static checks, the lab (installs what it needs)
	@tests/suite

# Those that have most at the same time.
RACES := fuzz-netlink fuzz-vfio events hive overlap thermal cycles every-way-in rescan switch

.PHONY: test-debug
test-debug: deps ## the lab on kernels that watch themselves, for hours (ONLY='cycles hive', or none)
	@rm -rf $(BUILD)/coverage/kmod
	@failed=0; \
	tests/suite -k debug $(ONLY) || failed=1; \
	races="$$(tests/suite -k race -l | grep -xF $(patsubst %,-e %,$(or $(ONLY),$(RACES))) || :)"; \
	[ -z "$$races" ] || tests/suite -k race $$races || failed=1; \
	tests/suite -k faults $(ONLY) || failed=1; \
	$(if $(ONLY),,tests/suite fuzz-planted || failed=1; tests/coverage-helper || failed=1;) \
	tests/coverage $(if $(ONLY),,--lines 90 --branches 80 --reasons) || failed=1; \
	exit $$failed

.PHONY: fuzz-long
fuzz-long: deps ## every fuzzer, for MINUTES=20 each: three hours
	@echo '$(or $(MINUTES),20)' | grep -qx '[1-9][0-9]*' || \
		{ echo "MINUTES must be a whole number of minutes, such as 20" >&2; exit 2; }
	@failed=0; \
	$(MAKE) -s -k fuzz SECONDS=$$((60 * $(or $(MINUTES),20))) || failed=1; \
	LAB_SECONDS=$$((60 * $(or $(MINUTES),20))) tests/suite -k debug fuzz-netlink fuzz-vfio fuzz-hardware || failed=1; \
	exit $$failed

.PHONY: soak
soak: deps ## weeks of faults in an hour (MINUTES=60, SEED=, ROUND=)
	@$(MAKE) -s all $(BUILD)/lab/client
	@tests/soak $(or $(MINUTES),60) $(or $(SEED),$$RANDOM$$RANDOM) $(ROUND)

.PHONY: matrix
matrix: deps ## the tests in the lab on each kernel (KERNELS='6.12 7', ONLY='guest-lives hive')
	@tests/matrix --kernels "$(KERNELS)" $(ONLY)

.PHONY: demo
demo: deps ## the story in two minutes: stock VFIO loses the GPU, ours does not
	@$(MAKE) -s all $(BUILD)/lab/client
	@tests/demo

.PHONY: bench
bench: all $(BUILD)/lab/client ## resets, ours against the stock driver (ONLY=reset, config, isolation, policy, events, look)
	@tests/bench/run $(ONLY)

.PHONY: lab
lab: all $(BUILD)/lab/client ## a shell in the lab (LAB='-t mi300x-8')
	@tests/lab/run $(LAB) -i
