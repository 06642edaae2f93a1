//! Any pattern among those endpoints that are there: others neither send nor are sent to. What an endpoint sends goes to its
//! remaining destinations in the shares that they have among each other, at an unchanged load.

use std::ops::Range;

use super::{Pattern, TrafficPattern};
use crate::ids::EndpointId;
use crate::rng::Stream;

/// A pattern with some endpoints left out.
#[derive(Debug)]
pub struct Among {
    pattern: Pattern,
    live: Vec<bool>,
    /// The share of the packets of each endpoint that go to endpoints that are there; 0 if it does not send.
    kept: Vec<f64>,
    /// The mean of the weights of those that send.
    mean_weight: f64,
}

/// Why a list of messages cannot do without some of its endpoints.
pub const LIST: &str = "is a list of messages, all of which have to be delivered";

/// A share less than this is what rounding leaves of nothing.
const NOTHING: f64 = 1e-12;

impl Among {
    /// `pattern` among the endpoints that are `live`, shape `[n_endpoints]`.
    ///
    /// # Errors
    /// If the pattern goes through its destinations by number and so cannot pass over one: its kind, in words.
    pub fn new(pattern: Pattern, live: Vec<bool>) -> Result<Self, &'static str> {
        match pattern {
            Pattern::AllToAll(_) | Pattern::NearestNeighbour(_) => return Err("goes through all its destinations in turn"),
            Pattern::Messages(_) => return Err(LIST),
            _ => {}
        }
        let ids = 0..live.len() as EndpointId;
        let live_before: Vec<u32> = std::iter::once(0)
            .chain(live.iter().scan(0, |sum, &live| {
                *sum += u32::from(live);
                Some(*sum)
            }))
            .collect();
        let kept = ids.clone().map(|src| {
            let mut sum = 0.0;
            if live[src as usize] && pattern.active(src) {
                pattern.shares(src, &mut |run, share| {
                    sum += share * f64::from(live_before[run.end as usize] - live_before[run.start as usize]);
                });
            }
            if sum < NOTHING {
                0.0
            } else {
                sum
            }
        });
        let kept: Vec<f64> = kept.collect();
        let weights = ids.zip(&kept).filter(|(_, kept)| **kept > 0.0).map(|(src, _)| pattern.weight(src));
        let (sum, n) = weights.fold((0.0, 0u32), |(sum, n), weight| (sum + weight, n + 1));
        Ok(Self { pattern, live, kept, mean_weight: sum / f64::from(n.max(1)) })
    }
}

impl TrafficPattern for Among {
    fn destination(&self, src: EndpointId, sequence: u64, rng: &mut Stream) -> EndpointId {
        loop {
            let dst = self.pattern.destination(src, sequence, rng);
            if self.live[dst as usize] {
                return dst;
            }
        }
    }

    fn active(&self, src: EndpointId) -> bool {
        self.kept[src as usize] > 0.0
    }

    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
        let kept = self.kept[src as usize];
        self.pattern.shares(src, &mut |run, share| {
            let mut start = run.start;
            for part in self.live[run.start as usize..run.end as usize].chunk_by(|a, b| a == b) {
                let end = start + part.len() as EndpointId;
                if part[0] {
                    visit(start..end, share / kept);
                }
                start = end;
            }
        });
    }

    fn weight(&self, src: EndpointId) -> f64 {
        if self.active(src) {
            self.pattern.weight(src) / self.mean_weight
        } else {
            0.0
        }
    }
}
