//! Everything on its way, by the tile that it goes to, in this partition and in others: these get it at the end of a window, list
//! by list as it was filed.

use bytemuck::allocation::cast_vec;

use crate::engine::{Batch, Calendar, List, Wheel, NEVER};
use crate::ids::{Cycle, RouterId};
use crate::network::failures::Due;
use crate::network::flit::{Flit, Slab};
use crate::network::layout::MAX_SPAN;
use crate::network::trace::{Event, Log};
use crate::network::{Arrival, Far, Link, Params, Wiring};

/// What is on its way to the routers of a tile, to its endpoints, or to a tile of another partition, until the window ends.
pub(super) struct Inbound {
    /// A lower bound on the next cycle of anything sent since the tile was run.
    pub(super) due: Cycle,
    /// Flits by the cycle in which they are read.
    pub(super) flits: Wheel<Arrival>,
    /// Credits by the cycle in which they can be used.
    pub(super) credits: Wheel<u32>,
}

impl Inbound {
    fn new(horizon: Cycle) -> Self {
        Self { due: NEVER, flits: Wheel::new(horizon), credits: Wheel::new(horizon) }
    }

    /// Bytes with nothing on its way.
    fn empty_bytes(horizon: Cycle) -> u64 {
        Wheel::<Arrival>::empty_bytes(horizon) + Wheel::<u32>::empty_bytes(horizon)
    }
}

/// Bytes that a partition has, at most, for each tile of another that it can send to, with nothing under way.
#[must_use]
pub fn bytes_per_remote_tile(params: &Params) -> u64 {
    Inbound::empty_bytes(horizon(params, MAX_SPAN))
}

/// How far ahead anything is filed where tiles run through `span` cycles at a time: a tile that has not yet run through them is
/// sent what others do at their end.
fn horizon(params: &Params, span: Cycle) -> Cycle {
    params.horizon() + span
}

/// A list of flits or credits as a neighbour filed them.
pub(super) struct Handed {
    pub(super) neighbour: u32,
    pub(super) list: List,
}

impl Handed {
    /// The flits in it.
    pub(super) fn flits(&self) -> &[Arrival] {
        match kind_of(self.list.place) {
            FLITS => bytemuck::cast_slice(&self.list.words),
            _ => &[],
        }
    }

    /// The credits in it.
    pub(super) fn credits(&self) -> &[u32] {
        match kind_of(self.list.place) {
            FLITS => &[],
            _ => &self.list.words,
        }
    }
}

/// The kinds of lists: places are numbered by tile and kind.
pub(super) const FLITS: u32 = 0;
pub(super) const CREDITS: u32 = 1;

pub(super) fn place(tile: u32, kind: u32) -> u32 {
    2 * tile + kind
}

pub(super) fn kind_of(place: u32) -> u32 {
    place % 2
}

pub(super) fn tile_of(place: u32) -> u32 {
    place / 2
}

/// Where the channels of a port lead, as those who send need it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// VC 0 of the far port, in the partition it lies in.
    to: u32,
    /// Whose [`Inbound`] it is.
    inbound: u32,
    /// Cycles from the departure of a flit until it is read.
    flit: u32,
    /// Cycles from the departure of a credit until it can be used.
    credit: u32,
}

impl Lane {
    /// Of a port with `link`.
    pub(super) fn new(link: &Link, wiring: &Wiring, params: &Params) -> Self {
        // An endpoint uses a credit in the cycle in which it reads it.
        let delay = if link.far == Far::Endpoint { 0 } else { params.credit_delay };
        Self {
            to: link.to * params.num_vcs,
            inbound: wiring.inbound(link),
            flit: link.latency + 1,
            credit: link.latency + 1 + delay,
        }
    }
}

/// What will happen to the routers and endpoints of one tile beside what comes by channels of this partition, and which of
/// them have work.
pub(super) struct Tile {
    /// A lower bound on the next cycle in which it has anything to do, but for what was sent to it since it was run.
    pub(super) due: Cycle,
    /// What neighbours have sent.
    pub(super) handed: Wheel<Handed>,
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
            handed: Wheel::new(horizon),
            generations: Calendar::new(),
            ready: vec![0; n_endpoints.div_ceil(64)],
            starved: vec![0; n_endpoints.div_ceil(64)],
            active: vec![0; n_routers.div_ceil(64)],
            failures: Vec::new(),
        }
    }
}

