//! `uniform`: every other endpoint with equal probability.

use crate::config::{Applies, Config, ConfigErrors, Default, Key, Kind};
use crate::ids::EndpointId;
use crate::rng::Stream;
use crate::topology::Graph;
use crate::traffic::{Entry, Pattern, TrafficPattern};

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: "uniform",
    summary: "every other endpoint with equal probability",
    keys: &[Key {
        path: "traffic.self_traffic",
        kind: Kind::Bool,
        default: Default::Bool(false),
        applies: Applies::When { key: "traffic.pattern", values: &["uniform"] },
        unit: "",
        doc: "Whether an endpoint also sends to itself, as BookSim2's uniform traffic does. Such a packet passes through the \
              router once and takes an ejection channel.",
    }],
    build,
};

fn build(config: &Config, graph: &Graph) -> Result<Pattern, ConfigErrors> {
    Ok(Pattern::Uniform(Uniform { n: graph.n_endpoints(), to_self: config.bool("traffic.self_traffic") }))
}

/// Uniform traffic.
#[derive(Debug)]
pub struct Uniform {
    n: u32,
    to_self: bool,
}

impl TrafficPattern for Uniform {
    fn destination(&self, src: EndpointId, rng: &mut Stream) -> EndpointId {
        if self.to_self {
            return rng.below(self.n);
        }
        let other = rng.below(self.n - 1);
        other + u32::from(other >= src)
    }

    /// Alone in the network, an endpoint has nobody to send to.
    fn active(&self, _src: EndpointId) -> bool {
        self.to_self || self.n > 1
    }

    fn share(&self, src: EndpointId, dst: EndpointId) -> f64 {
        match (self.to_self, src == dst) {
            (true, _) => 1.0 / f64::from(self.n),
            (false, true) => 0.0,
            (false, false) => 1.0 / f64::from(self.n - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    #[test]
    fn destinations_follow_the_stated_shares() {
        for to_self in [false, true] {
            let pattern = Uniform { n: 5, to_self };
            let mut rng = Stream::new(1, Purpose::Destination, 3);
            let mut counts = [0u32; 5];
            for _ in 0..50_000 {
                counts[pattern.destination(3, &mut rng) as usize] += 1;
            }
            for dst in 0..5 {
                let expected = 50_000.0 * pattern.share(3, dst);
                assert!((f64::from(counts[dst as usize]) - expected).abs() <= 4.5 * expected.sqrt(), "{counts:?}");
            }
        }
    }
}
