//! Extended safe nodes (Wu and Fernandez, "Broadcasting in faulty hypercubes"): a nonfaulty node is unsafe iff two
//! neighbours are faulty, or at least three are unsafe or faulty.
//!
//! With link faults, both ends of a faulty link are unsafe and count as faulty for their neighbours, as they have safety level 0.
//!
//! The stated bound of O(n^2) rounds is that of the typical case: with threshold 3, bootstrap percolation in the n-cube can take of
//! the order of 2^n / n rounds (Hartarsky 2018). Rounds are therefore counted, never assumed.

use super::planes::Grid;
use super::safe_unsafe::{from_safe, shrink};

/// The bits of the code as planes, and the rounds until nothing changes.
///
/// A safe node has all bits: at distance 2 at most one of two preferred neighbours counts as faulty, and the other delivers even
/// if unsafe; from distance 3 on at most two of the preferred neighbours are not safe.
pub(super) fn bits(grid: &Grid) -> (Vec<Vec<u64>>, u32) {
    let few_faulty = grid.few_outside(&grid.sound, 1);
    let (safe, rounds) =
        shrink(grid, |safe| grid.few_outside(safe, 2).iter().zip(&few_faulty).map(|(few, ok)| few & ok).collect());
    (from_safe(grid, &safe), rounds)
}