/// The channels of one partition.
pub(super) struct Wires {
    pub(super) tiles: Vec<Tile>,
    /// By [`Wiring::inbound`].
    inbound: Vec<Inbound>,
    /// The first of `inbound` that leads to endpoints.
    first_of_endpoints: u32,
    /// As in [`Wiring::remote_base`].
    remote_base: Vec<u32>,
    /// Flits that wait behind others.
    pub(super) slab: Slab,
    /// The first cycle of the span that the tiles are being run through: every event before it has been taken.
    pub(super) span_start: Cycle,
    pub(super) outboxes: Vec<Batch>,
    /// The earliest cycle in which anything in the outboxes acts.
    pub(super) earliest_sent: Cycle,
    /// Flits handed to other partitions.
    pub(super) exported: u64,
    /// Flits moved through switches since the last sample.
    pub(super) flit_hops: u64,
    /// Packets that routers had no way on for, with the router, until they are counted.
    pub(super) dropped: Vec<(RouterId, Flit)>,
    pub(super) log: Option<Log>,
}

impl Wires {
    /// Nothing under way.
    pub(super) fn new(params: &Params, wiring: &Wiring) -> Self {
        let horizon = horizon(params, wiring.span);
        let tile = |tile| {
            let from_outside = if wiring.neighbours.is_empty() { 0 } else { horizon };
            Tile::new(from_outside, wiring.tile_routers(tile).len(), wiring.tile_endpoints(tile).len())
        };
        let n_inbound = wiring.first_of_endpoints() as usize + wiring.n_tiles();
        Self {
            tiles: (0..wiring.n_tiles()).map(tile).collect(),
            inbound: std::iter::repeat_with(|| Inbound::new(horizon)).take(n_inbound).collect(),
            first_of_endpoints: wiring.first_of_endpoints(),
            remote_base: wiring.remote_base.clone(),
            slab: Slab::default(),
            span_start: 0,
            outboxes: vec![Batch::default(); wiring.neighbours.len()],
            earliest_sent: NEVER,
            exported: 0,
            flit_hops: 0,
            dropped: Vec::new(),
            log: None,
        }
    }

    /// What is on its way to the routers of `tile` inside the partition.
    #[inline]
    pub(super) fn at_routers(&mut self, tile: usize) -> &mut Inbound {
        &mut self.inbound[tile]
    }

    /// What is on its way to the endpoints of `tile`.
    #[inline]
    pub(super) fn at_endpoints(&mut self, tile: usize) -> &mut Inbound {
        &mut self.inbound[self.first_of_endpoints as usize + tile]
    }

    /// A lower bound on the next cycle in which `tile` has anything to do.
    #[inline]
    pub(super) fn due(&self, tile: usize) -> Cycle {
        let sent = self.inbound[tile].due.min(self.inbound[self.first_of_endpoints as usize + tile].due);
        self.tiles[tile].due.min(sent)
    }

    /// Notes that `tile` was run, and has nothing to do before cycle `due`.
    #[inline]
    pub(super) fn has_run(&mut self, tile: usize, due: Cycle) {
        self.at_routers(tile).due = NEVER;
        self.at_endpoints(tile).due = NEVER;
        self.tiles[tile].due = due;
    }

    /// The first cycle at or after `from` in which `tile` has anything to do.
    pub(super) fn next_event(&self, tile: usize, from: Cycle) -> Cycle {
        let Tile { handed, generations, ready, active, failures, .. } = &self.tiles[tile];
        if active.iter().chain(ready).any(|&word| word != 0) {
            return from;
        }
        let ends = [tile, self.first_of_endpoints as usize + tile].map(|end| &self.inbound[end]);
        ends.iter()
            .map(|end| end.flits.next(from).min(end.credits.next(from)))
            .fold(NEVER, Cycle::min)
            .min(handed.next(from))
            .min(generations.next(from))
            .min(failures.last().map_or(NEVER, |due| due.0))
    }

