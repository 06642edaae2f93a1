//! `all-to-all`: every endpoint sends to all others in turn; in phase i, endpoint s to s + 1 + i, around. If all keep step,
//! each phase is a permutation.

use std::ops::Range;

use super::uniform::others;
use super::{keys, Entry, Pattern, TrafficPattern};
use crate::ids::EndpointId;
use crate::rng::Stream;

const NAME: &[&str] = &["all-to-all"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "all other endpoints in turn, beginning with the next, around",
    keys: &[keys::phase_packets(NAME)],
    timed: false,
    build: |config, graph| {
        let phase = config.int("traffic.phase_packets") as u64;
        Ok(Pattern::AllToAll(AllToAll { n: graph.n_endpoints(), phase }))
    },
};

/// All-to-all traffic.
#[derive(Debug)]
pub struct AllToAll {
    n: u32,
    /// Packets to one endpoint before the next.
    phase: u64,
}

impl TrafficPattern for AllToAll {
    fn destination(&self, src: EndpointId, sequence: u64, _rng: &mut Stream) -> EndpointId {
        let n = u64::from(self.n);
        ((u64::from(src) + 1 + sequence / self.phase % (n - 1)) % n) as EndpointId
    }

    fn active(&self, _src: EndpointId) -> bool {
        self.n > 1
    }

    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
        others(self.n, src, 1.0, visit);
    }
}
