//! Endpoints: an infinite source queue that takes no memory, and one injection channel.
//!
//! The queue is not stored. Gaps between packets come from the endpoint's own stream, so the time of any packet can be
//! drawn again: `arrivals` runs ahead and counts what is offered, `lagging` is a copy of the stream that follows as
//! packets leave the queue. Both draw the same gaps.

use crate::ids::{Cycle, EndpointId};
use crate::network::flit::Flit;
use crate::rng::{Purpose, Stream};
use crate::traffic::Bernoulli;

/// One endpoint's state: what every packet needs comes first, what only a queue needs last.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Endpoint {
    arrivals: Stream,
    /// Packets generated.
    pub offered: u64,
    /// Packets whose head has left the source queue.
    pub taken: u64,
    last_generated: Cycle,
    /// Flits of the packet being sent that are still here.
    pub remaining: u8,
    /// Its VC.
    pub vc: u8,
    /// VC of the packet before.
    pub last_vc: u8,
    /// Draws destinations, in the order in which packets leave the queue.
    pub destinations: Stream,
    head_generated: Cycle,
    /// Packets offered before the measured window.
    pub offered_before: u64,
    lagging: Stream,
    /// The next flit to send, while a packet is being sent.
    pub sending: Flit,
}

impl Endpoint {
    /// Endpoint `id`, with the cycle of its first packet.
    #[must_use]
    pub fn new(seed: u64, id: EndpointId, process: &Bernoulli, num_vcs: u32) -> (Self, Option<Cycle>) {
        let mut arrivals = Stream::new(seed, Purpose::Injection, u64::from(id));
        let first = process.gap(&mut arrivals).map(|gap| gap - 1);
        let endpoint = Self {
            lagging: arrivals.clone(),
            arrivals,
            destinations: Stream::new(seed, Purpose::Destination, u64::from(id)),
            last_generated: 0,
            head_generated: 0,
            offered: 0,
            taken: 0,
            offered_before: 0,
            sending: Flit::NOTHING,
            remaining: 0,
            vc: 0,
            // The first packet takes VC 0.
            last_vc: (num_vcs - 1) as u8,
        };
        (endpoint, first)
    }

    /// Generates the packet due in cycle `now`; returns the cycle of the next.
    #[inline]
    pub fn generate(&mut self, now: Cycle, process: &Bernoulli) -> Option<Cycle> {
        if self.queued() == 0 {
            self.head_generated = now;
            self.lagging.clone_from(&self.arrivals);
        }
        self.offered += 1;
        self.last_generated = now;
        process.gap(&mut self.arrivals).map(|gap| now + gap)
    }

    /// Something of each cache line that a packet needs.
    #[inline]
    pub(super) fn lines(&self) -> u64 {
        self.taken ^ self.head_generated
    }

    /// Packets in the source queue.
    #[inline]
    #[must_use]
    pub fn queued(&self) -> u64 {
        self.offered - self.taken
    }

    /// Takes the first packet of the queue: its number and the cycle in which it was generated.
    ///
    /// # Panics
    /// If the queue, drawn again, does not end with the packet generated last: always checked.
    #[inline]
    pub fn take(&mut self, process: &Bernoulli) -> (u64, Cycle) {
        let packet = (self.taken, self.head_generated);
        self.taken += 1;
        if self.queued() == 0 {
            assert!(self.head_generated == self.last_generated, "a source queue lost or gained a packet");
        } else {
            let gap = process.gap(&mut self.lagging).expect("a later packet exists");
            self.head_generated += gap;
        }
        packet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_drawn_again_gives_every_packet_its_time() {
        let process = Bernoulli::new(0.3);
        let (mut endpoint, mut next) = Endpoint::new(1, 5, &process, 3);
        let mut generated = Vec::new();
        let mut taken = Vec::new();
        let mut rng = Stream::new(1, Purpose::Pairs, 0);
        for now in 0..10_000 {
            if next == Some(now) {
                generated.push(now);
                next = endpoint.generate(now, &process);
            }
            // A server that keeps up only sometimes.
            let rate = if now / 1000 % 2 == 0 { 10 } else { 2 };
            if endpoint.queued() > 0 && rng.below(rate) == 0 {
                let (number, at) = endpoint.take(&process);
                assert_eq!(number as usize, taken.len());
                taken.push(at);
            }
        }
        assert!(taken.len() > 1000);
        assert_eq!(taken, generated[..taken.len()]);
    }
}
