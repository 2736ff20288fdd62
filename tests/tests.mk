# SPDX-License-Identifier: GPL-2.0-only
# Targets that test: `check` takes less than a minute, `test` also runs the lab.

# The pure files of kmod/: unit tests compile the same sources as the module.
PURE := $(addprefix kmod/,core/profile.c policy/policy.c \
	hardware/config_table.c hardware/discovery.c device/scrub.c isolation/plan.c \
	reset/plan.c)
UNITS := $(addprefix $(BUILD)/unit/,plan scrub policy discovery config_table isolation)

$(UNITS:$(BUILD)/%=$(BUILD)/unit/tests/%.o) $(PURE:%.c=$(BUILD)/unit/%.o): UNIT_LEVEL := 1
$(UNITS): $(BUILD)/unit/%: $(BUILD)/unit/tests/unit/%.o $(PURE:%.c=$(BUILD)/unit/%.o) $(BUILD)/unit/helper/conf/peers.o
	@$(CC) $(filter -fsanitize%,$(UNIT_CFLAGS)) -o $@ $^

-include $(PURE:%.c=$(BUILD)/unit/%.d) $(UNITS:$(BUILD)/unit/%=$(BUILD)/unit/tests/unit/%.d)

# Fuzzers, with libFuzzer (clang), of the parsers of foreign data: the discovery table in a
# device's memory, netlink messages, policies, captured hosts (as folders and archives), and
# texts of many kinds. tests/fuzz/corpus/NAME.tar.zst holds the kept inputs; those that a fuzzer
# finds grow in $(BUILD)/fuzz/corpus-NAME from run to run. A fuzzer leaves an input that breaks
# something in $(BUILD)/fuzz: $(BUILD)/fuzz/NAME INPUT repeats the failure.
CLANG ?= clang
SECONDS ?= 60
FUZZ := $(BUILD)/fuzz
FUZZ_TARGETS := discovery netlink policy capture archive texts
FUZZ_CORPUS ?= $(FUZZ)/corpus
FUZZ_FLAGS ?=
FUZZ_CFLAGS := $(addprefix -I,$(HELPER_DIRS)) -std=gnu11 -g -O1 -Wall -Wextra -Werror \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	-Ikmod -Iinclude/uapi -Itests/unit -Itests/fuzz -I$(FUZZ) \
	-D_GNU_SOURCE -DINSTINCT_VERSION='"$(VERSION)"'

# Sources of each fuzzer, beside its own file. The fuzzers replace three things by their own:
# the store of texts, which the helper never frees, the files, and the host's devices.
FUZZ_KEYS := $(addprefix helper/,conf/conf_key.c conf/peers.c base/bdf.c base/model.c base/say.c) \
	$(addprefix kmod/,core/profile.c policy/policy.c isolation/plan.c)
FUZZ_discovery := tests/fuzz/fuzz.c kmod/hardware/discovery.c
FUZZ_netlink := $(addprefix tests/fuzz/,fuzz.c words.c netlink_change.c) \
	$(wildcard helper/nl/nl*.c) helper/conf/plan.c helper/base/bytes.c $(FUZZ_KEYS)
FUZZ_policy := $(addprefix tests/fuzz/,fuzz.c words.c policy_change.c policy_mend.c \
	policy_files.c) $(addprefix helper/conf/,conf.c conf_check.c \
	conf_files.c conf_merge.c conf_parse.c ini_file.c) \
	$(addprefix helper/files/,aside.c pci_config.c sysfs.c sysfs_path.c sysroot.c tree.c tree_path.c) \
	helper/base/bytes.c helper/base/now.c $(FUZZ_KEYS)
# These fuzzers run all of instinctctl, unchanged.
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
	@$(CLANG) $(FUZZ_CFLAGS) $(HELPER_INCLUDES) -MMD -MP -c -o $@ $<

-include $(FUZZ_OBJS:.o=.d)

# libFuzzer brings its own main().
$(FUZZ)/helper/cmd/main.o: FUZZ_CFLAGS += -Dmain=instinctctl_main

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
		$(HELPER_LINKED) -lm

