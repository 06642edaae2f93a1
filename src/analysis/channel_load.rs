//! The expected load of every channel under a routing that does not look at the state of the network: what goes from
//! router to router is followed over every decision, divided by the probabilities of each.

use std::ops::Range;

use rayon::prelude::*;

use super::legs::Legs;
use super::paths::Paths;
use super::Demand;
use crate::ids::{Port, RouterId};
use crate::routing::{Choice, Head, Here, RoutingAlgorithm, TwoLegs};
use crate::topology::{Graph, Search};
use crate::traffic::TrafficPattern;

/// Destinations are dealt to this many sums, which are then added up in their order: the result does not depend on the
/// number of threads.
const SUMS: u32 = 16;

/// Less flow than this, in flits per cycle, is not followed: it is what rounding leaves of nothing.
const NOTHING: f64 = 1e-13;

/// Expected loads at an injection rate of 1, in flits per cycle; above 1 where a channel is offered more than it carries.
#[derive(Clone, Debug)]
pub struct ChannelLoads {
    /// Of the channels between routers, in the order of `Graph::channel`; shape `[n_channels]`.
    pub network: Vec<f64>,
    /// Of the channel into each endpoint; shape `[n_endpoints]`.
    pub ejection: Vec<f64>,
    /// Of the channel out of each endpoint; shape `[n_endpoints]`.
    pub injection: Vec<f64>,
}

impl ChannelLoads {
    /// Of `demand` under `routing`, built for all routers of `graph` in their order: leg by leg if it always makes detours
    /// where it can, else by every decision.
    ///
    /// # Panics
    /// As [`ChannelLoads::by_choices`].
    #[must_use]
    pub fn new(graph: &Graph, routing: &impl RoutingAlgorithm, demand: &Demand) -> Self {
        match routing.two_legs() {
            Some(TwoLegs { detours, straight: false }) => {
                let legs = Legs::new(graph, detours, demand);
                let network = add_up(graph.n_routers(), |targets| legs.loads(targets));
                Self::with(network, demand)
            }
            _ => Self::by_choices(graph, routing, demand),
        }
    }

    /// Of all that `pattern` sends. Where decisions depend on the endpoints, as by a hash of them, these are the loads of
    /// exactly those decisions if they are few enough to follow, else as [`ChannelLoads::new`] the mean over all that could be.
    ///
    /// # Panics
    /// As [`ChannelLoads::by_choices`].
    #[must_use]
    pub fn of_pattern(graph: &Graph, routing: &impl RoutingAlgorithm, pattern: &impl TrafficPattern) -> Self {
        let paths = if routing.reads_endpoints() { Paths::new(graph, routing, pattern) } else { None };
        let Some(paths) = paths else { return Self::new(graph, routing, &Demand::new(graph, pattern)) };
        let injection: Vec<f64> = (0..graph.n_endpoints()).map(|src| pattern.weight(src)).collect();
        let mut network = paths.loads(&injection);
        let ejection = network.split_off(graph.n_channels());
        Self { network, ejection, injection }
    }

    /// As [`ChannelLoads::new`], by every decision.
    ///
    /// Decisions may depend on a packet's destination only through its router, and on its source only at the first router.
    /// Flows that meet are followed as one: with one path per pair that is one step per pair of routers, or one per pair
    /// and hop if decisions depend on the hops so far.
    ///
    /// # Panics
    /// If packets go round for ever: a defect of the routing.
    #[must_use]
    pub fn by_choices(graph: &Graph, routing: &impl RoutingAlgorithm, demand: &Demand) -> Self {
        let network = add_up(graph.n_routers(), |destinations| {
            let mut flows = Flows::new(graph, routing);
            let with_endpoints = destinations.filter(|&r| !graph.endpoints(r).is_empty());
            with_endpoints.for_each(|destination| flows.follow(demand, destination));
            flows.load
        });
        Self::with(network, demand)
    }

    fn with(network: Vec<f64>, demand: &Demand) -> Self {
        Self { network, ejection: demand.ejected.clone(), injection: demand.injected.clone() }
    }
}

/// The sum of the loads that `of` finds for runs of `n` routers, or of whatever else loads come from.
pub(super) fn add_up(n: u32, of: impl Fn(Range<u32>) -> Vec<f64> + Sync + Send) -> Vec<f64> {
    let length = n.div_ceil(SUMS).max(1);
    let runs: Vec<Range<RouterId>> = (0..n.div_ceil(length)).map(|i| i * length..n.min((i + 1) * length)).collect();
    let sums: Vec<Vec<f64>> = runs.into_par_iter().map(of).collect();
    sums.into_iter().reduce(add).unwrap_or_default()
}

