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
mod interface;
mod layout;
mod matching;
mod params;
mod pipeline;
mod router;
mod stages;
mod tile;
mod trace;
mod wires;

use std::sync::Arc;

pub use audit::Blocked;
pub use endpoint::Endpoint;
pub use failures::Failure;
pub use flit::{flag, Flit};
pub use layout::{Far, Layout, Link, Wiring, TILE_VCS};
pub use params::{Matching, Params, KEYS};
pub use trace::{Event, Recording, Wait};
pub use wires::bytes_per_remote_tile;

use crate::engine::{Batch, List, Model, NEVER};
use crate::error::Error;
use crate::ids::{Cycle, RouterId};
use crate::routing::{Routing, RoutingAlgorithm};
use crate::stats::{Measured, Period};
use crate::topology::Graph;
use crate::traffic::{Injection, Pattern};
use board::Board;
use delivery::Delivery;
use failures::Failures;
use router::Routers;
use trace::Log;
use wires::{kind_of, tile_of, Handed, Wires, FLITS};

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

/// A flit that reaches an input VC, or an endpoint by one of its VCs.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Arrival {
    // First, so that it lies in memory as it does in a buffer and in the slab, and is copied in pieces of one kind.
    flit: Flit,
    vc: u32,
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
    #[must_use]
    pub fn new(
        params: &Params,
        wiring: Wiring,
        routing: Routing,
        load: Load,
        router_of: Arc<Vec<RouterId>>,
        sample_period: u32,
    ) -> Self {
        let mut wires = Wires::new(params, &wiring);
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
        self.wires.hand_over();
    }

    fn next_event(&self, from: Cycle) -> Cycle {
        (0..self.wires.tiles.len()).map(|tile| self.wires.due(tile)).min().map_or(NEVER, |due| due.max(from))
    }

    fn outboxes(&mut self) -> &mut [Batch] {
        &mut self.wires.outboxes
    }

    fn earliest_sent(&self) -> Cycle {
        self.wires.earliest_sent
    }

    fn deliver(&mut self, neighbour: usize, batch: &mut Batch, window_end: Cycle) -> Result<(), Error> {
        for list in batch.lists.drain(..) {
            self.take_over(neighbour, list, window_end)?;
        }
        for list in batch.used.drain(..) {
            self.wires.take_back(neighbour, list);
        }
        if !batch.bytes.is_empty() {
            let taken = self.board.as_mut().and_then(|board| board.receive(neighbour, &batch.bytes));
            taken.ok_or_else(|| Error::Internal(format!("neighbour {neighbour} sent a malformed board")))?;
            batch.bytes.clear();
        }
        Ok(())
    }
}

impl Network {
    /// Takes over a list of flits or credits of neighbour number `neighbour`.
    fn take_over(&mut self, neighbour: usize, list: List, window_end: Cycle) -> Result<(), Error> {
        let at = list.at;
        if at < window_end {
            return Err(Error::Internal(format!(
                "a message from neighbour {neighbour} acts in cycle {at}, before the window end {window_end}: the lookahead is wrong"
            )));
        }
        let is_whole = kind_of(list.place) != FLITS || list.words.len() * size_of::<u32>() % size_of::<Arrival>() == 0;
        let Some(tile) = self.wires.tiles.get_mut(tile_of(list.place) as usize).filter(|_| is_whole) else {
            return Err(Error::Internal(format!("neighbour {neighbour} sent a malformed list")));
        };
        let handed = Handed { neighbour: neighbour as u32, list };
        self.imported += handed.flits().len() as u64;
        tile.due = tile.due.min(at);
        tile.handed.advance(window_end);
        tile.handed.push(at, handed);
        Ok(())
    }
}
