// SPDX-License-Identifier: GPL-2.0
/* See shim.h: each function is one inline, macro or bit field of the kernel. Packets. */

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
	if (nf_bridge_info_exists(skb))
		traits |= ONEHOP_BRIDGED;
	return traits;
}

/*
 * A frame that is not for the stack of this device, or that someone else still
 * reads, is passing: what is tagged goes on to a VLAN's device, what a bond,
 * bridge or macvlan takes to theirs. So is IPv6 where the device has none of it.
 */
u32 onehop_frame_traits(const struct sk_buff *skb)
{
	u32 traits = 0;

	if (skb->protocol == htons(ETH_P_IP))
		traits |= ONEHOP_FRAME_IPV4;
	if (skb->protocol == htons(ETH_P_IPV6)) {
		const struct inet6_dev *in6_dev = __in6_dev_get(skb->dev);

		traits |= ONEHOP_FRAME_IPV6;
		if (!in6_dev || READ_ONCE(in6_dev->cnf.disable_ipv6))
			traits |= ONEHOP_FRAME_PASSING;
	}
	if (skb->pkt_type == PACKET_HOST)
		traits |= ONEHOP_FRAME_TO_HOST;
	if (skb->pkt_type == PACKET_OTHERHOST || skb_vlan_tag_present(skb) || skb_shared(skb) ||
	    rcu_access_pointer(skb->dev->rx_handler) || skb->dev->flags & IFF_LOOPBACK)
		traits |= ONEHOP_FRAME_PASSING;
	return traits;
}

void onehop_skb_set_to_host(struct sk_buff *skb)
{
	skb->pkt_type = PACKET_HOST;
}

struct net_device *onehop_skb_dev(const struct sk_buff *skb)
{
	return skb->dev;
}

struct net_device *onehop_skb_set_on_loopback(struct sk_buff *skb, struct net *net)
{
	return skb->dev = net->loopback_dev;
}

struct dst_entry *onehop_skb_dst(const struct sk_buff *skb)
{
	return skb_dst(skb);
}

u8 *onehop_skb_network(const struct sk_buff *skb)
{
	return skb_network_header(skb);
}

/* Linear bytes from the network header on. */
u32 onehop_skb_network_len(const struct sk_buff *skb)
{
	return skb_tail_pointer(skb) - skb_network_header(skb);
}

/* Makes len bytes of them ours to write, or all there are; how many, or an error. */
int onehop_skb_network_writable(struct sk_buff *skb, u32 len)
{
	int offset = skb_network_offset(skb);
	int error;

	len = min(len, skb->len - offset);
	error = skb_ensure_writable(skb, offset + len);
	return error ? error : len;
}

/* Has the frame an Ethernet header of its own? Then where it came from. */
bool onehop_skb_link_source(const struct sk_buff *skb, u8 *mac)
{
	if (skb->dev->type != ARPHRD_ETHER || !skb_mac_header_was_set(skb) ||
	    skb_mac_header_len(skb) < ETH_HLEN)
		return false;
	ether_addr_copy(mac, eth_hdr(skb)->h_source);
	return true;
}

/* Is it on its way through IPsec? */
bool onehop_skb_to_transform(const struct sk_buff *skb)
{
	return skb_dst(skb) && dst_xfrm(skb_dst(skb));
}

void onehop_skb_forget_bridge(struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_BRIDGE_NETFILTER)
	skb_ext_del(skb, SKB_EXT_BRIDGE_NF);
#endif
}

/* Room for a packet of our own with its link header. */
struct sk_buff *onehop_skb_alloc(struct net_device *dev, u32 len)
{
	struct sk_buff *skb = alloc_skb(LL_RESERVED_SPACE(dev) + len + dev->needed_tailroom,
					GFP_ATOMIC);

	if (skb) {
		skb_reserve(skb, LL_RESERVED_SPACE(dev));
		skb_reset_network_header(skb);
		skb_put(skb, len);
		skb->dev = dev;
	}
	return skb;
}

int onehop_skb_link_header(struct sk_buff *skb, u16 protocol, const u8 *to)
{
	skb->protocol = htons(protocol);
	return dev_hard_header(skb, skb->dev, protocol, to, NULL, skb->len);
}

bool onehop_skb_is_lro(const struct sk_buff *skb)
{
	return skb_warn_if_lro(skb);
}

bool onehop_skb_is_gso(const struct sk_buff *skb)
{
	return skb_is_gso(skb);
}

int onehop_skb_trim(struct sk_buff *skb, unsigned int len)
{
	return pskb_trim_rcsum(skb, len);
}

bool onehop_skb_pull(struct sk_buff *skb, unsigned int len)
{
	return pskb_may_pull(skb, len);
}

int onehop_skb_make_writable(struct sk_buff *skb, const struct net_device *dev)
{
	return skb_cow_head(skb, LL_RESERVED_SPACE(dev));
}

static bool is_ipv4(const struct sk_buff *skb)
{
	return ip_hdr(skb)->version == 4;
}

/*
 * Takes 1 from what it has to live, and off what belongs to this host's side of its way. A packet
 * with a header that was parsed, as of either version.
 */
static __always_inline void depart(struct sk_buff *skb)
{
	if (is_ipv4(skb))
		ip_decrease_ttl(ip_hdr(skb));
	else
		ipv6_hdr(skb)->hop_limit--;
	skb_orphan(skb);
	skb_dst_drop(skb);
	secpath_reset(skb);
	nf_reset_ct(skb);
	onehop_skb_forget_bridge(skb);
	skb_forward_csum(skb);
	skb_clear_tstamp(skb);
	/* Told at ingress, and of no use to whom it is sent; the stack does so before PRE_ROUTING. */
	skb_reset_redirect(skb);
}

/* Takes over the reference to dst. */
void onehop_skb_set_dst(struct sk_buff *skb, struct dst_entry *dst)
{
	skb_dst_drop(skb);
	skb_dst_set(skb, dst);
}

int onehop_skb_neigh_output(struct sk_buff *skb, struct net_device *dev, struct neighbour *n)
{
	depart(skb);
	skb->dev = dev;
	return neigh_output(n, skb, false);
}

/*
 * Takes over the reference to dst. Output takes the packet's device for where it
 * came from, which it still is.
 */
int onehop_skb_dst_output(struct net *net, struct sk_buff *skb, struct dst_entry *dst)
{
	depart(skb);
	skb_dst_set(skb, dst);
	if (is_ipv4(skb))
		IPCB(skb)->flags |= IPSKB_FORWARDED;
	else
		IP6CB(skb)->flags |= IP6SKB_FORWARDED;
	return dst_output(net, NULL, skb);
}

void onehop_icmp_send(struct sk_buff *skb, int type, int code, u32 info)
{
	icmp_send(skb, type, code, htonl(info));
}

void onehop_icmpv6_send(struct sk_buff *skb, u8 type, u8 code, u32 info,
			const struct in6_addr *from)
{
	icmp6_send(skb, type, code, info, from, IP6CB(skb));
}
