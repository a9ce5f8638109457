// SPDX-License-Identifier: GPL-2.0

//! STATS: the namespace's counters.

use super::refusal::Refusal;
use crate::{
    state::Namespace,
    uapi::{Counter, Stats},
};
use kernel::{
    prelude::*,
    uaccess::{UserPtr, UserSlice},
};

pub(super) fn call(namespace: &Namespace, raw: &mut [u8; Stats::SIZE]) -> Result<(), Refusal> {
    let request = Stats::decode(raw)?;
    let wanted = usize::try_from(request.count)?.min(Counter::COUNT);
    let user = UserPtr::from_addr(usize::try_from(request.counters)?);
    let mut writer = UserSlice::new(user, wanted * size_of::<u64>()).writer();
    for counter in Counter::ALL.iter().take(wanted) {
        writer.write_slice(&namespace.counted(*counter).to_ne_bytes())?;
    }
    let count = u32::try_from(Counter::COUNT)?;
    *raw = Stats { count, ..request }.encode();
    Ok(())
}
