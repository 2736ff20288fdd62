# SPDX-License-Identifier: GPL-2.0-or-later
# instinctctl, its man pages and what is installed beside it.

# libkmod, libmicrohttpd, libipmimonitoring, libxml2 and libarchive are loaded by who needs them.
HELPER_LIBS   := libmnl inih jansson libmd libsystemd
HELPER_LOADED := libkmod libmicrohttpd libipmimonitoring libxml-2.0 libarchive
HELPER_DIRS   := helper $(addprefix helper/,apply cmd conf daemon doctor dump heat host metrics nl out \
	qualify topo)
HELPER_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Werror=implicit \
	-fstack-protector-strong -D_FORTIFY_SOURCE=2 -DINSTINCT_VERSION='"$(VERSION)"' \
	$(addprefix -I,$(HELPER_DIRS)) -Ikmod -Iinclude/uapi
# The table of known GPUs and the rules of a policy are the module's own.
HELPER_SRCS := $(wildcard $(addsuffix /*.c,$(HELPER_DIRS))) \
	$(addprefix kmod/,profile.c policy.c policy_key.c name.c isolation_plan.c config_table.c hive_rule.c)
HELPER_OBJS := $(HELPER_SRCS:%.c=$(BUILD)/%.o)
# The man pages need scdoc; without it they are left out.
MAN_PAGES   := $(if $(shell command -v scdoc),$(addprefix $(BUILD)/man/, \
	instinctctl.8 instinct-vfio-policy.conf.5 instinct-vfio-monitor.conf.5 \
	instinct-vfio-events.7))

# For Prometheus and Grafana.
MONITORING  := $(filter-out %.catalog,$(wildcard helper/monitoring/*))
SYSTEMD_UNITS := $(wildcard helper/systemd/*)
POLICIES    := $(wildcard helper/policies/*.conf)
FLEET       := $(patsubst helper/%,%,$(filter-out %/site-policy,$(wildcard helper/fleet/* helper/fleet/*/*)))
# Whatever PREFIX is: of the folders that modprobe reads, those who make an initramfs
# take this one and /etc, where a file of the same name is the operator's, and wins.
MODPROBE_CONF := /usr/lib/modprobe.d/instinct-vfio.conf
UDEV_RULES    := /usr/lib/udev/rules.d/60-instinct-vfio.rules
SBINDIR       ?= $(PREFIX)/sbin
# systemd looks for units and catalogs in no other PREFIX.
SYSTEMD_DIR   := $(if $(filter /usr,$(PREFIX)),/usr,/usr/local)/lib/systemd
# What names an installed file, as it is installed.
IN_PREFIX     := sed -e 's|/usr/local/lib/systemd|$(SYSTEMD_DIR)|g' \
	-e 's|/usr/local/sbin|$(SBINDIR)|g' -e 's|/usr/local/share|$(PREFIX)/share|g'

.PHONY: helper
helper: $(BUILD)/instinctctl ## build/instinctctl alone

$(BUILD)/instinctctl: $(HELPER_OBJS)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs $(HELPER_LIBS)) -lm

$(BUILD)/%.o: %.c dkms.conf
	@mkdir -p $(@D)
	@$(CC) $(HELPER_CFLAGS) $(CPPFLAGS) $(CFLAGS) $$(pkg-config --cflags $(HELPER_LIBS) $(HELPER_LOADED)) \
		-MMD -MP -c -o $@ $<

-include $(HELPER_OBJS:.o=.d)

$(BUILD)/man/instinctctl.8: helper/man/instinctctl.8.scd
$(BUILD)/man/instinct-vfio-policy.conf.5: helper/man/policy.conf.5.scd
$(BUILD)/man/instinct-vfio-monitor.conf.5: helper/man/monitor.conf.5.scd
$(BUILD)/man/instinct-vfio-events.7: helper/man/instinct-vfio-events.7.scd
# What commands and options there are instinctctl says itself.
$(MAN_PAGES): $(BUILD)/instinctctl helper/man/expand helper/man/tidy.awk
	@mkdir -p $(@D)
	@helper/man/expand $(BUILD)/instinctctl <$(filter %.scd,$^) | scdoc | \
		awk -f helper/man/tidy.awk >$@

.PHONY: man-pages
man-pages: $(MAN_PAGES) ## the man pages, in build/man
	@echo $(MAN_PAGES)

# Unit tests link everything but the commands, with the sanitizers on.
HELPER_UNITS := $(addprefix $(BUILD)/unit/,helper_conf helper_conf_files helper_model helper_nl \
	helper_out helper_plan helper_apply helper_sysfs helper_metrics helper_textfile \
	helper_http helper_heat helper_sensors helper_ipmi helper_sample_line helper_sampler \
	helper_roster helper_place helper_monitor_conf helper_stream helper_journal \
	helper_sinks helper_feed helper_hooks helper_daemon helper_nl_debug \
	helper_progress helper_topo helper_qualify helper_doctor \
	helper_mask helper_archive helper_replay helper_dump helper_aside)
HELPER_UNIT_SRCS := $(filter-out helper/main.c helper/cmd/%.c \
	helper/apply/watch%.c helper/host/module.c helper/host/module_file.c helper/host/gather.c \
	helper/doctor/doctor.c helper/doctor/facts_read.c, \
	$(HELPER_SRCS))
HELPER_UNIT_OBJS := $(HELPER_UNIT_SRCS:%.c=$(BUILD)/unit/%.o)
HELPER_UNIT_CFLAGS := $(HELPER_CFLAGS) -U_FORTIFY_SOURCE -O1 -Werror -Wno-format-truncation \
	-fsanitize=address,undefined -fno-sanitize-recover=all -Itests/unit

$(BUILD)/unit/%.o: %.c dkms.conf
	@mkdir -p $(@D)
	@$(CC) $(HELPER_UNIT_CFLAGS) $$(pkg-config --cflags $(HELPER_LIBS) $(HELPER_LOADED)) \
		-MMD -MP -c -o $@ $<

$(HELPER_UNITS): $(BUILD)/unit/%: $(BUILD)/unit/tests/unit/%.o $(HELPER_UNIT_OBJS)
	@$(CC) -fsanitize=address,undefined -o $@ $^ \
		$$(pkg-config --libs $(HELPER_LIBS))

-include $(HELPER_UNIT_OBJS:.o=.d) $(HELPER_UNITS:$(BUILD)/unit/%=$(BUILD)/unit/tests/unit/%.d)

.PHONY: check-helper
check-helper: $(HELPER_UNITS)
	@for unit in $(HELPER_UNITS); do $$unit; done

# $(call install_conf,FROM,TO,FILTER): what may have been changed there stays.
install_conf = test -e $(DESTDIR)$(2) || $(or $(3),cat) <$(1) | \
	install -D -m 644 /dev/stdin $(DESTDIR)$(2)
# $(call uninstall_conf,FROM,TO): what was changed stays.
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
	install -m 644 $(MONITORING) $(DESTDIR)$(PREFIX)/share/instinct-vfio
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
	@echo 'No GPU is handed out before its policy is applied: systemctl enable --now' \
		'instinct-vfio-apply'

# The policy's unit is not stopped: that would stop each VM whose unit requires it.
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
