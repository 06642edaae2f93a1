//! The simulated network of one partition: routers, channels, endpoints. It knows nothing of ranks, threads, files or
//! clocks; what leaves the partition goes into an outbox per neighbour.
//!
//! Within a cycle nothing depends on the order in which routers or events are visited: a channel carries one flit per
//! cycle, credits add up, and every router acts on its own state only. That is why results cannot depend on the partition.

mod allocation;
mod audit;
mod board;
mod delivery;
mod endpoint;
mod failures;
mod flit;
mod layout;
mod matching;
mod params;
mod pipeline;
mod router;
mod trace;
mod wire;
mod wires;

use std::ops::Range;
use std::sync::Arc;

pub use audit::Blocked;
pub use endpoint::Endpoint;
pub use failures::Failure;
pub use flit::{flag, Flit};
pub use layout::{Far, Layout, Link, Wiring};
pub use params::{Matching, Params, KEYS};
pub use trace::{Event, Recording, Wait};

use crate::engine::{Model, NEVER};
use crate::error::Error;
use crate::ids::{Cycle, RouterId};
use crate::routing::{Routing, RoutingAlgorithm};
use crate::stats::{Measured, Period};
use crate::topology::Graph;
use crate::traffic::{Injection, Pattern, TrafficPattern};
use board::Board;
use delivery::Delivery;
use failures::Failures;
use router::{clear, set, Routers};
use trace::Log;
use wire::Record;
use wires::{Wires, ENDPOINT, ROUTER};

/// What is offered to the network.
#[derive(Clone, Debug)]
pub struct Load {
    /// Who talks to whom; shared by the partitions of a process.
    pub pattern: Arc<Pattern>,
    /// When, and in what packets.
    pub injection: Injection,
    /// Seed of all streams.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug)]
struct Arrival {
    vc: u32,
    flit: Flit,
}

/// The measured window, in cycles of generation: `start..end`, open while `end` is `u32::MAX`.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Whether a packet generated in this cycle is measured.
    fn has(&self, generated: u32) -> bool {
        generated >= self.start && generated < self.end
    }
}

/// One partition of a network.
pub struct Network {
    params: Params,
    wiring: Wiring,
    load: Load,
    routers: Routers,
    endpoints: Vec<Endpoint>,
    /// Flits ejected in the measured window; shape `[n_local_endpoints]`.
    window_accepted: Vec<u64>,
    /// Credits of each endpoint's injection channel; shape `[n_local_endpoints * num_vcs]`.
    endpoint_credits: Vec<u16>,
    /// Router of every endpoint of the network; shared.
    router_of: Arc<Vec<RouterId>>,
    wires: Wires,
    /// What is known of the queues of all routers, if routing asks for it.
    board: Option<Board>,
    /// What fails during the run, if anything does.
    failures: Option<Failures>,
    /// Whether routing may refuse packets at their source.
    choosy: bool,
    /// The direction in which the tiles were last run.
    forward: bool,
    /// Flits taken from other partitions.
    imported: u64,
    injected: u64,
    ejected: u64,
    /// Flits that were in the network and will not leave it: lost or dropped.
    lost: u64,
    /// Packets whose head was injected.
    sent: u64,
    /// Packets that left their source queue but were not sent.
    refused: u64,
    period: Period,
    span: Option<Span>,
    sample_period: u32,
    measured_generated: u64,
    measured: Measured,
    /// If the traffic is a list of messages.
    delivery: Option<Delivery>,
}

