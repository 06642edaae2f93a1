//! Cutting the network: routers to partitions, along racks, then subgroups, then routers. Never fails: partitions beyond
//! the number of routers stay empty.

use crate::ids::{PartitionId, RouterId};
use crate::topology::Graph;

/// How routers are spread over partitions. Results do not depend on it; speed does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partitioner {
    /// Whole racks in order, balanced by routers; racks are split along subgroups, and those into routers, only when there are too few.
    Racks,
    /// Equal runs of consecutive router ids.
    Contiguous,
    /// Router r to partition r mod n: the largest cut, for tests.
    RoundRobin,
}

/// The partition of every router; shape `[n_routers]`, values `0..n_partitions`.
#[must_use]
pub fn assign(_graph: &Graph, _n_partitions: u32, _partitioner: Partitioner) -> Vec<PartitionId> {
    unimplemented!()
}

/// The routers of one partition, ascending.
#[must_use]
pub fn routers_of(assignment: &[PartitionId], partition: PartitionId) -> Vec<RouterId> {
    (0..assignment.len() as RouterId).filter(|&r| assignment[r as usize] == partition).collect()
}
