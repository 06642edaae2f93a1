//! Routing: the next port and the virtual channels a packet may take there, from the graph's data and what the router
//! itself can see. A new algorithm is one file, its `mod` line and one line in the registry.

pub mod coded;
mod cycle;
pub mod deadlock;
mod dependencies;
pub mod detours;
pub mod dimension_order;
pub mod distances;
pub mod ecmp;
pub mod ecube;
pub mod esv;
mod first_hops;
pub mod layers;
pub mod min;
pub mod min_adaptive;
pub mod minimal;
pub mod port_sets;
pub mod safety_level;
pub mod safety_vector;
mod set;
mod survey;
pub mod table;
mod two_legs;
pub mod ugal;
pub mod ugal_g;
pub mod ugal_l;
pub mod valiant;
pub mod vc;

pub use survey::Survey;

use crate::config::{Config, ConfigErrors, Key};
use crate::ids::{Cycle, EndpointId, Port, RouterId};
use crate::rng::Stream;
use crate::topology::Sizes;
use detours::Detours;

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
    /// Virtual channels allowed there, bit v for VC v. 0 only if there is no way on: the packet is dropped. That happens after
    /// failures during a run, and to nothing else.
    pub vcs: u32,
}

/// What a router can see of its own outputs; adaptive algorithms read it.
pub trait View {
    /// Flits at or beyond output `port` that hold its downstream buffer: taken credits over all VCs.
    fn occupancy(&self, port: Port) -> u32;

    /// The same of any channel of the network, by its global index, as it was published on the board of queue lengths some
    /// cycles ago; 0 where there is no board, or nothing on it yet.
    fn published(&self, _channel: u32) -> u32 {
        0
    }

    /// The present cycle, for algorithms that know what happens when; 0 for static analyses.
    fn now(&self) -> Cycle {
        0
    }
}

/// An algorithm, built for the routers of one partition.
pub trait RoutingAlgorithm: Send + Sync {
    /// Decides at a router other than `head.target`. Called once per packet and hop.
    fn route(&self, here: Here, head: &mut Head, view: &impl View, rng: &mut Stream) -> Choice
    where
        Self: Sized;

    /// Every decision `route` could take here, with its probability and the head as it would leave (`hops` still without
    /// the channel it takes): what static analyses read. They are appended to `out`.
    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>);

    /// Whether a packet for router `to` may enter the network at router `from` in cycle `now`; one that may not is counted at its
    /// source. Static analyses see the same in `choices`, which offer such a packet none.
    fn admits(&self, _from: RouterId, _to: RouterId, _now: Cycle) -> bool {
        true
    }

    /// Whether `admits` can say no.
    fn refuses(&self) -> bool {
        false
    }

    /// If decisions change during the run, because something fails: the messages by which routers hear of it, and the longest
    /// chain of them. `choices` are then those of the start.
    fn changes(&self) -> Option<Update> {
        None
    }

    /// Why the algorithm as built cannot deadlock, if there is an exact argument that needs no look at the dependency
    /// graph. Must not depend on which routers it was built for.
    fn argument(&self) -> Option<&'static str> {
        None
    }

    /// Whether a decision can depend on `head.hops`. Static analyses have fewer cases to tell apart where it cannot.
    fn reads_hops(&self) -> bool {
        true
    }

    /// Whether decisions depend on which endpoints of two routers a packet is for. `choices` are then those for all of them;
    /// `route` makes the one for those of its packet, and neither draws nor looks at the view.
    fn reads_endpoints(&self) -> bool {
        false
    }

    /// How the algorithm is made of shortest paths and detours, if that is all it does. Static analyses then follow legs and
    /// not whole paths, of which there are N_r times as many.
    fn two_legs(&self) -> Option<TwoLegs<'_>> {
        None
    }
}

/// An algorithm that decides at the source, by whatever it sees there, for the shortest path or for one of all allowed
/// detours, and takes a shortest path on each leg.
#[derive(Clone, Copy, Debug)]
pub struct TwoLegs<'a> {
    /// The detours and the shortest paths.
    pub detours: &'a Detours,
    /// Whether packets may go straight although there is a detour.
    pub straight: bool,
}