# The kept inputs, unpacked.
FUZZ_KEPT := $(FUZZ_TARGETS:%=$(FUZZ)/kept/%)
$(FUZZ_KEPT): $(FUZZ)/kept/%: tests/fuzz/corpus/%.tar.zst
	@rm -rf $@ && mkdir -p $@ && tar --zstd -xf $< -C $@ && touch $@

# fuzz_NAME: runs one fuzzer for SECONDS, or for a number of RUNS.
FUZZ_RUNS := $(addprefix fuzz_,$(FUZZ_TARGETS))
.PHONY: $(FUZZ_RUNS)
$(FUZZ_RUNS): fuzz_%: $(FUZZ)/% $(FUZZ)/kept/%
	@mkdir -p $(FUZZ_CORPUS)-$*
	@$< -max_len=$(or $(FUZZ_BYTES_$*),8192) -timeout=10 \
		$(if $(RUNS),-runs=$(RUNS),-max_total_time=$(SECONDS)) \
		$(addprefix -dict=,$(wildcard tests/fuzz/$*.dict)) \
		-artifact_prefix=$(FUZZ)/$*- $(FUZZ_FLAGS_$*) $(FUZZ_FLAGS) $(FUZZ_CORPUS)-$* $(FUZZ)/kept/$*
FUZZ_BYTES_discovery := 10240
FUZZ_BYTES_policy := 1024
FUZZ_BYTES_capture := 2048
FUZZ_BYTES_archive := 16384
FUZZ_BYTES_texts := 5120
# Several changes at once leave too little of a text, so each input gets only one.
FUZZ_FLAGS_texts := -mutate_depth=1
FUZZ_FLAGS_capture := -mutate_depth=2

.PHONY: fuzz
fuzz: $(addprefix fuzz_,$(or $(ONLY),$(FUZZ_TARGETS))) ##d fuzz the parsers of input that others write (ONLY=policy, SECONDS=60)

# Keeps a minimal set of small inputs with the coverage of the kept corpus and of all that the
# fuzzer has found. Inputs with a name always stay, since each has shown a bug.
FUZZ_KEEPS := $(addprefix fuzz-keep_,$(FUZZ_TARGETS))
.PHONY: fuzz-keep $(FUZZ_KEEPS)
fuzz-keep: $(addprefix fuzz-keep_,$(or $(ONLY),$(FUZZ_TARGETS))) ##d keep the inputs that fuzzing found in the repository
$(FUZZ_KEEPS): fuzz-keep_%: $(FUZZ)/% $(FUZZ)/kept/%
	@mkdir -p $(FUZZ_CORPUS)-$*
	@rm -rf $(FUZZ)/new-$* && mkdir $(FUZZ)/new-$*
	@$< -set_cover_merge=1 -use_counters=0 -max_len=$(or $(FUZZ_LENGTH_$*),1024) \
		$(FUZZ)/new-$* $(FUZZ)/kept/$* $(FUZZ_CORPUS)-$* 2>/dev/null
	@find $(FUZZ)/kept/$* -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
	@mv $(FUZZ)/new-$*/* $(FUZZ)/kept/$*/
	@cd $(FUZZ)/kept/$* && tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
		--mode=644 -cf - * | zstd -q -f -19 -o $(CURDIR)/tests/fuzz/corpus/$*.tar.zst
	@echo "$*: $$(ls $(FUZZ)/kept/$* | wc -l) inputs"
FUZZ_LENGTH_archive := 12288
FUZZ_LENGTH_texts := 4096

# Programs of the tests in the lab. The target of the client builds all of them.
LAB_TOOLS := $(addprefix $(BUILD)/lab/,client dma race bmc subscriber producer policies settled status \
	fuzz-netlink fuzz-vfio)
LAB_NETLINK := $(addprefix $(BUILD)/lab/,subscriber producer policies settled)

$(BUILD)/lab/client: $(filter-out %/client,$(LAB_TOOLS)) tests/lab/vfio/client.c \
		$(addprefix tests/lab/vfio/,client.h replay.c replay.h vmm.c)
