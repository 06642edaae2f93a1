//! The transport of a single partition: there is nobody to exchange with.

use crate::engine::{Batch, Exchange};
use crate::error::Error;
use crate::ids::PartitionId;
use crate::transport::Transport;

/// One partition alone.
#[derive(Debug, Default)]
pub struct Local;

impl Exchange for Local {
    fn exchange(&mut self, peers: &[PartitionId], _out: &mut [Batch], _inbox: &mut [Batch]) -> Result<(), Error> {
        debug_assert!(peers.is_empty());
        Ok(())
    }
}

impl Transport for Local {
    fn partition(&self) -> PartitionId {
        0
    }

    fn n_partitions(&self) -> u32 {
        1
    }
}
