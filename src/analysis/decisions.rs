//! The decisions that packets from some endpoints of one router can meet, as a graph: what channels carry, and what ways cost,
//! are then sums over its edges.

use std::ops::Range;

use crate::ids::{EndpointId, Port, RouterId};
use crate::rng::{Purpose, Stream};
use crate::routing::{Choice, Head, Here, RoutingAlgorithm, View};
use crate::topology::Graph;
use crate::traffic::TrafficPattern;

/// No further decision: the packet has come to the router of its destination.
const END: u32 = u32::MAX;

/// A choice of a decision: a channel, and where it leads.
#[derive(Clone, Copy, Debug)]
struct Edge {
    probability: f64,
    channel: u32,
    /// The decision there, or `END`.
    node: u32,
}

/// What starts at some endpoints of one router. Decisions are numbered so that each leads to later ones only.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The endpoints.
    pub(super) sources: Range<EndpointId>,
    /// Groups of destinations at other routers that are reached alike, ascending.
    pub(super) groups: Vec<Range<EndpointId>>,
    /// The first decision on the way to each group.
    roots: Vec<u32>,
    /// Of each decision, where its edges end; they begin where those of the one before end.
    ends: Vec<u32>,
    edges: Vec<Edge>,
}

/// A packet that waits for a decision while all are followed.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    router: RouterId,
    in_port: Port,
    head: Head,
    from: From,
}

/// What leads to a decision.
#[derive(Clone, Copy, Debug)]
enum From {
    Root(usize),
    Edge(usize),
}

impl Waiting {
    /// All that the decisions from here on can depend on, the source being the same.
    fn key(&self) -> (RouterId, EndpointId, RouterId, Port, u8, u8) {
        (self.router, self.head.dst, self.head.target, self.in_port, self.head.hops, self.head.state)
    }
}

/// A network without traffic.
struct Idle;

impl View for Idle {
    fn occupancy(&self, _port: Port) -> u32 {
        0
    }
}

impl Origin {
    /// With groups for all destinations at other routers, one for each router or each endpoint; ways to them are not known yet.
    pub(super) fn new(graph: &Graph, pattern: &impl TrafficPattern, sources: Range<EndpointId>, by_endpoint: bool) -> Self {
        let n = if by_endpoint { graph.n_endpoints() } else { graph.n_routers() };
        let number = |e: EndpointId| if by_endpoint { e } else { graph.router_of(e) };
        // Where runs of destinations begin and end.
        let mut edges = vec![0i64; n as usize + 1];
        for src in sources.clone().filter(|&src| pattern.active(src)) {
            pattern.shares(src, &mut |run, share| {
                if share > 0.0 && !run.is_empty() {
                    edges[number(run.start) as usize] += 1;
                    edges[number(run.end - 1) as usize + 1] -= 1;
                }
            });
        }
        let mut runs = 0;
        let mut origin = Self { sources, groups: Vec::new(), roots: Vec::new(), ends: Vec::new(), edges: Vec::new() };
        for at in 0..n {
            runs += edges[at as usize];
            let destinations = if by_endpoint { at..at + 1 } else { graph.endpoints(at) };
            let local = !destinations.is_empty() && graph.router_of(destinations.start) == graph.router_of(origin.sources.start);
            if runs > 0 && !destinations.is_empty() && !local {
                origin.groups.push(destinations);
            }
        }
        origin.roots = vec![END; origin.groups.len()];
        origin
    }

    /// Choices of all decisions.
    pub(super) fn n_edges(&self) -> usize {
        self.edges.len()
    }

    fn edges_of(&self, node: usize) -> Range<usize> {
        let first = if node == 0 { 0 } else { self.ends[node - 1] as usize };
        first..self.ends[node] as usize
    }

