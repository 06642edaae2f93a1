//! Routings for the reference model, in plain words and slowly: distances are searched for at every hop. Where a routing
//! draws, it draws from the same stream of its router in the same order as the simulator, so that both can be compared
//! packet by packet.

use std::collections::HashMap;

use sfpdes::rng::{mix, Purpose, Stream};
use sfpdes::topology::Graph;

use crate::reference::packet::PacketId;
use crate::reference::router::Route;
use crate::{distances, Place};

/// The seed of inputs that name none.
const SEED: u64 = 1;

/// Chooses, for a packet at a router, whose way leads to `target` for now.
pub trait Routing {
    /// At the source: the router to go by, if it is not the destination.
    fn by_way_of(&mut self, _graph: &Graph, _place: &Place, _destination: u32) -> Option<u32> {
        None
    }

    /// The port towards `target`.
    fn port(&mut self, graph: &Graph, place: &Place, target: u32) -> usize;
}

/// The ports that lead nearer to `target`.
fn minimal(graph: &Graph, router: u32, target: u32) -> Vec<usize> {
    let distance = distances(graph, target);
    let peers = graph.peers(router);
    (0..peers.len()).filter(|&port| distance[peers[port] as usize] + 1 == distance[router as usize]).collect()
}

fn streams(graph: &Graph) -> Vec<Stream> {
    (0..graph.n_routers()).map(|r| Stream::new(SEED, Purpose::Routing, u64::from(r))).collect()
}

fn draw<'a, T>(stream: &mut Stream, list: &'a [T]) -> &'a T {
    if list.len() == 1 {
        &list[0]
    } else {
        &list[stream.below(list.len() as u32) as usize]
    }
}

/// Where packets are on their way.
pub struct Ways {
    routing: Box<dyn Routing>,
    /// Hops made, and the router to go by as long as it was not reached.
    packets: HashMap<PacketId, (usize, Option<u32>)>,
}

impl Ways {
    pub fn new(routing: Box<dyn Routing>) -> Self {
        Self { routing, packets: HashMap::new() }
    }

    /// The route of a head, hop i on VC i; `None` at its end.
    pub fn route(&mut self, graph: &Graph, place: &Place) -> Option<Route> {
        let destination = graph.router_of(place.packet.destination as u32);
        let at_source = place.in_port >= graph.degree(place.router) as usize;
        if at_source {
            let via = if place.router == destination { None } else { self.routing.by_way_of(graph, place, destination) };
            self.packets.insert(place.packet.id, (0, via));
        }
        let (hops, via) = self.packets.get_mut(&place.packet.id).expect("it began at its source");
        if *via == Some(place.router) {
            *via = None;
        }
        let target = via.unwrap_or(destination);
        if place.router == target {
            return None;
        }
        let vc = *hops;
        *hops += 1;
        Some((self.routing.port(graph, place, target), vec![vc]))
    }
}

/// The lowest port towards the target, and no detour.
pub struct Straight;

impl Routing for Straight {
    fn port(&mut self, graph: &Graph, place: &Place, target: u32) -> usize {
        minimal(graph, place.router, target)[0]
    }
}

/// Any minimal port, drawn per packet.
pub struct Split(Vec<Stream>);

impl Split {
    pub fn new(graph: &Graph) -> Self {
        Self(streams(graph))
    }
}

impl Routing for Split {
    fn port(&mut self, graph: &Graph, place: &Place, target: u32) -> usize {
        *draw(&mut self.0[place.router as usize], &minimal(graph, place.router, target))
    }
}

/// The minimal port with the fewest credits taken; equals by lot.
pub struct LeastOccupied(Vec<Stream>);

impl LeastOccupied {
    pub fn new(graph: &Graph) -> Self {
        Self(streams(graph))
    }
}

impl Routing for LeastOccupied {
    fn port(&mut self, graph: &Graph, place: &Place, target: u32) -> usize {
        let ports = minimal(graph, place.router, target);
        let least = ports.iter().map(|&port| place.occupancy[port]).min().expect("there is a way");
        let emptiest: Vec<usize> = ports.into_iter().filter(|&port| place.occupancy[port] == least).collect();
        *draw(&mut self.0[place.router as usize], &emptiest)
    }
}

/// A minimal port by a hash of the endpoints and the router.
pub struct Hashed;

