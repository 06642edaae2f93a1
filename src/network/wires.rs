//! Everything on its way: the wheels of what will happen, by tile, and the outboxes to other partitions.

use crate::engine::{Calendar, Wheel, NEVER};
use crate::ids::{Cycle, RouterId};
use crate::network::failures::Due;
use crate::network::flit::{Flit, Slab};
use crate::network::trace::{Event, Log};
use crate::network::{wire, Arrival, Far, Link, Params};

/// The end of a channel at which something arrives: a router or an endpoint.
pub(super) const ROUTER: usize = 0;
pub(super) const ENDPOINT: usize = 1;

/// What will happen to the routers and endpoints of one tile, and which of them have work.
pub(super) struct Tile {
    /// A lower bound on the next cycle in which it has anything to do.
    pub(super) due: Cycle,
    /// Flits by the cycle in which they are read, at routers and at endpoints: [`ROUTER`] and [`ENDPOINT`].
    pub(super) flits: [Wheel<Arrival>; 2],
    /// Credits by the cycle in which they can be used, likewise.
    pub(super) credits: [Wheel<u32>; 2],
    /// Endpoints by the cycle of their next packet.
    pub(super) generations: Calendar<u32>,
    /// Endpoints that may be able to send a flit: one bit each, from the first of the tile.
    pub(super) ready: Vec<u64>,
    /// Endpoints that wait for a credit: one bit each.
    pub(super) starved: Vec<u64>,
    /// Routers with work: one bit each, from the first of the tile.
    pub(super) active: Vec<u64>,
    /// What will fail, the next at the end.
    pub(super) failures: Vec<Due>,
}

impl Tile {
    fn new(horizon: Cycle, n_routers: usize, n_endpoints: usize) -> Self {
        Self {
            due: 0,
            flits: [Wheel::new(horizon), Wheel::new(horizon)],
            credits: [Wheel::new(horizon), Wheel::new(horizon)],
            generations: Calendar::new(),
            ready: vec![0; n_endpoints.div_ceil(64)],
            starved: vec![0; n_endpoints.div_ceil(64)],
            active: vec![0; n_routers.div_ceil(64)],
            failures: Vec::new(),
        }
    }

    /// The first cycle at or after `from` in which the tile has anything to do.
    pub(super) fn next_event(&self, from: Cycle) -> Cycle {
        if self.active.iter().chain(&self.ready).any(|&word| word != 0) {
            return from;
        }
        let [flits, ejections] = &self.flits;
        let [credits, endpoint_credits] = &self.credits;
        flits
            .next(from)
            .min(ejections.next(from))
            .min(credits.next(from))
            .min(endpoint_credits.next(from))
            .min(self.generations.next(from))
            .min(self.failures.last().map_or(NEVER, |due| due.0))
    }
}

/// The channels of one partition.
pub(super) struct Wires {
    pub(super) tiles: Vec<Tile>,
    /// Flits that wait behind others.
    pub(super) slab: Slab,
    /// The first cycle of the span that the tiles are being run through: every event before it has been taken.
    pub(super) span_start: Cycle,
    pub(super) outboxes: Vec<Vec<u8>>,
    /// The earliest time stamp in the outboxes.
    pub(super) earliest_sent: Cycle,
    /// Flits handed to other partitions.
    pub(super) exported: u64,
    /// Flits moved through switches since the last sample.
    pub(super) flit_hops: u64,
    /// Packets that routers had no way on for, with the router, until they are counted.
    pub(super) dropped: Vec<(RouterId, Flit)>,
    pub(super) log: Option<Log>,
    num_vcs: u32,
    credit_delay: u32,
}

