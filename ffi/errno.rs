// SPDX-License-Identifier: GPL-2.0

//! Numbers of errors that packets are refused with. Those of the kernel crate are not the same in
//! every release: before 7.3 it had no more than a third of them.

pub(crate) use kernel::bindings::{EHOSTUNREACH, EINVAL, ENOMEM, EPERM};
