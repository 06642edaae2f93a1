//! Endpoints: an infinite source queue that takes no memory, and one injection channel.
//!
//! The queue is not stored. Sizes of packets and gaps between them come from the endpoint's own stream (or from a list), so
//! those of any packet can be drawn again: `arrivals` runs ahead and counts what is offered, `lagging` is a copy of the
//! stream that follows as packets leave the queue. Both draw the same.

use crate::engine::prefetch;
use crate::ids::{Cycle, EndpointId};
use crate::network::flit::Flit;
use crate::network::Load;
use crate::rng::{Purpose, Stream};
use crate::traffic::{Generated, TrafficPattern};

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
    /// Flits offered since the measured window was opened.
    pub window_offered: u64,
    lagging: Stream,
    /// The next flit to send, while a packet is being sent.
    pub sending: Flit,
}

impl Endpoint {
    /// Endpoint `id`, with the cycle of its first packet if it sends any.
    #[must_use]
    pub fn new(id: EndpointId, load: &Load, num_vcs: u32) -> (Self, Option<Cycle>) {
        let mut arrivals = Stream::new(load.seed, Purpose::Injection, u64::from(id));
        let first = load.pattern.active(id).then(|| load.injection.first(&load.pattern, id, &mut arrivals)).flatten();
        let endpoint = Self {
            lagging: arrivals.clone(),
            arrivals,
            destinations: Stream::new(load.seed, Purpose::Destination, u64::from(id)),
            last_generated: 0,
            head_generated: 0,
            offered: 0,
            taken: 0,
            window_offered: 0,
            sending: Flit::NOTHING,
            remaining: 0,
            vc: 0,
            // The first packet takes VC 0.
            last_vc: (num_vcs - 1) as u8,
        };
        (endpoint, first)
    }

    /// Generates what is due in cycle `now`.
    #[inline]
    pub fn generate(&mut self, id: EndpointId, now: Cycle, load: &Load) -> Generated {
        if self.queued() == 0 {
            self.head_generated = now;
            self.lagging.clone_from(&self.arrivals);
        }
        let generated = load.injection.generate(&load.pattern, id, self.offered, now, &mut self.arrivals);
        self.offered += u64::from(generated.packets);
        self.window_offered += generated.flits;
        self.last_generated = now;
        generated
    }

    /// Asks for the cache lines that a packet needs.
    #[inline]
    pub(super) fn fetch(&self) {
        let this = std::slice::from_ref(self);
        prefetch::line(this, 0);
        prefetch::line(std::slice::from_ref(&self.head_generated), 0);
    }

    /// Packets in the source queue.
    #[inline]
    #[must_use]
    pub fn queued(&self) -> u64 {
        self.offered - self.taken
    }

    /// Flits of the first packet of the queue.
    #[must_use]
    pub fn head_size(&self, id: EndpointId, load: &Load) -> u8 {
        load.injection.size(id, self.taken, &mut self.lagging.clone())
    }

    /// Takes the first packet of the queue: its number, the cycle in which it was generated, and its flits.
    ///
    /// # Panics
    /// If the queue, drawn again, does not end with the packet generated last: always checked.
    #[inline]
    pub fn take(&mut self, id: EndpointId, load: &Load) -> (u64, Cycle, u8) {
        let (sequence, generated) = (self.taken, self.head_generated);
        self.taken += 1;
        let size = load.injection.size(id, sequence, &mut self.lagging);
        if self.queued() > 0 {
            self.head_generated = load.injection.behind(&load.pattern, id, sequence, generated, &mut self.lagging);
        } else {
            assert!(generated == self.last_generated, "a source queue lost or gained a packet");
        }
        (sequence, generated, size)
    }
}
