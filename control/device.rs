// SPDX-License-Identifier: GPL-2.0

//! `/dev/onehop`. The node is 0600 root; each call needs CAP_NET_ADMIN in the namespace of the
//! process that opened it, whoever has the file now.

use super::{answer, apply, dump, info, lookup, refusal::Refusal, set, stats, transition};
use crate::{
    ffi::{file, netns::NetRef},
    state::{events::Cursor, Namespace},
    uapi::{ioctl, Event},
};
use core::fmt;
use kernel::{
    fs::{File, Kiocb},
    iov::IovIterDest,
    miscdevice::{MiscDevice, MiscDeviceOptions, MiscDeviceRegistration},
    prelude::*,
    sync::Arc,
    uaccess::{UserPtr, UserSlice},
};

/// The node's place.
pub(crate) const OPTIONS: MiscDeviceOptions = MiscDeviceOptions { name: c"onehop" };

/// An open file.
pub(crate) struct Device {
    net: NetRef,
    namespace: Arc<Namespace>,
    cursor: Cursor,
}

#[vtable]
impl MiscDevice for Device {
    type Ptr = KBox<Self>;

    fn open(_file: &File, _misc: &MiscDeviceRegistration<Self>) -> Result<Self::Ptr> {
        let net = NetRef::current();
        let namespace = net.state::<Namespace>()?;
        let cursor = namespace.events().end();
        let device = Self {
            net,
            namespace,
            cursor,
        };
        Ok(KBox::new(device, GFP_KERNEL_ACCOUNT)?)
    }

    fn ioctl(device: &Self, _file: &File, command: u32, argument: usize) -> Result<isize> {
        let namespace = &device.namespace;
        let user = UserPtr::from_addr(argument);
        match command {
            ioctl::INFO => device.call(user, |raw| info::call(namespace, raw), no_message),
            ioctl::APPLY => device.call(user, |raw| apply::call(namespace, raw), apply::refuse),
            ioctl::DUMP => device.call(user, |raw| dump::call(namespace, raw), dump::refuse),
            ioctl::SERVER => device.call(user, |raw| set::call(namespace, raw), set::refuse),
            ioctl::LOOKUP => device.call(user, |raw| lookup::call(namespace, raw), lookup::refuse),
            ioctl::ANSWER => device.call(user, |raw| answer::call(namespace, raw), answer::refuse),
            ioctl::TRANSITION => device.call(
                user,
                |raw| transition::call(namespace, raw),
                transition::refuse,
            ),
            ioctl::STATS => device.call(user, |raw| stats::call(namespace, raw), no_message),
            _ => Err(ENOTTY),
        }
    }

    fn read_iter(kiocb: Kiocb<'_, Self::Ptr>, out: &mut IovIterDest<'_>) -> Result<usize> {
        let device = kiocb.file();
        if !device.net.is_administrable() {
            return Err(EPERM);
        }
        if out.len() < Event::SIZE {
            return Err(EINVAL);
        }
        let events = device.namespace.events();
        let mut event = events.poll(&device.cursor);
        if event.is_none() {
            if file::is_nonblocking(&kiocb) {
                return Err(EAGAIN);
            }
            event = Some(events.wait(&device.cursor)?);
        }
        let mut written = 0;
        while let Some(next) = event {
            let copied = out.copy_to_iter(&next.encode());
            if copied < Event::SIZE {
                return if written > 0 {
                    Ok(written)
                } else {
                    Err(EFAULT)
                };
            }
            written += copied;
            event = if out.len() < Event::SIZE {
                None
            } else {
                events.poll(&device.cursor)
            };
        }
        Ok(written)
    }
}

impl Device {
    // Not inlined: the frames of all calls would add up on the stack.
    /// Copies the argument in, calls, and copies it out again, with the reply or the message.
    #[inline(never)]
    fn call<const SIZE: usize>(
        &self,
        user: UserPtr,
        call: impl FnOnce(&mut [u8; SIZE]) -> Result<(), Refusal>,
        refuse: fn(&mut [u8; SIZE], &dyn fmt::Display),
    ) -> Result<isize> {
        if !self.net.is_administrable() {
            return Err(EPERM);
        }
        let mut raw = [0; SIZE];
        let (mut reader, mut writer) = UserSlice::new(user, SIZE).reader_writer();
        reader.read_slice(&mut raw)?;
        // A reply that cannot be written must fail before the change it would tell of.
        writer.write_slice(&raw)?;
        let result = call(&mut raw);
        if let Err(refusal) = &result {
            refuse(&mut raw, refusal);
        }
        UserSlice::new(user, SIZE).writer().write_slice(&raw)?;
        match result {
            Ok(()) => Ok(0),
            Err(refusal) => Err(refusal.error()),
        }
    }
}

/// For the structures that have no message.
fn no_message<const SIZE: usize>(_raw: &mut [u8; SIZE], _why: &dyn fmt::Display) {}