    /// Follows every decision, all packets a hop at a time, so that those that have come to the same place meet. Asks `more`
    /// after each hop whether it may go on with so many edges more; returns whether it came to the end.
    pub(super) fn follow(&mut self, graph: &Graph, routing: &impl RoutingAlgorithm, more: impl Fn(usize) -> bool) -> bool {
        let (src, router) = (self.sources.start, graph.router_of(self.sources.start));
        let first = |(root, group): (usize, &Range<EndpointId>)| {
            let dst = group.start;
            let head = Head { src, dst, target: graph.router_of(dst), hops: 0, state: 0 };
            Waiting { router, in_port: graph.degree(router) as Port, head, from: From::Root(root) }
        };
        let mut waiting: Vec<Waiting> = self.groups.iter().enumerate().map(first).collect();
        let mut hops = 0;
        while !waiting.is_empty() {
            assert!(hops < 1 << 12, "packets of endpoint {src} do not arrive");
            hops += 1;
            let before = self.edges.len();
            waiting = self.hop(graph, routing, waiting);
            if !more(self.edges.len() - before) {
                return false;
            }
        }
        true
    }

    /// Takes all that wait over one channel.
    fn hop(&mut self, graph: &Graph, routing: &impl RoutingAlgorithm, mut waiting: Vec<Waiting>) -> Vec<Waiting> {
        waiting.sort_unstable_by_key(Waiting::key);
        let (mut next, mut choices) = (Vec::new(), Vec::new());
        for same in waiting.chunk_by(|a, b| a.key() == b.key()) {
            let node = self.ends.len() as u32;
            for one in same {
                match one.from {
                    From::Root(root) => self.roots[root] = node,
                    From::Edge(edge) => self.edges[edge].node = node,
                }
            }
            let Waiting { router, in_port, head, .. } = same[0];
            decisions(routing, Here { router, row: router, in_port }, head, &mut choices);
            let destination = graph.router_of(head.dst);
            for &(probability, choice, mut head) in choices.iter().filter(|choice| choice.0 > 0.0) {
                let channel = graph.channel(router) + u32::from(choice.port);
                let to = graph.channel_end(channel);
                let arrived = to == destination && head.target == destination;
                if to == head.target {
                    // An intermediate router has been reached: from here on to the destination.
                    head.target = destination;
                }
                if routing.reads_hops() {
                    head.hops = head.hops.saturating_add(1);
                }
                if !arrived {
                    let in_port = graph.peer_ports(router)[usize::from(choice.port)];
                    next.push(Waiting { router: to, in_port, head, from: From::Edge(self.edges.len()) });
                }
                self.edges.push(Edge { probability, channel, node: END });
            }
            self.ends.push(self.edges.len() as u32);
        }
        next
    }

    /// Adds to `load` what the channels between routers carry of what goes `to` each group.
    pub(super) fn send(&self, to: &[f64], load: &mut [f64]) {
        let mut waiting = vec![0.0; self.ends.len()];
        self.roots.iter().zip(to).for_each(|(&root, amount)| waiting[root as usize] += amount);
        for node in 0..self.ends.len() {
            for edge in &self.edges[self.edges_of(node)] {
                let amount = waiting[node] * edge.probability;
                load[edge.channel as usize] += amount;
                if edge.node != END {
                    waiting[edge.node as usize] += amount;
                }
            }
        }
    }

    /// What the way to each group costs if channels between routers have these prices.
    pub(super) fn pay(&self, prices: &[f64]) -> Vec<f64> {
        let mut cost = vec![0.0; self.ends.len()];
        for node in (0..self.ends.len()).rev() {
            let onward = |edge: &Edge| if edge.node == END { 0.0 } else { cost[edge.node as usize] };
            let of = |edge: &Edge| edge.probability * (prices[edge.channel as usize] + onward(edge));
            cost[node] = self.edges[self.edges_of(node)].iter().map(of).sum();
        }
        self.roots.iter().map(|&root| cost[root as usize]).collect()
    }
}

/// Every decision for `head` with its probability, into `choices`.
fn decisions(routing: &impl RoutingAlgorithm, here: Here, head: Head, choices: &mut Vec<(f64, Choice, Head)>) {
    choices.clear();
    if routing.reads_endpoints() {
        let mut after = head;
        let choice = routing.route(here, &mut after, &Idle, &mut Stream::new(0, Purpose::Routing, 0));
        choices.push((1.0, choice, after));
    } else {
        routing.choices(here, &head, choices);
    }
}
