//! All ways of the packets of a pattern: what channels carry if each source sends so much, and what each source pays if channels
//! have prices.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::channel_load::add_up;
use super::decisions::Origin;
use super::legs::{self, Legs};
use super::Demand;
use crate::ids::EndpointId;
use crate::routing::detours::Detours;
use crate::routing::{RoutingAlgorithm, TwoLegs};
use crate::topology::Graph;
use crate::traffic::TrafficPattern;

/// Decisions that are followed at most: 64 MB of them.
const MOST_EDGES: usize = 1 << 22;

/// Less than this, in flits per cycle, is what rounding leaves of nothing.
const NOTHING: f64 = 1e-12;

/// The ways of all packets of a pattern. Channels are those between routers, then those into endpoints.
pub(super) struct Paths<'a, P> {
    graph: &'a Graph,
    pattern: &'a P,
    ways: Ways<'a>,
}

enum Ways<'a> {
    /// Every decision of each router's endpoints, or of each endpoint.
    Decisions(Vec<Origin>),
    /// By any other router, which is far too many decisions; but the two legs do not depend on each other.
    ByAny(&'a Detours),
}

impl<'a, P: TrafficPattern> Paths<'a, P> {
    /// Of `pattern` under `routing`, which is built for all routers in their order and is not adaptive; `None` if there are too
    /// many decisions to follow.
    pub(super) fn new(graph: &'a Graph, routing: &'a impl RoutingAlgorithm, pattern: &'a P) -> Option<Self> {
        let ways = match routing.two_legs() {
            Some(TwoLegs { detours, straight: false }) if legs::are_apart(graph, detours) => Ways::ByAny(detours),
            _ => Ways::Decisions(decisions(graph, routing, pattern)?),
        };
        Some(Self { graph, pattern, ways })
    }

    /// Channels.
    pub(super) fn n_channels(&self) -> usize {
        self.graph.n_channels() + self.graph.n_endpoints() as usize
    }

    /// The steps of walking everything once, roughly.
    pub(super) fn size(&self) -> usize {
        let graph = self.graph;
        match &self.ways {
            Ways::Decisions(origins) => origins.iter().map(|o| o.n_edges() + o.sources.len() + o.groups.len()).sum(),
            Ways::ByAny(_) => graph.n_routers() as usize * graph.n_channels() + graph.n_endpoints() as usize,
        }
    }

    /// What each channel carries if each source sends as much as `sent` says. Shapes `[n_channels]`, `[n_endpoints]`.
    pub(super) fn loads(&self, sent: &[f64]) -> Vec<f64> {
        match &self.ways {
            Ways::Decisions(origins) => {
                let (between, n) = (self.graph.n_channels(), self.graph.n_endpoints() as usize);
                let mut load = add_up(origins.len() as u32, |run| {
                    // Behind the channels, what changes from one endpoint to the next of what all are sent.
                    let mut load = vec![0.0; between + n + 1];
                    for origin in &origins[run.start as usize..run.end as usize] {
                        let (network, changes) = load.split_at_mut(between);
                        origin.send(&self.destined(origin, sent, changes), network);
                    }
                    load
                });
                let mut sum = 0.0;
                load[between..].iter_mut().for_each(|load| {
                    sum += *load;
                    // What rounding leaves of nothing is nothing.
                    *load = if sum > NOTHING { sum } else { 0.0 };
                });
                load.truncate(between + n);
                load
            }
            Ways::ByAny(detours) => {
                let demand = Demand::at(self.graph, self.pattern, |src| sent[src as usize]);
                let legs = Legs::new(self.graph, detours, &demand);
                let mut load = add_up(self.graph.n_routers(), |targets| legs.loads(targets));
                load.extend(&demand.ejected);
                load
            }
        }
    }

    /// What the sources of `origin` send to each of its groups. Adds to `changes` where it begins and ends that endpoints are
    /// sent something.
    fn destined(&self, origin: &Origin, sent: &[f64], changes: &mut [f64]) -> Vec<f64> {
        let groups = &origin.groups;
        // To each endpoint of all groups from here on, and to a group beside that.
        let (mut from_here, mut amounts) = (vec![0.0; groups.len() + 1], vec![0.0; groups.len()]);
        for src in origin.sources.clone().filter(|&src| self.pattern.active(src)) {
            self.pattern.shares(src, &mut |run, share| {
                let each = share * sent[src as usize];
                changes[run.start as usize] += each;
                changes[run.end as usize] -= each;
                let met = met(groups, &run);
                let Some(last) = met.clone().last() else { return };
                amounts[met.start] += each * overlap(&groups[met.start], &run);
                if last > met.start {
                    amounts[last] += each * overlap(&groups[last], &run);
                    from_here[met.start + 1] += each;
                    from_here[last] -= each;
                }
            });
        }
        let mut each = 0.0;
        for (at, amount) in amounts.iter_mut().enumerate() {
            each += from_here[at];
            *amount += each * groups[at].len() as f64;
        }
        amounts
    }

