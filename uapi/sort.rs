// SPDX-License-Identifier: GPL-2.0
//! Sorting in place.
//!
//! Not with the core crate's own sort: it keeps up to 4 kB on the stack, of which a
//! kernel thread has 16, and ends in a panic that objtool does not know to be one.
//! A heapsort needs neither; what it loses in speed, a change of configuration
//! does not notice.

/// Sorts `items` by `is_less`, a strict order. Equal ones end in no particular
/// order. At most 2 n log2 n comparisons, no recursion.
pub fn sort<T>(items: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    let len = items.len();
    for root in (0..len / 2).rev() {
        sift_down(items, root, &is_less);
    }
    for end in (1..len).rev() {
        items.swap(0, end);
        sift_down(items.get_mut(..end).unwrap_or_default(), 0, &is_less);
    }
}

/// Makes a heap, largest first, of `items` from `root` on, whose children are heaps.
fn sift_down<T>(items: &mut [T], mut root: usize, is_less: &impl Fn(&T, &T) -> bool) {
    let less = |items: &[T], a: usize, b: usize| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => is_less(a, b),
        _ => false,
    };
    loop {
        let left = root * 2 + 1;
        if left >= items.len() {
            return;
        }
        let child = if less(items, left, left + 1) {
            left + 1
        } else {
            left
        };
        if !less(items, root, child) {
            return;
        }
        items.swap(root, child);
        root = child;
    }
}
