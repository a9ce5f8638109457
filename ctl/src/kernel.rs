// SPDX-License-Identifier: GPL-2.0
//! What the verbs need of the module.

use onehop_uapi::{
    Answer, Author, Condition, Dumped, Event, Found, Info, Lookup, Outcome, Set, Transition,
};

use crate::Error;

/// The calls of `onehop.h`.
///
/// Errors are those of the module, in its own words where it has some.
pub trait Kernel {
    /// INFO.
    fn info(&mut self) -> Result<Info, Error>;

    /// APPLY.
    fn apply(
        &mut self,
        image: &[u8],
        condition: Condition,
        author: Author,
    ) -> Result<Outcome, Error>;

    /// DUMP, and the image.
    fn dump(&mut self) -> Result<(Dumped, Vec<u8>), Error>;

    /// SERVER.
    fn set(&mut self, request: &Set) -> Result<Outcome, Error>;

    /// TRANSITION.
    fn transition(&mut self, request: &Transition) -> Result<Outcome, Error>;

    /// ANSWER; whether it was otherwise before.
    fn answer(&mut self, request: &Answer) -> Result<bool, Error>;

    /// LOOKUP.
    fn lookup(&mut self, request: &Lookup) -> Result<Found, Error>;

    /// STATS: the counters by number; a newer module may have more than we know.
    fn counters(&mut self) -> Result<Vec<u64>, Error>;

    /// Waits for the next event.
    fn event(&mut self) -> Result<Event, Error>;

    /// The name of a network device.
    fn device(&mut self, ifindex: u32) -> Option<String>;
}