    /// What each source pays for a flit on average if the channels have these prices. Shapes `[n_endpoints]`, `[n_channels]`.
    pub(super) fn costs(&self, prices: &[f64]) -> Vec<f64> {
        let (between, into) = prices.split_at(self.graph.n_channels());
        let into = Sums::of(into.iter().copied());
        match &self.ways {
            Ways::Decisions(origins) => {
                let of = |origin: &Origin| self.means(origin.sources.clone(), &origin.groups, &origin.pay(between), &into);
                origins.par_iter().flat_map_iter(of).collect()
            }
            Ways::ByAny(detours) => {
                let costs = legs::costs(self.graph, detours, between);
                let n = self.graph.n_routers();
                let groups: Vec<Range<EndpointId>> = (0..n).map(|r| self.graph.endpoints(r)).collect();
                let of = |router: u32| {
                    let row = &costs[router as usize * n as usize..][..n as usize];
                    self.means(groups[router as usize].clone(), &groups, row, &into)
                };
                (0..n).into_par_iter().flat_map_iter(of).collect()
            }
        }
    }

    /// What each of `sources` pays on average, if the ways to `groups` have these `costs` and the channels into endpoints the
    /// prices that `into` sums up.
    fn means(&self, sources: Range<EndpointId>, groups: &[Range<EndpointId>], costs: &[f64], into: &Sums) -> Vec<f64> {
        let ways = Sums::of(groups.iter().zip(costs).map(|(group, cost)| group.len() as f64 * cost));
        let way = |run: &Range<EndpointId>| {
            let met = met(groups, run);
            let Some(last) = met.clone().last() else { return 0.0 };
            let part = |at: usize| overlap(&groups[at], run) * costs[at];
            part(met.start) + if last > met.start { ways.over(met.start + 1..last) + part(last) } else { 0.0 }
        };
        let mean = |src: EndpointId| {
            let mut mean = 0.0;
            if self.pattern.active(src) {
                self.pattern.shares(src, &mut |run, share| {
                    mean += share * (way(&run) + into.over(run.start as usize..run.end as usize));
                });
            }
            mean
        };
        sources.map(mean).collect()
    }
}

/// Those of ascending `groups` that have endpoints in `run`, or are empty and between such.
fn met(groups: &[Range<EndpointId>], run: &Range<EndpointId>) -> Range<usize> {
    groups.partition_point(|group| group.end <= run.start)..groups.partition_point(|group| group.start < run.end)
}

/// How many endpoints two runs have in common.
fn overlap(a: &Range<EndpointId>, b: &Range<EndpointId>) -> f64 {
    f64::from(a.end.min(b.end).saturating_sub(a.start.max(b.start)))
}

/// Sums of runs of values.
struct Sums(Vec<f64>);

impl Sums {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let before = values.scan(0.0, |sum, value| {
            *sum += value;
            Some(*sum)
        });
        Self(std::iter::once(0.0).chain(before).collect())
    }

    fn over(&self, run: Range<usize>) -> f64 {
        if run.is_empty() {
            0.0
        } else {
            self.0[run.end] - self.0[run.start]
        }
    }
}

/// Every decision, from each router with endpoints, or from each endpoint where decisions read them.
fn decisions(graph: &Graph, routing: &impl RoutingAlgorithm, pattern: &impl TrafficPattern) -> Option<Vec<Origin>> {
    let by_endpoint = routing.reads_endpoints();
    let groups: Vec<Range<EndpointId>> = if by_endpoint {
        (0..graph.n_endpoints()).map(|e| e..e + 1).collect()
    } else {
        (0..graph.n_routers()).map(|r| graph.endpoints(r)).filter(|group| !group.is_empty()).collect()
    };
    // Whether the sum exceeds the limit does not depend on who adds first.
    let n_edges = AtomicUsize::new(0);
    let follow = |sources: Range<EndpointId>| {
        let mut origin = Origin::new(graph, pattern, sources, by_endpoint);
        let few = origin.follow(graph, routing, |new| n_edges.fetch_add(new, Ordering::Relaxed) + new <= MOST_EDGES);
        few.then_some(origin)
    };
    groups.into_par_iter().map(follow).collect()
}