impl Network {
    /// Builds the partition `wiring` describes, with all buffers empty and the first packet of each endpoint scheduled.
    /// `header` is the number of bytes at the head of each outbox that belong to the engine.
    #[must_use]
    pub fn new(
        params: &Params,
        wiring: Wiring,
        routing: Routing,
        load: Load,
        router_of: Arc<Vec<RouterId>>,
        header: usize,
        sample_period: u32,
    ) -> Self {
        let tiles = (0..wiring.n_tiles()).map(|tile| (wiring.tile_routers(tile).len(), wiring.tile_endpoints(tile).len()));
        let mut wires = Wires::new(params, wiring.span, tiles, wiring.neighbours.len(), header);
        let mut endpoints = Vec::with_capacity(wiring.endpoints.len());
        for (local, &(id, _)) in wiring.endpoints.iter().enumerate() {
            let (endpoint, first) = Endpoint::new(id, &load, params.num_vcs);
            if let Some(at) = first {
                let tile = wiring.tile_of_port(wiring.endpoints[local].1 as usize) as usize;
                wires.tiles[tile].generations.push(at, local as u32);
            }
            endpoints.push(endpoint);
        }
        Self {
            choosy: routing.refuses(),
            failures: None,
            routers: Routers::new(params, &wiring, routing, load.seed),
            window_accepted: vec![0; endpoints.len()],
            endpoint_credits: vec![params.vc_buf_size; endpoints.len() * params.num_vcs as usize],
            endpoints,
            router_of,
            wires,
            board: None,
            forward: false,
            imported: 0,
            injected: 0,
            ejected: 0,
            lost: 0,
            sent: 0,
            refused: 0,
            period: Period::default(),
            span: None,
            sample_period,
            measured_generated: 0,
            measured: Measured::default(),
            delivery: load.pattern.messages().map(Delivery::new),
            params: params.clone(),
            wiring,
            load,
        }
    }

    /// Router of every endpoint, for [`Network::new`].
    #[must_use]
    pub fn routers_of_endpoints(graph: &Graph) -> Arc<Vec<RouterId>> {
        let mut list = Vec::with_capacity(graph.n_endpoints() as usize);
        for r in 0..graph.n_routers() {
            list.extend(graph.endpoints(r).map(|_| r));
        }
        Arc::new(list)
    }

    /// Sets up the board of queue lengths where `layout` has one.
    #[must_use]
    pub fn with_board(mut self, graph: &Graph, layout: &Layout) -> Self {
        if let (Some(period), Some(lag)) = (self.params.board_period, layout.board_lag) {
            self.board = Some(Board::new(graph, layout, &self.wiring, period.into(), lag, lag));
        }
        self
    }

    /// Lets `failures` happen. Packets must be of one flit each if there are any.
    #[must_use]
    pub fn with_failures(mut self, failures: &[Failure]) -> Self {
        if !failures.is_empty() {
            self.failures = Some(Failures::new(failures, &self.wiring, &mut self.wires.tiles));
        }
        self
    }

    /// Publishes on the board what a tile has not yet, up to cycle `now`, in which nothing has happened there yet.
    #[inline]
    fn publish(&mut self, tile: usize, now: Cycle) {
        let Network { board: Some(board), routers, wiring, params, .. } = self else { return };
        board.publish(tile, wiring.tile_routers(tile), now, |port| routers.occupancy_out(port, params.vc_buf_size));
    }

    /// Puts what the other partitions do not know of the board yet into the outboxes, at the end of a window.
    fn send_board(&mut self, end: Cycle) {
        for tile in 0..self.wiring.n_tiles() {
            self.publish(tile, end);
        }
        let Network { board: Some(board), routers, wires, params, .. } = self else { return };
        board.send(end, &mut wires.outboxes, |port| routers.occupancy_out(port, params.vc_buf_size));
    }

    /// Starts to record what happens to flits.
    pub fn record(&mut self, recording: Recording) {
        self.wires.log = Some(Log::new(recording));
    }

    /// The events recorded so far.
    #[must_use]
    pub fn recorded(&self) -> &[(Event, Flit)] {
        self.wires.log.as_ref().map_or(&[], |log| &log.events)
    }

