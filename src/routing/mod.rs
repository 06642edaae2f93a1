//! Routing: the next port and the virtual channels a packet may take there, from the graph's data and what the router
//! itself can see. A new algorithm is one file, its `mod` line and one line in the registry.

use crate::config::{Config, ConfigErrors, Key};
use crate::ids::{EndpointId, Port, RouterId};
use crate::rng::Stream;
use crate::topology::Graph;

/// Where a head is when it is routed.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// The router.
    pub router: RouterId,
    /// Its row in the tables built for this partition.
    pub row: u32,
    /// The port it came in by; an endpoint port (>= degree) at the first router.
    pub in_port: Port,
}

/// What a routing reads and writes of a packet's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Source endpoint.
    pub src: EndpointId,
    /// Destination endpoint.
    pub dst: EndpointId,
    /// The router to reach next: the destination's, or an intermediate one.
    pub target: RouterId,
    /// Router-to-router channels crossed so far.
    pub hops: u8,
    /// Scratch of the algorithm, 0 at injection; travels with the packet.
    pub state: u8,
}

/// A routing decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Output port.
    pub port: Port,
    /// Virtual channels allowed there, bit v for VC v; never 0.
    pub vcs: u32,
}

/// What a router can see of its own outputs; adaptive algorithms read it.
pub trait View {
    /// Flits at or beyond output `port` that hold its downstream buffer: taken credits over all VCs.
    fn occupancy(&self, port: Port) -> u32;
}

/// An algorithm, built for the routers of one partition.
pub trait RoutingAlgorithm: Send + Sync {
    /// Decides at a router other than `head.target`. Called once per packet and hop.
    fn route(&self, here: Here, head: &mut Head, view: &impl View, rng: &mut Stream) -> Choice
    where
        Self: Sized;

    /// Every decision `route` could take here, with its probability and the head as it would leave: what static analyses read.
    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>);
}

/// An algorithm as the program knows it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The value of `routing.algorithm`.
    pub name: &'static str,
    /// One line for the reference.
    pub summary: &'static str,
    /// The topologies it accepts; empty for any connected network.
    pub topologies: &'static [&'static str],
    /// The keys it reads.
    pub keys: &'static [Key],
    /// The fewest VCs with which it is free of deadlock on this graph.
    pub vcs_required: fn(&Config, &Graph) -> u32,
    /// Builds it with table rows for `routers` only, in that order: `Here::row` indexes them.
    pub build: fn(&Config, &Graph, routers: &[RouterId]) -> Result<Routing, ConfigErrors>,
}

/// A built algorithm.
#[derive(Debug)]
pub enum Routing {}

/// Every algorithm.
pub const REGISTRY: &[Entry] = &[];
