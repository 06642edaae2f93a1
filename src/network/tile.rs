//! The routers of a tile through the cycles of a span, while their state is in the cache.

use std::ops::Range;

use crate::engine::prefetch;
use crate::ids::Cycle;
use crate::network::pipeline::Pipeline;
use crate::network::router::{set, State};
use crate::network::stages::{Clock, Router};
use crate::network::trace::Event;
use crate::network::wires::{Handed, Wires};
use crate::network::{Arrival, Network};

/// How many arrivals ahead the lines are asked for.
const AHEAD: usize = 8;

impl Network {
    /// Runs a tile through the cycles of `span`.
    pub(super) fn run_tile(&mut self, tile: usize, span: &Range<Cycle>) {
        let mut now = self.wires.due(tile).max(span.start);
        if now >= span.end {
            return;
        }
        self.warm(tile, now..span.end);
        while now < span.end {
            self.publish(tile, now);
            if self.failures.is_some() {
                self.take_failures(tile, now);
            }
            self.take_endpoint_credits(tile, now);
            self.take_ejections(tile, now);
            self.take_arrivals(tile, now);
            self.take_credits(tile, now);
            self.take_handed(tile, now);
            self.take_generations(tile, now);
            self.inject(tile, now);
            self.run_routers(tile, now);
            if !self.wires.dropped.is_empty() {
                self.count_dropped(now);
            }
            now = self.wires.next_event(tile, now + 1);
        }
        self.wires.has_run(tile, now);
    }

    /// Brings the state of a busy tile into the cache before it is worked on. Every line of it is far away at first, and
    /// what follows branches on what it finds; asked for at once, the lines come side by side.
    fn warm(&mut self, tile: usize, span: Range<Cycle>) {
        let Network { wires, wiring, routers, endpoints, .. } = self;
        let own = wiring.tile_routers(tile);
        let handed = |wires: &Wires, now| wires.tiles[tile].handed.at(now).iter().map(|h| h.flits().len()).sum::<usize>();
        // In a tile with little to do most lines will not be needed.
        if wires.at_routers(tile).flits.at(span.start).len() + handed(wires, span.start) < own.len() {
            return;
        }
        for now in span {
            let ask = |a: &Arrival| prefetch::line(&routers.inputs, a.vc as usize);
            wires.at_routers(tile).flits.at(now).iter().for_each(ask);
            wires.tiles[tile].handed.at(now).iter().flat_map(Handed::flits).for_each(ask);
            for &e in wires.tiles[tile].generations.at(now) {
                endpoints[e as usize].fetch();
            }
        }
        for lr in own {
            routers.fetch(lr, wiring.ports(lr));
        }
    }

    /// Flits that reach routers of a tile in cycle `now` from inside the partition.
    fn take_arrivals(&mut self, tile: usize, now: Cycle) {
        let list = self.wires.at_routers(tile).flits.take(now);
        self.arrive(tile, now, &list);
        self.wires.at_routers(tile).flits.recycle(list);
    }

    /// Credits that come into force in cycle `now` in a tile, from inside the partition.
    fn take_credits(&mut self, tile: usize, now: Cycle) {
        let list = self.wires.at_routers(tile).credits.take(now);
        self.add_credits(&list, now);
        self.wires.at_routers(tile).credits.recycle(list);
    }

    /// What reaches a tile in cycle `now` from other partitions.
    fn take_handed(&mut self, tile: usize, now: Cycle) {
        let mut lists = self.wires.tiles[tile].handed.take(now);
        for mut handed in lists.drain(..) {
            self.arrive(tile, now, handed.flits());
            self.add_credits(handed.credits(), now);
            handed.list.words.clear();
            self.wires.outboxes[handed.neighbour as usize].used.push(handed.list);
        }
        self.wires.tiles[tile].handed.recycle(lists);
    }

    /// Puts flits that reach routers of a tile in cycle `now` into their buffers.
    fn arrive(&mut self, tile: usize, now: Cycle, list: &[Arrival]) {
        let Some(mut failures) = self.failures.take() else {
            self.fill_buffers(tile, now, list);
            return;
        };
        self.lose_arrivals(&mut failures, list, now);
        self.fill_buffers(tile, now, &failures.kept);
        self.failures = Some(failures);
    }

