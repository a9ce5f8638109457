# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # new, linux, build, release, cache and here are prepare's
# From downloaded archives to a root that builds Rust modules. Sourced by
# prepare; each function is one step, makes $new (or a part of it) whole or
# fails, and may be run again after it was cut off at any point. No network.

# inside CMD ARGS...: run CMD in the root being made.
inside() {
	ONEHOP_BIND="$cache" "$here/enter" "$new" "$@"
}

# extract DIR ARCHIVE...: unpack without installing. Not dpkg-deb -x: it would
# replace a link such as /lib -> usr/lib by a folder where a package has one.
extract() {
	local dir=$1 archive
	shift

	for archive in "$@"; do
		dpkg-deb --fsys-tarfile "$archive" |
			tar -C "$dir" -xp --keep-directory-symlink \
				--exclude './usr/share/man/*' --exclude './usr/share/doc/*'
	done
}

# The way of debootstrap, less its own downloads: unpack what every Debian has,
# then let its dpkg install the same archives properly.
make_base() {
	local archives dir
	mapfile -t archives < <(plan base)

	rm -rf "$new"
	mkdir -p "$new"/usr/{bin,sbin,lib,lib64} "$new"/etc/{dpkg/dpkg.cfg.d,apt/apt.conf.d} \
		"$new"/var/lib/dpkg/info "$new"/{proc,sys,dev,tmp,run}
	for dir in bin sbin lib lib64; do
		ln -s "usr/$dir" "$new/$dir"
	done
	: >"$new/var/lib/dpkg/status"
	cat >"$new/etc/dpkg/dpkg.cfg.d/onehop" <<-EOF
		force-unsafe-io
		path-exclude=/usr/share/man/*
		path-exclude=/usr/share/doc/*
		path-exclude=/usr/share/info/*
		path-exclude=/usr/share/locale/*
	EOF
	cat >"$new/etc/apt/apt.conf.d/90onehop" <<-EOF
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
	EOF
	cp "$cache/sources.list" "$new/etc/apt/"
	# No package may start a daemon while it is being installed.
	printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d"
	chmod +x "$new/usr/sbin/policy-rc.d"

	extract "$new" "${archives[@]}"
	cp "$new/usr/share/base-passwd/passwd.master" "$new/etc/passwd"
	cp "$new/usr/share/base-passwd/group.master" "$new/etc/group"
	inside dpkg --install --force-depends "${archives[@]}"
}

# Of exactly the archives in the plan, so that no package list is consulted. A
# half installed root is not mended but begun anew, which takes seconds: hence
# the stamp of the base is away meanwhile.
install_packages() {
	local archives stamp=$new/opt/onehop/stamp/base
	mapfile -t archives < <(plan all)

	rm -f "$stamp"
	inside apt-get install -q -y "${archives[@]}"
	: >"$stamp"
}

# The stock kernel and its modules for the guest, not installed: no boot loader
# and no initramfs are wanted here.
unpack_kernel() {
	local archives
	mapfile -t archives < <(plan kernel)

	extract "$new" "${archives[@]}"
	inside depmod "$release"
}

unpack_source() {
	local archive
	archive=$(plan source)

	rm -rf "$new$linux" "$new$linux.new"
	mkdir -p "$new$linux.new"
	# shellcheck disable=SC2016
	inside sh -c 'dpkg-deb --fsys-tarfile "$1" | tar -xO --wildcards "./usr/src/*.tar.xz" |
		tar -C "$2" -xJ --strip-components 1' sh "$archive" "$linux.new"
	mv "$new$linux.new" "$new$linux"
}

# Debian's packages lack the Rust half of a build folder. The same compilers,
# source and configuration make it anew, without building the kernel.
prepare_build() {
	rm -rf "$new$build"
	mkdir -p "$new$build"
	cp "$new/usr/lib/modules/$release/config" "$new$build/.config"
	inside make -C "$linux" O="$build" -j"$(nproc)" KERNELRELEASE="$release" \
		CC="$ONEHOP_CC" olddefconfig prepare modules_prepare
	cp "$new/usr/src/linux-headers-$release/Module.symvers" "$new$build/"
	inside "$here/kdir-check" "$build"
}
