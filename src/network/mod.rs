//! The simulated network of one partition: routers, channels, endpoints. It knows nothing of ranks, threads, files or
//! clocks; what leaves the partition goes into an outbox per neighbour.
//!
//! Within a cycle nothing depends on the order in which routers or events are visited: a channel carries one flit per
//! cycle, credits add up, and every router acts on its own state only. That is why results cannot depend on the partition.

mod allocation;
mod audit;
mod endpoint;
mod flit;
mod layout;
mod matching;
mod params;
mod pipeline;
mod router;
mod wire;
mod wires;

use std::sync::Arc;

pub use endpoint::Endpoint;
pub use flit::{flag, Flit};
pub use layout::{Far, Layout, Link, Wiring};
pub use params::{Matching, Params, KEYS};

use crate::engine::{Model, NEVER};
use crate::error::Error;
use crate::ids::{Cycle, EndpointId, RouterId};
use crate::routing::Routing;
use crate::stats::{Measured, Period};
use crate::topology::Graph;
use crate::traffic::{Bernoulli, Pattern, TrafficPattern};
use router::Routers;
use wire::Record;
use wires::Wires;

/// What is offered to the network.
#[derive(Clone, Debug)]
pub struct Load {
    /// Who talks to whom; shared by the partitions of a process.
    pub pattern: Arc<Pattern>,
    /// When, in packets.
    pub process: Bernoulli,
    /// Flits per packet.
    pub packet_size: u8,
    /// Seed of all streams.
    pub seed: u64,
}

/// Something that happened to a flit, for tests and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// Left its source queue on a VC: cycle, endpoint, VC.
    Injected(Cycle, EndpointId, u8),
    /// Won the switch: cycle, router, input port and VC, output port and VC.
    Switched(Cycle, RouterId, [u16; 2], [u16; 2]),
    /// Read by its endpoint: cycle, endpoint.
    Ejected(Cycle, EndpointId),
}

#[derive(Clone, Copy, Debug)]
struct Arrival {
    vc: u32,
    flit: u32,
}

/// The measured window, in cycles of generation: `start..end`, open while `end` is `u32::MAX`.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
}

