//! `uniform`: every other endpoint with equal probability.

use std::ops::Range;

use super::keys::self_traffic;
use super::{Entry, Pattern, TrafficPattern};
use crate::ids::EndpointId;
use crate::rng::Stream;

const NAME: &[&str] = &["uniform"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "every other endpoint with equal probability",
    keys: &[self_traffic(NAME)],
    timed: false,
    build: |config, graph| Ok(Pattern::Uniform(Uniform { n: graph.n_endpoints(), to_self: config.bool("traffic.self_traffic") })),
};

/// Uniform traffic.
#[derive(Debug)]
pub struct Uniform {
    n: u32,
    to_self: bool,
}

/// One of `0..n` but `src`.
#[inline]
pub(super) fn other(n: u32, src: EndpointId, rng: &mut Stream) -> EndpointId {
    let other = rng.below(n - 1);
    other + u32::from(other >= src)
}

/// The shares of `total` that [`other`] gives.
pub(super) fn others(n: u32, src: EndpointId, total: f64, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
    let each = total / f64::from(n - 1);
    visit(0..src, each);
    visit(src + 1..n, each);
}

impl TrafficPattern for Uniform {
    #[inline]
    fn destination(&self, src: EndpointId, _sequence: u64, rng: &mut Stream) -> EndpointId {
        if self.to_self {
            return rng.below(self.n);
        }
        other(self.n, src, rng)
    }

    /// Alone in the network, an endpoint has nobody to send to.
    fn active(&self, _src: EndpointId) -> bool {
        self.to_self || self.n > 1
    }

    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
        if self.to_self {
            visit(0..self.n, 1.0 / f64::from(self.n));
        } else {
            others(self.n, src, 1.0, visit);
        }
    }
}
