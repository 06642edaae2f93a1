//! Transports: how batches get from one partition to another. The engine sees only [`Exchange`]; gathering results and
//! spreading decisions are exchanges too, between partition 0 and all others.

mod local;
#[cfg(feature = "mpi")]
mod mpi;
mod threads;

use crate::engine::{Batch, Exchange};
use crate::error::Error;
use crate::ids::PartitionId;

pub use local::Local;
#[cfg(feature = "mpi")]
pub use mpi::{Mpi, World};
pub use threads::{Hub, Threads};

/// Consecutive ranks that simulate a point together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The first of them, which leads.
    pub first: usize,
    /// How many there are.
    pub size: usize,
}

/// One partition's end of a transport.
pub trait Transport: Exchange {
    /// This partition.
    fn partition(&self) -> PartitionId;

    /// Number of partitions in the run.
    fn n_partitions(&self) -> u32;

    /// Brings `bytes` of every partition to partition 0, which gets them in order of partition; the others get nothing.
    ///
    /// # Errors
    /// If a partition is gone.
    fn gather(&mut self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Error> {
        let others: Vec<PartitionId> = (1..self.n_partitions()).collect();
        if self.partition() == 0 {
            let mut out = vec![Batch::default(); others.len()];
            let mut all = vec![Batch::default(); others.len()];
            self.exchange(&others, &mut out, &mut all)?;
            Ok(std::iter::once(bytes).chain(all.into_iter().map(|batch| batch.bytes)).collect())
        } else {
            self.exchange(&[0], &mut [Batch::of_bytes(bytes)], &mut [Batch::default()])?;
            Ok(Vec::new())
        }
    }

    /// Gives every partition the `bytes` of partition 0.
    ///
    /// # Errors
    /// If a partition is gone.
    fn broadcast(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let others: Vec<PartitionId> = (1..self.n_partitions()).collect();
        if self.partition() == 0 {
            let mut out = vec![Batch::of_bytes(bytes.clone()); others.len()];
            let mut empty = vec![Batch::default(); others.len()];
            self.exchange(&others, &mut out, &mut empty)?;
            Ok(bytes)
        } else {
            let mut got = [Batch::default()];
            self.exchange(&[0], &mut [Batch::default()], &mut got)?;
            let [got] = got;
            Ok(got.bytes)
        }
    }
}
