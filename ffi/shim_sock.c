// SPDX-License-Identifier: GPL-2.0
/* See shim.h: TCP sockets. */

#include "shim.h"

struct sock *onehop_tcp4_connection(struct net *net, __be32 client, __be16 client_port,
				    __be32 ghost, __be16 ghost_port, int dif, int sdif)
{
	return __inet_lookup_established(net, client, client_port, ghost, ntohs(ghost_port), dif,
					 sdif);
}

struct sock *onehop_tcp6_connection(struct net *net, const struct in6_addr *client,
				    __be16 client_port, const struct in6_addr *ghost,
				    __be16 ghost_port, int dif, int sdif)
{
	return __inet6_lookup_established(net, client, client_port, ghost, ntohs(ghost_port), dif,
					  sdif);
}

struct sock *onehop_tcp4_listener(struct net *net, __be32 client, __be16 client_port,
				  __be32 ghost, __be16 ghost_port, int dif, int sdif)
{
	return inet_lookup_listener(net, NULL, 0, client, client_port, ghost, ghost_port, dif,
				    sdif);
}

struct sock *onehop_tcp6_listener(struct net *net, const struct in6_addr *client,
				  __be16 client_port, const struct in6_addr *ghost,
				  __be16 ghost_port, int dif, int sdif)
{
	return inet6_lookup_listener(net, NULL, 0, client, client_port, ghost, ntohs(ghost_port),
				     dif, sdif);
}

int onehop_sock_state(const struct sock *sk)
{
	return READ_ONCE(sk->sk_state);
}

/* Of a connection request: the sequence number of its SYN-ACK. */
u32 onehop_sock_isn(struct sock *sk)
{
	return tcp_rsk(inet_reqsk(sk))->snt_isn;
}

u32 onehop_sock_snd_una(const struct sock *sk)
{
	return READ_ONCE(tcp_sk(sk)->snd_una);
}

u32 onehop_sock_snd_nxt(const struct sock *sk)
{
	return READ_ONCE(tcp_sk(sk)->snd_nxt);
}

/* In TIME_WAIT: does it wait for the other end's FIN still? */
bool onehop_sock_is_half_closed(const struct sock *sk)
{
	return READ_ONCE(inet_twsk(sk)->tw_substate) == TCP_FIN_WAIT2;
}

/* In TIME_WAIT: the sequence number expected next. */
u32 onehop_sock_rcv_nxt(const struct sock *sk)
{
	return READ_ONCE(tcp_twsk(sk)->tw_rcv_nxt);
}

/* Has this listener answered with SYN cookies lately? */
bool onehop_sock_sent_cookies(const struct sock *sk)
{
	return !tcp_synq_no_recent_overflow(sk);
}

/* Does the TCP header at this offset, which is in the linear part, acknowledge a cookie of ours? */
bool onehop_skb_cookie4(const struct sk_buff *skb, u32 offset)
{
	return __cookie_v4_check(ip_hdr(skb), (void *)skb_network_header(skb) + offset);
}

bool onehop_skb_cookie6(const struct sk_buff *skb, u32 offset)
{
	return __cookie_v6_check(ipv6_hdr(skb), (void *)skb_network_header(skb) + offset);
}
