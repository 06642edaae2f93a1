//! `shift` (Besta and Hoefler, SC14, section V): endpoint s sends to (s mod N/2) + N/2 or to s mod N/2, each with probability
//! 1/2. One of the two is the endpoint itself: half of the traffic does not leave the router.

use std::ops::Range;

use super::keys::active_endpoints;
use super::{Entry, Pattern, TrafficPattern};
use crate::config::{Config, ConfigErrors};
use crate::ids::EndpointId;
use crate::rng::Stream;
use crate::topology::Graph;

const NAME: &[&str] = &["shift"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "the counterpart in the other half of the endpoints or the endpoint itself, each with probability 1/2",
    keys: &[active_endpoints(NAME)],
    timed: false,
    build,
};

fn build(config: &Config, graph: &Graph) -> Result<Pattern, ConfigErrors> {
    const KEY: &str = "traffic.active_endpoints";
    let n = graph.n_endpoints();
    let active = config.get_int(KEY).unwrap_or(i64::from(n / 2 * 2));
    if active % 2 != 0 {
        return Err(config.fault(KEY, format!("active_endpoints = {active} is odd; shift pairs one half with the other")).into());
    }
    if active > i64::from(n) {
        let fault = format!("active_endpoints = {active}, but the network has {n} endpoints");
        return Err(config.fault(KEY, fault).into());
    }
    Ok(Pattern::Shift(Shift { half: active as u32 / 2 }))
}

/// Shift traffic.
#[derive(Debug)]
pub struct Shift {
    half: u32,
}

impl TrafficPattern for Shift {
    fn destination(&self, src: EndpointId, _sequence: u64, rng: &mut Stream) -> EndpointId {
        src % self.half + self.half * rng.below(2)
    }

    fn active(&self, src: EndpointId) -> bool {
        src < 2 * self.half
    }

    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
        for dst in [src % self.half, src % self.half + self.half] {
            visit(dst..dst + 1, 0.5);
        }
    }
}