/// One partition of a network.
pub struct Network {
    params: Params,
    wiring: Wiring,
    load: Load,
    routers: Routers,
    endpoints: Vec<Endpoint>,
    /// Credits of each endpoint's injection channel; shape `[n_local_endpoints * num_vcs]`.
    endpoint_credits: Vec<u16>,
    /// Endpoints that may be able to send a flit: one bit each.
    ready: Vec<u64>,
    /// Router of every endpoint of the network; shared.
    router_of: Arc<Vec<RouterId>>,
    wires: Wires,
    /// Flits taken from other partitions.
    imported: u64,
    injected: u64,
    ejected: u64,
    period: Period,
    span: Option<Span>,
    sample_period: u32,
    measured_generated: u64,
    measured: Measured,
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
        let mut wires = Wires::new(params, wiring.neighbours.len(), header);
        let mut endpoints = Vec::with_capacity(wiring.endpoints.len());
        for (local, &(id, _)) in wiring.endpoints.iter().enumerate() {
            let (endpoint, first) = Endpoint::new(load.seed, id, &load.process, params.num_vcs);
            if let (Some(at), true) = (first, load.pattern.active(id)) {
                wires.generations.push(at, local as u32);
            }
            endpoints.push(endpoint);
        }
        Self {
            routers: Routers::new(params, &wiring, routing, load.seed),
            endpoint_credits: vec![params.vc_buf_size; endpoints.len() * params.num_vcs as usize],
            ready: vec![0; endpoints.len().div_ceil(64)],
            endpoints,
            router_of,
            wires,
            imported: 0,
            injected: 0,
            ejected: 0,
            period: Period::default(),
            span: None,
            sample_period,
            measured_generated: 0,
            measured: Measured::default(),
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

    /// Starts to record every event of every flit.
    pub fn record(&mut self) {
        self.wires.log = Some(Vec::new());
    }

    /// The events recorded so far.
    #[must_use]
    pub fn recorded(&self) -> &[(Event, Flit)] {
        self.wires.log.as_deref().unwrap_or(&[])
    }

    fn take_endpoint_credits(&mut self, now: Cycle) {
        let v = self.params.num_vcs;
        let list = self.wires.endpoint_credits.take(now);
        for &index in &list {
            self.endpoint_credits[index as usize] += 1;
            let e = (index / v) as usize;
            if self.endpoints[e].queued() > 0 || self.endpoints[e].remaining > 0 {
                self.ready[e / 64] |= 1 << (e % 64);
            }
        }
        self.wires.endpoint_credits.recycle(list);
    }

    fn take_ejections(&mut self, now: Cycle) {
        let list = self.wires.ejections.take(now);
        for &Arrival { vc: index, flit } in &list {
            let flit = self.wires.flits.remove(flit);
            self.ejected += 1;
            self.period.flits_accepted += 1;
            let (e, vc) = ((index / self.params.num_vcs) as usize, index % self.params.num_vcs);
            self.endpoints[e].window_accepted += 1;
            // The endpoint consumes at once: the credit is back at the router after the channel and the credit delay.
            let port = self.wiring.endpoints[e].1;
            let usable = now + Cycle::from(self.wiring.latency_endpoint + 1 + self.params.credit_delay);
            self.wires.credits.push(usable, port * self.params.num_vcs + vc);
            if flit.flags & flag::TAIL != 0 {
                self.accept_packet(now, &flit);
            }
            if let Some(log) = &mut self.wires.log {
                log.push((Event::Ejected(now, self.wiring.endpoints[e].0), flit));
            }
        }
        self.wires.ejections.recycle(list);
    }

    #[inline]
    fn accept_packet(&mut self, now: Cycle, flit: &Flit) {
        let packet_latency = (now as u32).wrapping_sub(flit.generated);
        let network_latency = (now as u32).wrapping_sub(flit.injected);
        self.period.packets_accepted += 1;
        self.period.packet_latency_sum += u64::from(packet_latency);
        self.period.network_latency_sum += u64::from(network_latency);
        if let Some(span) = self.span {
            if flit.generated >= span.start && flit.generated < span.end {
                let batch = ((flit.generated - span.start) / self.sample_period) as usize;
                self.measured.record(batch, packet_latency, network_latency, flit.hops);
            }
        }
    }

    fn take_generations(&mut self, now: Cycle) {
        let list = self.wires.generations.take(now);
        for &local in &list {
            let e = local as usize;
            let endpoint = &mut self.endpoints[e];
            if let Some(next) = endpoint.generate(now, &self.load.process) {
                self.wires.generations.push(next, local);
            }
            endpoint.window_offered += 1;
            self.ready[e / 64] |= 1 << (e % 64);
        }
        self.period.packets_offered += list.len() as u64;
        self.period.flits_offered += list.len() as u64 * u64::from(self.load.packet_size);
        if self.span.is_some_and(|span| (now as u32) < span.end) {
            self.measured_generated += list.len() as u64;
        }
        self.wires.generations.recycle(list);
    }

    fn inject(&mut self, now: Cycle) {
        for word in 0..self.ready.len() {
            let mut bits = self.ready[word];
            while bits != 0 {
                let e = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if !self.inject_flit(now, e) {
                    self.ready[word] &= !(1 << (e % 64));
                }
            }
        }
    }

    /// Sends at most one flit of endpoint `e`; returns whether it may be able to send another in the next cycle.
    #[inline]
    fn inject_flit(&mut self, now: Cycle, e: usize) -> bool {
        let v = self.params.num_vcs as usize;
        let endpoint = &mut self.endpoints[e];
        let credits = &mut self.endpoint_credits[e * v..(e + 1) * v];
        let (id, port) = self.wiring.endpoints[e];
        if endpoint.remaining == 0 {
            let need = if self.params.cut_through { u16::from(self.load.packet_size) } else { 1 };
            let Some(vc) = next_vc(endpoint.last_vc, credits, need) else { return false };
            let (sequence, generated) = endpoint.take(&self.load.process);
            let dst = self.load.pattern.destination(id, &mut endpoint.destinations);
            endpoint.vc = vc;
            endpoint.last_vc = vc;
            endpoint.remaining = self.load.packet_size;
            endpoint.sending = Flit {
                src: id,
                dst,
                target: self.router_of[dst as usize],
                generated: generated as u32,
                injected: now as u32,
                sequence: sequence as u32,
                next: flit::NONE,
                hops: 0,
                state: 0,
                flags: flag::HEAD,
                size: self.load.packet_size,
            };
            self.period.packets_injected += 1;
        }
        let vc = usize::from(endpoint.vc);
        if credits[vc] == 0 {
            return false;
        }
        credits[vc] -= 1;
        endpoint.remaining -= 1;
        let mut flit = endpoint.sending;
        endpoint.sending.flags = 0;
        if endpoint.remaining == 0 {
            flit.flags |= flag::TAIL;
        }
        let more = endpoint.remaining > 0 || endpoint.queued() > 0;
        if let Some(log) = &mut self.wires.log {
            log.push((Event::Injected(now, id, vc as u8), flit));
        }
        self.injected += 1;
        self.period.flits_injected += 1;
        let slot = self.wires.flits.insert(flit);
        let at = now + Cycle::from(self.wiring.latency_endpoint) + 1;
        self.wires.arrivals.push(at, Arrival { vc: port * v as u32 + vc as u32, flit: slot });
        more
    }
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

impl Model for Network {
    fn cycle(&mut self, now: Cycle) {
        self.take_endpoint_credits(now);
        self.take_ejections(now);
        self.take_arrivals(now);
        self.take_credits(now);
        self.take_generations(now);
        self.inject(now);
        self.run_routers(now);
    }

    fn next_event(&self, from: Cycle) -> Cycle {
        if self.routers.any_active() || self.ready.iter().any(|&word| word != 0) {
            return from;
        }
        self.wires.next_event(from)
    }

    fn outboxes(&mut self) -> &mut [Vec<u8>] {
        &mut self.wires.outboxes
    }

    fn earliest_sent(&self) -> Cycle {
        self.wires.earliest_sent
    }

    fn deliver(&mut self, neighbour: usize, messages: &[u8], window_end: Cycle) -> Result<(), Error> {
        self.wires.earliest_sent = NEVER;
        self.wires.arrivals.advance(window_end);
        self.wires.credits.advance(window_end);
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
                    let flit = self.wires.flits.insert(flit);
                    self.wires.arrivals.push(Cycle::from(at), Arrival { vc, flit });
                }
                Record::Credit(at, vc) => {
                    if Cycle::from(at) < window_end {
                        return Err(straggler(at));
                    }
                    self.wires.credits.push(Cycle::from(at), vc);
                }
            }
            Ok(())
        })
    }
}
