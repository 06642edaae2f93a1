//! Extended safety vectors (Wu, Gao, Li, Min, "Optimal fault-tolerant routing in hypercubes using extended safety
//! vectors", 2000) with parameter d: a node knows all faults within distance d exactly. Bit 1 is that of the safety vector.
//! Bit k for 2 <= k <= d is 1 iff a minimal healthy path leads to *every* node at distance k, whatever the state of that last
//! node. Further bits follow by the recurrence of the safety vector. d = 1 is the safety vector, d = n global information.

use super::planes::Grid;
use super::safety_vector;

/// The bits of the code as planes, from the `exact` bits 1 to d, and the rounds: n-1, of which the first d-1 gather
/// faults and each further one tells the next bit.
pub(super) fn bits(grid: &Grid, exact: &[Vec<u64>]) -> (Vec<Vec<u64>>, u32) {
    (safety_vector::extend(grid, exact.to_vec()), grid.n - 1)
}
