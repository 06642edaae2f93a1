//! `hotspot`: some endpoints get more than the others.

use std::ops::Range;

use super::uniform::{other, others};
use super::{keys, Entry, Pattern, TrafficPattern};
use crate::config::{Config, ConfigErrors, Default, Key, Kind};
use crate::ids::EndpointId;
use crate::rng::Stream;
use crate::topology::Graph;

const NAME: &[&str] = &["hotspot"];
const ENDPOINTS: &str = "traffic.hot_endpoints";

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "a share of the packets to the hot endpoints, the rest uniform",
    keys: &[
        Key {
            path: ENDPOINTS,
            kind: Kind::Ints { min: 0, max: u32::MAX as i64 - 1 },
            default: Default::Required,
            applies: keys::applies(NAME),
            unit: "endpoints",
            doc: "The hot endpoints, for example [0, 100].",
        },
        Key {
            path: "traffic.hot_share",
            kind: Kind::Float { min: 0.0, max: 1.0 },
            default: Default::Required,
            applies: keys::applies(NAME),
            unit: "1",
            doc: "Share of the packets of every endpoint that go to the hot endpoints, to each with equal probability but never to \
                  itself. The rest goes to every other endpoint, hot or not, with equal probability.",
        },
    ],
    timed: false,
    build,
};

fn build(config: &Config, graph: &Graph) -> Result<Pattern, ConfigErrors> {
    let n = graph.n_endpoints();
    let hot: Vec<i64> = config.get_ints(ENDPOINTS).unwrap_or_default().to_vec();
    let mut faults = ConfigErrors::default();
    for (i, &e) in hot.iter().enumerate() {
        if e >= i64::from(n) {
            faults.0.push(config.fault(ENDPOINTS, format!("there is no endpoint {e}: the network has {n}, numbered from 0")));
        } else if hot[..i].contains(&e) {
            faults.0.push(config.fault(ENDPOINTS, format!("endpoint {e} stands twice among the hot ones")));
        }
    }
    if !faults.0.is_empty() {
        return Err(faults);
    }
    let mut hot: Vec<EndpointId> = hot.into_iter().map(|e| e as EndpointId).collect();
    hot.sort_unstable();
    Ok(Pattern::Hotspot(Hotspot { n, hot, share: config.float("traffic.hot_share") }))
}

/// Hotspot traffic.
#[derive(Debug)]
pub struct Hotspot {
    n: u32,
    /// Ascending.
    hot: Vec<EndpointId>,
    share: f64,
}

impl Hotspot {
    /// The place of `src` among the hot ones, and how many are left for it to send to.
    fn targets(&self, src: EndpointId) -> (Option<usize>, u32) {
        let own = self.hot.binary_search(&src).ok();
        (own, (self.hot.len() - usize::from(own.is_some())) as u32)
    }
}

impl TrafficPattern for Hotspot {
    fn destination(&self, src: EndpointId, _sequence: u64, rng: &mut Stream) -> EndpointId {
        let (own, targets) = self.targets(src);
        // `open01` is never 0: a share of 0 never sends there, one of 1 always.
        if targets > 0 && rng.open01() <= self.share {
            let pick = rng.below(targets) as usize;
            return self.hot[pick + usize::from(own.is_some_and(|own| pick >= own))];
        }
        other(self.n, src, rng)
    }

    fn active(&self, _src: EndpointId) -> bool {
        self.n > 1
    }

    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
        let (own, targets) = self.targets(src);
        let hot = if targets > 0 { self.share } else { 0.0 };
        for (_, &dst) in self.hot.iter().enumerate().filter(|&(i, _)| Some(i) != own) {
            visit(dst..dst + 1, hot / f64::from(targets));
        }
        others(self.n, src, 1.0 - hot, visit);
    }
}