    fn take_endpoint_credits(&mut self, tile: usize, now: Cycle) {
        let v = self.params.num_vcs;
        let first = self.wiring.tile_endpoints(tile).start;
        let list = self.wires.tiles[tile].credits[ENDPOINT].take(now);
        for &index in &list {
            self.endpoint_credits[index as usize] += 1;
            let e = (index / v) as usize - first;
            let tile = &mut self.wires.tiles[tile];
            if tile.starved[e / 64] & (1 << (e % 64)) != 0 {
                clear(&mut tile.starved, e);
                set(&mut tile.ready, e);
            }
        }
        self.wires.tiles[tile].credits[ENDPOINT].recycle(list);
    }

    fn take_ejections(&mut self, tile: usize, now: Cycle) {
        // Credits are taken later in the cycle, and may have been taken long ago.
        self.wires.tiles[tile].credits[ROUTER].advance(now);
        let mut list = self.wires.tiles[tile].flits[ENDPOINT].take(now);
        if self.failures.is_some() {
            self.lose_ejections(tile, &mut list, now);
        }
        for Arrival { vc: index, flit } in &list {
            self.ejected += 1;
            self.period.flits_accepted += 1;
            let (e, vc) = ((index / self.params.num_vcs) as usize, index % self.params.num_vcs);
            self.window_accepted[e] += 1;
            // The endpoint consumes at once: the credit is back at the router after the channel and the credit delay.
            self.return_ejection_credit(tile, now, self.wiring.endpoints[e].1, vc);
            if flit.flags & flag::TAIL != 0 {
                self.accept_packet(now, flit);
            }
            if let Some(log) = &mut self.wires.log {
                log.push(Event::Ejected(now, self.wiring.endpoints[e].0), flit);
            }
        }
        self.wires.tiles[tile].flits[ENDPOINT].recycle(list);
    }

    /// Sends the credit of a flit that an endpoint has read back to the router, for VC `vc` of local port `port`.
    #[inline]
    fn return_ejection_credit(&mut self, tile: usize, now: Cycle, port: u32, vc: u32) {
        let usable = now + Cycle::from(self.wiring.latency_endpoint + 1 + self.params.credit_delay);
        self.wires.tiles[tile].credits[ROUTER].push(usable, port * self.params.num_vcs + vc);
    }

    #[inline]
    fn accept_packet(&mut self, now: Cycle, flit: &Flit) {
        let packet_latency = (now as u32).wrapping_sub(flit.generated);
        let network_latency = (now as u32).wrapping_sub(flit.injected);
        self.period.packets_accepted += 1;
        self.period.packet_latency_sum += u64::from(packet_latency);
        self.period.network_latency_sum += u64::from(network_latency);
        if let Some(span) = self.span {
            if span.has(flit.generated) {
                let batch = ((flit.generated - span.start) / self.sample_period) as usize;
                self.measured.record(batch, packet_latency, network_latency, flit.hops);
            }
        }
        if let Some(delivery) = &mut self.delivery {
            delivery.accept(flit.src, flit.sequence, now);
        }
    }

    fn take_generations(&mut self, tile: usize, now: Cycle) {
        let first = self.wiring.tile_endpoints(tile).start;
        let mut list = self.wires.tiles[tile].generations.take(now);
        if self.failures.is_some() {
            self.silence(&mut list, now);
        }
        let (mut packets, mut flits) = (0, 0);
        for &local in &list {
            let e = local as usize;
            let generated = self.endpoints[e].generate(self.wiring.endpoints[e].0, now, &self.load);
            if let Some(next) = generated.next {
                self.wires.tiles[tile].generations.push(next, local);
            }
            set(&mut self.wires.tiles[tile].ready, e - first);
            packets += u64::from(generated.packets);
            flits += generated.flits;
        }
        self.period.packets_offered += packets;
        self.period.flits_offered += flits;
        if self.span.is_some_and(|span| (now as u32) < span.end) {
            self.measured_generated += packets;
        }
        self.wires.tiles[tile].generations.recycle(list);
    }

