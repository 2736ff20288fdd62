# SPDX-License-Identifier: GPL-2.0-or-later
# instinctctl, its man pages and the files that are installed with it.

# instinctctl loads libkmod, libmicrohttpd, libipmimonitoring, libcurl, libxml2, libarchive and
# libcrypto at run time, in the commands that need them.
HELPER_LIBS   := libmnl inih jansson libmd libsystemd
HELPER_LOADED := libkmod libmicrohttpd libipmimonitoring libcurl libxml-2.0 libarchive libcrypto
# The rooms, from the lowest to the highest: a room includes itself and those before it
# (tests/static/rooms).
HELPER_ROOMS  := base files conf out nl host heat metrics topo apply dump doctor qualify look daemon show cmd
HELPER_DIRS   := $(addprefix helper/,$(HELPER_ROOMS))
HELPER_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Werror=implicit \
	-fstack-protector-strong -D_FORTIFY_SOURCE=2 -DINSTINCT_VERSION='"$(VERSION)"' \
	$(addprefix -I,$(HELPER_DIRS)) -Ikmod -Iinclude/uapi
# pkg-config runs once, when make first needs its answer.
HELPER_INCLUDES = $(eval HELPER_INCLUDES := $$(shell pkg-config --cflags $(HELPER_LIBS) $(HELPER_LOADED)))$(HELPER_INCLUDES)
HELPER_LINKED   = $(eval HELPER_LINKED := $$(shell pkg-config --libs $(HELPER_LIBS)))$(HELPER_LINKED)
# The helper compiles the module's own table of GPUs and rules of a policy.
HELPER_SRCS := $(wildcard $(addsuffix /*.c,$(HELPER_DIRS))) \
	$(addprefix kmod/,core/profile.c policy/policy.c \
	hardware/config_table.c hardware/discovery.c isolation/plan.c reset/plan.c)
HELPER_OBJS := $(HELPER_SRCS:%.c=$(BUILD)/%.o)
# make builds the man pages only if scdoc is installed.
MAN_PAGES   := $(if $(shell command -v scdoc),$(addprefix $(BUILD)/man/, \
	instinctctl.8 instinct-vfio-policy.conf.5 instinct-vfio-monitor.conf.5 \
	instinct-vfio-events.7))

# Rules and dashboards for Prometheus and Grafana.
MONITORING  := $(filter-out %.catalog %.awk,$(wildcard helper/monitoring/*))
# The address at which the alerts' readers find the runbook; by default that of the monitor's listener.
RUNBOOK     ?= http://127.0.0.1:9818/runbook
SYSTEMD_UNITS := $(wildcard helper/systemd/*)
POLICIES    := $(wildcard helper/policies/*.conf)
FLEET       := $(patsubst helper/%,%,$(filter-out %/site-policy %/kmm,$(wildcard helper/fleet/* helper/fleet/*/*)))
# This path does not depend on PREFIX: of the folders that modprobe reads, the tools that make an
# initramfs copy only this one and /etc, where an operator's file of the same name wins.
MODPROBE_CONF := /usr/lib/modprobe.d/instinct-vfio.conf
UDEV_RULES    := /usr/lib/udev/rules.d/60-instinct-vfio.rules
SBINDIR       ?= $(PREFIX)/sbin
# systemd looks for units and catalogs in no other PREFIX.
SYSTEMD_DIR   := $(if $(filter /usr,$(PREFIX)),/usr,/usr/local)/lib/systemd
# Filter for files that name installed files.
IN_PREFIX     := sed -e 's|/usr/local/lib/systemd|$(SYSTEMD_DIR)|g' \
	-e 's|/usr/local/sbin|$(SBINDIR)|g' -e 's|/usr/local/share|$(PREFIX)/share|g'

.PHONY: helper
helper: $(BUILD)/instinctctl ##u build/instinctctl alone

$(BUILD)/instinctctl: $(HELPER_OBJS)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(HELPER_LINKED) -lm

