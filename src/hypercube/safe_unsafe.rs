//! Safe and unsafe nodes (Lee and Hayes, "A fault-tolerant communication scheme for hypercube computers", IEEE
//! Transactions on Computers, 1992): a nonfaulty node is unsafe iff at least two neighbours are unsafe or faulty.
//!
//! The paper has node faults only. A link fault makes both its ends unsafe, as it gives both safety level 0: otherwise a safe
//! node might have to deliver over the faulty link.
//!
//! Nodes turn unsafe round by round until nothing changes. That is bootstrap percolation with threshold 2, which takes at
//! most n^2 / 3 rounds in the n-cube (Przykucki 2012).

use super::planes::Grid;

/// The bits of the code as planes, and the rounds until nothing changes.
///
/// A safe node has all bits: of the k >= 2 preferred neighbours at most one is not safe. An unsafe node that is no end of
/// a faulty link has bit 1.
pub(super) fn bits(grid: &Grid) -> (Vec<Vec<u64>>, u32) {
    let (safe, rounds) = shrink(grid, |safe| grid.few_outside(safe, 1));
    (from_safe(grid, &safe), rounds)
}

/// Starts with every sound node safe and keeps those that `rule` keeps, until a round changes nothing.
pub(super) fn shrink(grid: &Grid, rule: impl Fn(&[u64]) -> Vec<u64>) -> (Vec<u64>, u32) {
    let mut safe = grid.sound.clone();
    let mut rounds = 0;
    loop {
        let next: Vec<u64> = rule(&safe).iter().zip(&safe).map(|(keep, safe)| keep & safe).collect();
        if next == safe {
            return (safe, rounds);
        }
        safe = next;
        rounds += 1;
    }
}

/// Bit 1 of every sound node, bits 2 to n of the safe ones.
pub(super) fn from_safe(grid: &Grid, safe: &[u64]) -> Vec<Vec<u64>> {
    let mut bits = vec![safe.to_vec(); grid.n as usize];
    bits[0].clone_from(&grid.sound);
    bits
}
