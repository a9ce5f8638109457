// SPDX-License-Identifier: GPL-2.0
// The peer as XDP, in both forms. A frame here is never merged.
#include "job.h"

static inline struct ethhdr *frame(struct xdp_md *xdp)
{
	void *data = (void *)(long)xdp->data, *end = (void *)(long)xdp->data_end;

	return data + FRAME <= end ? data : 0;
}

SEC("xdp") int min(struct xdp_md *xdp)
{
	struct ethhdr *eth = frame(xdp);

	return eth && dispatch_min(eth) ? bpf_redirect(setup.device, 0) : XDP_PASS;
}

SEC("xdp") int same(struct xdp_md *xdp)
{
	struct ethhdr *eth = frame(xdp);
	int id = eth ? dispatch_same(eth, xdp->data_end - xdp->data, 0) : -1;

	if (id < 0)
		return XDP_PASS;
	address(eth, &setup.hops[id]);
	return bpf_redirect(setup.device, 0);
}