$(BUILD)/%.o: %.c dkms.conf
	@mkdir -p $(@D)
	@$(CC) $(HELPER_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(HELPER_INCLUDES) -MMD -MP -c -o $@ $<

-include $(HELPER_OBJS:.o=.d)

$(BUILD)/man/instinctctl.8: helper/man/instinctctl.8.scd
$(BUILD)/man/instinct-vfio-policy.conf.5: helper/man/policy.conf.5.scd
$(BUILD)/man/instinct-vfio-monitor.conf.5: helper/man/monitor.conf.5.scd
$(BUILD)/man/instinct-vfio-events.7: helper/man/instinct-vfio-events.7.scd
# instinctctl itself lists its commands, options and policy keys for the man pages.
$(MAN_PAGES): $(BUILD)/instinctctl helper/man/expand helper/man/tidy.awk
	@mkdir -p $(@D)
	@helper/man/expand $(BUILD)/instinctctl <$(filter %.scd,$^) | \
		SOURCE_DATE_EPOCH=$$(packaging/source epoch) scdoc | awk -f helper/man/tidy.awk >$@

.PHONY: man-pages
man-pages: $(MAN_PAGES) ##u the man pages, in build/man
	@echo $(MAN_PAGES)

# Each unit test links the objects that it needs of these, with the sanitizers on.
HELPER_UNITS := $(addprefix $(BUILD)/unit/,helper_conf helper_conf_files helper_model helper_nl \
	helper_out helper_plan helper_apply helper_sysfs helper_gpu_links helper_metrics helper_textfile \
	helper_http helper_heat helper_sensors helper_ipmi helper_redfish helper_sample_line helper_sampler \
	helper_roster helper_place helper_monitor_conf helper_stream helper_journal \
	helper_sinks helper_feed helper_hooks helper_daemon helper_nl_debug \
	helper_progress helper_topo helper_qualify helper_look helper_doctor \
	helper_mask helper_archive helper_replay helper_dump helper_aside helper_findings \
	helper_user helper_explain)
HELPER_UNIT_SRCS := $(filter-out helper/cmd/%.c helper/host/module.c helper/host/module_file.c helper/host/gather.c \
	helper/doctor/doctor.c helper/doctor/facts_read.c, \
	$(HELPER_SRCS))
HELPER_UNIT_OBJS := $(HELPER_UNIT_SRCS:%.c=$(BUILD)/unit/%.o)
# Compiling is most of the work, so the compiler optimizes nothing, except the module's own files,
# whose tests try many values.
UNIT_CFLAGS = $(HELPER_CFLAGS) -U_FORTIFY_SOURCE -O$(UNIT_LEVEL) -g1 -Werror -Wno-format-truncation \
	-fsanitize=address,undefined -fno-sanitize-recover=all -Itests/unit
UNIT_LEVEL := 0

$(BUILD)/unit/%.o: %.c dkms.conf
	@mkdir -p $(@D)
	@$(CC) $(UNIT_CFLAGS) $(HELPER_INCLUDES) -MMD -MP -c -o $@ $<

$(BUILD)/unit/helper.a: $(HELPER_UNIT_OBJS)
	@rm -f $@
	@ar rcs $@ $^

$(HELPER_UNITS): $(BUILD)/unit/%: $(BUILD)/unit/tests/unit/%.o $(BUILD)/unit/helper.a
	@$(CC) -fsanitize=address,undefined -o $@ $^ $(HELPER_LINKED)

-include $(HELPER_UNIT_OBJS:.o=.d) $(HELPER_UNITS:$(BUILD)/unit/%=$(BUILD)/unit/tests/unit/%.d)

.PHONY: check-helper
check-helper: $(HELPER_UNITS:$(BUILD)/unit/%=run-%)

# $(call install_conf,FROM,TO,FILTER): an installed file stays, since an operator may have
# changed it.
install_conf = test -e $(DESTDIR)$(2) || $(or $(3),cat) <$(1) | \
	install -D -m 644 /dev/stdin $(DESTDIR)$(2)
# $(call uninstall_conf,FROM,TO): a file that an operator has changed stays.
uninstall_conf = ! cmp -s $(1) $(DESTDIR)$(2) || rm $(DESTDIR)$(2)

.PHONY: install-helper
install-helper: $(BUILD)/instinctctl $(MAN_PAGES)
	install -D -m 755 $(BUILD)/instinctctl $(DESTDIR)$(SBINDIR)/instinctctl
	for page in $(MAN_PAGES); do $(IN_PREFIX) "$$page" | install -D -m 644 /dev/stdin \
		"$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}"; done
	install -D -m 644 helper/completion/instinctctl.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/instinctctl
	install -D -m 644 helper/completion/_instinctctl \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_instinctctl
	install -D -m 644 helper/udev/60-instinct-vfio.rules $(DESTDIR)$(UDEV_RULES)
	install -D -m 644 helper/modprobe/instinct-vfio.conf $(DESTDIR)$(MODPROBE_CONF)
	@for file in $(UDEV_RULES) $(MODPROBE_CONF); do \
		ours="$(DESTDIR)$$file" theirs="$(DESTDIR)/etc/$${file#/usr/lib/}"; \
		! test -e "$$theirs" || cmp -s "$$ours" "$$theirs" || \
		echo "$$theirs wins over $$ours: remove it unless you have changed it"; done
	install -d $(DESTDIR)$(PREFIX)/share/instinct-vfio
	for file in $(MONITORING); do sed 's|http://127.0.0.1:9818/runbook|$(RUNBOOK)|' "$$file" | \
		install -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/share/instinct-vfio/$${file##*/}"; done
	awk -f helper/monitoring/runbook.awk docs/troubleshooting.md | \
		install -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/share/instinct-vfio/runbook.html
	install -m 644 include/uapi/instinct_vfio.yaml $(DESTDIR)$(PREFIX)/share/instinct-vfio
	install -d $(DESTDIR)$(PREFIX)/share/instinct-vfio/schema
	install -m 644 helper/schema/*.json $(DESTDIR)$(PREFIX)/share/instinct-vfio/schema
	$(call install_conf,helper/policy.conf,/etc/instinct-vfio/policy.conf,$(IN_PREFIX))
	$(call install_conf,helper/monitor.conf,/etc/instinct-vfio/monitor.conf)
	$(call install_conf,helper/logrotate/instinct-vfio,/etc/logrotate.d/instinct-vfio)
	install -D -m 644 helper/hooks.d/README $(DESTDIR)/etc/instinct-vfio/hooks.d/README
	for policy in $(POLICIES); do install -D -m 644 "$$policy" \
		"$(DESTDIR)$(PREFIX)/share/instinct-vfio/policies/$${policy##*/}"; done
	for file in $(FLEET); do mode=644; ! test -x "helper/$$file" || mode=755; \
		$(IN_PREFIX) "helper/$$file" | install -D -m $$mode /dev/stdin \
		"$(DESTDIR)$(PREFIX)/share/instinct-vfio/$$file"; done
	for unit in $(SYSTEMD_UNITS); do $(IN_PREFIX) "$$unit" | install -D -m 644 /dev/stdin \
		"$(DESTDIR)$(SYSTEMD_DIR)/system/$${unit##*/}"; done
	$(if $(DESTDIR),,-systemctl daemon-reload)
	install -D -m 644 helper/monitoring/instinct-vfio.catalog \
		$(DESTDIR)$(SYSTEMD_DIR)/catalog/instinct-vfio.catalog
	$(if $(DESTDIR),,-journalctl --update-catalog)
	@echo 'The module hands out no GPU before its policy is applied: systemctl enable --now' \
		'instinct-vfio-apply'

# make does not stop the policy's unit, which would stop each VM whose unit requires it.
.PHONY: uninstall-helper
uninstall-helper:
	$(if $(DESTDIR),,-systemctl disable instinct-vfio-apply instinct-vfio-bind)
	$(if $(DESTDIR),,-systemctl disable --now instinct-vfio-monitor)
	rm -f $(DESTDIR)$(SBINDIR)/instinctctl \
		$(DESTDIR)$(PREFIX)/share/man/man8/instinctctl.8 \
		$(DESTDIR)$(PREFIX)/share/man/man7/instinct-vfio-events.7 \
		$(DESTDIR)$(PREFIX)/share/man/man5/instinct-vfio-policy.conf.5 \
		$(DESTDIR)$(PREFIX)/share/man/man5/instinct-vfio-monitor.conf.5 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/instinctctl \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_instinctctl \
		$(DESTDIR)$(UDEV_RULES) $(DESTDIR)$(MODPROBE_CONF) \
		$(DESTDIR)/etc/instinct-vfio/hooks.d/README \
		$(addprefix $(DESTDIR)$(SYSTEMD_DIR)/system/,$(notdir $(SYSTEMD_UNITS))) \
		$(DESTDIR)$(SYSTEMD_DIR)/catalog/instinct-vfio.catalog
	$(call uninstall_conf,helper/logrotate/instinct-vfio,/etc/logrotate.d/instinct-vfio)
	rm -rf $(DESTDIR)$(PREFIX)/share/instinct-vfio
	$(if $(DESTDIR),,-systemctl daemon-reload)
	$(if $(DESTDIR),,-journalctl --update-catalog)
	-rmdir --ignore-fail-on-non-empty $(DESTDIR)/etc/instinct-vfio/hooks.d
	@echo '/etc/instinct-vfio: policy.conf, monitor.conf and your hooks stay'
	@echo 'A loaded module still wants a policy (require_policy), as does one in the' \
		'initramfs: modprobe -r instinct_vfio_pci; update-initramfs -u'
