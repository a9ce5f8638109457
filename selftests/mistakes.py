# SPDX-License-Identifier: GPL-2.0
"""What the control interface must refuse: for every kind of mistake the errno that
uapi/onehop.h names, and what the message must show. abi.py tries them all.
"""

import errno
import socket
import sys

from uapi import C, make

E = errno
GHOST = bytes([192, 0, 2, 80])
NOBODY = C["ONEHOP_NO_SERVER"]


def pool(**more):
    fields = {"name": "web", "mode": 1, "kind": 2, "policy": 1, "prefix4": 32, "prefix6": 64, "rows": 256,
              "seed": bytes(range(16))}
    fields = {**fields, **more}
    # Mode router, and no other, has a method.
    return make("pool", **{"method": int(fields["mode"] == 1), **fields})


def ghost(**more):
    return make("ghost", **{"pool": 0, "family": 4, "address": GHOST, **more})


def ghost6(address, **more):
    return ghost(**{"family": 6, "address": ip6(address), **more})


def ip6(address):
    return socket.inet_pton(socket.AF_INET6, address)


def server(number, **more):
    fields = {"name": f"s{number}", "pool": 0, "id": number % 1024, "weight": 1, "admin": 1,
              "address": bytes([10, 0, number >> 8, number & 255])}
    return make("server", **{**fields, **more})


def device(name, **more):
    return make("device", **{"name": name, **more})


def override(bits=16, **more):
    return make("override", **{"pool": 0, "server": 1, "family": 4, "bits": bits, "address": bytes([10, 1]), **more})


def override6(prefix, bits, **more):
    return override(bits, **{"family": 6, "address": ip6(prefix), **more})


def image(pools=None, ghosts=None, servers=None, devices=(), overrides=(), owners=(), **head):
    """Owners: of the rows of all tables, one after another."""
    pools = [pool()] if pools is None else pools
    ghosts = [ghost()] if ghosts is None else ghosts
    servers = [server(1), server(2), server(3)] if servers is None else servers
    numbers = {"abi": C["ONEHOP_ABI"], "pools": len(pools), "ghosts": len(ghosts), "servers": len(servers),
               "devices": len(devices), "overrides": len(overrides), "rows": len(owners)}
    rows = b"".join(owner.to_bytes(2, sys.byteorder) for owner in owners)
    return b"".join(bytes(part) for part in [make("image", **{**numbers, **head}), *pools, *ghosts, *servers,
                                             *devices, *overrides, rows])


# Of the table of rich_image(): a server that is there, one that is not, and a row that is nobody's.
OWNERS = [1, 9] * 127 + [1, NOBODY]
OVERRIDES = [override(24, address=bytes([203, 0, 113])), override6("2001:db8:9::", 48),
             override6("2001:db8:9::", 48, pool=2)]


def rich_image(servers=(1, 2, 3), devices=("abi0", "abi1"), overrides=OVERRIDES, owners=OWNERS):
    """Of everything something: both families, a pool of each mode, devices that are not there, overrides
    and a table."""
    def named(number, pool):
        return server(number, pool=pool, address6=ip6(f"2001:db8::{number}"))

    return image(
        pools=[pool(), pool(name="cast", mode=2, shape=3), pool(name="peer", mode=3, kind=3 if owners else 2)],
        ghosts=[ghost(), ghost6("2001:db8::80"), ghost6("2001:db8::81", pool=1), ghost6("2001:db8::82", pool=2)],
        servers=[*(named(number, 0) for number in servers), named(1, 1), named(1, 2), named(2, 2)],
        devices=[device(name) for name in devices], overrides=overrides, owners=owners,
    )


def many_overrides(number):
    return [override(32, address=bytes([10, 2, n >> 8, n & 255])) for n in range(number)]


def servers_with(**bad):
    return image(servers=[server(1), server(2, **bad), server(3)])


def pools_with(**bad):
    return image(pools=[pool(**bad)])


def overrides_with(**bad):
    return image(overrides=[override(8, address=bytes([9])), override(**bad)])


