//! Safety levels (Wu, "Unicasting in faulty hypercubes using safety levels"): a faulty node has level 0. With the levels
//! of its neighbours sorted in ascending order, a nonfaulty node has level n if they are at least (0, 1, .., n-1), else the
//! k for which the first k are at least (0, .., k-1) and entry k is k-1. Both ends of a faulty link have level 0.
//!
//! Equivalently: a node has a level above k iff its level is at least k and at most k neighbours have a level below k. So round k
//! finds all nodes of level k from those of lower level, and n-1 rounds find all.

use super::planes::Grid;

/// The bits of the code as planes (bit k: the level is at least k), and the last round that lowers a level.
pub(super) fn bits(grid: &Grid) -> (Vec<Vec<u64>>, u32) {
    let mut bits = Vec::with_capacity(grid.n as usize);
    let mut at_least = grid.sound.clone();
    let mut rounds = 0;
    for k in 1..grid.n {
        let next: Vec<u64> = grid.few_outside(&at_least, k).iter().zip(&at_least).map(|(few, own)| few & own).collect();
        if next != at_least {
            rounds = k;
        }
        bits.push(std::mem::replace(&mut at_least, next));
    }
    bits.push(at_least);
    (bits, rounds)
}