    #[inline]
    fn fill_buffers(&mut self, tile: usize, now: Cycle, list: &[Arrival]) {
        let Network { routers, wires, wiring, .. } = self;
        let Wires { tiles, slab, log, .. } = wires;
        let mut log = log.as_mut().filter(|log| log.every_event());
        let first = wiring.tile_base[tile];
        let tile = &mut tiles[tile];
        for (k, Arrival { vc, flit }) in list.iter().enumerate() {
            if let Some(ahead) = list.get(k + AHEAD) {
                prefetch::line(&routers.inputs, ahead.vc as usize);
            }
            let input = &mut routers.inputs[*vc as usize];
            input.arrived += 1;
            input.occupied -= now as i64;
            if let Some(log) = &mut log {
                let port = *vc as usize / routers.num_vcs;
                let lr = wiring.router_of_port[port] as usize;
                let place = [port - wiring.port_base[lr] as usize, *vc as usize % routers.num_vcs];
                log.push(Event::Arrived(now, wiring.routers[lr], place.map(|i| i as u16)), flit);
            }
            if !input.push(flit, slab) {
                continue;
            }
            let bit = input.bit as usize;
            if input.state == State::Active {
                set(&mut routers.sa, bit);
            } else {
                input.state = State::Waiting;
                set(&mut routers.rc, bit);
            }
            set(&mut tile.active, (routers.router_of_word[bit / 64] - first) as usize);
        }
    }

    /// Adds a credit to each output VC in `list`.
    #[inline]
    fn add_credits(&mut self, list: &[u32], now: Cycle) {
        for &vc in list {
            let credits = &mut self.routers.credits[vc as usize];
            *credits += 1;
            assert!(*credits <= self.params.vc_buf_size, "cycle {now}: more credits than buffer at output VC {vc}");
        }
    }

    /// One cycle of every router of a tile that has work.
    fn run_routers(&mut self, tile: usize, now: Cycle) {
        let substeps = self.params.substeps(now);
        let first = self.wiring.tile_base[tile] as usize;
        for word in 0..self.wires.tiles[tile].active.len() {
            let mut bits = self.wires.tiles[tile].active[word];
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                if !self.run_router(first + word * 64 + bit as usize, now, substeps) {
                    self.wires.tiles[tile].active[word] &= !(1 << bit);
                }
            }
        }
    }

    /// One cycle of local router `lr`; returns whether it has work in the next.
    fn run_router(&mut self, lr: usize, now: Cycle, substeps: u32) -> bool {
        let Network { routers, wires, wiring, params, router_of, board, .. } = self;
        let ports = wiring.ports(lr);
        let vcs = ports.start * routers.num_vcs..ports.end * routers.num_vcs;
        let words = routers.word_base[lr] as usize..routers.word_base[lr + 1] as usize;
        let mut router = Router {
            num_vcs: routers.num_vcs,
            inputs: &mut routers.inputs[vcs.clone()],
            credits: &mut routers.credits[vcs.clone()],
            ports: &mut routers.ports[ports.clone()],
            va_grant: &mut routers.va_grant[vcs.clone()],
            va_accept: &mut routers.va_accept[vcs.clone()],
            sa_grant: &mut routers.sa_grant[ports.clone()],
            sa_accept: &mut routers.sa_accept[ports],
            rc: &mut routers.rc[words.clone()],
            va: &mut routers.va[words.clone()],
            sa: &mut routers.sa[words],
            port_of: &routers.port_of[..vcs.len()],
            routing: &routers.routing,
            rng: &mut routers.rng[lr],
            board: board.as_ref().map_or(&[], |board| board.read(now)),
            router_of_endpoint: router_of,
            id: wiring.routers[lr],
            row: lr as u32,
            degree: wiring.degree[lr],
            first_endpoint: wiring.first_endpoint[lr],
            now,
        };
        let pipeline = routers.pipelines.get_mut(lr);
        let waits = |pipeline: &Option<&mut Pipeline>| pipeline.as_ref().is_some_and(|p| !p.is_empty());
        let mut pipeline = pipeline;
        for step in 0..substeps {
            // A winner of SA crosses the switch in the next sub-step.
            let crossing = now + Cycle::from(step + 1 == substeps);
            let clock = Clock { now: now as u32, crossing: crossing as u32 };
            match &mut pipeline {
                None => router.substep(&mut routers.allocation, wires, params, clock),
                Some(pipeline) => router.pipelined_substep(pipeline, &mut routers.allocation, wires, params, clock),
            }
        }
        router.has_work() || waits(&pipeline)
    }
}
