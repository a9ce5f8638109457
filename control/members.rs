// SPDX-License-Identifier: GPL-2.0

//! The servers of an image, put to their pools, with what they bring along from before.

use crate::{
    dispatch::server::{ServerId, Weight},
    ffi::clock::realtime_ns,
    state::{member::Member, pool::Pool, traffic::Total},
    uapi::{sort, Author, Health, Image, Server},
};
use kernel::{alloc::KVVec, prelude::*};

/// Where the servers of each pool are in an image, by ascending id.
pub(super) struct Order(KVVec<(u32, u16, u32)>);

impl Order {
    /// Of a valid image.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EINVAL` if the image is not valid.
    pub(super) fn new(image: &Image<'_>) -> Result<Self> {
        let number = usize::try_from(image.header().servers)?;
        let mut order = KVVec::with_capacity(number, GFP_KERNEL_ACCOUNT)?;
        for (index, server) in (0..).zip(image.servers()) {
            let server = server.or(Err(EINVAL))?;
            order.push((server.pool, server.id, index), GFP_KERNEL_ACCOUNT)?;
        }
        sort(&mut order, |a, b| a < b);
        Ok(Self(order))
    }

    /// The members of the pool at `index` in the image, which was `old` before.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub(super) fn members(
        &self,
        image: &Image<'_>,
        index: u32,
        old: Option<&Pool>,
        author: &Author,
    ) -> Result<KVVec<Member>> {
        let start = self.0.partition_point(|(pool, ..)| *pool < index);
        let end = self.0.partition_point(|(pool, ..)| *pool <= index);
        let mut members = KVVec::with_capacity(end - start, GFP_KERNEL_ACCOUNT)?;
        for (_, _, at) in self.0.get(start..end).unwrap_or_default() {
            let wanted = image.server(*at).or(Err(EINVAL))?;
            // The index means nothing outside this image.
            let wanted = Server { pool: 0, ..wanted };
            members.push(member(wanted, old, author)?, GFP_KERNEL_ACCOUNT)?;
        }
        Ok(members)
    }
}

/// A server keeps its health while it keeps its name and address, and its counters while it
/// keeps its name and id.
fn member(wanted: Server, old: Option<&Pool>, author: &Author) -> Result<Member> {
    let id = ServerId::new(wanted.id.into()).or(Err(EINVAL))?;
    let weight = Weight::new(wanted.weight.into()).or(Err(EINVAL))?;
    let past = old.and_then(|old| find(old, &wanted));
    let fresh = if wanted.start_down {
        Health::Down
    } else {
        Health::Up
    };
    let before = match (past, old) {
        (Some(past), _) if past.id == id => past.before,
        (_, Some(old)) => old.traffic_of_id(id),
        (_, None) => Total::default(),
    };
    let stays = |past: &&Member| {
        past.wanted.address == wanted.address && past.wanted.address6 == wanted.address6
    };
    let (changed_at, author, out_at) = match past {
        Some(past) if stays(&past) && past.wanted.admin == wanted.admin => {
            (past.changed_at, past.author, past.out_at)
        }
        Some(_) => (realtime_ns(), *author, None),
        None => (0, Author::default(), None),
    };
    Ok(Member {
        wanted,
        id,
        weight,
        health: past.filter(stays).map_or(fresh, |past| past.health),
        out_at,
        changed_at,
        author,
        before,
    })
}

/// The server of that name, also one that is leaving; most often the one that has its id.
fn find<'a>(old: &'a Pool, wanted: &Server) -> Option<&'a Member> {
    let by_id = ServerId::from_row(wanted.id).and_then(|id| old.newest.member_by_id(id));
    by_id
        .filter(|member| member.wanted.name == wanted.name)
        .or_else(|| old.newest.member(&wanted.name))
        .or_else(|| {
            old.leaving()
                .find(|member| member.wanted.name == wanted.name)
        })
}
