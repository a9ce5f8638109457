# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # new, work, build and release are prepare's
# The proof that a root is good: a Rust module built in it goes into the stock
# kernel and speaks. Sourced by prepare.

verify_module() {
	local dir=$work/verify
	rm -rf "$dir"
	mkdir -p "$dir"

	cat >"$dir/kit_probe.rs" <<-'EOF'
		//! Says a word when loaded.
		use kernel::prelude::*;

		module! {
		    type: Probe,
		    name: "kit_probe",
		    authors: ["onehop"],
		    description: "Proof that the kit works",
		    license: "GPL",
		}

		struct Probe;

		impl kernel::Module for Probe {
		    fn init(_module: &'static ThisModule) -> Result<Self> {
		        pr_info!("loaded\n");
		        Ok(Probe)
		    }
		}
	EOF
	echo "obj-m := kit_probe.o" >"$dir/Kbuild"
	inside make -C "$build" M="$dir" KERNELRELEASE="$release" CC="$ONEHOP_CC" modules
	mkdir -p "$new/opt/onehop/probe"
	mv "$dir/kit_probe.ko" "$new/opt/onehop/probe/"
	rm -rf "$dir"
}

# Straight from the folder through virtiofs, without an image or an initramfs.
verify_boot() {
	local log=$work/boot.log
	cat >"$new/opt/onehop/probe/init" <<-'EOF'
		#!/bin/sh
		mount -t proc proc /proc
		insmod /opt/onehop/probe/kit_probe.ko
		dmesg | grep kit_probe
		echo o >/proc/sysrq-trigger
		while :; do sleep 1; done
	EOF
	chmod +x "$new/opt/onehop/probe/init"
	# The two end each other: QEMU is told to stop by the guest, virtiofsd ends with it.
	# shellcheck disable=SC2016
	inside bash -c '
		set -eu
		socket=$1/boot.socket release=$2 root=$3
		rm -f "$socket"
		setpriv --pdeathsig KILL /usr/libexec/virtiofsd --sandbox none --cache always --log-level error \
			--socket-path "$socket" --shared-dir "$root" &
		for ((i = 0; i < 100; i++)); do
			[[ -S $socket ]] && break
			sleep 0.05
		done
		timeout -k 1 120 qemu-system-x86_64 -nodefaults -nographic -no-reboot \
			-accel tcg,thread=multi -smp 2 -m 512 \
			-object memory-backend-memfd,id=mem,size=512M,share=on -machine q35,memory-backend=mem \
			-chardev "socket,id=root,path=$socket" -device vhost-user-fs-pci,chardev=root,tag=root \
			-kernel "/usr/lib/modules/$release/vmlinuz" -serial stdio \
			-append "root=root rootfstype=virtiofs rw init=/opt/onehop/probe/init console=ttyS0 quiet panic=-1" \
			</dev/null
	' bash "$work" "$release" "$new" | tee "$log"
	grep -q 'kit_probe: loaded' "$log" || {
		echo "the guest did not load the module" >&2
		return 1
	}
}