    fn inject(&mut self, tile: usize, now: Cycle) {
        let first = self.wiring.tile_endpoints(tile).start;
        for word in 0..self.wires.tiles[tile].ready.len() {
            let mut bits = self.wires.tiles[tile].ready[word];
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let sent = self.inject_flit(tile, now, first + word * 64 + bit as usize);
                let tile = &mut self.wires.tiles[tile];
                if sent != Sent::More {
                    tile.ready[word] &= !(1 << bit);
                }
                if sent == Sent::Starved {
                    tile.starved[word] |= 1 << bit;
                }
            }
        }
    }

    /// Sends at most one flit of endpoint `e`.
    #[inline]
    fn inject_flit(&mut self, tile: usize, now: Cycle, e: usize) -> Sent {
        let v = self.params.num_vcs as usize;
        if self.choosy && self.endpoints[e].remaining == 0 && self.refuse_packets(e, now) {
            return Sent::All;
        }
        let endpoint = &mut self.endpoints[e];
        let credits = &mut self.endpoint_credits[e * v..(e + 1) * v];
        let (id, port) = self.wiring.endpoints[e];
        let mut flit = if endpoint.remaining == 0 {
            let need = if self.params.cut_through { u16::from(endpoint.head_size(id, &self.load)) } else { 1 };
            let Some(vc) = next_vc(endpoint.last_vc, credits, need) else { return Sent::Starved };
            let (sequence, generated, size) = endpoint.take(id, &self.load);
            let dst = self.load.pattern.destination(id, sequence, &mut endpoint.destinations);
            endpoint.vc = vc;
            endpoint.last_vc = vc;
            endpoint.remaining = size;
            self.period.packets_injected += 1;
            self.sent += 1;
            Flit {
                target: self.router_of[dst as usize],
                injected: now as u32,
                flags: flag::HEAD,
                ..Flit::of_packet(id, dst, sequence, generated, size)
            }
        } else {
            endpoint.sending
        };
        let vc = usize::from(endpoint.vc);
        if credits[vc] == 0 {
            return Sent::Starved;
        }
        credits[vc] -= 1;
        endpoint.remaining -= 1;
        if endpoint.remaining > 0 {
            endpoint.sending = Flit { flags: 0, ..flit };
        } else {
            flit.flags |= flag::TAIL;
        }
        let more = if endpoint.remaining > 0 || endpoint.queued() > 0 { Sent::More } else { Sent::All };
        if let Some(log) = &mut self.wires.log {
            log.push(Event::Injected(now, id, vc as u8), &flit);
        }
        self.injected += 1;
        self.period.flits_injected += 1;
        let at = now + Cycle::from(self.wiring.latency_endpoint) + 1;
        self.wires.tiles[tile].flits[ROUTER].push(at, Arrival { vc: port * v as u32 + vc as u32, flit });
        more
    }
}

impl Network {
    /// Takes packets that routing refuses from the front of the queue of endpoint `e`, which is not empty; returns whether it is
    /// then. The destination of the first packet that is admitted is drawn again when it is sent.
    fn refuse_packets(&mut self, e: usize, now: Cycle) -> bool {
        let (id, _) = self.wiring.endpoints[e];
        let router = self.router_of[id as usize];
        while self.endpoints[e].queued() > 0 {
            let endpoint = &mut self.endpoints[e];
            let before = endpoint.destinations.clone();
            let dst = self.load.pattern.destination(id, endpoint.taken, &mut endpoint.destinations);
            if self.routers.routing.admits(router, self.router_of[dst as usize], now) {
                endpoint.destinations = before;
                return false;
            }
            let (sequence, generated, size) = endpoint.take(id, &self.load);
            self.refuse(now, &Flit::of_packet(id, dst, sequence, generated, size));
        }
        true
    }
}

/// What became of an endpoint's turn to inject.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// It has nothing more to send.
    All,
    /// It may be able to send again in the next cycle.
    More,
    /// It waits for a credit.
    Starved,
}

/// The first VC after `last`, round-robin, with `need` credits.
#[inline]
fn next_vc(last: u8, credits: &[u16], need: u16) -> Option<u8> {
    let n = credits.len();
    let mut vc = usize::from(last);
    for _ in 0..n {
        vc = if vc + 1 == n { 0 } else { vc + 1 };
        if credits[vc] >= need {
            return Some(vc as u8);
        }
    }
    None
}

