/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Rust cannot call by itself: inline functions, macros and bit fields of
 * the kernel headers, one step each and no decision. Also the input of bindgen,
 * which adds what the kernel crate's own bindings lack (see bindgen_parameters).
 *
 * The kernel crate knows some structures by name only, without a size, and says
 * so nowhere (dst_entry, neighbour, and so rtable): Rust never looks into those.
 */
#ifndef _ONEHOP_SHIM_H
#define _ONEHOP_SHIM_H

#include <linux/etherdevice.h>
#include <linux/icmp.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/netfilter_bridge.h>
#include <linux/nsproxy.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/sysctl.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/arp.h>
#include <net/fib_notifier.h>
#include <net/gso.h>
#include <net/icmp.h>
#include <net/ip.h>
#include <net/l3mdev.h>
#include <net/neighbour.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/route.h>
#include <net/xfrm.h>

/* Packets. */
#define ONEHOP_TO_HOST		1U	/* the frame was addressed to this host alone */
#define ONEHOP_ON_LOOPBACK	2U
#define ONEHOP_ON_MASTER	4U	/* a VRF device, after the device itself */
#define ONEHOP_BRIDGED		8U	/* shown by br_netfilter, ... */
#define ONEHOP_TO_DEVICE	16U	/* ... but addressed to the bridge itself */
u32 onehop_skb_traits(const struct sk_buff *skb);
bool onehop_skb_is_lro(const struct sk_buff *skb);
bool onehop_skb_is_gso(const struct sk_buff *skb);
bool onehop_skb_pull(struct sk_buff *skb, unsigned int len);
int onehop_skb_make_writable(struct sk_buff *skb, const struct net_device *dev);
void onehop_skb_detach(struct sk_buff *skb);
void onehop_skb_decrease_ttl(struct sk_buff *skb);
void onehop_skb_set_dst(struct sk_buff *skb, struct rtable *rt);
void onehop_skb_set_forwarded(struct sk_buff *skb);
int onehop_skb_dst_output(struct net *net, struct sk_buff *skb);
int onehop_skb_neigh_output(struct sk_buff *skb, struct net_device *dev, struct neighbour *n);
void onehop_icmp_send(struct sk_buff *skb, int type, int code, u32 info);

/* Neighbours. */
struct neighbour *onehop_neigh4(struct net_device *dev, __be32 address);
bool onehop_neigh_is_valid(const struct neighbour *n);
bool onehop_neigh_sent(const struct neighbour *n, const struct sk_buff *skb);

/* Routes. */
u32 onehop_dev_mtu(const struct net_device *dev);
void onehop_rt_put(struct rtable *rt);
u32 onehop_rt_mtu(const struct rtable *rt);
u32 onehop_rt_type(const struct rtable *rt);
bool onehop_rt_has_gateway(const struct rtable *rt);
bool onehop_rt_has_gateway4(const struct rtable *rt, __be32 gateway);
int onehop_rt_ifindex(const struct rtable *rt);

/* Namespaces, memory, tasks. */
void *onehop_net_generic(const struct net *net, unsigned int id);
struct net *onehop_get_net(struct net *net);
void onehop_put_net(struct net *net);
struct net *onehop_current_net(void);
bool onehop_net_capable(const struct net *net);
u64 __percpu *onehop_percpu_alloc(size_t count);
void onehop_percpu_add(u64 __percpu *counter, u64 value);
u64 onehop_percpu_sum(u64 __percpu *counter);
void onehop_init_work(struct delayed_work *work, work_func_t run);
void onehop_schedule_work(struct delayed_work *work, unsigned int ms);
bool onehop_is_ipv4(const struct fib_notifier_info *info);
void onehop_rtnl_barrier(void);
void onehop_cond_resched(void);
bool onehop_fatal_signal(void);

#endif /* _ONEHOP_SHIM_H */