impl Routing for Hashed {
    fn port(&mut self, graph: &Graph, place: &Place, target: u32) -> usize {
        let ports = minimal(graph, place.router, target);
        let endpoints = (place.packet.id.source as u64) * (1 << 32) + place.packet.destination as u64;
        let hash = mix(mix(mix(SEED) ^ endpoints) ^ u64::from(place.router));
        // The upper half of the hash as a fraction of 2^32.
        ports[(u128::from(hash >> 32) * ports.len() as u128 / (1 << 32)) as usize]
    }
}

/// By a router drawn among all others that keep the packet within the limit.
pub struct Detour {
    streams: Vec<Stream>,
    limit: Option<u32>,
}

impl Detour {
    pub fn new(graph: &Graph, limit: Option<u32>) -> Self {
        Self { streams: streams(graph), limit }
    }

    fn draw(&mut self, graph: &Graph, source: u32, destination: u32) -> u32 {
        let others: Vec<u32> = (0..graph.n_routers()).filter(|&r| r != source && r != destination).collect();
        let (to_source, to_destination) = (distances(graph, source), distances(graph, destination));
        loop {
            let via = others[self.streams[source as usize].below(others.len() as u32) as usize];
            if self.limit.is_none_or(|limit| to_source[via as usize] + to_destination[via as usize] <= limit) {
                return via;
            }
        }
    }
}

impl Routing for Detour {
    fn by_way_of(&mut self, graph: &Graph, place: &Place, destination: u32) -> Option<u32> {
        Some(self.draw(graph, place.router, destination))
    }

    fn port(&mut self, graph: &Graph, place: &Place, target: u32) -> usize {
        Straight.port(graph, place, target)
    }
}

/// What a path costs.
enum Cost {
    /// Its hops times the credits taken at its first port.
    Local,
    /// The credits taken at all its ports, as they were at the beginning of a cycle: of those that the period divides, the last
    /// that is the lag ago.
    Published { period: usize, lag: usize },
}

/// The cheapest path of the shortest and some detours. The shortest is preferred as long as it is worse by no more than the
/// threshold; a detour costs nothing to find if none can win.
pub struct Ugal {
    detour: Detour,
    candidates: usize,
    threshold: i64,
    cost: Cost,
}

impl Ugal {
    /// By what the source's router knows itself.
    pub fn local(graph: &Graph, candidates: usize, threshold: i64) -> Self {
        Self { detour: Detour::new(graph, None), candidates, threshold, cost: Cost::Local }
    }

    /// By what all routers publish every `period` cycles, known everywhere `lag` cycles later.
    pub fn global(graph: &Graph, candidates: usize, threshold: i64, period: usize, lag: usize) -> Self {
        Self { cost: Cost::Published { period, lag }, ..Self::local(graph, candidates, threshold) }
    }

    /// The cost from the place to `destination` by way of `via`, which may be the destination.
    fn cost(&self, graph: &Graph, place: &Place, via: u32, destination: u32) -> i64 {
        match self.cost {
            Cost::Local => {
                let hops = distances(graph, place.router)[via as usize] + distances(graph, destination)[via as usize];
                i64::from(hops) * place.occupancy[minimal(graph, place.router, via)[0]] as i64
            }
            Cost::Published { period, lag } => {
                let now = place.queues.len() - 1;
                let Some(known) = now.checked_sub(lag) else { return 0 };
                let published = &place.queues[known / period * period];
                let mut sum = 0;
                let mut at = place.router;
                for target in [via, destination] {
                    while at != target {
                        let port = minimal(graph, at, target)[0];
                        sum += published[at as usize][port] as i64;
                        at = graph.peers(at)[port];
                    }
                }
                sum
            }
        }
    }
}

impl Routing for Ugal {
    fn by_way_of(&mut self, graph: &Graph, place: &Place, destination: u32) -> Option<u32> {
        let shortest = self.cost(graph, place, destination, destination);
        if shortest <= self.threshold {
            return None;
        }
        let drawn: Vec<u32> = (0..self.candidates).map(|_| self.detour.draw(graph, place.router, destination)).collect();
        let costs = drawn.iter().map(|&via| self.cost(graph, place, via, destination));
        let (cost, best) = costs.zip(&drawn).min_by_key(|&(cost, _)| cost).expect("some were drawn");
        (shortest > cost + self.threshold).then_some(*best)
    }

    fn port(&mut self, graph: &Graph, place: &Place, target: u32) -> usize {
        Straight.port(graph, place, target)
    }
}