    /// Flits on their way to routers of the partition, with the input VC.
    pub(super) fn flits_to_routers(&self) -> impl Iterator<Item = &Arrival> {
        let sent = self.inbound[..self.tiles.len()].iter().flat_map(|inbound| inbound.flits.iter());
        sent.chain(self.tiles.iter().flat_map(|tile| tile.handed.iter()).flat_map(Handed::flits))
    }

    /// Output VCs of the partition, once for each credit on its way there.
    pub(super) fn credits_to_routers(&self) -> impl Iterator<Item = &u32> {
        let sent = self.inbound[..self.tiles.len()].iter().flat_map(|inbound| inbound.credits.iter());
        sent.chain(self.tiles.iter().flat_map(|tile| tile.handed.iter()).flat_map(Handed::credits))
    }

    /// Flits and credits on their way to endpoints of the partition.
    pub(super) fn at_all_endpoints(&self) -> impl Iterator<Item = &Inbound> {
        self.inbound[self.first_of_endpoints as usize..].iter()
    }

    /// At the end of a window: puts what goes to other partitions into the outboxes, as it was filed.
    pub(super) fn hand_over(&mut self) {
        let Self { inbound, outboxes, remote_base, exported, earliest_sent, tiles, .. } = self;
        *earliest_sent = NEVER;
        for (neighbour, batch) in outboxes.iter_mut().enumerate() {
            let [first, end] = [0, 1].map(|k| tiles.len() + remote_base[neighbour + k] as usize);
            for (tile, inbound) in inbound[first..end].iter_mut().enumerate() {
                if inbound.due == NEVER {
                    continue;
                }
                *earliest_sent = inbound.due.min(*earliest_sent);
                inbound.due = NEVER;
                inbound.flits.drain(|at, flits| {
                    *exported += flits.len() as u64;
                    batch.lists.push(List { place: place(tile as u32, FLITS), at, words: cast_vec(flits) });
                });
                inbound.credits.drain(|at, words| batch.lists.push(List { place: place(tile as u32, CREDITS), at, words }));
            }
        }
    }

    /// Gets a list back that `neighbour` has used up.
    pub(super) fn take_back(&mut self, neighbour: usize, list: List) {
        let remote = self.remote_base[neighbour] + tile_of(list.place);
        let inbound = &mut self.inbound[self.tiles.len() + remote as usize];
        match kind_of(list.place) {
            FLITS => inbound.flits.recycle(cast_vec(list.words)),
            _ => inbound.credits.recycle(list.words),
        }
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

    /// Puts a flit that an endpoint of `tile` sends on its channel, to be read in cycle `at`; `event` says so.
    #[inline]
    pub(super) fn inject(&mut self, tile: usize, at: Cycle, arrival: Arrival, event: Event) {
        let arrival = self.inbound[tile].flits.push(at, arrival);
        if let Some(log) = &mut self.log {
            log.push(event, &arrival.flit);
        }
    }

    /// Puts a flit on `lane` in cycle `departs` for VC `vc` at the far end.
    #[inline]
    pub(super) fn send_flit(&mut self, lane: &Lane, departs: u32, vc: usize, flit: &Flit) {
        let at = Cycle::from(departs + lane.flit);
        let inbound = &mut self.inbound[lane.inbound as usize];
        inbound.due = inbound.due.min(at);
        // A tile may have had nothing to do for long, and its wheel stands where it last had.
        inbound.flits.advance(self.span_start);
        let Arrival { flit, .. } = inbound.flits.push(at, Arrival { flit: *flit, vc: lane.to + vc as u32 });
        // Endpoints and routers at the far end, here and elsewhere, follow each other at random: no branch tells them apart.
        flit.hops = flit.hops.saturating_add((lane.inbound < self.first_of_endpoints).into());
    }

    /// Puts a credit for VC `vc` on `lane` in cycle `departs`.
    #[inline]
    pub(super) fn send_credit(&mut self, lane: &Lane, departs: u32, vc: usize) {
        let usable = Cycle::from(departs + lane.credit);
        let inbound = &mut self.inbound[lane.inbound as usize];
        inbound.due = inbound.due.min(usable);
        inbound.credits.advance(self.span_start);
        inbound.credits.push(usable, lane.to + vc as u32);
    }
}
