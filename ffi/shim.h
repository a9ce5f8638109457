/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Rust cannot call by itself: inline functions, macros and bit fields of
 * the kernel headers, one step each and no decision. Also the input of bindgen,
 * which adds what the kernel crate's own bindings lack (see bindgen_parameters).
 *
 * The kernel crate knows some structures by name only, without a size, and says
 * so nowhere (dst_entry, neighbour, and so rtable): Rust never looks into those,
 * but for a device's MTU, whose place is told below.
 */
#ifndef _ONEHOP_SHIM_H
#define _ONEHOP_SHIM_H

#include <linux/etherdevice.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/ipv6_route.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/netfilter_arp.h>
#include <linux/netfilter_bridge.h>
#include <linux/nsproxy.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/sysctl.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/addrconf.h>
#include <net/arp.h>
#include <net/fib_notifier.h>
#include <net/gso.h>
#include <net/icmp.h>
#include <net/inet6_hashtables.h>
#include <net/inet_hashtables.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/ndisc.h>
#include <net/neighbour.h>
#include <net/netevent.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/route.h>
#include <net/tcp.h>
#include <net/xfrm.h>

/* Packets. */
#define ONEHOP_TO_HOST		1U	/* the frame was addressed to this host alone */
#define ONEHOP_ON_LOOPBACK	2U
#define ONEHOP_ON_MASTER	4U	/* a VRF device, after the device itself */
#define ONEHOP_BRIDGED		8U	/* shown by br_netfilter */
u32 onehop_skb_traits(const struct sk_buff *skb);
#define ONEHOP_FRAME_IPV4	1U
#define ONEHOP_FRAME_IPV6	2U
#define ONEHOP_FRAME_PASSING	4U	/* to another device or host */
#define ONEHOP_FRAME_TO_HOST	8U
u32 onehop_frame_traits(const struct sk_buff *skb);
void onehop_skb_set_to_host(struct sk_buff *skb);
struct net_device *onehop_skb_dev(const struct sk_buff *skb);
struct net_device *onehop_skb_set_on_loopback(struct sk_buff *skb, struct net *net);
struct dst_entry *onehop_skb_dst(const struct sk_buff *skb);
u8 *onehop_skb_network(const struct sk_buff *skb);
u32 onehop_skb_network_len(const struct sk_buff *skb);
int onehop_skb_network_writable(struct sk_buff *skb, u32 len);
bool onehop_skb_link_source(const struct sk_buff *skb, u8 *mac);
bool onehop_skb_to_transform(const struct sk_buff *skb);
void onehop_skb_forget_bridge(struct sk_buff *skb);
struct sk_buff *onehop_skb_alloc(struct net_device *dev, u32 len);
int onehop_skb_link_header(struct sk_buff *skb, u16 protocol, const u8 *to);
bool onehop_skb_is_lro(const struct sk_buff *skb);
bool onehop_skb_is_gso(const struct sk_buff *skb);
int onehop_skb_trim(struct sk_buff *skb, unsigned int len);
bool onehop_skb_pull(struct sk_buff *skb, unsigned int len);
int onehop_skb_make_writable(struct sk_buff *skb, const struct net_device *dev);
void onehop_skb_set_dst(struct sk_buff *skb, struct dst_entry *dst);
/* One hop further. In one call each: every packet that is sent on pays for it. */
int onehop_skb_neigh_output(struct sk_buff *skb, struct net_device *dev, struct neighbour *n);
int onehop_skb_dst_output(struct net *net, struct sk_buff *skb, struct dst_entry *dst);
void onehop_icmp_send(struct sk_buff *skb, int type, int code, u32 info);
void onehop_icmpv6_send(struct sk_buff *skb, u8 type, u8 code, u32 info,
			const struct in6_addr *from);

/* Neighbours: those that could be sent to now. */
struct neighbour *onehop_neigh4(struct net_device *dev, __be32 address);
struct neighbour *onehop_neigh6(struct net_device *dev, const struct in6_addr *address);
bool onehop_neigh4_exists(struct net_device *dev, __be32 address);
bool onehop_neigh6_exists(struct net_device *dev, const struct in6_addr *address);
void onehop_neigh4_solicit(struct net_device *dev, __be32 address);
void onehop_neigh6_solicit(struct net_device *dev, const struct in6_addr *address);
bool onehop_neigh_sent(const struct neighbour *n, const struct sk_buff *skb);
bool onehop_neigh_mac(const struct neighbour *n, u8 *mac);
const struct net *onehop_neigh_net(const struct neighbour *n);