def tables_with(*owners, **more):
    """Two pools of kind table; the second one's first rows have these owners."""
    return image(pools=[pool(kind=3), pool(name="second", kind=3)],
                 owners=[NOBODY] * 256 + [*owners] + [NOBODY] * (256 - len(owners)), **more)


def devices_with(name="abi0", **bad):
    return image(devices=[device("abi1"), device(name, **bad)])


# name: (errno, what the message must show, image)
IMAGES = {
    "abi of another version": (E.EPROTO, "7", image(abi=7)),
    "no header": (E.EMSGSIZE, r"\w", b""),
    "half a header": (E.EMSGSIZE, r"\w", image()[:9]),
    "one byte short": (E.EMSGSIZE, r"\d", image()[:-1]),
    "one byte too many": (E.EMSGSIZE, r"\d", image() + b"\0"),
    "too many pools": (E.E2BIG, "257", image(pools=[pool(name=f"p{n}") for n in range(257)])),
    "too many ghosts": (E.E2BIG, "257", image(ghosts=[ghost(address=bytes([192, 0, 2 + n // 250, 1 + n % 250]))
                                                      for n in range(257)])),
    "too many servers": (E.E2BIG, "1025", image(servers=[server(n) for n in range(1, 1026)])),
    "too many devices": (E.E2BIG, "17", image(devices=[device(f"d{n}") for n in range(17)])),
    "image with an older function": (E.EINVAL, "older", image(older=1)),
    "pool name empty": (E.EBADMSG, "name", pools_with(name=b"\0" * 32)),
    "pool name with a space": (E.EBADMSG, "we b", pools_with(name="we b")),
    "pool name not ASCII": (E.EBADMSG, "name", pools_with(name="wéb")),
    "pool name without an end": (E.EBADMSG, "name", pools_with(name="w" * 32)),
    "pool name with bytes behind its end": (E.EBADMSG, "name", pools_with(name=b"w\0x")),
    "pool name twice": (E.EEXIST, "web", image(pools=[pool(), pool()])),
    "mode 0": (E.EINVAL, '"0"', pools_with(mode=0)),
    "mode unknown": (E.EINVAL, '"9"', pools_with(mode=9)),
    "shape 0 with mode broadcast": (E.EINVAL, '"0"', pools_with(mode=2)),
    "shape unknown": (E.EINVAL, '"4"', pools_with(mode=2, shape=4)),
    "shape with mode router": (E.EINVAL, "shape", pools_with(shape=1)),
    "shape with mode peer": (E.EINVAL, "shape", pools_with(mode=3, shape=1)),
    "shape multicast without a device": (E.ENODEV, "multicast", pools_with(mode=2, shape=2)),
    "shape igmp without a device": (E.ENODEV, "igmp", pools_with(mode=2, shape=3)),
    "method 0 with mode router": (E.EINVAL, '"0"', pools_with(method=0)),
    "method unknown": (E.EINVAL, '"3"', pools_with(method=3)),
    "method with mode broadcast": (E.EINVAL, "method", pools_with(mode=2, shape=1, method=1)),
    "method with mode peer": (E.EINVAL, "method", pools_with(mode=3, method=2)),
    "kind 0": (E.EINVAL, '"0"', pools_with(kind=0)),
    "kind unknown": (E.EINVAL, '"4"', pools_with(kind=4)),
    "policy 0": (E.EINVAL, '"0"', pools_with(policy=0)),
    "policy reject with mode broadcast": (E.ERANGE, '"2"', pools_with(mode=2, shape=1, policy=2)),
    "policy unknown": (E.EINVAL, '"9"', pools_with(policy=9)),
    "prefix4 0": (E.ERANGE, '"0"', pools_with(prefix4=0)),
    "prefix4 33": (E.ERANGE, '"33"', pools_with(prefix4=33)),
    "prefix6 0": (E.ERANGE, '"0"', pools_with(prefix6=0)),
    "prefix6 129": (E.ERANGE, '"129"', pools_with(prefix6=129)),
    "rows 0": (E.ERANGE, '"0"', pools_with(rows=0)),
    "rows 128": (E.ERANGE, '"128"', pools_with(rows=128)),
    "rows no power of two": (E.ERANGE, '"257"', pools_with(rows=257)),
    "rows 131072": (E.ERANGE, '"131072"', pools_with(rows=131072)),
    "pool padding": (E.EINVAL, "pad", pools_with(pad=1)),
    "pool tracked set by the caller": (E.EINVAL, "tracked", pools_with(tracked=1)),
    "pool digest set by the caller": (E.EINVAL, "digest", pools_with(digest=1)),
    "kind mod with rows": (E.ERANGE, "rows", pools_with(kind=1, seed=bytes(16))),
    "kind mod with a seed": (E.EINVAL, "seed", pools_with(kind=1, rows=0)),
    "kind mod with a weight": (E.ERANGE, "weight", image(pools=[pool(kind=1, rows=0, seed=bytes(16))],
                                                          servers=[server(1, weight=2)])),
    "ghost of no pool": (E.ERANGE, '"1"', image(ghosts=[ghost(pool=1)])),
    "ghost of family 5": (E.EAFNOSUPPORT, '"5"', image(ghosts=[ghost(family=5)])),
    "ghost of family 0": (E.EAFNOSUPPORT, '"0"', image(ghosts=[ghost(family=0)])),
    "ghost padding": (E.EINVAL, "pad", image(ghosts=[ghost(pad=b"\1")])),
    "ghost with bytes behind its address": (E.EINVAL, "address", image(ghosts=[ghost(address=GHOST + b"\1")])),
    "ghost twice": (E.EADDRINUSE, "192.0.2.80", image(ghosts=[ghost(), ghost()])),
    "ghost that is a server": (E.EADDRINUSE, "10.0.0.2", image(ghosts=[ghost(address=bytes([10, 0, 0, 2]))])),
    "ghost 0.0.0.0": (E.EADDRNOTAVAIL, "0.0.0.0", image(ghosts=[ghost(address=bytes(4))])),
    "ghost 127.0.0.1": (E.EADDRNOTAVAIL, "127.0.0.1", image(ghosts=[ghost(address=bytes([127, 0, 0, 1]))])),
    "ghost multicast": (E.EADDRNOTAVAIL, "224.0.0.5", image(ghosts=[ghost(address=bytes([224, 0, 0, 5]))])),
    "ghost broadcast": (E.EADDRNOTAVAIL, "255.255.255.255", image(ghosts=[ghost(address=b"\xff" * 4)])),
    "ghost ::": (E.EADDRNOTAVAIL, '"::"', image(ghosts=[ghost6("::")])),
    "ghost ::1": (E.EADDRNOTAVAIL, '"::1"', image(ghosts=[ghost6("::1")])),
    "ghost multicast v6": (E.EADDRNOTAVAIL, "ff02::5", image(ghosts=[ghost6("ff02::5")])),
    "ghost link-local": (E.EADDRNOTAVAIL, "fe80::5", image(ghosts=[ghost6("fe80::5")])),
    "ghost that stands for IPv4": (E.EADDRNOTAVAIL, "192.0.2.80", image(ghosts=[ghost6("::ffff:192.0.2.80")])),
    "ghost v6 twice": (E.EADDRINUSE, "2001:db8::5", image(ghosts=[ghost6("2001:db8::5")] * 2,
                                                         servers=[server(1, address6=ip6("2001:db8::1"))])),
    "ghost v6 that is a server": (E.EADDRINUSE, "2001:db8::5", image(ghosts=[ghost6("2001:db8::5")],
                                                                    servers=[server(1, address6=ip6("2001:db8::5"))])),
    "server of no pool": (E.ERANGE, '"5"', servers_with(pool=5)),
    "server id 1024": (E.ERANGE, '"1024"', servers_with(id=1024)),
    "server id 65535": (E.ERANGE, '"65535"', servers_with(id=65535)),
    "server id twice": (E.EEXIST, '"3"', servers_with(id=3)),
    "server name twice": (E.EEXIST, "s3", servers_with(name="s3")),
    "server name empty": (E.EBADMSG, "name", servers_with(name=b"\0\0")),
    "weight 0": (E.ERANGE, '"0"', servers_with(weight=0)),
    "weight 1001": (E.ERANGE, '"1001"', servers_with(weight=1001)),
    "admin 0": (E.EINVAL, '"0"', servers_with(admin=0)),
    "admin unknown": (E.EINVAL, '"4"', servers_with(admin=4)),
    "server flag unknown": (E.EINVAL, "flag", servers_with(flags=4)),
    "server leaving set by the caller": (E.EINVAL, "flag", servers_with(flags=2)),
    "server health set by the caller": (E.EINVAL, "health", servers_with(health=1)),
    "server reach set by the caller": (E.EINVAL, "reach", servers_with(reach=2)),
    "server ifindex set by the caller": (E.EINVAL, "ifindex", servers_with(ifindex=2)),
    "server changed_at set by the caller": (E.EINVAL, "changed_at", servers_with(changed_at=1)),
    "server packets set by the caller": (E.EINVAL, "packets", servers_with(packets=1)),
    "server actor set by the caller": (E.EINVAL, "actor", servers_with(actor="me")),
    "server padding": (E.EINVAL, "pad", servers_with(pad=1)),
    "server address twice": (E.EADDRINUSE, "10.0.0.3", servers_with(address=bytes([10, 0, 0, 3]))),
    "server reach6 set by the caller": (E.EINVAL, "reach6", servers_with(reach6=2)),
    "server ifindex6 set by the caller": (E.EINVAL, "ifindex6", servers_with(ifindex6=2)),
    "server second padding": (E.EINVAL, "pad2", servers_with(pad2=b"\0\1")),
    "server drain_left set by the caller": (E.EINVAL, "drain_left", servers_with(drain_left=1)),
    "server without an address": (E.EDESTADDRREQ, "address", servers_with(address=bytes(4))),
    "server without the IPv4 address of its ghost": (E.EDESTADDRREQ, "IPv4", servers_with(
        address=bytes(4), address6=ip6("2001:db8::1"))),
    "server without the IPv6 address of its ghost": (E.EDESTADDRREQ, "IPv6", image(ghosts=[ghost6("2001:db8::80")])),
    "peer without the IPv6 address of its ghost": (E.EDESTADDRREQ, "IPv6", image(
        pools=[pool(mode=3)], ghosts=[ghost6("2001:db8::80")])),
    "server address6 twice": (E.EADDRINUSE, "2001:db8::5", image(servers=[
        server(number, address6=ip6("2001:db8::5")) for number in (1, 2)])),
    "server address6 loopback": (E.EADDRNOTAVAIL, '"::1"', servers_with(address6=ip6("::1"))),
    "server address6 link-local": (E.EADDRNOTAVAIL, "fe80::1", servers_with(address6=ip6("fe80::1"))),
    "server address6 multicast": (E.EADDRNOTAVAIL, "ff02::1", servers_with(address6=ip6("ff02::1"))),
    "server address loopback": (E.EADDRNOTAVAIL, "127.1.2.3", servers_with(address=bytes([127, 1, 2, 3]))),
    "server address multicast": (E.EADDRNOTAVAIL, "239.1.2.3", servers_with(address=bytes([239, 1, 2, 3]))),
}

IMAGES |= {
    "device name empty": (E.EBADMSG, "name", devices_with("")),
    "device name ..": (E.EBADMSG, "[.][.]", devices_with("..")),
    "device name with a slash": (E.EBADMSG, "a/b", devices_with("a/b")),
    "device name with a space": (E.EBADMSG, "a b", devices_with("a b")),
    "device name without an end": (E.EBADMSG, "name", devices_with("d" * 16)),
    "device name with bytes behind its end": (E.EBADMSG, "name", devices_with(b"d\0x")),
    "device name twice": (E.EEXIST, "abi1", devices_with("abi1")),
    "device ifindex set by the caller": (E.EINVAL, "ifindex", devices_with(ifindex=1)),
    "device padding": (E.EINVAL, "pad", devices_with(pad=1)),
}

IMAGES |= {
    "too many overrides": (E.E2BIG, 'overrides "4097".*at most 4096', image(
        overrides=many_overrides(4097))),
    "override of no pool": (E.ERANGE, 'override 1: pool "1"', overrides_with(pool=1)),
    "override to no server": (E.ENOENT, 'override 1 of pool "web": server "9"', overrides_with(server=9)),
    "override to nobody": (E.ENOENT, 'server "65535"', overrides_with(server=NOBODY)),
    "override to another pool's server": (E.ENOENT, 'override 0 of pool "peer": server "2"', image(
        pools=[pool(), pool(name="peer", mode=3)], servers=[server(1), server(2), server(1, pool=1)],
        overrides=[override(pool=1, server=2)])),
    "override of family 0": (E.EAFNOSUPPORT, 'override 1: family "0"', overrides_with(family=0)),
    "override of family 5": (E.EAFNOSUPPORT, 'family "5" must be 4 .* or 6', overrides_with(family=5)),
    "override of 0 bits": (E.ERANGE, 'bits "0" must be from 1 to 32', overrides_with(bits=0)),
    "override of 33 bits": (E.ERANGE, 'override 1: bits "33" must be from 1 to 32', overrides_with(bits=33)),
    "override v6 of 0 bits": (E.ERANGE, 'bits "0" must be from 1 to 128', image(overrides=[override6("::", 0)])),
    "override v6 of 129 bits": (E.ERANGE, 'override 0: bits "129" must be from 1 to 128', image(
        overrides=[override6("2001:db8::", 129)])),
    "override with a bit behind its prefix": (E.EINVAL, '"10.1.0.1/16" must be 10.1.0.0/16, with zeros', overrides_with(
        address=bytes([10, 1, 0, 1]))),
    "override with the next bit": (E.EINVAL, '"10.1.0.0/15" must be 10.0.0.0/15, with', overrides_with(bits=15)),
    "override v6 with a bit behind its prefix": (E.EINVAL, '"2001:db8::1/127" must be 2001:db8::/127', image(
        overrides=[override6("2001:db8::1", 127)])),
    "override with bytes behind its address": (E.EINVAL, "override 1: address, behind", overrides_with(
        address=bytes([10, 1, 0, 0, 1]))),
    "override that stands for IPv4": (E.EADDRNOTAVAIL, '"::ffff:10.1.0.0/112" must be written as IPv4', image(
        overrides=[override6("::ffff:10.1.0.0", 112)])),
    "override that stands for all of IPv4": (E.EADDRNOTAVAIL, "/96", image(overrides=[override6("::ffff:0:0", 96)])),
    "override twice": (E.EEXIST, 'override 2 of pool "web": prefix "10.1.0.0/16"', image(
        overrides=[override(), override(17), override(server=2)])),
    "override v6 twice": (E.EEXIST, 'override 1 of pool "web": prefix "2001:db8::/32"', image(
        overrides=[override6("2001:db8::", 32)] * 2)),
    "too many rows of tables": (E.E2BIG, 'rows "65537".*65536 for each pool', image(pools=[pool(kind=3, rows=65536)],
                                                                                  owners=[1] * 65537)),
    "kind table with 257 rows": (E.ERANGE, 'rows "257".*with kind table', image(pools=[pool(kind=3, rows=257)],
                                                                               owners=[1] * 257)),
    "kind table with 0 rows": (E.ERANGE, 'rows "0".*with kind table', pools_with(kind=3, rows=0)),
    "kind table without a table": (E.EMSGSIZE, 'rows "0" must be 256', pools_with(kind=3)),
    "kind hash with a table": (E.EMSGSIZE, 'rows "256" must be 0', image(owners=[1] * 256)),
    "two pools with one table": (E.EMSGSIZE, 'rows "256" must be 512', image(
        pools=[pool(kind=3), pool(name="second", kind=3)], owners=[1] * 256)),
    "rows that are not there": (E.EMSGSIZE, r'len "\d+" must be \d+', image(pools=[pool(kind=3)], rows=256)),
    "override that is not there": (E.EMSGSIZE, r'len "\d+" must be \d+', image(overrides=[override()])[:-24]),
    "owner 1024": (E.ERANGE, 'row 2 of pool "second": owner "1024"', tables_with(1, 2, 1024)),
    "owner 65534": (E.ERANGE, 'row 255 of pool "second": owner "65534" must be from 0 to 1023, or 65535',
                    tables_with(*[1] * 255, 65534)),
}

# name: (errno, message, command, argument).
CALLS = {
    "apply: unknown flag": (E.EINVAL, "flag", "APPLY", {"flags": 8}),
    "apply: seconds over the most": (E.ERANGE, '"700000"', "APPLY", {"seconds": 700000}),
    "apply: padding": (E.EINVAL, "pad", "APPLY", {"pad": 1}),
    "apply: expected without its flag": (E.EINVAL, "expected", "APPLY", {"expected": 5}),
    "apply: stale generation": (E.ESTALE, '"99"', "APPLY", {"flags": 2, "expected": 99}),
    "apply: generation set by the caller": (E.EINVAL, "generation", "APPLY", {"generation": 1}),
    "apply: digest set by the caller": (E.EINVAL, "digest", "APPLY", {"digest": 1}),
    "apply: changed set by the caller": (E.EINVAL, "changed", "APPLY", {"changed": 1}),
    "apply: message set by the caller": (E.EINVAL, "message", "APPLY", {"message": "x"}),
    "apply: actor with a control character": (E.EBADMSG, "actor", "APPLY", {"actor": "a\nb"}),
    "apply: actor without an end": (E.EBADMSG, "actor", "APPLY", {"actor": "a" * 32}),
    "apply: reason not UTF-8": (E.EBADMSG, "reason", "APPLY", {"reason": b"\xff\xfe"}),
    "apply: image over 16 MiB": (E.E2BIG, r"\d", "APPLY", {"len": (16 << 20) + 1}),
    "apply: image pointer 0": (E.EFAULT, "", "APPLY", {"image": 0, "len": 16}),
    "apply: image pointer into the kernel": (E.EFAULT, "", "APPLY", {"image": 0xFFFF888000000000, "len": 16}),
    "dump: too small": (E.ENOSPC, r"\d", "DUMP", {"len": 3}),
    "dump: padding": (E.EINVAL, "pad", "DUMP", {"pad": 1}),
    "dump: pointer into the kernel": (E.EFAULT, "", "DUMP", {"image": 0xFFFF888000000000, "len": 1 << 20}),
    "server: no such pool": (E.ENOENT, "nope", "SERVER", {"pool": "nope"}),
    "server: no such server": (E.ENOENT, "s9", "SERVER", {"server": "s9"}),
    "server: pool name empty": (E.EBADMSG, "pool", "SERVER", {"pool": b"\0" * 32}),
    "server: unknown field": (E.EINVAL, '"3"', "SERVER", {"field": 3}),
    "server: field 0": (E.EINVAL, '"0"', "SERVER", {"field": 0}),
    "server: unknown health": (E.EINVAL, '"3"', "SERVER", {"value": 3}),
    "server: unknown admin": (E.EINVAL, '"4"', "SERVER", {"field": 1, "value": 4}),
    "server: padding": (E.EINVAL, "pad", "SERVER", {"pad": b"\1"}),
    "server: unknown flag": (E.EINVAL, "flag", "SERVER", {"flags": 8}),
    "server: seconds over the most": (E.ERANGE, '"700000"', "SERVER", {"seconds": 700000}),
    "server: second padding": (E.EINVAL, "pad2", "SERVER", {"pad2": 1}),
    "server: stale generation": (E.ESTALE, '"99"', "SERVER", {"flags": 2, "expected": 99}),
    "server: reason with an escape": (E.EBADMSG, "reason", "SERVER", {"reason": "\x1b[2J"}),
    "transition: no such pool": (E.ENOENT, "nope", "TRANSITION", {"pool": "nope"}),
    "transition: pool name empty": (E.EBADMSG, "pool", "TRANSITION", {"pool": b"\0" * 32}),
    "transition: verb 0": (E.EINVAL, '"0"', "TRANSITION", {"verb": 0}),
    "transition: unknown verb": (E.EINVAL, '"4"', "TRANSITION", {"verb": 4}),
    "transition: padding": (E.EINVAL, "pad", "TRANSITION", {"pad": b"\1"}),
    "transition: second padding": (E.EINVAL, "pad2", "TRANSITION", {"pad2": 1}),
    "transition: no dry run": (E.EINVAL, "flag", "TRANSITION", {"flags": 1}),
    "transition: not now": (E.EINVAL, "flag", "TRANSITION", {"flags": 4}),
    "transition: commit for a time": (E.ERANGE, '"60"', "TRANSITION", {"seconds": 60}),
    "transition: abort for ever": (E.ERANGE, "seconds", "TRANSITION", {"verb": 2, "seconds": C["ONEHOP_FOREVER"]}),
    "transition: extend for no time": (E.ERANGE, '"0"', "TRANSITION", {"verb": 3}),
    "transition: extend for too long": (E.ERANGE, '"604801"', "TRANSITION", {"verb": 3, "seconds": 604801}),
    "transition: stale generation": (E.ESTALE, '"99"', "TRANSITION", {"flags": 2, "expected": 99}),
    "transition: moved set by the caller": (E.EINVAL, "moved", "TRANSITION", {"moved": 1}),
    "transition: actor with a control character": (E.EBADMSG, "actor", "TRANSITION", {"actor": "a\nb"}),
    "lookup: older set by the caller": (E.EINVAL, "older", "LOOKUP", {"older": [1]}),
    "lookup: oldest set by the caller": (E.EINVAL, "oldest", "LOOKUP", {"oldest": 1}),
    "lookup: bits set by the caller": (E.EINVAL, "bits", "LOOKUP", {"bits": 1}),
    "lookup: generation set by the caller": (E.EINVAL, "generation", "LOOKUP", {"generation": 1}),
    "lookup: row set by the caller": (E.EINVAL, "row", "LOOKUP", {"row": 1}),
    "lookup: verdict set by the caller": (E.EINVAL, "verdict", "LOOKUP", {"verdict": 1}),
    "lookup: rule set by the caller": (E.EINVAL, "rule", "LOOKUP", {"rule": 1}),
    "lookup: runners_up set by the caller": (E.EINVAL, "runners_up", "LOOKUP", {"runners_up": [0, 1]}),
    "lookup: no such pool": (E.ENOENT, "nope", "LOOKUP", {"pool": "nope"}),
    "lookup: family 5": (E.EINVAL, '"5"', "LOOKUP", {"family": 5}),
    "lookup: bytes behind the address": (E.EINVAL, "client", "LOOKUP", {"client": bytes([10, 0, 0, 1, 1])}),
    "lookup: padding": (E.EINVAL, "pad", "LOOKUP", {"pad": b"\1"}),
    "lookup: owner set by the caller": (E.EINVAL, "owner", "LOOKUP", {"owner": 1}),
    "answer: 2": (E.EINVAL, '"2"', "ANSWER", {"answer": 2}),
    "answer: changed set by the caller": (E.EINVAL, "changed", "ANSWER", {"changed": 1}),
    "answer: actor with a control character": (E.EBADMSG, "actor", "ANSWER", {"actor": "a\nb"}),
    "answer: message set by the caller": (E.EINVAL, "message", "ANSWER", {"message": "x"}),
    "stats: padding": (E.EINVAL, "", "STATS", {"pad": 1}),
    "stats: pointer 0": (E.EFAULT, "", "STATS", {"counters": 0, "count": 5}),
    "info: generation set by the caller": (E.EINVAL, "", "INFO", {"generation": 1}),
}
