//! Channels and routers that fail during the run.
//!
//! A channel that fails carries nothing from that cycle on: what would come out of it then is lost, whether it is on the wire
//! or still in the output queue before it. Packets that wait for it in a router ask for a route again, as many times as it
//! takes. A router that fails loses what is in its buffers, and its endpoints neither send nor receive any more.
//!
//! The slots of buffers that lost flits had taken are given back over the failed channel as if it were whole. That is
//! bookkeeping: nobody sends there any more, and so every channel still adds up at every sample.
//!
//! Failures are known from the input, so all partitions let them happen in the same cycles. A packet is one flit here: one of
//! several could be cut in two, which the input is refused for.

use crate::ids::{Cycle, EndpointId, Port, RouterId};
use crate::network::flit::flag;
use crate::network::router::{clear, set, State};
use crate::network::trace::Event;
use crate::network::wires::Tile;
use crate::network::{Arrival, Flit, Network, Wiring};
use crate::stats::Failed;
use crate::traffic::TrafficPattern;

/// A router, or one of its network ports with the channels out of it and into it, from some cycle on. A failing link is two of
/// these, one at each end; a failing router is one and another for each port that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The first cycle.
    pub at: Cycle,
    /// The router.
    pub router: RouterId,
    /// Its port; `None` for all of it.
    pub port: Option<Port>,
}

/// A failure to come: cycle, local router, and its port or all of it.
pub(super) type Due = (Cycle, u32, Option<Port>);

/// What has failed and will fail in one partition.
pub(super) struct Failures {
    /// By local port, the first cycle in which nothing comes in by it.
    silent_from: Vec<Cycle>,
    /// By local endpoint, the first cycle in which it is dead.
    dead_from: Vec<Cycle>,
    /// What is left of the list of arrivals looked at last.
    pub(super) kept: Vec<Arrival>,
}

impl Failures {
    /// Those of `all` that concern this partition, whose tiles get to know when to act.
    pub(super) fn new(all: &[Failure], wiring: &Wiring, tiles: &mut [Tile]) -> Self {
        let mut failures = Self {
            silent_from: vec![Cycle::MAX; wiring.links.len()],
            dead_from: vec![Cycle::MAX; wiring.endpoints.len()],
            kept: Vec::new(),
        };
        for &Failure { at, router, port } in all {
            let Ok(lr) = wiring.routers.binary_search(&router) else { continue };
            tiles[wiring.tile_of_router[lr] as usize].failures.push((at, lr as u32, port));
            let ports = wiring.ports(lr);
            let silent = match port {
                Some(port) => ports.start + usize::from(port)..ports.start + usize::from(port) + 1,
                None => ports,
            };
            failures.silent_from[silent].iter_mut().for_each(|from| *from = at.min(*from));
            if port.is_none() {
                let endpoints = wiring.endpoint_base[lr] as usize..wiring.endpoint_base[lr + 1] as usize;
                failures.dead_from[endpoints].fill(at);
            }
        }
        // The next one at the end.
        tiles.iter_mut().for_each(|tile| tile.failures.sort_unstable_by(|a, b| b.cmp(a)));
        failures
    }
}

impl Network {
    /// Lets what fails in cycle `now` in a tile fail, before anything else happens there.
    pub(super) fn take_failures(&mut self, tile: usize, now: Cycle) {
        while let Some(&(at, lr, port)) = self.wires.tiles[tile].failures.last() {
            if at > now {
                return;
            }
            self.wires.tiles[tile].failures.pop();
            match port {
                Some(port) => self.route_again(lr as usize, port),
                None => self.fail_router(tile, lr as usize, now),
            }
        }
    }

    /// Sends the packets that wait for `port` of local router `lr` back to RC.
    fn route_again(&mut self, lr: usize, port: Port) {
        let routers = &mut self.routers;
        let ports = self.wiring.ports(lr);
        let first = ports.start * routers.num_vcs;
        for vc in first..ports.end * routers.num_vcs {
            let input = &mut routers.inputs[vc];
            let bit = input.bit as usize;
            if input.out_port != port || input.state == State::Idle {
                continue;
            }
            let has = |words: &[u64]| words[bit / 64] >> (bit % 64) & 1 != 0;
            let own = (vc - first) as u16;
            let under_way = routers.pipelines.get_mut(lr).is_some_and(|pipeline| pipeline.forget(own));
            if !(has(&routers.va) || has(&routers.sa) || under_way) {
                continue;
            }
            if input.state == State::Active {
                routers.ports[ports.start + usize::from(port)].busy &= !(1 << input.out_vc);
                input.state = State::Waiting;
            }
            clear(&mut routers.va, bit);
            clear(&mut routers.sa, bit);
            set(&mut routers.rc, bit);
        }
    }

