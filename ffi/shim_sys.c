// SPDX-License-Identifier: GPL-2.0
/* See shim.h: namespaces, memory, work and tasks. */

#include "shim.h"

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

void onehop_percpu_add_pair(u64 __percpu *counters, u64 first, u64 second)
{
	this_cpu_add(counters[0], first);
	this_cpu_add(counters[1], second);
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

void onehop_hurry_work(struct delayed_work *work)
{
	mod_delayed_work(system_percpu_wq, work, 0);
}

bool onehop_is_unicast(const struct fib_notifier_info *info)
{
	return info->family == AF_INET || info->family == AF_INET6;
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

/* A macro where lockdep is on. */
int onehop_lock_killable(struct mutex *lock)
{
	return mutex_lock_killable(lock);
}