/* Devices. */
enum { ONEHOP_DEV_MTU = offsetof(struct net_device, mtu) };
int onehop_dev_ifindex(const struct net_device *dev);
bool onehop_dev_mac(const struct net_device *dev, u8 *mac);
void onehop_dev_name(const struct net_device *dev, u8 *name);
void onehop_dev_hold(struct net_device *dev);
void onehop_dev_put(struct net_device *dev);
struct net_device *onehop_notified_dev(const void *info);
bool onehop_dev_is_loopback(const struct net_device *dev);
bool onehop_dev_is_master(const struct net_device *dev);
int onehop_dev_master(const struct net_device *dev);
bool onehop_dev_address4(const struct net_device *dev, u32 nth, __be32 *address, __be32 *mask);
bool onehop_has_ipv6(void);
bool onehop_is_local6_in_vrf(struct net *net, const struct in6_addr *address);
u32 onehop_dev_addr_len(const struct net_device *dev);
int onehop_join4(struct net_device *dev, __be32 group);
void onehop_leave4(struct net_device *dev, __be32 group);

/* Routes. */
bool onehop_rt_is_error(const struct dst_entry *dst);
void onehop_rt_put(struct dst_entry *dst);
int onehop_rt_ifindex(const struct dst_entry *dst);
u32 onehop_rt4_mtu(const struct dst_entry *dst);
u32 onehop_rt4_type(const struct dst_entry *dst);
bool onehop_rt4_has_gateway(const struct dst_entry *dst);
bool onehop_rt4_gateway(const struct dst_entry *dst, __be32 *gateway);
bool onehop_rt4_resolves(const struct dst_entry *dst, __be32 to);
u32 onehop_rt6_mtu(const struct dst_entry *dst);
u32 onehop_rt6_flags(const struct dst_entry *dst);
bool onehop_rt6_gateway(const struct dst_entry *dst, struct in6_addr *gateway);
bool onehop_rt6_resolves(const struct dst_entry *dst, const struct in6_addr *to);

/*
 * TCP sockets. A connection comes with a reference, for sock_gen_put; a listener
 * lives under the RCU read lock.
 */
struct sock *onehop_tcp4_connection(struct net *net, __be32 client, __be16 client_port,
				    __be32 ghost, __be16 ghost_port, int dif, int sdif);
struct sock *onehop_tcp6_connection(struct net *net, const struct in6_addr *client,
				    __be16 client_port, const struct in6_addr *ghost,
				    __be16 ghost_port, int dif, int sdif);
struct sock *onehop_tcp4_listener(struct net *net, __be32 client, __be16 client_port,
				  __be32 ghost, __be16 ghost_port, int dif, int sdif);
struct sock *onehop_tcp6_listener(struct net *net, const struct in6_addr *client,
				  __be16 client_port, const struct in6_addr *ghost,
				  __be16 ghost_port, int dif, int sdif);
int onehop_sock_state(const struct sock *sk);
u32 onehop_sock_isn(struct sock *sk);
u32 onehop_sock_snd_una(const struct sock *sk);
u32 onehop_sock_snd_nxt(const struct sock *sk);
bool onehop_sock_is_half_closed(const struct sock *sk);
u32 onehop_sock_rcv_nxt(const struct sock *sk);
bool onehop_sock_sent_cookies(const struct sock *sk);
bool onehop_skb_cookie4(const struct sk_buff *skb, u32 offset);
bool onehop_skb_cookie6(const struct sk_buff *skb, u32 offset);

/* Namespaces, memory, tasks. */
void *onehop_net_generic(const struct net *net, unsigned int id);
struct net *onehop_get_net(struct net *net);
void onehop_put_net(struct net *net);
struct net *onehop_current_net(void);
bool onehop_net_capable(const struct net *net);
u64 __percpu *onehop_percpu_alloc(size_t count);
void onehop_percpu_add(u64 __percpu *counter, u64 value);
void onehop_percpu_add_pair(u64 __percpu *counters, u64 first, u64 second);
u64 onehop_percpu_sum(u64 __percpu *counter);
void onehop_init_work(struct delayed_work *work, work_func_t run);
void onehop_schedule_work(struct delayed_work *work, unsigned int ms);
void onehop_hurry_work(struct delayed_work *work);
bool onehop_is_unicast(const struct fib_notifier_info *info);
void onehop_rtnl_barrier(void);
void onehop_cond_resched(void);
bool onehop_fatal_signal(void);
int onehop_lock_killable(struct mutex *lock);

#endif /* _ONEHOP_SHIM_H */
