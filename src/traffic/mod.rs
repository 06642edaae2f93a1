//! Traffic: who talks to whom (patterns) and when (injection), separately. A new pattern is one file, its `mod` line and one
//! line in the registry.

mod all_to_all;
pub mod among;
mod bit_complement;
mod bit_reverse;
mod bits;
mod chains;
mod csv;
mod fixed;
mod grid;
mod hotspot;
mod injection;
mod keys;
mod matrix;
mod messages;
mod nearest_neighbour;
mod process;
mod random_permutation;
mod shift;
mod shuffle;
mod sizes;
mod tornado;
mod transpose;
mod uniform;
mod worst_case_exchange;
mod worst_case_link;

use std::ops::Range;

pub use among::Among;
pub use injection::{Generated, Injection};
pub use keys::keys;
pub use messages::{Message, MessageList};
pub use process::{Bernoulli, OnOff, Process};
pub use sizes::{largest_packet, PacketSizes};

use crate::config::{Config, ConfigErrors, Key};
use crate::ids::EndpointId;
use crate::rng::Stream;
use crate::topology::Graph;

/// The key that selects the pattern.
pub const PATTERN: &str = "traffic.pattern";

/// Who talks to whom.
pub trait TrafficPattern: Send + Sync {
    /// The destination of packet number `sequence` of `src`, which is active; packets of an endpoint are numbered from 0.
    fn destination(&self, src: EndpointId, sequence: u64, rng: &mut Stream) -> EndpointId;

    /// Whether `src` sends at all.
    fn active(&self, src: EndpointId) -> bool;

    /// Says to whom `src`, which is active, sends: calls `visit` with runs of endpoints and the share of the packets that
    /// goes to **each** endpoint of the run. Runs may overlap, shares then add up; their sum over endpoints is 1. Exact, in
    /// the long run where a pattern goes through its destinations in turn.
    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64));

    /// The load of `src` in units of the injection rate: 0 if it is not active. The mean over active endpoints is 1.
    fn weight(&self, src: EndpointId) -> f64 {
        f64::from(u8::from(self.active(src)))
    }

    /// The share of the packets of `src` that go to `dst`; 0 if `src` is not active.
    fn share(&self, src: EndpointId, dst: EndpointId) -> f64 {
        let mut sum = 0.0;
        if self.active(src) {
            self.shares(src, &mut |run, share| sum += if run.contains(&dst) { share } else { 0.0 });
        }
        sum
    }
}

/// A pattern as the program knows it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The value of `traffic.pattern`.
    pub name: &'static str,
    /// One line for the reference.
    pub summary: &'static str,
    /// The keys it reads.
    pub keys: &'static [Key],
    /// Whether it brings the times of its packets with it; the keys of injection mean nothing then.
    pub timed: bool,
    /// Builds it.
    pub build: fn(&Config, &Graph) -> Result<Pattern, ConfigErrors>,
}

/// Generates the registry: the enum with static dispatch and the slice, from one line per pattern: its module, and its type
/// if it has one of its own. The others build a [`fixed::Fixed`].
macro_rules! registry {
    ($($module:ident $(:: $type:ident)?,)*) => {
        /// A built pattern.
        #[derive(Debug)]
        pub enum Pattern {
            /// Every endpoint has one destination.
            Fixed(fixed::Fixed),
            /// Another pattern without some endpoints.
            Among(Box<Among>),
            $($(#[doc = concat!("`", stringify!($module), "`.")] $type($module::$type),)?)*
        }

        impl TrafficPattern for Pattern {
            #[inline]
            fn destination(&self, src: EndpointId, sequence: u64, rng: &mut Stream) -> EndpointId {
                match self {
                    Pattern::Fixed(p) => p.destination(src, sequence, rng),
                    Pattern::Among(p) => p.destination(src, sequence, rng),
                    $($(Pattern::$type(p) => p.destination(src, sequence, rng),)?)*
                }
            }

            fn active(&self, src: EndpointId) -> bool {
                match self {
                    Pattern::Fixed(p) => p.active(src),
                    Pattern::Among(p) => p.active(src),
                    $($(Pattern::$type(p) => p.active(src),)?)*
                }
            }

            fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
                match self {
                    Pattern::Fixed(p) => p.shares(src, visit),
                    Pattern::Among(p) => p.shares(src, visit),
                    $($(Pattern::$type(p) => p.shares(src, visit),)?)*
                }
            }

            #[inline]
            fn weight(&self, src: EndpointId) -> f64 {
                match self {
                    Pattern::Fixed(p) => p.weight(src),
                    Pattern::Among(p) => p.weight(src),
                    $($(Pattern::$type(p) => p.weight(src),)?)*
                }
            }
        }

        /// Every pattern.
        pub const REGISTRY: &[Entry] = &[$($module::ENTRY),*];
    };
}

registry! {
    uniform::Uniform,
    shuffle,
    bit_reverse,
    bit_complement,
    transpose,
    tornado,
    shift::Shift,
    random_permutation,
    hotspot::Hotspot,
    worst_case_link,
    worst_case_exchange,
    all_to_all::AllToAll,
    nearest_neighbour::NearestNeighbour,
    matrix::Matrix,
    messages::Messages,
}

impl Pattern {
    /// The messages of a pattern that is a list of them.
    #[must_use]
    pub fn messages(&self) -> Option<&std::sync::Arc<MessageList>> {
        match self {
            Pattern::Messages(messages) => Some(&messages.list),
            _ => None,
        }
    }

    /// Which of `n_endpoints` endpoints send, and which are sent to.
    #[must_use]
    pub fn parties(&self, n_endpoints: u32) -> Parties {
        let mut parties = Parties { active: vec![false; n_endpoints as usize], receiving: Vec::new() };
        // Where runs begin and end: a run may be as long as the network, and there are as many as endpoints.
        let mut edges = vec![0i64; n_endpoints as usize + 1];
        for src in (0..n_endpoints).filter(|&src| self.active(src)) {
            parties.active[src as usize] = true;
            self.shares(src, &mut |run, share| {
                if share > 0.0 {
                    edges[run.start as usize] += 1;
                    edges[run.end as usize] -= 1;
                }
            });
        }
        let depth = edges.iter().scan(0, |sum, &edge| {
            *sum += edge;
            Some(*sum)
        });
        parties.receiving = depth.take(n_endpoints as usize).map(|runs| runs > 0).collect();
        parties
    }
}

/// Who takes part in a pattern; shapes `[n_endpoints]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parties {
    /// The endpoints that send.
    pub active: Vec<bool>,
    /// The endpoints that are sent to.
    pub receiving: Vec<bool>,
}

/// The entry of a pattern.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|e| e.name == name)
}
