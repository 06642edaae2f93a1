//! Safety vectors (Wu, "Adaptive fault-tolerant routing in cube-based multicomputers using safety vectors"). A faulty node
//! has all bits 0. Bit 1 of a nonfaulty node is 0 iff it is an end of a faulty link. Bit k is 1 iff the sum of the bits k-1 of
//! its neighbours exceeds n-k: then any k preferred neighbours include one with bit k-1. Each end of a faulty link registers
//! the other end, but not itself, as all 0.

use super::planes::Grid;

/// The bits of the code as planes, and the n-1 rounds, each of which tells the next bit.
pub(super) fn bits(grid: &Grid) -> (Vec<Vec<u64>>, u32) {
    (extend(grid, vec![grid.sound.clone()]), grid.n - 1)
}

/// Completes a vector whose first bits are known (at least one) by the recurrence.
pub(super) fn extend(grid: &Grid, mut bits: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
    for known in bits.len()..grid.n as usize {
        // The sum over n neighbours exceeds n - k iff at most k - 1 of them have a 0; here k = known + 1.
        let few_zeros = grid.few_outside(&bits[known - 1], known as u32);
        bits.push(few_zeros.iter().zip(&grid.healthy).map(|(few, healthy)| few & healthy).collect());
    }
    bits
}
