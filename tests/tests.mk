# SPDX-License-Identifier: GPL-2.0-only
# The checks: `check` in seconds, `test` with everything in the lab.

UNIT_FLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined \
	-fno-sanitize-recover=all -Ikmod -Iinclude/uapi -Itests/unit
# The files of kmod/ that only decide: the same source as in the module.
PURE := $(addprefix kmod/,profile.c policy.c plan.c outcome.c name.c \
	discovery.c guard_rule.c bridge_header.c touch.c \
	hive_rule.c config_map.c notes.c keeper.c unblock.c \
	topology.c acs.c isolation_plan.c thermal_rule.c)
UNITS := $(addprefix $(BUILD)/unit/,plan policy discovery guard_rule touch config_map keeper unblock \
	isolation)

$(UNITS): $(BUILD)/unit/%: tests/unit/%.c $(wildcard tests/unit/*.h) $(PURE) \
		$(wildcard kmod/*.h include/uapi/linux/*.h)
	@mkdir -p $(@D)
	@$(CC) $(UNIT_FLAGS) -o $@ $< $(PURE)

# The parser of what a device holds, with libFuzzer (clang). FUZZ_CORPUS grows
# from run to run; an input that breaks it is kept beside: $(FUZZ) INPUT repeats it.
CLANG ?= clang
SECONDS ?= 60
FUZZ := $(BUILD)/fuzz/discovery
FUZZ_CORPUS ?= $(BUILD)/fuzz/corpus
FUZZ_FLAGS ?=

$(FUZZ): tests/fuzz/discovery.c kmod/discovery.c $(wildcard kmod/*.h include/uapi/linux/*.h)
	@mkdir -p $(@D)
	@$(CLANG) $(UNIT_FLAGS) -fsanitize=fuzzer -o $@ $(filter %.c,$^)

$(FUZZ)-seeds: tests/fuzz/seeds.c tests/unit/discovery_bin.h kmod/discovery.h
	@mkdir -p $(@D)
	@$(CC) $(UNIT_FLAGS) -o $@ $<

.PHONY: fuzz
fuzz: $(FUZZ) $(FUZZ)-seeds ## fuzz the parser of the discovery table (SECONDS=60)
	@mkdir -p $(FUZZ_CORPUS)
	@$(FUZZ)-seeds $(FUZZ_CORPUS)
	@$(FUZZ) -max_len=10240 -max_total_time=$(SECONDS) -timeout=10 \
		-artifact_prefix=$(dir $(FUZZ)) $(FUZZ_FLAGS) $(FUZZ_CORPUS)

# What tests in the lab run; who wants the client gets all of them.
LAB_TOOLS := $(addprefix $(BUILD)/lab/,client dma bmc subscriber producer)

$(BUILD)/lab/client: $(filter-out %/client,$(LAB_TOOLS)) tests/lab/vfio/client.c
$(BUILD)/lab/dma: tests/lab/vfio/dma.c
$(BUILD)/lab/bmc: tests/lab/ipmi/bmc.c
$(BUILD)/lab/subscriber $(BUILD)/lab/producer: $(BUILD)/lab/%: tests/lab/netlink/%.c \
		$(wildcard tests/lab/netlink/family.[ch] include/uapi/linux/*.h)
$(BUILD)/lab/subscriber $(BUILD)/lab/producer: LAB_LIBS := libmnl

$(LAB_TOOLS):
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude/uapi -o $@ \
		$(filter %.c,$^) $(if $(LAB_LIBS),$$(pkg-config --cflags --libs $(LAB_LIBS)))

.PHONY: check-kmod
check-kmod: $(UNITS)
	@for unit in $(UNITS); do $$unit; done

.PHONY: check
check: check-kmod check-helper ## unit tests, in seconds
	@tests/build/uapi

.PHONY: test
test: deps ## everything: unit tests, static checks, the lab (installs what it needs)
	@tests/suite

.PHONY: demo
demo: deps ## the story in two minutes: stock VFIO loses the GPU, ours does not
	@$(MAKE) -s all $(BUILD)/lab/client
	@tests/demo

.PHONY: bench
bench: all $(BUILD)/lab/client ## resets, ours against the stock driver (ONLY=reset, guard or isolation)
	@tests/bench/run $(ONLY)

.PHONY: lab
lab: all $(BUILD)/lab/client ## a shell in the lab (LAB='-t mi300x-8')
	@tests/lab/run $(LAB) -i