impl Wires {
    /// Nothing under way. Tiles run `span` cycles at a time; `tiles` gives routers and endpoints of each; `header` bytes of each outbox belong to the engine.
    pub(super) fn new(
        params: &Params,
        span: Cycle,
        tiles: impl Iterator<Item = (usize, usize)>,
        n_neighbours: usize,
        header: usize,
    ) -> Self {
        // A tile that has not yet run through the span is sent what others do at its end.
        let horizon = params.horizon() + span;
        let tiles: Vec<Tile> = tiles.map(|(routers, endpoints)| Tile::new(horizon, routers, endpoints)).collect();
        Self {
            tiles,
            slab: Slab::default(),
            span_start: 0,
            outboxes: vec![vec![0; header]; n_neighbours],
            earliest_sent: NEVER,
            exported: 0,
            flit_hops: 0,
            dropped: Vec::new(),
            log: None,
            num_vcs: params.num_vcs,
            credit_delay: params.credit_delay,
        }
    }

    /// The tile, after noting that it has something to do in cycle `at`.
    #[inline]
    pub(super) fn rouse(&mut self, tile: u32, at: Cycle) -> &mut Tile {
        let tile = &mut self.tiles[tile as usize];
        tile.due = tile.due.min(at);
        tile
    }

    /// Counts a flit that won the switch.
    #[inline]
    pub(super) fn switched(&mut self, now: Cycle, router: RouterId, flit: &Flit, from: [usize; 2], to: [usize; 2]) {
        self.flit_hops += 1;
        if let Some(log) = &mut self.log {
            log.push(Event::Switched(now, router, from.map(|i| i as u16), to.map(|i| i as u16)), flit);
        }
    }

    /// The log, if it wants every event.
    #[inline]
    pub(super) fn full_log(&mut self) -> Option<&mut Log> {
        self.log.as_mut().filter(|log| log.every_event())
    }

    /// Notes that a flit will go from its output queue onto the channel in cycle `at`.
    #[inline]
    pub(super) fn departs(&mut self, at: u32, router: RouterId, flit: &Flit, to: [usize; 2]) {
        if let Some(log) = self.full_log() {
            log.push(Event::Departed(at.into(), router, to.map(|i| i as u16)), flit);
        }
    }

    /// Puts a flit on `link` in cycle `departs` for VC `vc` at the far end.
    #[inline]
    pub(super) fn send_flit(&mut self, link: &Link, departs: u32, vc: usize, mut flit: Flit) {
        let at = departs + link.latency + 1;
        let vc = link.to * self.num_vcs + vc as u32;
        let end = link.end();
        // Endpoints and routers at the far end follow each other at random: no branch tells them apart.
        flit.hops = flit.hops.saturating_add((end == ROUTER).into());
        if let Far::Remote(neighbour) = link.far {
            self.exported += 1;
            self.earliest_sent = self.earliest_sent.min(Cycle::from(at));
            wire::put_flit(&mut self.outboxes[usize::from(neighbour)], at, vc, &flit);
            return;
        }
        let span_start = self.span_start;
        let flits = &mut self.rouse(link.tile, Cycle::from(at)).flits[end];
        // Another tile may have had nothing to do for long, and its wheel stands where it last had.
        flits.advance(span_start);
        flits.push(Cycle::from(at), Arrival { vc, flit });
    }

    /// Puts a credit for VC `vc` on `link` in cycle `departs`.
    #[inline]
    pub(super) fn send_credit(&mut self, link: &Link, departs: u32, vc: usize) {
        let end = link.end();
        // An endpoint uses a credit in the cycle in which it reads it.
        let usable = departs + link.latency + 1 + if end == ROUTER { self.credit_delay } else { 0 };
        let vc = link.to * self.num_vcs + vc as u32;
        if let Far::Remote(neighbour) = link.far {
            self.earliest_sent = self.earliest_sent.min(Cycle::from(usable));
            wire::put_credit(&mut self.outboxes[usize::from(neighbour)], usable, vc);
            return;
        }
        let span_start = self.span_start;
        let credits = &mut self.rouse(link.tile, Cycle::from(usable)).credits[end];
        credits.advance(span_start);
        credits.push(Cycle::from(usable), vc);
    }
}