$(BUILD)/lab/dma: tests/lab/vfio/dma.c
$(BUILD)/lab/race: tests/lab/vfio/race.c
$(addprefix $(BUILD)/lab/,client dma race fuzz-vfio): tests/lab/vfio/fds.c tests/lab/vfio/fds.h
$(BUILD)/lab/bmc: tests/lab/ipmi/bmc.c
$(BUILD)/lab/status: tests/lab/status.c
$(BUILD)/lab/status: LAB_LIBS := jansson
$(LAB_NETLINK): $(BUILD)/lab/%: tests/lab/netlink/%.c \
		$(wildcard tests/lab/netlink/family.[ch] include/uapi/linux/*.h)
$(BUILD)/lab/fuzz-netlink: $(wildcard tests/fuzz/lab/netlink*.[ch]) tests/fuzz/lab/dice.h \
		$(wildcard tests/lab/netlink/family.[ch]) $(BUILD)/lab/family_table.h
$(BUILD)/lab/fuzz-vfio: $(wildcard tests/fuzz/lab/vfio*.[ch]) tests/fuzz/lab/dice.h
$(LAB_NETLINK) $(BUILD)/lab/fuzz-netlink: LAB_LIBS := libmnl

$(BUILD)/lab/family_table.h: tests/fuzz/lab/family_table.py include/uapi/instinct_vfio.yaml
	@mkdir -p $(@D)
	@$< >$@

$(LAB_TOOLS):
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -pthread -Iinclude/uapi \
		-I$(BUILD)/lab -o $@ $(filter %.c,$^) \
		$(if $(LAB_LIBS),$$(pkg-config --cflags --libs $(LAB_LIBS)))

# These programs contain RCCL's and NCCL's own topology code; make fetches the source once.
$(BUILD)/rccl/rccl-pairs $(BUILD)/rccl/nccl-pairs: $(BUILD)/rccl/%-pairs: tests/judges/rccl/pairs.cc \
		tests/judges/rccl/stand_in_%.cc $(wildcard tests/judges/rccl/*.h) tests/judges/rccl/build tests/judges/rccl/source
	@tests/judges/rccl/build $* $@

# The kernel's own VFIO selftests; make fetches their source once.
$(BUILD)/selftests/built: $(wildcard tests/judges/selftests/*)
	@mkdir -p $(@D)
	@$(CC) -O2 -Wall -Wextra -Werror -c -o $(@D)/mode.o tests/judges/selftests/mode.c
	@source=$$(tests/judges/selftests/source); $(MAKE) -s -C $$source/tools/testing/selftests/vfio \
		OUTPUT=$(abspath $(@D)) KHDR_INCLUDES="-isystem $$source/include/uapi" \
		LDFLAGS=-static LDLIBS='$(abspath $(@D)/mode.o) -luuid'
	@grep -m 3 -E '^(VERSION|PATCHLEVEL|SUBLEVEL) = ' $$(tests/judges/selftests/source)/Makefile | \
		sed 's/.* //' | paste -sd . >$@

.PHONY: units
units: $(UNITS) $(HELPER_UNITS)

.PHONY: coverage-helper
coverage-helper: ##d show the lines and branches of the helper that tests execute (PROFILES='DIR' of other runs)
	@tests/coverage/helper $(PROFILES)

UNIT_RUNS := $(patsubst $(BUILD)/unit/%,run-%,$(UNITS) $(HELPER_UNITS))
.PHONY: $(UNIT_RUNS)
$(UNIT_RUNS): run-%: $(BUILD)/unit/%
	@$<

.PHONY: run-uapi run-nl-table
run-uapi run-nl-table: run-%:
	@tests/static/$*

.PHONY: check-kmod
check-kmod: $(UNITS:$(BUILD)/unit/%=run-%)

# Without a -j of the caller there are two jobs for each processor, since some tests wait; a test's
# lines stay together. The first waits ten seconds for BMCs that do not answer, so it begins first.
.PHONY: check
check: ##d run the unit tests, in seconds if nothing changed
	+@$(MAKE) -s -k --output-sync $(if $(filter -j%,$(MAKEFLAGS)),,-j$$((2 * $$(nproc)))) \
		run-helper_redfish check-kmod check-helper run-uapi run-nl-table

.PHONY: lines
lines: ##d count the lines of code in the module
	@tests/tools/lines

.PHONY: test
test: ##u run what each change must pass: unit tests, static checks, labs (installs the packages that they need)
	@echo 'make test takes 12 to 28 minutes on 2 idle cores, by their speed, and 10 more to install packages the first time'
	@tests/deps
	@tests/suite

.PHONY: test-full
test-full: deps ##d run what a release must pass besides: all that make test leaves out, or does in part
	@echo 'make test-full takes an hour on 2 cores, and ten minutes more the first time, for a kernel with iommufd'
	@tests/suite --full

# The tests with the most concurrency.
RACES := fuzz-netlink fuzz-vfio events hive overlap cycles every-way-in rescan switch
# The tests that want a new Linux with iommufd.
IOMMUFD := selftests iommufd dmabuf iommufd-dmabuf

.PHONY: test-debug
test-debug: deps ##d run the lab on debug kernels (KASAN, lockdep, KCSAN), for hours (ONLY='cycles hive')
	@rm -rf $(BUILD)/coverage/kmod
	@failed=0; \
	tests/suite -k debug $(ONLY) || failed=1; \
	races="$$(tests/suite -k race -l | grep -xF $(patsubst %,-e %,$(or $(ONLY),$(RACES))) || :)"; \
	[ -z "$$races" ] || tests/suite -k race $$races || failed=1; \
	iommufd="$$(tests/suite -k iommufd -l | grep -xF $(patsubst %,-e %,$(or $(ONLY),$(IOMMUFD))) || :)"; \
	[ -z "$$iommufd" ] || tests/suite -k iommufd $$iommufd || failed=1; \
	tests/suite -k faults $(ONLY) || failed=1; \
	$(if $(ONLY),,tests/suite fuzz-planted || failed=1; tests/coverage/helper || failed=1;) \
	tests/coverage/module $(if $(ONLY),,--lines 90 --branches 80) || failed=1; \
	exit $$failed

.PHONY: fuzz-long
fuzz-long: deps ##d run every fuzzer for MINUTES=20, three hours in all
	@echo '$(or $(MINUTES),20)' | grep -qx '[1-9][0-9]*' || \
		{ echo "MINUTES must be a whole number of minutes, such as 20" >&2; exit 2; }
	@failed=0; \
	$(MAKE) -s -k fuzz SECONDS=$$((60 * $(or $(MINUTES),20))) || failed=1; \
	LAB_SECONDS=$$((60 * $(or $(MINUTES),20))) tests/suite -k debug fuzz-netlink fuzz-vfio fuzz-hardware || failed=1; \
	exit $$failed

.PHONY: soak
soak: deps ##d inject hardware faults under load for an hour (MINUTES=60, SEED=, ROUND=)
	@$(MAKE) -s all $(BUILD)/lab/client
	@tests/soak $(or $(MINUTES),60) $(or $(SEED),$$RANDOM$$RANDOM) $(ROUND)

.PHONY: matrix
matrix: deps ##d run the tests in the lab on each kernel (KERNELS='6.12 7', ONLY='guest-lives hive')
	@tests/matrix --kernels "$(KERNELS)" $(ONLY)

.PHONY: demo
demo: ##u show in two minutes that stock VFIO loses the GPU, or the host, and instinct-vfio does not
	@tests/deps demo
	@$(MAKE) -s all $(BUILD)/lab/{client,settled} LAB_TOOLS="$(BUILD)/lab/client $(BUILD)/lab/settled"
	@tests/demo/run

.PHONY: bench
bench: all $(BUILD)/lab/client ##d measure resets beside the stock driver (ONLY=reset, config, isolation, policy, events, look, boot, growth, init, opens, reset-slow; KEEP=yes)
	@tests/bench/run $(if $(KEEP),--keep) $(ONLY)

.PHONY: lab
lab: all $(BUILD)/lab/client ##d start a shell in the lab (LAB='-t mi300x-8')
	@tests/lab/run $(LAB) -i
