// SPDX-License-Identifier: GPL-2.0

//! Files under `/proc/sys/net/onehop`, in each namespace its own.

use super::{bindings, netns::Net};
use core::fmt::Write;
use kernel::{
    prelude::*,
    sync::{atomic::Atomic, Arc},
};

/// What reading a text file gives; 31 characters at most.
pub(crate) struct Line {
    bytes: [u8; 32],
    len: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        // The last byte stays NUL: procfs looks for it.
        let (_, line) = self.bytes.split_last_mut().ok_or(core::fmt::Error)?;
        let room = line.get_mut(self.len..).unwrap_or_default();
        let room = room.get_mut(..text.len()).ok_or(core::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

/// One file.
pub(crate) struct File<T> {
    pub(crate) name: &'static CStr,
    pub(crate) kind: Kind<T>,
}

pub(crate) enum Kind<T> {
    /// A number from 0 to `max`, which is 4 at most; 0644.
    Number {
        field: fn(&T) -> &Atomic<i8>,
        max: u8,
    },
    /// A number from 0 to `max`; 0644.
    Count {
        field: fn(&T) -> &Atomic<u32>,
        max: &'static u32,
    },
    /// Made when it is read, in process context; 0444.
    Text(fn(&T, &mut Line)),
}

/// The files of one namespace; gone when dropped, which may sleep and waits for readers.
///
/// # Invariants
///
/// `header` is registered; `_entries` and `_state` are what its files point to.
pub(crate) struct Table<T: Send + Sync> {
    header: *mut bindings::ctl_table_header,
    _entries: KVec<bindings::ctl_table>,
    _state: Arc<T>,
}

// SAFETY: It may be unregistered from any thread.
unsafe impl<T: Send + Sync> Send for Table<T> {}

impl<T: Send + Sync> Table<T> {
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(
        net: &Net,
        directory: &'static CStr,
        files: &[File<T>],
        state: Arc<T>,
    ) -> Result<Self> {
        let mut entries = KVec::with_capacity(files.len(), GFP_KERNEL)?;
        for file in files {
            entries.push(entry(file, &state), GFP_KERNEL)?;
        }
        // SAFETY: The namespace is alive by its type's invariant; names are static, entries
        // and state live until `drop` has unregistered the table.
        let header = unsafe {
            bindings::register_net_sysctl_sz(
                net.as_ptr(),
                directory.as_char_ptr(),
                entries.as_mut_ptr(),
                entries.len(),
            )
        };
        if header.is_null() {
            return Err(ENOMEM);
        }
        Ok(Self {
            header,
            _entries: entries,
            _state: state,
        })
    }
}

impl<T: Send + Sync> Drop for Table<T> {
    fn drop(&mut self) {
        // SAFETY: Registered by the invariant.
        unsafe { bindings::unregister_net_sysctl_table(self.header) };
    }
}

fn entry<T: Send + Sync>(file: &File<T>, state: &Arc<T>) -> bindings::ctl_table {
    let mut entry = bindings::ctl_table {
        procname: file.name.as_char_ptr(),
        ..Default::default()
    };
    match file.kind {
        Kind::Number { field, max } => {
            entry.mode = 0o644;
            entry.maxlen = 1;
            entry.data = field(state).as_ptr().cast();
            entry.proc_handler = Some(bindings::proc_dou8vec_minmax);
            let numbers = (&raw const bindings::sysctl_vals)
                .cast::<c_int>()
                .cast_mut();
            entry.extra1 = numbers.cast();
            // The kernel's table of constants starts with 0, 1, 2, 3, 4.
            entry.extra2 = numbers.wrapping_add(usize::from(max.min(4))).cast();
        }
        Kind::Count { field, max } => {
            entry.mode = 0o644;
            entry.maxlen = 4;
            entry.data = field(state).as_ptr().cast();
            entry.proc_handler = Some(bindings::proc_douintvec_minmax);
            // Without the other bound it is 0.
            entry.extra2 = core::ptr::from_ref(max).cast_mut().cast();
        }
        Kind::Text(make) => {
            entry.mode = 0o444;
            entry.data = core::ptr::from_ref::<T>(state).cast_mut().cast();
            entry.proc_handler = Some(read_text::<T>);
            entry.extra1 = make as *mut c_void;
        }
    }
    entry
}

/// # Safety
///
/// Called by procfs for an entry of [`Kind::Text`] for the same `T`.
unsafe extern "C" fn read_text<T>(
    table: *const bindings::ctl_table,
    write: c_int,
    buffer: *mut c_void,
    length: *mut usize,
    position: *mut bindings::loff_t,
) -> c_int {
    let mut line = Line {
        bytes: [0; 32],
        len: 0,
    };
    // SAFETY: `entry` stored a state, alive while the table is registered, and a function of
    // this very type; procfs keeps the table registered while it calls.
    unsafe {
        let make: fn(&T, &mut Line) = core::mem::transmute((*table).extra1);
        make(&*(*table).data.cast::<T>(), &mut line);
    }
    let once = bindings::ctl_table {
        data: line.bytes.as_mut_ptr().cast(),
        maxlen: 32,
        ..Default::default()
    };
    // SAFETY: `once` and what it points to live until the call returns; the rest is procfs's.
    unsafe { bindings::proc_dostring(&once, write, buffer, length, position) }
}
