//! How much traffic goes from router to router: a pattern's shares, added up over the endpoints of each.

use crate::ids::{EndpointId, RouterId};
use crate::topology::Graph;
use crate::traffic::TrafficPattern;

/// Flits per cycle from router to router at an injection rate of 1, as runs of destinations with the same value: where a
/// pattern treats many alike, memory does not follow pairs.
#[derive(Clone, Debug)]
pub struct Demand {
    /// Of each source router, where each run ends (exclusive) and its value; ascending, the last ends at `n_routers`.
    rows: Vec<Vec<(RouterId, f64)>>,
    /// Flits per cycle into each endpoint; shape `[n_endpoints]`.
    pub ejected: Vec<f64>,
    /// Flits per cycle out of each endpoint; shape `[n_endpoints]`.
    pub injected: Vec<f64>,
}

impl Demand {
    /// Of `pattern` on `graph`. Costs N_r^2 + N times the runs that the pattern tells of each endpoint.
    #[must_use]
    pub fn new(graph: &Graph, pattern: &impl TrafficPattern) -> Self {
        Self::at(graph, pattern, |src| pattern.weight(src))
    }

    /// As `new`, if each source sends as many flits per cycle as `rate` says.
    #[must_use]
    pub fn at(graph: &Graph, pattern: &impl TrafficPattern, rate: impl Fn(EndpointId) -> f64) -> Self {
        let (n_routers, n) = (graph.n_routers(), graph.n_endpoints());
        let size = |r: RouterId| graph.endpoints(r).len() as f64;
        // What changes from one endpoint, or router, to the next: a run then costs two additions.
        let mut ejected = vec![0.0; n as usize + 1];
        let mut whole = vec![0.0; n_routers as usize + 1];
        let mut row = vec![0.0; n_routers as usize];
        let rows = (0..n_routers).map(|source| {
            whole.fill(0.0);
            row.fill(0.0);
            for src in graph.endpoints(source).filter(|&src| pattern.active(src)) {
                let weight = rate(src);
                pattern.shares(src, &mut |run, share| {
                    if run.is_empty() || share == 0.0 {
                        return;
                    }
                    let each = share * weight;
                    ejected[run.start as usize] += each;
                    ejected[run.end as usize] -= each;
                    let (first, last) = (graph.router_of(run.start), graph.router_of(run.end - 1));
                    let part = |r: RouterId| {
                        let own = graph.endpoints(r);
                        f64::from(own.end.min(run.end) - own.start.max(run.start))
                    };
                    row[first as usize] += each * part(first);
                    if last > first {
                        row[last as usize] += each * part(last);
                        whole[first as usize + 1] += each;
                        whole[last as usize] -= each;
                    }
                });
            }
            let mut per_endpoint = 0.0;
            let mut runs: Vec<(RouterId, f64)> = Vec::new();
            for r in 0..n_routers {
                per_endpoint += whole[r as usize];
                let value = per_endpoint * size(r) + row[r as usize];
                match runs.last_mut() {
                    Some(last) if last.1 == value => last.0 = r + 1,
                    _ => runs.push((r + 1, value)),
                }
            }
            runs
        });
        let rows = rows.collect();
        let mut sum = 0.0;
        let ejected = ejected[..n as usize].iter().map(|change| {
            sum += change;
            sum
        });
        Self { rows, ejected: ejected.collect(), injected: (0..n).map(rate).collect() }
    }

    /// From `source` to `destination`.
    #[must_use]
    pub fn between(&self, source: RouterId, destination: RouterId) -> f64 {
        let row = &self.rows[source as usize];
        row[row.partition_point(|&(end, _)| end <= destination)].1
    }

    /// Flits per cycle of all endpoints.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.injected.iter().sum()
    }
}
