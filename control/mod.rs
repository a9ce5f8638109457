// SPDX-License-Identifier: GPL-2.0

//! How user space sees and changes the state: `/dev/onehop` and sysctls.
//!
//! Each call of `uapi/onehop.h` has a file: parse (uapi), validate, swap (state). A new one is
//! such a file, its structure in uapi/, and a line in [`device`].

mod address;
mod answer;
mod apply;
mod assigned;
mod change;
mod deadlines;
pub(crate) mod device;
mod dump;
mod info;
mod links;
mod lookup;
mod members;
mod peers;
mod refusal;
mod routes;
mod set;
mod stats;
mod succession;
mod sysctl;
mod transition;

use crate::{
    ffi::netns::{Key, Net, PerNet},
    state::Namespace,
};
use kernel::{prelude::*, sync::Arc};

impl PerNet for Namespace {
    fn key() -> &'static Key<Self> {
        &KEY
    }

    fn new(net: Net) -> Result<Arc<Self>> {
        let namespace = Self::new(net)?;
        let sysctls = sysctl::register(&namespace)?;
        namespace.turn().data().sysctls = Some(sysctls);
        Ok(namespace)
    }

    fn stop(namespace: &Arc<Self>) {
        Self::stop(namespace);
    }
}

static KEY: Key<Namespace> = Key::new();