/// What it costs to tell the routers of failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Messages between neighbours.
    pub messages: u64,
    /// The longest chain of messages that each told something because of the one before.
    pub rounds: u32,
}

/// Bytes that the tables of an algorithm take, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// For each router of a partition.
    pub per_row: u64,
    /// Once per process.
    pub shared: u64,
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
    /// Whether decisions read the [`View`]. The probabilities of [`RoutingAlgorithm::choices`] are then those of an idle
    /// network.
    pub adaptive: bool,
    /// Whether it knows of faulty routers and links. Others are refused on a network that has some.
    pub tolerates_faults: bool,
    /// The most router-to-router channels a packet can cross on this graph.
    pub max_hops: fn(&Config, &Survey) -> u32,
    /// The fewest VCs with which it is free of deadlock on this graph; 1 where only the dependency graph can tell.
    pub vcs_required: fn(&Config, &Survey) -> u32,
    /// What its tables take on a network of these sizes, before there is one.
    pub memory: fn(&Config, &Sizes) -> Memory,
    /// Builds it with table rows for `routers` only, in that order: `Here::row` indexes them.
    pub build: fn(&Config, &Survey, routers: &[RouterId]) -> Result<Routing, ConfigErrors>,
}

/// The key that selects the algorithm.
pub const ALGORITHM: &str = "routing.algorithm";

/// Makes the enum, its dispatch and the registry of one line per algorithm: `module::Type`, where the module has an
/// `ENTRY`. A `match` per head costs a nanosecond; a trait object would cost two and its own allocation.
macro_rules! algorithms {
    ($($module:ident :: $Algorithm:ident),* $(,)?) => {
        /// A built algorithm.
        #[derive(Clone, Debug)]
        pub enum Routing {
            $(
                #[doc = concat!("See [`", stringify!($module), "`].")]
                $Algorithm($module::$Algorithm),
            )*
        }

        impl RoutingAlgorithm for Routing {
            #[inline]
            fn route(&self, here: Here, head: &mut Head, view: &impl View, rng: &mut Stream) -> Choice {
                match self {
                    $(Routing::$Algorithm(algorithm) => algorithm.route(here, head, view, rng),)*
                }
            }

            fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
                match self {
                    $(Routing::$Algorithm(algorithm) => algorithm.choices(here, head, out),)*
                }
            }

            #[inline]
            fn admits(&self, from: RouterId, to: RouterId, now: Cycle) -> bool {
                match self {
                    $(Routing::$Algorithm(algorithm) => algorithm.admits(from, to, now),)*
                }
            }

            fn refuses(&self) -> bool {
                match self {
                    $(Routing::$Algorithm(algorithm) => algorithm.refuses(),)*
                }
            }

            fn changes(&self) -> Option<Update> {
                match self {
                    $(Routing::$Algorithm(algorithm) => algorithm.changes(),)*
                }
            }

            fn argument(&self) -> Option<&'static str> {
                match self {
                    $(Routing::$Algorithm(algorithm) => algorithm.argument(),)*
                }
            }

            fn reads_hops(&self) -> bool {
                match self {
                    $(Routing::$Algorithm(algorithm) => algorithm.reads_hops(),)*
                }
            }

            fn reads_endpoints(&self) -> bool {
                match self {
                    $(Routing::$Algorithm(algorithm) => algorithm.reads_endpoints(),)*
                }
            }

            fn two_legs(&self) -> Option<TwoLegs<'_>> {
                match self {
                    $(Routing::$Algorithm(algorithm) => algorithm.two_legs(),)*
                }
            }
        }

        /// Every algorithm.
        pub const REGISTRY: &[Entry] = &[$($module::ENTRY),*];
    };
}

algorithms! {
    min::Min,
    min_adaptive::MinAdaptive,
    valiant::Valiant,
    ugal_l::UgalL,
    ugal_g::UgalG,
    ecmp::Ecmp,
    dimension_order::DimensionOrder,
    ecube::Ecube,
    safety_level::SafetyLevel,
    safety_vector::SafetyVector,
    esv::Esv,
}
