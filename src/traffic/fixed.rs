//! Patterns in which every endpoint has one destination: what permutations are built as.

use std::ops::Range;

use super::{Pattern, TrafficPattern};
use crate::config::Config;
use crate::ids::EndpointId;
use crate::rng::Stream;

/// Stands for the destination of an endpoint that does not send.
const NOBODY: EndpointId = EndpointId::MAX;

/// One destination per endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// Destination of every endpoint; `NOBODY` if it does not send. Shape `[n_endpoints]`.
    to: Vec<EndpointId>,
}

impl Fixed {
    /// The pattern in which `src` sends to `to(src)`, if that is somebody.
    pub fn new(n_endpoints: u32, to: impl FnMut(EndpointId) -> Option<EndpointId>) -> Self {
        Self { to: (0..n_endpoints).map(to).map(|dst| dst.unwrap_or(NOBODY)).collect() }
    }

    /// The permutation `image` of those of `n_endpoints` endpoints that have one. An endpoint that is its own image sends
    /// only if `traffic.self_traffic` says so.
    pub fn permutation(config: &Config, n_endpoints: u32, image: impl Fn(EndpointId) -> Option<EndpointId>) -> Pattern {
        let to_self = config.bool("traffic.self_traffic");
        Pattern::Fixed(Self::new(n_endpoints, |src| image(src).filter(|&dst| to_self || dst != src)))
    }
}

impl TrafficPattern for Fixed {
    #[inline]
    fn destination(&self, src: EndpointId, _sequence: u64, _rng: &mut Stream) -> EndpointId {
        self.to[src as usize]
    }

    fn active(&self, src: EndpointId) -> bool {
        self.to[src as usize] != NOBODY
    }

    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
        let dst = self.to[src as usize];
        visit(dst..dst + 1, 1.0);
    }
}