    /// Loses everything in local router `lr`, and what its endpoints have not sent.
    fn fail_router(&mut self, tile: usize, lr: usize, now: Cycle) {
        let ports = self.wiring.ports(lr);
        let num_vcs = self.routers.num_vcs;
        for vc in ports.start * num_vcs..ports.end * num_vcs {
            while let Some(flit) = self.routers.take_front(vc, now, &mut self.wires.slab) {
                self.lose(&flit, self.wiring.routers[lr], now);
                self.give_back(vc, now);
            }
            self.routers.forget(vc);
        }
        self.routers.ports[ports].iter_mut().for_each(|port| port.busy = 0);
        if let Some(pipeline) = self.routers.pipelines.get_mut(lr) {
            pipeline.clear();
        }
        let first = self.wiring.tile_endpoints(tile).start;
        for e in self.wiring.endpoint_base[lr] as usize..self.wiring.endpoint_base[lr + 1] as usize {
            clear(&mut self.wires.tiles[tile].ready, e - first);
            clear(&mut self.wires.tiles[tile].starved, e - first);
            let id = self.wiring.endpoints[e].0;
            while self.endpoints[e].queued() > 0 {
                let (sequence, generated, size) = self.endpoints[e].take(id, &self.load);
                let dst = self.load.pattern.destination(id, sequence, &mut self.endpoints[e].destinations);
                self.refuse(now, &Flit::of_packet(id, dst, sequence, generated, size));
            }
        }
    }

    /// Loses what has come by channels that have failed of `list`, of flits that reach routers of a tile in cycle `now`; the rest
    /// is in `kept`.
    pub(super) fn lose_arrivals(&mut self, failures: &mut Failures, list: &[Arrival], now: Cycle) {
        let num_vcs = self.routers.num_vcs;
        failures.kept.clear();
        for arrival in list {
            let vc = arrival.vc as usize;
            if failures.silent_from[vc / num_vcs] <= now {
                let lr = self.wiring.router_of_port[vc / num_vcs] as usize;
                self.lose(&arrival.flit, self.wiring.routers[lr], now);
                self.give_back(vc, now);
            } else {
                failures.kept.push(*arrival);
            }
        }
    }

    /// Takes what has come to endpoints that are dead out of `list`, of flits that reach endpoints of a tile in cycle `now`.
    pub(super) fn lose_ejections(&mut self, tile: usize, list: &mut Vec<Arrival>, now: Cycle) {
        let num_vcs = self.params.num_vcs;
        let Some(failures) = self.failures.take() else { return };
        list.retain(|&Arrival { vc, flit }| {
            let e = (vc / num_vcs) as usize;
            let lost = failures.dead_from[e] <= now;
            if lost {
                let port = self.wiring.endpoints[e].1;
                self.lose(&flit, self.wiring.routers[self.wiring.router_of_port[port as usize] as usize], now);
                self.return_ejection_credit(tile, now, port, vc % num_vcs);
            }
            !lost
        });
        self.failures = Some(failures);
    }

    /// Takes the endpoints that are dead in cycle `now` out of `list`.
    pub(super) fn silence(&self, list: &mut Vec<u32>, now: Cycle) {
        if let Some(failures) = &self.failures {
            list.retain(|&e| failures.dead_from[e as usize] > now);
        }
    }

    /// Counts the packets that routers of the tile run last have dropped.
    pub(super) fn count_dropped(&mut self, now: Cycle) {
        while let Some((router, flit)) = self.wires.dropped.pop() {
            self.count_failed(Failed::Dropped, Event::Dropped(now, router), &flit);
            self.lost += 1;
        }
    }

    fn lose(&mut self, flit: &Flit, router: RouterId, now: Cycle) {
        self.count_failed(Failed::Lost, Event::Lost(now, router), flit);
        self.lost += 1;
    }

    /// Counts a packet that has left its source queue, but not for the network.
    pub(super) fn refuse(&mut self, now: Cycle, packet: &Flit) {
        self.count_failed(Failed::Refused, Event::Refused(now, packet.src), packet);
        self.refused += 1;
    }

    fn count_failed(&mut self, why: Failed, event: Event, packet: &Flit) {
        self.period.fail(why, packet.size.into());
        if self.span.is_some_and(|span| span.has(packet.generated)) {
            self.measured.failed[why as usize] += 1;
        }
        if let Some(log) = &mut self.wires.log {
            log.push(event, packet);
        }
    }

    /// Gives the slot that a flit had taken in input VC `vc` back to its sender.
    fn give_back(&mut self, vc: usize, now: Cycle) {
        let (port, own) = (vc / self.routers.num_vcs, vc % self.routers.num_vcs);
        let departs = self.routers.credit_departs(port, now);
        self.wires.send_credit(&self.routers.ports[port].lane, departs, own);
    }
}

impl Flit {
    /// A packet that is still at its source.
    pub(super) fn of_packet(src: EndpointId, dst: EndpointId, sequence: u64, generated: Cycle, size: u8) -> Self {
        Flit {
            src,
            dst,
            generated: generated as u32,
            sequence: sequence as u32,
            size,
            flags: flag::HEAD | flag::TAIL,
            ..Flit::NOTHING
        }
    }
}
