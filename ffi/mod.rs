// SPDX-License-Identifier: GPL-2.0

//! The only unsafe code: the kernel's C interfaces that the kernel crate does not
//! offer, as safe types. Nothing here knows what onehop does.

mod bindings;

pub(crate) mod atomic;
pub(crate) mod clock;
pub(crate) mod errno;
pub(crate) mod fib;
pub(crate) mod file;
pub(crate) mod hook;
pub(crate) mod ip;
mod ipv4;
pub(crate) mod ipv6;
pub(crate) mod link;
pub(crate) mod neigh;
pub(crate) mod netdev;
pub(crate) mod netns;
mod notifier;
pub(crate) mod percpu;
pub(crate) mod random;
pub(crate) mod rcu;
pub(crate) mod route;
pub(crate) mod skb;
pub(crate) mod socket;
pub(crate) mod sysctl;
pub(crate) mod task;
pub(crate) mod work;
