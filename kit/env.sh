# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Where the kit lives and which kernel it is for. Sourced by bash and by sh, on
# the host and inside the kit; no external command, so that it costs nothing.

# The one place that pins the kernel. When the archive has dropped this release
# kit/prepare takes the newest of the same series and remembers it in the root.
ONEHOP_KERNEL=${ONEHOP_KERNEL:-7.3.4+deb13-cloud-amd64}

ONEHOP_KIT=${ONEHOP_KIT:-${HOME:-/root}/.cache/onehop}
case $ONEHOP_KIT in
/*) ;;
*) ONEHOP_KIT=$PWD/$ONEHOP_KIT ;;
esac
ONEHOP_ROOT=$ONEHOP_KIT/root

KVER=$ONEHOP_KERNEL
for onehop_kver in /opt/onehop/kver "$ONEHOP_ROOT/opt/onehop/kver"; do
	if [ -r "$onehop_kver" ]; then
		read -r KVER <"$onehop_kver"
	fi
done
unset onehop_kver
# As seen from inside the kit (kit/run), where every build takes place.
# shellcheck disable=SC2034 # for whoever sources this
KDIR=/opt/onehop/build-$KVER
# The compiler that built it, by the name kbuild was configured with.
ONEHOP_CC=x86_64-linux-gnu-gcc-14

# Not KDIR: in the environment it would tell make to build without the kit.
export ONEHOP_KERNEL ONEHOP_KIT ONEHOP_ROOT ONEHOP_CC KVER
