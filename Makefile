# SPDX-License-Identifier: GPL-2.0
# onehop: a module, a tool, and their proof. README.md says which target to begin with.

# A kernel build folder with Rust metadata. Without one, the kit's: it is fetched and prepared
# on first use, see kit/README.md.
KDIR ?=

# The host's cargo where it is new enough, else the kit's.
CARGO := tools/cargo
export CARGO_TARGET_DIR ?= $(or $(ONEHOP_KIT),$(HOME)/.cache/onehop)/target
ONEHOPCTL := $(CARGO_TARGET_DIR)/release/onehopctl

PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: all module ctl programs check test test-sanitised soak demo bench install clean

all: module

ifneq ($(KDIR),)
kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR)
release = $(shell $(MAKE) -s -C $(KDIR) kernelrelease)
strip = strip
kit :=
module: kdir-check
.PHONY: kdir-check
kdir-check:
	@kit/kdir-check $(KDIR)
else
kbuild = . kit/env.sh && kit/run $(MAKE) -C $$KDIR M=$(CURDIR) CC=$$ONEHOP_CC KERNELRELEASE=$$KVER
release = $(shell . kit/env.sh && echo $$KVER)
strip = kit/run strip
kit := kit
module: kit
endif

.PHONY: kit
kit:
	@kit/prepare

module:
	$(kbuild) modules

ctl: $(kit)
	$(CARGO) build --release --locked -p onehopctl

# What the scripts run beside the tool.
programs: $(kit)
	$(CARGO) build --release --locked -p onehop_fuzz
	$(CARGO) build --release --locked -p onehop_uapi --example verdict

check: kit
	tools/check

# LONG=1: with every verb in every mode, harder conditions, and 10,000 steps under fire.
# SCRIPTS="lifecycle netns": of the scripts in the guest no more than those.
scripts = $(if $(LONG),--long) $(if $(SCRIPTS),--only "$(SCRIPTS)")

test: module ctl programs
	tools/test $(scripts)

# The same scripts, and faults.sh, in a kernel that finds faults: hours.
test-sanitised: module ctl programs
	kit/sanitised/module
	selftests/run-all --sanitised $(scripts)

# Half an hour of traffic and changes; `make test LONG=1` has one minute of it.
soak: export SOAK_SECONDS ?= 1800
soak: module ctl
	selftests/vm/run --timeout 7200 --script-timeout 7000 selftests/soak.sh

demo: module ctl
	demo/run

bench: module ctl
	bench/run

# The module goes to the kernel it was built for, which need not be the running one.
modules = $(DESTDIR)/lib/modules/$(release)
share = $(DESTDIR)$(PREFIX)/share

install: module ctl
	$(strip) -g -o onehop.stripped.ko onehop.ko
	install -D -m 0644 onehop.stripped.ko $(modules)/updates/onehop.ko
	install -D -m 0755 $(ONEHOPCTL) $(DESTDIR)$(PREFIX)/sbin/onehopctl
	install -D -m 0755 ctl/examples/watchd.sh $(share)/onehop/watchd.sh
	install -D -m 0644 ctl/examples/onehop.conf $(share)/onehop/onehop.conf
	install -D -m 0644 ctl/examples/bird-dispatcher.conf $(share)/onehop/bird-dispatcher.conf
	install -D -m 0644 ctl/examples/bird-router.conf $(share)/onehop/bird-router.conf
	for page in Documentation/man/*.[578]; do \
		install -D -m 0644 $$page $(share)/man/man$${page##*.}/$${page##*/}; \
	done
	if [ -z "$(DESTDIR)" ]; then depmod $(release); fi

clean:
	$(kbuild) clean
