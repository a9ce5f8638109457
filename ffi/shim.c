// SPDX-License-Identifier: GPL-2.0
/* See shim.h: each function is one inline, macro or bit field of the kernel. */

#include "shim.h"

u32 onehop_skb_traits(const struct sk_buff *skb)
{
	const struct net_device *dev = skb->dev;
	u32 traits = 0;

	if (skb->pkt_type == PACKET_HOST)
		traits |= ONEHOP_TO_HOST;
	if (dev->flags & IFF_LOOPBACK)
		traits |= ONEHOP_ON_LOOPBACK;
	if (netif_is_l3_master(dev))
		traits |= ONEHOP_ON_MASTER;
	if (nf_bridge_info_exists(skb)) {
		traits |= ONEHOP_BRIDGED;
		if (ether_addr_equal_unaligned(eth_hdr(skb)->h_dest, dev->dev_addr))
			traits |= ONEHOP_TO_DEVICE;
	}
	return traits;
}

bool onehop_skb_is_lro(const struct sk_buff *skb)
{
	return skb_warn_if_lro(skb);
}

bool onehop_skb_is_gso(const struct sk_buff *skb)
{
	return skb_is_gso(skb);
}

bool onehop_skb_pull(struct sk_buff *skb, unsigned int len)
{
	return pskb_may_pull(skb, len);
}

int onehop_skb_make_writable(struct sk_buff *skb, const struct net_device *dev)
{
	return skb_cow_head(skb, LL_RESERVED_SPACE(dev));
}

/* Takes off what belongs to this host's side of the packet's way. */
void onehop_skb_detach(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	secpath_reset(skb);
	nf_reset_ct(skb);
#if IS_ENABLED(CONFIG_BRIDGE_NETFILTER)
	skb_ext_del(skb, SKB_EXT_BRIDGE_NF);
#endif
	skb_forward_csum(skb);
	skb_clear_tstamp(skb);
}

void onehop_skb_decrease_ttl(struct sk_buff *skb)
{
	ip_decrease_ttl(ip_hdr(skb));
}

/* Takes over the reference to rt. */
void onehop_skb_set_dst(struct sk_buff *skb, struct rtable *rt)
{
	skb_dst_drop(skb);
	skb_dst_set(skb, &rt->dst);
}

void onehop_skb_set_forwarded(struct sk_buff *skb)
{
	IPCB(skb)->flags |= IPSKB_FORWARDED;
}

int onehop_skb_dst_output(struct net *net, struct sk_buff *skb)
{
	return dst_output(net, NULL, skb);
}

int onehop_skb_neigh_output(struct sk_buff *skb, struct net_device *dev, struct neighbour *n)
{
	skb->dev = dev;
	return neigh_output(n, skb, false);
}

void onehop_icmp_send(struct sk_buff *skb, int type, int code, u32 info)
{
	icmp_send(skb, type, code, htonl(info));
}

struct neighbour *onehop_neigh4(struct net_device *dev, __be32 address)
{
	return __ipv4_neigh_lookup_noref(dev, (__force u32)address);
}

bool onehop_neigh_is_valid(const struct neighbour *n)
{
	return READ_ONCE(n->nud_state) & NUD_VALID;
}

/* Is n the host on the link that sent the frame of skb? */
bool onehop_neigh_sent(const struct neighbour *n, const struct sk_buff *skb)
{
	return n->dev->addr_len == ETH_ALEN && skb_mac_header_was_set(skb) &&
	       skb_mac_header_len(skb) >= ETH_HLEN &&
	       ether_addr_equal_unaligned(eth_hdr(skb)->h_source, n->ha);
}

u32 onehop_dev_mtu(const struct net_device *dev)
{
	return READ_ONCE(dev->mtu);
}

void onehop_rt_put(struct rtable *rt)
{
	ip_rt_put(rt);
}

u32 onehop_rt_mtu(const struct rtable *rt)
{
	return ip_dst_mtu_maybe_forward(&rt->dst, true);
}

u32 onehop_rt_type(const struct rtable *rt)
{
	return rt->rt_type;
}

bool onehop_rt_has_gateway(const struct rtable *rt)
{
	return rt->rt_gw_family;
}

bool onehop_rt_has_gateway4(const struct rtable *rt, __be32 gateway)
{
	return rt->rt_gw_family == AF_INET && rt->rt_gw4 == gateway;
}

int onehop_rt_ifindex(const struct rtable *rt)
{
	return rt->dst.dev->ifindex;
}

void *onehop_net_generic(const struct net *net, unsigned int id)
{
	return net_generic(net, id);
}

struct net *onehop_get_net(struct net *net)
{
	return get_net(net);
}

void onehop_put_net(struct net *net)
{
	put_net(net);
}

struct net *onehop_current_net(void)
{
	return current->nsproxy->net_ns;
}

bool onehop_net_capable(const struct net *net)
{
	return ns_capable(net->user_ns, CAP_NET_ADMIN);
}

u64 __percpu *onehop_percpu_alloc(size_t count)
{
	return __alloc_percpu_gfp(count * sizeof(u64), sizeof(u64),
				  GFP_KERNEL_ACCOUNT);
}

void onehop_percpu_add(u64 __percpu *counter, u64 value)
{
	this_cpu_add(*counter, value);
}

u64 onehop_percpu_sum(u64 __percpu *counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(counter, cpu));
	return sum;
}

void onehop_init_work(struct delayed_work *work, work_func_t run)
{
	INIT_DELAYED_WORK(work, run);
}

void onehop_schedule_work(struct delayed_work *work, unsigned int ms)
{
	schedule_delayed_work(work, msecs_to_jiffies(ms));
}

bool onehop_is_ipv4(const struct fib_notifier_info *info)
{
	return info->family == AF_INET;
}

/* Returns when whoever holds RTNL now has given it back. */
void onehop_rtnl_barrier(void)
{
	rtnl_lock();
	rtnl_unlock();
}

void onehop_cond_resched(void)
{
	cond_resched();
}

bool onehop_fatal_signal(void)
{
	return fatal_signal_pending(current);
}
