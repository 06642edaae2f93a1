//! How much of each message of a list has arrived, and when.

use std::sync::Arc;

use crate::ids::{Cycle, EndpointId};
use crate::stats::Arrived;
use crate::traffic::MessageList;

/// What has arrived of messages whose destinations are in this partition.
#[derive(Debug)]
pub(super) struct Delivery {
    list: Arc<MessageList>,
    /// By place in the list: packets read to the tail, and the cycle of the last of them.
    arrived: Vec<(u32, u32)>,
}

impl Delivery {
    pub(super) fn new(list: &Arc<MessageList>) -> Self {
        Self { list: list.clone(), arrived: vec![(0, 0); list.messages().len()] }
    }

    /// The tail of packet number `sequence` of `src` has been read.
    #[inline]
    pub(super) fn accept(&mut self, src: EndpointId, sequence: u32, now: Cycle) {
        let arrived = &mut self.arrived[self.list.of_packet(src, u64::from(sequence))];
        *arrived = (arrived.0 + 1, now as u32);
    }

    /// What has arrived here.
    pub(super) fn arrived(&self) -> Vec<Arrived> {
        let messages = self.list.messages().iter().zip(&self.arrived).filter(|(_, &(packets, _))| packets > 0);
        messages
            .map(|(m, &(packets, last))| Arrived {
                message: u64::from(m.index),
                packets: u64::from(packets),
                last: u64::from(last),
            })
            .collect()
    }
}
