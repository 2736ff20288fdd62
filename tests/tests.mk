# SPDX-License-Identifier: GPL-2.0-only
# The checks: `check` in seconds, `test` with everything in the lab.

UNIT_FLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined \
	-fno-sanitize-recover=all -Ikmod -Iinclude/uapi -Itests/unit
# The files of kmod/ that only decide: the same source as in the module.
PURE := $(addprefix kmod/,profile.c policy.c policy_key.c policy_word.c plan.c outcome.c name.c \
	discovery.c guard_rule.c bridge_header.c touch.c \
	hive_rule.c config_map.c notes.c keeper.c unblock.c \
	topology.c acs.c isolation_plan.c thermal_rule.c)
UNITS := $(addprefix $(BUILD)/unit/,plan outcome policy discovery guard_rule touch config_map keeper \
	unblock isolation thermal)

$(UNITS): $(BUILD)/unit/%: tests/unit/%.c $(wildcard tests/unit/*.h) $(PURE) \
		$(wildcard kmod/*.h include/uapi/linux/*.h)
	@mkdir -p $(@D)
	@$(CC) $(UNIT_FLAGS) -o $@ $< $(PURE)

# What reads things that others have written, with libFuzzer (clang): the table that a
# device holds, netlink messages, policies. tests/fuzz/corpus/NAME is kept; what is
# found beside it grows in $(BUILD)/fuzz/corpus-NAME from run to run. An input that
# breaks something is left in $(BUILD)/fuzz: $(BUILD)/fuzz/NAME INPUT repeats it.
CLANG ?= clang
SECONDS ?= 60
FUZZ := $(BUILD)/fuzz
FUZZ_TARGETS := discovery netlink policy
FUZZ_CORPUS ?= $(FUZZ)/corpus
FUZZ_FLAGS ?=
# The helper's folders first: a plan is another thing in the module.
FUZZ_CFLAGS := $(addprefix -I,$(HELPER_DIRS)) $(UNIT_FLAGS) -D_GNU_SOURCE \
	-fsanitize=fuzzer-no-link -Itests/fuzz -I$(FUZZ)

# What each is made of, beside its own file. The texts that the helper keeps for ever,
# files and the devices of the host are the fuzzers' own.
FUZZ_KEYS := helper/conf/conf_key.c helper/bdf.c helper/model.c helper/out/say.c \
	$(addprefix kmod/,profile.c policy.c policy_key.c policy_word.c topology.c acs.c \
	isolation_plan.c thermal_rule.c)
FUZZ_discovery := tests/fuzz/fuzz.c kmod/discovery.c
FUZZ_netlink := $(addprefix tests/fuzz/,fuzz.c words.c netlink_change.c) \
	$(wildcard helper/nl/nl*.c) helper/apply/plan.c helper/bytes.c $(FUZZ_KEYS)
FUZZ_policy := $(addprefix tests/fuzz/,fuzz.c words.c policy_change.c policy_mend.c \
	policy_files.c) $(addprefix helper/conf/,conf.c conf_check.c \
	conf_files.c conf_merge.c conf_parse.c ini_file.c) \
	$(addprefix helper/host/,pci_config.c sysfs.c sysfs_path.c sysroot.c tree.c tree_path.c) \
	helper/bytes.c $(FUZZ_KEYS)
FUZZ_WRAP := $(foreach name,text_intern text_of sysfs_exists sysroot_open_file \
	sysroot_read sysroot_stat sysroot_readlink sysroot_scandir,-Wl,--wrap=$(name))
FUZZ_SRCS := $(sort $(foreach name,$(FUZZ_TARGETS),tests/fuzz/$(name).c $(FUZZ_$(name))))
FUZZ_OBJS := $(FUZZ_SRCS:%.c=$(FUZZ)/%.o)

$(FUZZ_OBJS): $(FUZZ)/%.o: %.c dkms.conf
	@mkdir -p $(@D)
	@$(CLANG) $(FUZZ_CFLAGS) $$(pkg-config --cflags libmnl inih jansson) -MMD -MP -c -o $@ $<

-include $(FUZZ_OBJS:.o=.d)

$(FUZZ)/tests/fuzz/netlink_change.o: $(FUZZ)/netlink_made.h
$(FUZZ)/netlink_made.h: tests/fuzz/netlink_made.py include/uapi/instinct_vfio.yaml
	@mkdir -p $(@D)
	@$< >$@

$(FUZZ)/discovery: $(FUZZ_discovery:%.c=$(FUZZ)/%.o)
$(FUZZ)/policy: $(FUZZ_policy:%.c=$(FUZZ)/%.o)
$(FUZZ)/netlink: $(FUZZ_netlink:%.c=$(FUZZ)/%.o)
$(addprefix $(FUZZ)/,$(FUZZ_TARGETS)): $(FUZZ)/%: $(FUZZ)/tests/fuzz/%.o
	@$(CLANG) -fsanitize=fuzzer,address,undefined $(FUZZ_WRAP) -o $@ $^ \
		$$(pkg-config --libs libmnl inih jansson)

# fuzz_NAME: one of them, for SECONDS.
FUZZ_RUNS := $(addprefix fuzz_,$(FUZZ_TARGETS))
.PHONY: $(FUZZ_RUNS)
$(FUZZ_RUNS): fuzz_%: $(FUZZ)/%
	@mkdir -p $(FUZZ_CORPUS)-$*
	@$< -max_len=$(or $(FUZZ_BYTES_$*),8192) -max_total_time=$(SECONDS) -timeout=10 \
		$(addprefix -dict=,$(wildcard tests/fuzz/$*.dict)) \
		-artifact_prefix=$(FUZZ)/$*- $(FUZZ_FLAGS) $(FUZZ_CORPUS)-$* tests/fuzz/corpus/$*
FUZZ_BYTES_discovery := 10240
FUZZ_BYTES_policy := 1024

.PHONY: fuzz
fuzz: $(addprefix fuzz_,$(or $(ONLY),$(FUZZ_TARGETS))) ## fuzz what reads what others wrote (ONLY=policy, SECONDS=60)

# Of the kept corpus and what has been found small inputs, as few as go everywhere.
.PHONY: fuzz-keep
fuzz-keep: $(addprefix $(FUZZ)/,$(or $(ONLY),$(FUZZ_TARGETS))) ## keep in the repository what fuzzing found
	@for name in $(or $(ONLY),$(FUZZ_TARGETS)); do \
		rm -rf $(FUZZ)/kept && mkdir $(FUZZ)/kept && \
		$(FUZZ)/$$name -set_cover_merge=1 -use_counters=0 -max_len=1024 $(FUZZ)/kept \
			tests/fuzz/corpus/$$name $(FUZZ_CORPUS)-$$name 2>/dev/null && \
		rm -f tests/fuzz/corpus/$$name/* && \
		mv $(FUZZ)/kept/* tests/fuzz/corpus/$$name/ || exit 1; \
		echo "$$name: $$(ls tests/fuzz/corpus/$$name | wc -l) files"; \
	done

# What tests in the lab run; who wants the client gets all of them.
LAB_TOOLS := $(addprefix $(BUILD)/lab/,client dma bmc subscriber producer policies status)
LAB_NETLINK := $(addprefix $(BUILD)/lab/,subscriber producer policies)

$(BUILD)/lab/client: $(filter-out %/client,$(LAB_TOOLS)) tests/lab/vfio/client.c
$(BUILD)/lab/dma: tests/lab/vfio/dma.c
$(BUILD)/lab/bmc: tests/lab/ipmi/bmc.c
$(BUILD)/lab/status: tests/lab/status.c
$(BUILD)/lab/status: LAB_LIBS := jansson
$(LAB_NETLINK): $(BUILD)/lab/%: tests/lab/netlink/%.c \
		$(wildcard tests/lab/netlink/family.[ch] include/uapi/linux/*.h)
$(LAB_NETLINK): LAB_LIBS := libmnl

$(LAB_TOOLS):
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude/uapi -o $@ \
		$(filter %.c,$^) $(if $(LAB_LIBS),$$(pkg-config --cflags --libs $(LAB_LIBS)))

# RCCL's and NCCL's own topology code; the library's source is fetched once.
$(BUILD)/rccl/rccl-pairs $(BUILD)/rccl/nccl-pairs: $(BUILD)/rccl/%-pairs: tests/rccl/pairs.cc \
		tests/rccl/stand_in_%.cc $(wildcard tests/rccl/*.h) tests/rccl/build tests/rccl/source
	@tests/rccl/build $* $@

.PHONY: check-kmod
check-kmod: $(UNITS)
	@for unit in $(UNITS); do $$unit; done

.PHONY: check
check: check-kmod check-helper ## unit tests, in seconds
	@tests/build/uapi
	@tests/build/nl-table

.PHONY: test
test: deps ## everything: unit tests, static checks, the lab (installs what it needs)
	@tests/suite

.PHONY: matrix
matrix: deps ## the tests in the lab on each kernel (KERNELS='6.12 7', ONLY='guest-lives hive')
	@tests/matrix --kernels "$(KERNELS)" $(ONLY)

.PHONY: demo
demo: deps ## the story in two minutes: stock VFIO loses the GPU, ours does not
	@$(MAKE) -s all $(BUILD)/lab/client
	@tests/demo

.PHONY: bench
bench: all $(BUILD)/lab/client ## resets, ours against the stock driver (ONLY=reset, guard, isolation, policy, events, look)
	@tests/bench/run $(ONLY)

.PHONY: lab
lab: all $(BUILD)/lab/client ## a shell in the lab (LAB='-t mi300x-8')
	@tests/lab/run $(LAB) -i
