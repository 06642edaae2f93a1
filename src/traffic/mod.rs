//! Traffic: who talks to whom (patterns) and when (injection processes), separately. A new pattern is one file, its `mod`
//! line and one line in the registry.

mod injection;
mod uniform;

pub use injection::Bernoulli;

use crate::config::{Applies, Config, ConfigErrors, Default, Key, Kind};
use crate::ids::EndpointId;
use crate::rng::Stream;
use crate::topology::Graph;

/// Who talks to whom.
pub trait TrafficPattern: Send + Sync {
    /// The destination of the next packet of `src`, which is active.
    fn destination(&self, src: EndpointId, rng: &mut Stream) -> EndpointId;

    /// Whether `src` sends at all.
    fn active(&self, src: EndpointId) -> bool;

    /// The share of packets of `src` that go to `dst`; sums to 1 over `dst` for an active `src`.
    fn share(&self, src: EndpointId, dst: EndpointId) -> f64;
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
    /// Builds it.
    pub build: fn(&Config, &Graph) -> Result<Pattern, ConfigErrors>,
}

/// Generates the registry: the enum with static dispatch and the slice, from one line per pattern.
macro_rules! registry {
    ($($variant:ident = $module:ident::$type:ident,)*) => {
        /// A built pattern.
        #[derive(Debug)]
        pub enum Pattern {
            $(#[doc = concat!("`", stringify!($module), "`.")] $variant($module::$type),)*
        }

        impl TrafficPattern for Pattern {
            #[inline]
            fn destination(&self, src: EndpointId, rng: &mut Stream) -> EndpointId {
                match self { $(Pattern::$variant(p) => p.destination(src, rng),)* }
            }

            fn active(&self, src: EndpointId) -> bool {
                match self { $(Pattern::$variant(p) => p.active(src),)* }
            }

            fn share(&self, src: EndpointId, dst: EndpointId) -> f64 {
                match self { $(Pattern::$variant(p) => p.share(src, dst),)* }
            }
        }

        /// Every pattern.
        pub const REGISTRY: &[Entry] = &[$($module::ENTRY),*];
    };
}

registry! {
    Uniform = uniform::Uniform,
}

/// Keys of `[traffic]` that do not belong to one pattern.
pub const KEYS: &[Key] = &[
    Key {
        path: "traffic.injection_rate",
        kind: Kind::Float { min: 0.0, max: 1.0 },
        default: Default::Required,
        applies: Applies::When { key: "study.kind", values: &["sweep"] },
        unit: "flits/cycle/endpoint",
        doc: "Load offered by each endpoint, as flits: a packet is generated with probability injection_rate / packet_size in \
              every cycle (Bernoulli).",
    },
    Key {
        path: "traffic.packet_size",
        kind: Kind::Int { min: 1, max: 255 },
        default: Default::Int(1),
        applies: Applies::Always,
        unit: "flits",
        doc: "Flits per packet.",
    },
];

/// The entry of a pattern.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|e| e.name == name)
}
