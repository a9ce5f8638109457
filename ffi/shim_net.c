// SPDX-License-Identifier: GPL-2.0
/* See shim.h: neighbours, devices and routes. */

#include "shim.h"

static struct neighbour *valid(struct neighbour *n)
{
	return n && READ_ONCE(n->nud_state) & NUD_VALID ? n : NULL;
}

struct neighbour *onehop_neigh4(struct net_device *dev, __be32 address)
{
	return valid(__ipv4_neigh_lookup_noref(dev, (__force u32)address));
}

struct neighbour *onehop_neigh6(struct net_device *dev, const struct in6_addr *address)
{
	return valid(__ipv6_neigh_lookup_noref(dev, address));
}

bool onehop_neigh4_exists(struct net_device *dev, __be32 address)
{
	return __ipv4_neigh_lookup_noref(dev, (__force u32)address);
}

bool onehop_neigh6_exists(struct net_device *dev, const struct in6_addr *address)
{
	return __ipv6_neigh_lookup_noref(dev, address);
}

static void solicit(struct neighbour *n)
{
	if (!IS_ERR(n))
		neigh_event_send(n, NULL);
}

void onehop_neigh4_solicit(struct net_device *dev, __be32 address)
{
	solicit(ip_neigh_gw4(dev, address));
}

void onehop_neigh6_solicit(struct net_device *dev, const struct in6_addr *address)
{
	solicit(ip_neigh_gw6(dev, address));
}

/* Is n the host on the link that sent the frame of skb? */
bool onehop_neigh_sent(const struct neighbour *n, const struct sk_buff *skb)
{
	return n->dev->addr_len == ETH_ALEN && skb_mac_header_was_set(skb) &&
	       skb_mac_header_len(skb) >= ETH_HLEN &&
	       ether_addr_equal_unaligned(eth_hdr(skb)->h_source, n->ha);
}

bool onehop_neigh_mac(const struct neighbour *n, u8 *mac)
{
	if (n->dev->type != ARPHRD_ETHER)
		return false;
	neigh_ha_snapshot(mac, n, n->dev);
	return true;
}

const struct net *onehop_neigh_net(const struct neighbour *n)
{
	return dev_net(n->dev);
}

int onehop_dev_ifindex(const struct net_device *dev)
{
	return READ_ONCE(dev->ifindex);
}

bool onehop_dev_mac(const struct net_device *dev, u8 *mac)
{
	if (dev->type != ARPHRD_ETHER)
		return false;
	ether_addr_copy(mac, dev->dev_addr);
	return true;
}

void onehop_dev_name(const struct net_device *dev, u8 *name)
{
	strscpy_pad(name, dev->name, IFNAMSIZ);
}

void onehop_dev_hold(struct net_device *dev)
{
	dev_hold(dev);
}

void onehop_dev_put(struct net_device *dev)
{
	dev_put(dev);
}

struct net_device *onehop_notified_dev(const void *info)
{
	return netdev_notifier_info_to_dev(info);
}

bool onehop_dev_is_loopback(const struct net_device *dev)
{
	return dev->flags & IFF_LOOPBACK;
}

bool onehop_dev_is_master(const struct net_device *dev)
{
	return netif_is_l3_master(dev);
}

/* Index of the VRF it is in, or 0. */
int onehop_dev_master(const struct net_device *dev)
{
	return l3mdev_master_ifindex_rcu(dev);
}

/* The nth IPv4 address of a device, if there is one, and its network's mask. */
bool onehop_dev_address4(const struct net_device *dev, u32 nth, __be32 *address, __be32 *mask)
{
	const struct in_device *in_dev = __in_dev_get_rcu(dev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev) {
		if (nth--)
			continue;
		*address = ifa->ifa_local;
		*mask = ifa->ifa_mask;
		return true;
	}
	return false;
}

/* Booted with ipv6.disable=1 a host has none of what the functions for IPv6 look into. */
bool onehop_has_ipv6(void)
{
	return ipv6_mod_enabled();
}

/* ipv6_chk_addr without a device passes by the addresses that are in a VRF. */
bool onehop_is_local6_in_vrf(struct net *net, const struct in6_addr *address)
{
	const struct net_device *dev;
	bool found = false;

	rcu_read_lock();
	for_each_netdev_rcu(net, dev)
		found |= netif_is_l3_master(dev) &&
			 ipv6_chk_addr_and_flags(net, address, dev, true, 0, IFA_F_TENTATIVE);
	rcu_read_unlock();
	return found;
}

/* Bytes of its link address. */
u32 onehop_dev_addr_len(const struct net_device *dev)
{
	return dev->addr_len;
}

int onehop_join4(struct net_device *dev, __be32 group)
{
	struct in_device *in_dev = __in_dev_get_rtnl(dev);

	if (!in_dev)
		return -EINVAL;
	ip_mc_inc_group(in_dev, group);
	return 0;
}

void onehop_leave4(struct net_device *dev, __be32 group)
{
	struct in_device *in_dev = __in_dev_get_rtnl(dev);

	if (in_dev)
		ip_mc_dec_group(in_dev, group);
}

bool onehop_rt_is_error(const struct dst_entry *dst)
{
	return IS_ERR(dst) || dst->error;
}

void onehop_rt_put(struct dst_entry *dst)
{
	if (!IS_ERR(dst))
		dst_release(dst);
}

int onehop_rt_ifindex(const struct dst_entry *dst)
{
	return dst_dev(dst)->ifindex;
}

u32 onehop_rt4_mtu(const struct dst_entry *dst)
{
	return ip_dst_mtu_maybe_forward(dst, true);
}

u32 onehop_rt4_type(const struct dst_entry *dst)
{
	return dst_rtable(dst)->rt_type;
}

bool onehop_rt4_has_gateway(const struct dst_entry *dst)
{
	return dst_rtable(dst)->rt_gw_family;
}

bool onehop_rt4_gateway(const struct dst_entry *dst, __be32 *gateway)
{
	*gateway = dst_rtable(dst)->rt_gw4;
	return dst_rtable(dst)->rt_gw_family == AF_INET;
}

bool onehop_rt4_resolves(const struct dst_entry *dst, __be32 to)
{
	return dst_rtable(dst)->rt_gw_family == AF_INET && dst_rtable(dst)->rt_gw4 == to;
}

u32 onehop_rt6_mtu(const struct dst_entry *dst)
{
	return ip6_dst_mtu_maybe_forward(dst, true);
}

u32 onehop_rt6_flags(const struct dst_entry *dst)
{
	return dst_rt6_info(dst)->rt6i_flags;
}

bool onehop_rt6_gateway(const struct dst_entry *dst, struct in6_addr *gateway)
{
	*gateway = dst_rt6_info(dst)->rt6i_gateway;
	return dst_rt6_info(dst)->rt6i_flags & RTF_GATEWAY;
}

/* For a packet to nobody too, so for any. */
bool onehop_rt6_resolves(const struct dst_entry *dst, const struct in6_addr *to)
{
	return ipv6_addr_equal(rt6_nexthop(dst_rt6_info(dst), &in6addr_any), to);
}