impl Network {
    /// Runs a tile through the cycles of `span`.
    fn run_tile(&mut self, tile: usize, span: &Range<Cycle>) {
        let mut now = self.wires.tiles[tile].due.max(span.start);
        if now < span.end {
            self.warm(tile, now..span.end);
        }
        while now < span.end {
            self.publish(tile, now);
            if self.failures.is_some() {
                self.take_failures(tile, now);
            }
            self.take_endpoint_credits(tile, now);
            self.take_ejections(tile, now);
            self.take_arrivals(tile, now);
            self.take_credits(tile, now);
            self.take_generations(tile, now);
            self.inject(tile, now);
            self.run_routers(tile, now);
            if !self.wires.dropped.is_empty() {
                self.count_dropped(now);
            }
            now = self.wires.tiles[tile].next_event(now + 1);
            self.wires.tiles[tile].due = now;
        }
    }
}

impl Model for Network {
    fn run(&mut self, from: Cycle, end: Cycle) {
        let mut start = self.next_event(from);
        if let Some(board) = &mut self.board {
            board.carry_on(from);
        }
        while start < end {
            // Nothing that a tile does in a span is seen by another in the same span.
            let span = start..end.min(start.saturating_add(self.wiring.span));
            self.wires.span_start = start;
            if self.board.is_some() {
                // A tile with nothing to do has something to publish.
                (0..self.wires.tiles.len()).for_each(|tile| self.publish(tile, start));
            }
            // To and fro: the tiles run last are still in the shared cache when the next span begins with them.
            let n_tiles = self.wires.tiles.len();
            self.forward = !self.forward;
            for k in 0..n_tiles {
                self.run_tile(if self.forward { k } else { n_tiles - 1 - k }, &span);
            }
            start = self.next_event(span.end);
        }
        if self.board.is_some() {
            self.send_board(end);
        }
    }

    fn next_event(&self, from: Cycle) -> Cycle {
        self.wires.tiles.iter().map(|tile| tile.due).min().map_or(NEVER, |due| due.max(from))
    }

    fn outboxes(&mut self) -> &mut [Vec<u8>] {
        &mut self.wires.outboxes
    }

    fn earliest_sent(&self) -> Cycle {
        self.wires.earliest_sent
    }

    fn deliver(&mut self, neighbour: usize, messages: &[u8], window_end: Cycle) -> Result<(), Error> {
        self.wires.earliest_sent = NEVER;
        let straggler = |at: u32| {
            Error::Internal(format!(
                "a message from neighbour {neighbour} acts in cycle {at}, before the window end {window_end}: the lookahead is wrong"
            ))
        };
        wire::read(messages, |record| {
            match record {
                Record::Flit(at, vc, flit) => {
                    if Cycle::from(at) < window_end {
                        return Err(straggler(at));
                    }
                    self.imported += 1;
                    let tile = self.wiring.tile_of_port((vc / self.params.num_vcs) as usize);
                    let tile = self.wires.rouse(tile, Cycle::from(at));
                    tile.flits[ROUTER].advance(window_end);
                    tile.flits[ROUTER].push(Cycle::from(at), Arrival { vc, flit });
                }
                Record::Credit(at, vc) => {
                    if Cycle::from(at) < window_end {
                        return Err(straggler(at));
                    }
                    let tile = self.wiring.tile_of_port((vc / self.params.num_vcs) as usize);
                    let tile = self.wires.rouse(tile, Cycle::from(at));
                    tile.credits[ROUTER].advance(window_end);
                    tile.credits[ROUTER].push(Cycle::from(at), vc);
                }
                Record::Board(bytes) => {
                    let taken = self.board.as_mut().and_then(|board| board.receive(neighbour, bytes));
                    taken.ok_or_else(|| Error::Internal(format!("neighbour {neighbour} sent a malformed board")))?;
                }
            }
            Ok(())
        })
    }
}