fn add(mut sum: Vec<f64>, more: Vec<f64>) -> Vec<f64> {
    sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
    sum
}

/// Traffic that waits for a decision.
#[derive(Clone, Copy, Debug)]
struct Flow {
    router: RouterId,
    in_port: Port,
    head: Head,
    amount: f64,
}

impl Flow {
    /// All that a decision can depend on, the destination being the same.
    fn key(&self) -> (RouterId, RouterId, Port, u8, u8) {
        (self.router, self.head.target, self.in_port, self.head.hops, self.head.state)
    }
}

struct Flows<'a, R> {
    graph: &'a Graph,
    routing: &'a R,
    load: Vec<f64>,
    search: Search,
    /// Flows on the way to an intermediate router.
    detouring: Vec<Flow>,
    /// Flows on the way to the destination, by their distance from it.
    homing: Vec<Vec<Flow>>,
    choices: Vec<(f64, Choice, Head)>,
}

impl<'a, R: RoutingAlgorithm> Flows<'a, R> {
    fn new(graph: &'a Graph, routing: &'a R) -> Self {
        Self {
            graph,
            routing,
            load: vec![0.0; graph.n_channels()],
            search: Search::new(graph),
            detouring: Vec::new(),
            homing: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// Follows everything that goes to `destination`.
    fn follow(&mut self, demand: &Demand, destination: RouterId) {
        self.search.run(self.graph, destination, |_, _, _| ());
        let dst = self.graph.endpoints(destination).start;
        for source in (0..self.graph.n_routers()).filter(|&source| source != destination) {
            let amount = demand.between(source, destination);
            if amount > NOTHING {
                let src = self.graph.endpoints(source).start;
                let head = Head { src, dst, target: destination, hops: 0, state: 0 };
                self.put(Flow { router: source, in_port: self.graph.degree(source) as Port, head, amount }, destination);
            }
        }
        let mut steps = 0u64;
        // Detours first and then from the farthest inwards: what meets on a shortest path is then met once.
        loop {
            let next = match self.homing.iter().rposition(|flows| !flows.is_empty()) {
                _ if !self.detouring.is_empty() => std::mem::take(&mut self.detouring),
                Some(farthest) => std::mem::take(&mut self.homing[farthest]),
                None => return,
            };
            steps += 1;
            assert!(steps < 1 << 20, "packets to router {destination} do not arrive");
            self.step(next, destination);
        }
    }

    fn put(&mut self, flow: Flow, destination: RouterId) {
        if flow.head.target != destination {
            self.detouring.push(flow);
            return;
        }
        let distance = self.search.distances()[flow.router as usize] as usize;
        if self.homing.len() <= distance {
            self.homing.resize(distance + 1, Vec::new());
        }
        self.homing[distance].push(flow);
    }

    /// Takes every flow over one channel.
    fn step(&mut self, mut flows: Vec<Flow>, destination: RouterId) {
        flows.sort_by_key(Flow::key);
        let mut rest = &flows[..];
        while let Some(first) = rest.first() {
            let (same, others) = rest.split_at(rest.partition_point(|flow| flow.key() <= first.key()));
            rest = others;
            let amount: f64 = same.iter().map(|flow| flow.amount).sum();
            let here = Here { router: first.router, row: first.router, in_port: first.in_port };
            let mut choices = std::mem::take(&mut self.choices);
            choices.clear();
            self.routing.choices(here, &first.head, &mut choices);
            for &(probability, choice, mut head) in choices.iter().filter(|choice| choice.0 > 0.0) {
                let port = usize::from(choice.port);
                let amount = amount * probability;
                self.load[self.graph.channel(first.router) as usize + port] += amount;
                let router = self.graph.peers(first.router)[port];
                if router == destination && head.target == destination {
                    continue;
                }
                if router == head.target {
                    // An intermediate router has been reached: from here on to the destination.
                    head.target = destination;
                }
                if self.routing.reads_hops() {
                    head.hops = head.hops.saturating_add(1);
                }
                self.put(Flow { router, in_port: self.graph.peer_ports(first.router)[port], head, amount }, destination);
            }
            self.choices = choices;
        }
    }
}
