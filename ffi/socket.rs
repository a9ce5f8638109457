// SPDX-License-Identifier: GPL-2.0

//! What this host's TCP has for a segment.

use super::{bindings, ip::Family, link::Device, netns::Net, skb::Skb};
use core::ptr::NonNull;

/// A socket's addresses and ports, which are in host byte order.
pub(crate) struct Tuple<A> {
    pub(crate) client: A,
    pub(crate) client_port: u16,
    pub(crate) ghost: A,
    pub(crate) ghost_port: u16,
}

/// Where a segment came in, as socket lookup wants to know: in a VRF sockets are bound to the VRF.
#[derive(Clone, Copy)]
pub(crate) struct Devices {
    /// The VRF, or the device itself if it is in none.
    pub(super) bound: i32,
    /// The device, if it is in a VRF; else 0.
    pub(super) slave: i32,
}

impl Devices {
    fn of(device: &Device<'_>) -> Self {
        match device.master() {
            0 => Self {
                bound: device.index() as i32,
                slave: 0,
            },
            master => Self {
                bound: master,
                slave: device.index() as i32,
            },
        }
    }
}

/// The state of the socket that a segment would meet, but for listening ones.
#[derive(Clone, Copy)]
pub(crate) enum State {
    None,
    /// A connection.
    Full,
    /// One that is not open yet, but has accepted data (TCP fast open): what it has sent that is not
    /// acknowledged, from and to.
    Opening(u32, u32),
    /// A request to open one, answered with this sequence number.
    Request(u32),
    /// What is left of one, and the sequence number it expected next.
    TimeWait(u32),
}

/// Looks for the socket of exactly these addresses and ports. For segments of `device`, under the
/// RCU read lock that its type stands for.
pub(crate) fn connection<F: Family>(
    net: &Net,
    device: &Device<'_>,
    tuple: &Tuple<F::Address>,
) -> State {
    // SAFETY: The namespace is alive by its type's invariant.
    let socket = unsafe { F::connection(net.as_ptr(), tuple, Devices::of(device)) };
    let Some(socket) = NonNull::new(socket) else {
        return State::None;
    };
    // SAFETY: Looked up with a reference, which is ours to give back. The state tells which of the
    // three structures that the table holds this is; it stays that for as long as it is referenced.
    unsafe {
        let state = match bindings::onehop_sock_state(socket.as_ptr()).unsigned_abs() {
            bindings::TCP_SYN_RECV => State::Opening(
                bindings::onehop_sock_snd_una(socket.as_ptr()),
                bindings::onehop_sock_snd_nxt(socket.as_ptr()),
            ),
            bindings::TCP_NEW_SYN_RECV => {
                State::Request(bindings::onehop_sock_isn(socket.as_ptr()))
            }
            // Of a connection that waits for the client's FIN the kernel keeps as little.
            bindings::TCP_TIME_WAIT if !bindings::onehop_sock_is_half_closed(socket.as_ptr()) => {
                State::TimeWait(bindings::onehop_sock_rcv_nxt(socket.as_ptr()))
            }
            _ => State::Full,
        };
        bindings::sock_gen_put(socket.as_ptr());
        state
    }
}

/// Does the segment in `skb`, whose TCP header begins at `offset`, acknowledge a SYN cookie that a
/// listener of this host has sent? The header is in the linear part.
pub(crate) fn has_cookie<F: Family>(
    net: &Net,
    device: &Device<'_>,
    tuple: &Tuple<F::Address>,
    skb: &Skb<F>,
    offset: usize,
) -> bool {
    let Ok(offset) = u32::try_from(offset) else {
        return false;
    };
    if skb.linear().len() < offset as usize + READ {
        return false;
    }
    // SAFETY: The namespace is alive, and the RCU read lock held, which keeps the listener; the
    // packet is valid by its type's invariant, and what is read linear by the test above.
    unsafe {
        let listener = F::listener(net.as_ptr(), tuple, Devices::of(device));
        !listener.is_null()
            && bindings::onehop_sock_sent_cookies(listener)
            && F::has_cookie(skb.as_ptr(), offset)
    }
}

/// Bytes of a TCP header that the test of a cookie reads: ports and both numbers.
const READ: usize = 12;
