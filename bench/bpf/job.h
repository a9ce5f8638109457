/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The job that tc-bpf and XDP are measured at, in two forms. What can make it
 * cheap is done: all settings are constants to the verifier, there is one ghost
 * of each family and it is compared, nothing is looked up but the counter.
 */
#ifndef BENCH_JOB_H
#define BENCH_JOB_H

#include "bpf.h"

#define ROWS 65536
#define SERVERS 1024

/* The beginning of a frame to a server, and what its link carries. */
struct hop {
	__u32 link[3];
	__u32 mtu;
};

/* bench/attach.py fills this in. */
const volatile struct {
	__u64 seed[2];
	__u64 ghost6[2];
	__u32 ghost4;
	__u32 device;
	struct hop hops[SERVERS];
	struct bpf_redir_neigh next4[SERVERS];
	struct bpf_redir_neigh next6[SERVERS];
	__u16 rows[ROWS];
} setup SEC(".rodata.setup");

struct traffic {
	__u64 packets;
	__u64 bytes;
};

struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_ARRAY];
	int (*max_entries)[SERVERS];
	__u32 *key;
	struct traffic *value;
} servers SEC(".maps");

static inline __u64 rotate(__u64 word, int by)
{
	return word << by | word >> (64 - by);
}

static inline void sip_round(__u64 v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

/* SipHash-1-3 of these words, the last of which has the length in it. */
static inline __u64 sip_hash(const __u64 *words, int count)
{
	__u64 k0 = setup.seed[0], k1 = setup.seed[1];
	__u64 v[4] = {
		k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573,
	};

	for (int i = 0; i < count; i++) {
		v[3] ^= words[i];
		sip_round(v);
		v[0] ^= words[i];
	}
	v[2] ^= 0xff;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* All that is read of a frame, in one test. Ethernet has none that is shorter. */
#define FRAME (sizeof(struct ethhdr) + sizeof(struct ipv6hdr))

/* In one load: h_proto is a packed member, which clang reads by bytes. */
static inline __be16 protocol(struct ethhdr *frame)
{
	return ((__be16 *)frame)[ETH_ALEN];
}

static inline struct iphdr *ipv4(struct ethhdr *frame)
{
	struct iphdr *ip = (void *)(frame + 1);

	return protocol(frame) == htons(ETH_P_IP) && ip->daddr == setup.ghost4 ? ip : 0;
}

static inline struct ipv6hdr *ipv6(struct ethhdr *frame)
{
	struct ipv6hdr *ip = (void *)(frame + 1);
	__u64 *to = (void *)&ip->daddr;

	return protocol(frame) == htons(ETH_P_IPV6) && to[0] == setup.ghost6[0] &&
			       to[1] == setup.ghost6[1] ? ip : 0;
}

static inline void address(struct ethhdr *frame, const volatile struct hop *hop)
{
	__u32 *link = (__u32 *)frame;

	link[0] = hop->link[0];
	link[1] = hop->link[1];
	link[2] = hop->link[2];
}

/* The minimal form: to the ghost? Then to the server that the client's last bits
 * say. What is not dispatched is the stack's. */
static inline int dispatch_min(struct ethhdr *frame)
{
	struct iphdr *ip4 = ipv4(frame);
	struct ipv6hdr *ip6;

	if (ip4) {
		address(frame, &setup.hops[((__u8 *)&ip4->saddr)[3] % 4]);
		return 1;
	}
	ip6 = ipv6(frame);
	if (ip6) {
		address(frame, &setup.hops[ip6->saddr.s6_addr[7] % 4]);
		return 1;
	}
	return 0;
}

/* May a packet go where the link carries `mtu` bytes? `segment` is the length of
 * what a merged packet was merged from, 0 for others; `headers` go before it. */
static inline int fits(__u32 bytes, __u32 segment, __u32 headers, __u32 mtu)
{
	return bytes <= mtu || (segment && segment + headers <= mtu);
}

static inline void count(__u32 id, __u32 bytes)
{
	struct traffic *traffic = bpf_map_lookup_elem(&servers, &id);

	if (traffic) {
		traffic->packets++;
		traffic->bytes += bytes;
	}
}

/*
 * The same as onehop does for a packet that needs nothing special, which is the
 * stack's here: a keyed hash of the client, its row's server, whether its link
 * carries that much, one hop less, a counter for each processor. Returns the
 * server's id, to whom the frame is still to be addressed, or -1.
 */
static inline int dispatch_same(struct ethhdr *frame, __u32 bytes, __u32 segment)
{
	struct iphdr *ip4 = ipv4(frame);
	struct ipv6hdr *ip6;
	__u32 id;

	bytes -= sizeof(*frame);
	if (ip4) {
		__u64 key = ip4->saddr | 4ull << 56;
		__u32 check;

		if (unlikely(*(__u8 *)ip4 != 0x45 || ip4->protocol == IPPROTO_ICMP || ip4->ttl <= 1))
			return -1;
		id = setup.rows[sip_hash(&key, 1) % ROWS] % SERVERS;
		if (unlikely(!fits(bytes, segment, 60, setup.hops[id].mtu)))
			return -1;
		check = ip4->check + htons(0x0100);
		ip4->check = check + (check >= 0xffff);
		ip4->ttl--;
	} else if ((ip6 = ipv6(frame))) {
		__u64 key[3] = { *(__u64 *)&ip6->saddr, 0, 16ull << 56 };

		if (unlikely((ip6->nexthdr != IPPROTO_UDP && ip6->nexthdr != IPPROTO_TCP) ||
			     ip6->hop_limit <= 1))
			return -1;
		id = setup.rows[sip_hash(key, 3) % ROWS] % SERVERS;
		if (unlikely(!fits(bytes, segment, 80, setup.hops[id].mtu)))
			return -1;
		ip6->hop_limit--;
	} else {
		return -1;
	}
	count(id, bytes);
	return id;
}

#endif
