//! Channel loads of an algorithm that always goes by an intermediate router if there is one. What goes to a router, as an
//! intermediate one or as the destination, is added up before it is followed: that takes N_r^2 steps (N_r^3 short ones where
//! detours are limited) and not one for each source, intermediate and destination on every hop.

use std::ops::Range;

use rayon::prelude::*;

use super::Demand;
use crate::ids::RouterId;
use crate::routing::detours::Detours;
use crate::topology::{Graph, Search};

/// Whether the intermediate router may be any but the two ends, and there is one: neither leg then tells of the other's end.
pub(super) fn are_apart(graph: &Graph, detours: &Detours) -> bool {
    detours.limit().is_none() && graph.n_routers() > 2
}

/// What the way from each router to each other costs on average by any third router, if channels have these prices; 0 to itself.
/// Shapes `[n_routers][n_routers]`, `[n_channels]`.
pub(super) fn costs(graph: &Graph, detours: &Detours, prices: &[f64]) -> Vec<f64> {
    let n = graph.n_routers() as usize;
    // Of legs to each router, from each.
    let to: Vec<Vec<f64>> =
        (0..graph.n_routers()).into_par_iter().map(|target| leg_costs(graph, detours, prices, target)).collect();
    let into: Vec<f64> = to.iter().map(|from| from.iter().sum()).collect();
    let of = |source: usize| -> Vec<f64> {
        let out: f64 = to.iter().map(|from| from[source]).sum();
        let by_all = |target: usize| (out + into[target] - 2.0 * to[target][source]) / (n - 2) as f64;
        (0..n).map(|target| if target == source { 0.0 } else { by_all(target) }).collect()
    };
    (0..n).into_par_iter().flat_map_iter(of).collect()
}

/// What shortest paths from each router to `target` cost.
fn leg_costs(graph: &Graph, detours: &Detours, prices: &[f64], target: RouterId) -> Vec<f64> {
    let mut search = Search::new(graph);
    search.run(graph, target, |_, _, _| ());
    let mut cost = vec![0.0; graph.n_routers() as usize];
    // From the nearest outwards, so that what is left of a path has its cost.
    for &router in &search.order()[1..] {
        let mut sum = 0.0;
        let n_ports = detours.minimal().for_each(router, target, |port| {
            let channel = graph.channel(router) + u32::from(port);
            sum += prices[channel as usize] + cost[graph.channel_end(channel) as usize];
        });
        cost[router as usize] = sum / n_ports as f64;
    }
    cost
}

/// Demand as legs between routers.
pub(super) struct Legs<'a> {
    graph: &'a Graph,
    detours: &'a Detours,
    demand: &'a Demand,
    kind: Kind,
}

enum Kind {
    /// Every other router may be the intermediate one.
    Any {
        /// Demand from each router to others.
        from: Vec<f64>,
        /// Demand to each router from others.
        to: Vec<f64>,
    },
    /// Some may: for each source and destination the demand by way of each of them; shape `[n_routers][n_routers]`.
    Some(Vec<f64>),
}

impl<'a> Legs<'a> {
    pub(super) fn new(graph: &'a Graph, detours: &'a Detours, demand: &'a Demand) -> Self {
        let n = graph.n_routers();
        let others = |r: RouterId| (0..n).filter(move |&other| other != r);
        let kind = if are_apart(graph, detours) {
            Kind::Any {
                from: (0..n).map(|r| others(r).map(|d| demand.between(r, d)).sum()).collect(),
                to: (0..n).map(|r| others(r).map(|s| demand.between(s, r)).sum()).collect(),
            }
        } else {
            let each = |pair: usize| {
                let (source, destination) = (pair as u32 / n, pair as u32 % n);
                if source == destination {
                    return 0.0;
                }
                let vias = detours.all(source, destination).count();
                demand.between(source, destination) / vias.max(1) as f64
            };
            let pairs = (n as usize).pow(2);
            Kind::Some((0..pairs).into_par_iter().map(each).collect())
        };
        Self { graph, detours, demand, kind }
    }

    /// What goes by a shortest path from `source` to `target`, another router.
    fn between(&self, source: RouterId, target: RouterId) -> f64 {
        let n = self.graph.n_routers();
        match &self.kind {
            Kind::Any { from, to } => {
                let direct = self.demand.between(source, target);
                (from[source as usize] - direct + to[target as usize] - direct) / f64::from(n - 2)
            }
            Kind::Some(by_each) => {
                let third = || (0..n).filter(|&r| r != source && r != target);
                let each = |s: RouterId, d: RouterId| by_each[(s * n + d) as usize];
                let on = third().filter(|&d| self.detours.is_allowed(source, target, d)).map(|d| each(source, d));
                let off = third().filter(|&s| self.detours.is_allowed(s, source, target)).map(|s| each(s, target));
                let has_detour = self.detours.all(source, target).next().is_some();
                let straight = if has_detour { 0.0 } else { each(source, target) };
                on.sum::<f64>() + off.sum::<f64>() + straight
            }
        }
    }

    /// The loads of the legs to `targets`, by channel.
    pub(super) fn loads(&self, targets: Range<RouterId>) -> Vec<f64> {
        let mut load = vec![0.0; self.graph.n_channels()];
        let mut search = Search::new(self.graph);
        let mut ports: Vec<usize> = Vec::new();
        let mut at = vec![0.0; self.graph.n_routers() as usize];
        for target in targets {
            search.run(self.graph, target, |_, _, _| ());
            for source in (0..self.graph.n_routers()).filter(|&source| source != target) {
                at[source as usize] = self.between(source, target);
            }
            // From the farthest inwards, so that everything that comes by a router is there when it goes on.
            for &router in search.order()[1..].iter().rev() {
                let amount = at[router as usize];
                ports.clear();
                let n_ports = self.detours.minimal().for_each(router, target, |port| ports.push(usize::from(port)));
                for &port in &ports {
                    let part = amount / n_ports as f64;
                    load[self.graph.channel(router) as usize + port] += part;
                    let next = self.graph.peers(router)[port];
                    if next != target {
                        at[next as usize] += part;
                    }
                }
            }
        }
        load
    }
}
