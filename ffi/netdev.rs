// SPDX-License-Identifier: GPL-2.0

//! Devices by name, as they come and go, and the multicast groups they listen to.

use super::{
    bindings,
    ipv6::in6,
    link::{self, Mac},
    netns::Net,
    notifier::{Block, Listener},
};
use core::ptr::NonNull;
use kernel::{error::to_result, prelude::*, sync::Arc, types::NotThreadSafe};

/// RTNL, the lock under which devices come, go and change. May sleep to take it.
pub(crate) struct Rtnl(NotThreadSafe);

impl Rtnl {
    /// Never with RTNL held: so in no callback of a [`DeviceWatch`].
    pub(crate) fn lock() -> Self {
        // SAFETY: Process context; the lock is given back when the value is dropped.
        unsafe { bindings::rtnl_lock() };
        Self(NotThreadSafe)
    }
}

impl Drop for Rtnl {
    fn drop(&mut self) {
        // SAFETY: Taken in `lock`.
        unsafe { bindings::rtnl_unlock() };
    }
}

/// A counted reference to a device. One that is kept beyond [`News::Gone`] keeps the device from
/// being removed.
///
/// # Invariants
///
/// `ptr` is valid and one reference to it is ours.
pub(crate) struct DeviceRef {
    ptr: NonNull<bindings::net_device>,
}

// SAFETY: A device belongs to no thread; its count is atomic.
unsafe impl Send for DeviceRef {}

impl DeviceRef {
    /// The device of this name, as the kernel has it: NUL padded.
    pub(crate) fn find(net: &Net, name: &[u8; 16], _rtnl: &Rtnl) -> Option<Self> {
        if name.last() != Some(&0) {
            return None;
        }
        // SAFETY: The namespace is alive by its type's invariant, the name ends with a NUL.
        let ptr = unsafe { bindings::dev_get_by_name(net.as_ptr(), name.as_ptr().cast()) };
        // INVARIANT: Found with a reference, which is ours.
        let device = Self {
            ptr: NonNull::new(ptr)?,
        };
        // Not by one of its alternative names, of which its news say nothing.
        (device.name() == *name).then_some(device)
    }

    /// # Safety
    ///
    /// `ptr` is a live device.
    unsafe fn get(ptr: *mut bindings::net_device) -> Option<Self> {
        let ptr = NonNull::new(ptr)?;
        // SAFETY: By the contract.
        unsafe { bindings::onehop_dev_hold(ptr.as_ptr()) };
        Some(Self { ptr })
    }

    /// Another reference to the same device.
    pub(crate) fn another(&self) -> Self {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_dev_hold(self.ptr.as_ptr()) };
        Self { ptr: self.ptr }
    }

    /// Its number in its namespace.
    pub(crate) fn index(&self) -> u32 {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_dev_ifindex(self.ptr.as_ptr()) }.unsigned_abs()
    }

    /// Its name, NUL padded. Under RTNL: a device can be renamed.
    pub(crate) fn name(&self) -> [u8; 16] {
        let mut name = [0; 16];
        // SAFETY: Valid by the invariant; `name` has room for the kernel's IFNAMSIZ.
        unsafe { bindings::onehop_dev_name(self.ptr.as_ptr(), name.as_mut_ptr()) };
        name
    }

    pub(super) fn as_ptr(&self) -> *mut bindings::net_device {
        self.ptr.as_ptr()
    }
}

impl Drop for DeviceRef {
    fn drop(&mut self) {
        // SAFETY: By the invariant the reference is ours.
        unsafe { bindings::onehop_dev_put(self.ptr.as_ptr()) };
    }
}

/// What a device can listen to besides its own address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// Frames to this group address, of which no switch is told.
    Link(Mac),
    /// An IPv4 group, told by IGMP.
    V4([u8; 4]),
    /// An IPv6 group, told by MLD.
    V6([u8; 16]),
}

/// A device's listening to a group; ends when dropped, which may sleep. Begun and ended under RTNL.
pub(crate) struct Membership {
    device: DeviceRef,
    group: Group,
}

impl Membership {
    /// # Errors
    ///
    /// `ENOMEM`; `EINVAL` if the device has no use for the family.
    pub(crate) fn new(device: DeviceRef, group: Group) -> Result<Self> {
        let ptr = device.as_ptr();
        // SAFETY: The device is valid; the caller holds RTNL by the type's contract.
        to_result(unsafe {
            match group {
                // The kernel reads as many bytes as the device's addresses have.
                Group::Link(mac) if !fits(ptr, &mac) => EINVAL.to_errno(),
                Group::Link(mac) => bindings::dev_mc_add(ptr, mac.as_ptr()),
                Group::V4(group) => bindings::onehop_join4(ptr, u32::from_ne_bytes(group)),
                Group::V6(group) => bindings::ipv6_dev_mc_inc(ptr, &in6(group)),
            }
        })?;
        Ok(Self { device, group })
    }

