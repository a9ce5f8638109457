# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # cache and work are prepare's
# All that comes from the network: find a mirror, choose the kernel, download.
# Sourced by prepare. Works through the machine's own apt, hence with its proxy,
# certificates and archive keys, but on state of our own: the machine's package
# lists and installed packages are neither changed nor consulted.

suite=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The URIs this machine may get Debian from, best guess first; their suite does
# not matter. apt itself reads both formats of source entries. What a downloaded
# index says of itself counts most; before the first apt-get update there is
# nothing but the suite to go by, and a third party may use the same name.
mirrors() {
	local codename uri label

	if [[ -n ${ONEHOP_MIRROR-} ]]; then
		echo "$ONEHOP_MIRROR"
		return
	fi
	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	# shellcheck disable=SC2016 # apt's own variables
	{
		indexes '$(REPO_URI) $(ORIGIN) $(LABEL)'
		indexes '$(REPO_URI) $(RELEASE)' --no-release-info
	} | while read -r uri label; do
		case $uri,$label in
		*security* | cdrom:*) ;;
		*,"Debian Debian" | *,"Debian Debian Backports" | *,"$codename" | *,"$codename-updates" | \
			*,stable | *,oldstable)
			echo "$uri"
			;;
		esac
	done | awk '!seen[$0]++'
}

indexes() {
	apt-get indextargets --format "$@" 'Created-By: Packages' 'Component: main' 2>/dev/null
}

# Settings for apt on our own state. Read after the machine's own, and therefore
# free to take back what would change the outcome.
write_apt_conf() {
	local mirror=$1 options="arch=amd64 signed-by=$keyring"

	# A dated archive is out of date by intent.
	if [[ $mirror =~ /[0-9]{8}T[0-9]{6}Z ]]; then
		options+=" check-valid-until=no"
	fi
	cat >"$cache/sources.list" <<-EOF
		deb [$options] $mirror $suite main
		deb [$options] $mirror $suite-backports main
	EOF
	cat >"$cache/apt.conf" <<-EOF
		Dir::State "$cache";
		Dir::State::lists "lists";
		Dir::State::status "$cache/status";
		Dir::Cache "$cache";
		Dir::Cache::archives "archives";
		Dir::Cache::pkgcache "pkgcache.bin";
		Dir::Cache::srcpkgcache "srcpkgcache.bin";
		Dir::Etc::sourcelist "$cache/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		APT::Architecture "amd64";
		APT::Default-Release "";
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		APT::Update::Error-Mode "any";
		Acquire::Languages "none";
		Acquire::Retries "5";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	EOF
}

own_apt() {
	apt-get -c "$cache/apt.conf" -q -y "$@"
}

# Package lists from the first mirror that has them, signed by Debian.
update() {
	local mirror tried=()

	[[ -e $keyring ]] || die "'$keyring' is missing: apt-get install debian-archive-keyring"
	for mirror in $(mirrors); do
		write_apt_conf "$mirror"
		if own_apt update; then
			return
		fi
		tried+=("$mirror")
	done
	((${#tried[@]} > 0)) ||
		die "no Debian archive among this machine's apt sources: name one, ONEHOP_MIRROR=URI kit/prepare"
	tail -n 5 "$work/download.log" >&4
	die "no package lists for $suite and $suite-backports from '${tried[*]}': look to the network, or name another archive in ONEHOP_MIRROR"
}

# version PACKAGE: its newest version in the archive, or nothing.
version() {
	{ apt-cache -c "$cache/apt.conf" show "$1" 2>/dev/null || true; } |
		sed -n 's/^Version: //p' | sort -rV | head -n 1
}

# Print the release of the kernel to use, its package version and the name of
# its source package: the pinned kernel, else the newest of its series. The
# source must have the same version, as the names of Rust symbols follow from it.
choose_kernel() {
	local series=${ONEHOP_KERNEL%.*} flavour=${ONEHOP_KERNEL#*-} source candidate

	source=$(version "linux-source-$series")
	[[ -n $source ]] ||
		die "the archive has no 'linux-source-$series' in $suite-backports: pin another kernel in kit/env.sh, or name another archive in ONEHOP_MIRROR"
	for candidate in "$ONEHOP_KERNEL" $(apt-cache -c "$cache/apt.conf" pkgnames "linux-binary-$series." |
		sed -n "s/^linux-binary-\([^-]*-$flavour\)\$/\1/p" | sort -rV); do
		if [[ $(version "linux-binary-$candidate") == "$source" ]]; then
			echo "$candidate $source linux-source-$series"
			return
		fi
	done
	die "the archive has no kernel of series '$series' and flavour '$flavour' to match its source '$source': pin another kernel in kit/env.sh"
}

# debs ARGS...: the archive file names of what apt would install for ARGS. Not
# from --print-uris, which leaves out what has been downloaded before.
debs() {
	own_apt install --simulate "$@" |
		sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*\[\([a-z0-9]*\)\]).*/\1_\2_\3.deb/p' | sed 's/:/%3a/g'
}

# Leaves $work/plan: the kernel's release on the first line, then a line
# "STAGE FILE" for every archive.
download() {
	local chosen kernel version source part all base=('?priority(required)' apt xz-utils) kernel_packages=()

	mkdir -p "$cache"/lists/partial "$cache"/archives/partial
	# The cache may be shared with another kit.
	exec 8>"$cache/kit.lock"
	flock 8
	: >"$cache/status"
	update
	chosen=$(choose_kernel)
	read -r kernel version source <<<"$chosen"
	[[ $kernel == "$ONEHOP_KERNEL" ]] ||
		say "the archive no longer has '$ONEHOP_KERNEL': using '$kernel', the newest of its series"
	mapfile -t all < <(package_names)
	all+=("${base[@]}")
	for part in binary modules base headers; do
		kernel_packages+=("linux-$part-$kernel")
	done

	own_apt install --download-only "${all[@]}"
	# Without their dependencies, which are those of a machine that boots from disk.
	(cd "$cache/archives" && own_apt download "${kernel_packages[@]/%/=$version}" "$source=$version")
	{
		echo "$kernel"
		debs "${base[@]}" | sed 's/^/base /'
		debs "${all[@]}" | sed 's/^/all /'
		printf "kernel %s_${version}_amd64.deb\n" "${kernel_packages[@]}"
		echo "source ${source}_${version}_all.deb"
	} >"$work/plan.new"
	mv "$work/plan.new" "$work/plan"
}

# plan STAGE: the paths of the archives of a stage.
plan() {
	sed -n "s|^$1 |$cache/archives/|p" "$work/plan"
}

# True if nothing has to be downloaded (any more).
downloaded() {
	local file

	[[ -e $work/plan ]] || return 1
	while read -r _ file; do
		[[ -z $file || -e $cache/archives/$file ]] || return 1
	done <"$work/plan"
}
