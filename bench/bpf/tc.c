// SPDX-License-Identifier: GPL-2.0
// The peer at a device's tc ingress, in both forms.
#include "job.h"

static inline struct ethhdr *frame(struct __sk_buff *skb)
{
	void *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;

	return data + FRAME <= end ? data : 0;
}

// As is all but always the case, all that is read lies in one piece; else it is made so.
static inline struct ethhdr *pulled(struct __sk_buff *skb)
{
	return bpf_skb_pull_data(skb, FRAME) ? 0 : frame(skb);
}

SEC("tc") int min(struct __sk_buff *skb)
{
	struct ethhdr *eth = frame(skb);

	return eth && dispatch_min(eth) ? bpf_redirect(setup.device, 0) : TCX_PASS;
}

SEC("tc") int same(struct __sk_buff *skb)
{
	struct ethhdr *eth = frame(skb) ?: pulled(skb);
	int id = eth ? dispatch_same(eth, skb->len, skb->gso_size) : -1;

	if (id < 0)
		return TCX_PASS;
	address(eth, &setup.hops[id]);
	return bpf_redirect(setup.device, 0);
}

// With the link address that the kernel knows of the server at this moment, as
// onehop's packets have.
SEC("tc") int neigh(struct __sk_buff *skb)
{
	struct ethhdr *eth = frame(skb) ?: pulled(skb);
	int id = eth ? dispatch_same(eth, skb->len, skb->gso_size) : -1;
	const volatile struct bpf_redir_neigh *next;

	if (id < 0)
		return TCX_PASS;
	next = protocol(eth) == htons(ETH_P_IP) ? &setup.next4[id] : &setup.next6[id];
	return bpf_redirect_neigh(setup.device, (void *)next, sizeof(*next), 0);
}
