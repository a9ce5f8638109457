/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a BPF program here needs of the kernel. libbpf's own headers are a package
 * of its own, for these few lines.
 */
#ifndef BENCH_BPF_H
#define BENCH_BPF_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#define SEC(name) __attribute__((section(name), used))
#define inline inline __attribute__((always_inline))
#define unlikely(what) __builtin_expect(!!(what), 0)
#define htons(number) ((__be16)__builtin_bswap16(number))

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) =
	(void *)BPF_FUNC_map_lookup_elem;
static long (*const bpf_redirect)(__u32 ifindex, __u64 flags) = (void *)BPF_FUNC_redirect;
static long (*const bpf_redirect_neigh)(__u32 ifindex, const struct bpf_redir_neigh *next, int size,
					__u64 flags) = (void *)BPF_FUNC_redirect_neigh;
static long (*const bpf_skb_pull_data)(struct __sk_buff *skb, __u32 bytes) =
	(void *)BPF_FUNC_skb_pull_data;

char _license[] SEC("license") = "GPL";

#endif
