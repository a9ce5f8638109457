# SPDX-License-Identifier: GPL-2.0
"""The bed: a lan with servers and with two processes that send, one on each processor.

	g (both senders) == lan == x1, x2: dispatchers, see host.py
	                     |
	                     +== s1 .. s4
"""

import os
import signal
import subprocess
import sys

from expect import Failure
from life.host import Host, device, ip, sysctl
from life.module import wait

SERVERS = range(1, 5)
INHERITED = ("core/devconf_inherit_init_net=1", "ipv6/conf/default/accept_dad=0", "ipv6/conf/default/accept_ra=0",
             "ipv6/conf/default/router_solicitations=0", "ipv6/conf/default/disable_ipv6=0")
TRAFFIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "traffic.py")


class Bed:
    def __init__(self):
        # In all namespaces to come, whatever a script before this one has left here.
        for name in INHERITED:
            sysctl(None, *name.split("="))
        ip(["netns add lan", "netns add g", *(f"netns add s{number}" for number in SERVERS)])
        ip(["link add br0 up type bridge mcast_snooping 0"], "lan")
        self.join("g", "02:00:00:00:00:fe", [])
        for number in SERVERS:
            name = f"s{number}"
            self.join(name, f"02:00:00:00:00:{number:02x}", [f"10.0.0.{number}/24", f"2001:db8::{number}/64"])
            sysctl(name, "ipv4/conf/all/arp_ignore", 1)
        self.hosts = [Host(1), Host(2)]
        self.senders = [self.sender(cpu) for cpu in sorted(os.sched_getaffinity(0))]

    @staticmethod
    def join(name, link, addresses):
        ip([f"link add to-{name} netns lan type veth peer name eth0 netns {name} address {link}"])
        ip([f"link set to-{name} master br0 up"], "lan")
        ip(["link set lo up", "link set eth0 up", *(f"address add {it} dev eth0" for it in addresses)], name)

    @staticmethod
    def sender(cpu):
        command = ["nsenter", "--net=/run/netns/g", "--", sys.executable, "-S", TRAFFIC, "eth0", str(cpu)]
        sender = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if sender.stdout.readline() != "sending\n":
            raise Failure(f"no traffic from processor {cpu}")
        return sender

    def pause(self):
        """Ends when nothing is being sent any more."""
        for sender in self.senders:
            sender.send_signal(signal.SIGSTOP)
        for sender in self.senders:
            wait("a sender to stop", lambda sender=sender: state(sender.pid) == "T")

    def go_on(self):
        for sender in self.senders:
            sender.send_signal(signal.SIGCONT)

    def end(self):
        for sender in self.senders:
            sender.kill()
            sender.wait()
        for host in self.hosts:
            if host.is_there:
                host.delete()
        ip(["netns del lan", "netns del g", *(f"netns del s{number}" for number in SERVERS)])


def state(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def exact(namespace):
    """At rest, what was seen is what became of it. The counters."""
    found = {}

    def adds_up():
        with device(namespace) as opened:
            found.update(opened.stats())
        rest = sum(count for name, count in found.items() if name in ("handed", "local") or name.startswith("drop_"))
        return found["seen"] == rest

    wait(f"the counters of {namespace} to add up", adds_up)
    return found