    pub(crate) fn group(&self) -> Group {
        self.group
    }

    /// Does the device, at its MTU of now, still have the family? One that has lost it has lost its
    /// groups too (RFC 8200, section 5; RFC 791).
    pub(crate) fn can_last(&self) -> bool {
        // SAFETY: Valid by the invariant of the reference.
        let mtu = unsafe { link::mtu(self.device.as_ptr()) };
        match self.group {
            Group::Link(_) => true,
            Group::V4(_) => mtu >= 68,
            Group::V6(_) => mtu >= 1280,
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let ptr = self.device.as_ptr();
        // SAFETY: The device is valid; the caller holds RTNL by the type's contract.
        unsafe {
            match self.group {
                Group::Link(mac) if !fits(ptr, &mac) => {}
                Group::Link(mac) => {
                    bindings::dev_mc_del(ptr, mac.as_ptr());
                }
                Group::V4(group) => bindings::onehop_leave4(ptr, u32::from_ne_bytes(group)),
                Group::V6(group) => {
                    bindings::ipv6_dev_mc_dec(ptr, &in6(group));
                }
            }
        }
    }
}

/// Whether `mac` is as long as the link addresses of a device.
///
/// # Safety
///
/// `device` is valid.
unsafe fn fits(device: *mut bindings::net_device, mac: &Mac) -> bool {
    // SAFETY: By the contract.
    unsafe { bindings::onehop_dev_addr_len(device) as usize == mac.len() }
}

/// What has become of a device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// It is there, or has another name.
    Named,
    /// It has been switched on, has got its carrier back, or has another link address or port.
    Up,
    /// It has another MTU, and its families have not been told yet.
    Resized,
    /// It goes: all references to it must be given back.
    Gone,
}

/// What wants to know of devices.
pub(crate) trait DeviceUser: Send + Sync + 'static {
    /// Process context, under RTNL.
    fn device_changed(self: &Arc<Self>, device: DeviceRef, news: News);
}

/// Calls [`DeviceUser::device_changed`] for each device that is there, and for each change, until
/// dropped; then all are told of as gone. Takes RTNL.
///
/// # Invariants
///
/// The block is registered in its listener's namespace, which is alive.
pub(crate) struct DeviceWatch<T: DeviceUser>(KBox<Block<Devices<T>>>);

struct Devices<T: DeviceUser> {
    net: *mut bindings::net,
    user: Arc<T>,
}

// SAFETY: A namespace belongs to no thread.
unsafe impl<T: DeviceUser> Send for Devices<T> {}

impl<T: DeviceUser> DeviceWatch<T> {
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(net: &Net, user: Arc<T>) -> Result<Self> {
        let net = net.as_ptr();
        let block = Block::new(Devices { net, user })?;
        // SAFETY: The namespace is alive by its type's invariant, and the block is unregistered
        // before it is freed.
        to_result(unsafe { bindings::register_netdevice_notifier_net(net, block.as_ptr()) })?;
        Ok(Self(block))
    }
}

impl<T: DeviceUser> Drop for DeviceWatch<T> {
    fn drop(&mut self) {
        let net = self.0.listener().net;
        // SAFETY: Registered by the invariant.
        unsafe { bindings::unregister_netdevice_notifier_net(net, self.0.as_ptr()) };
    }
}

impl<T: DeviceUser> Listener for Devices<T> {
    unsafe fn hear(&self, event: c_ulong, info: *mut c_void) {
        let news = match event as u32 {
            bindings::netdev_cmd_NETDEV_REGISTER | bindings::netdev_cmd_NETDEV_CHANGENAME => {
                News::Named
            }
            bindings::netdev_cmd_NETDEV_UP
            | bindings::netdev_cmd_NETDEV_CHANGE
            | bindings::netdev_cmd_NETDEV_CHANGEADDR
            | bindings::netdev_cmd_NETDEV_NOTIFY_PEERS => News::Up,
            bindings::netdev_cmd_NETDEV_CHANGEMTU => News::Resized,
            bindings::netdev_cmd_NETDEV_UNREGISTER => News::Gone,
            _ => return,
        };
        // SAFETY: By the contract; every event comes with its device, which lives meanwhile.
        let device = unsafe { DeviceRef::get(bindings::onehop_notified_dev(info)) };
        if let Some(device) = device {
            self.user.device_changed(device, news);
        }
    }
}
