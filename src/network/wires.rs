//! Everything on its way: the flits of a partition, the wheels of what will happen, the outboxes to other partitions.

use crate::engine::{Calendar, Wheel, NEVER};
use crate::ids::{Cycle, RouterId};
use crate::network::flit::{Flit, Slab};
use crate::network::{wire, Arrival, Event, Far, Link, Params};

/// The channels of one partition.
pub(super) struct Wires {
    pub(super) flits: Slab,
    /// Flits by the cycle in which a router sees them.
    pub(super) arrivals: Wheel<Arrival>,
    /// Flits by the cycle in which an endpoint reads them.
    pub(super) ejections: Wheel<Arrival>,
    /// Credits by the cycle in which a router can use them.
    pub(super) credits: Wheel<u32>,
    /// Credits by the cycle in which an endpoint can use them.
    pub(super) endpoint_credits: Wheel<u32>,
    /// Endpoints by the cycle of their next packet.
    pub(super) generations: Calendar<u32>,
    pub(super) outboxes: Vec<Vec<u8>>,
    /// The earliest time stamp in the outboxes.
    pub(super) earliest_sent: Cycle,
    /// Flits handed to other partitions.
    pub(super) exported: u64,
    /// Flits moved through switches since the last sample.
    pub(super) flit_hops: u64,
    pub(super) log: Option<Vec<(Event, Flit)>>,
    num_vcs: u32,
    credit_delay: u32,
}

impl Wires {
    /// Nothing under way; `header` bytes of each outbox belong to the engine.
    pub(super) fn new(params: &Params, n_neighbours: usize, header: usize) -> Self {
        let horizon = params.horizon();
        Self {
            flits: Slab::default(),
            arrivals: Wheel::new(horizon),
            ejections: Wheel::new(horizon),
            credits: Wheel::new(horizon),
            endpoint_credits: Wheel::new(horizon),
            generations: Calendar::new(),
            outboxes: vec![vec![0; header]; n_neighbours],
            earliest_sent: NEVER,
            exported: 0,
            flit_hops: 0,
            log: None,
            num_vcs: params.num_vcs,
            credit_delay: params.credit_delay,
        }
    }

    /// The first cycle at or after `from` in which anything arrives or is generated.
    pub(super) fn next_event(&self, from: Cycle) -> Cycle {
        self.arrivals
            .next(from)
            .min(self.ejections.next(from))
            .min(self.credits.next(from))
            .min(self.endpoint_credits.next(from))
            .min(self.generations.next(from))
    }

    /// Counts a flit that won the switch.
    #[inline]
    pub(super) fn switched(&mut self, now: Cycle, router: RouterId, slot: u32, from: [usize; 2], to: [usize; 2]) {
        self.flit_hops += 1;
        if let Some(log) = &mut self.log {
            log.push((Event::Switched(now, router, from.map(|i| i as u16), to.map(|i| i as u16)), self.flits[slot]));
        }
    }

    /// Puts a flit on `link` in cycle `departs`, for VC `vc` at the far end.
    #[inline]
    pub(super) fn send_flit(&mut self, link: &Link, departs: u32, vc: usize, slot: u32) {
        let at = departs + link.latency + 1;
        let vc = link.to * self.num_vcs + vc as u32;
        match link.far {
            Far::Local => {
                let hops = &mut self.flits[slot].hops;
                *hops = hops.saturating_add(1);
                self.arrivals.push(Cycle::from(at), Arrival { vc, flit: slot });
            }
            Far::Endpoint => self.ejections.push(Cycle::from(at), Arrival { vc, flit: slot }),
            Far::Remote(neighbour) => {
                let mut flit = self.flits.remove(slot);
                flit.hops = flit.hops.saturating_add(1);
                self.exported += 1;
                self.earliest_sent = self.earliest_sent.min(Cycle::from(at));
                wire::put_flit(&mut self.outboxes[usize::from(neighbour)], at, vc, &flit);
            }
        }
    }

    /// Puts a credit for VC `vc` on `link` in cycle `departs`.
    #[inline]
    pub(super) fn send_credit(&mut self, link: &Link, departs: u32, vc: usize) {
        let seen = departs + link.latency + 1;
        let usable = seen + self.credit_delay;
        let vc = link.to * self.num_vcs + vc as u32;
        match link.far {
            Far::Local => self.credits.push(Cycle::from(usable), vc),
            // An endpoint uses a credit in the cycle in which it reads it.
            Far::Endpoint => self.endpoint_credits.push(Cycle::from(seen), vc),
            Far::Remote(neighbour) => {
                self.earliest_sent = self.earliest_sent.min(Cycle::from(usable));
                wire::put_credit(&mut self.outboxes[usize::from(neighbour)], usable, vc);
            }
        }
    }
}
