//! The dependency graph of an algorithm that makes detours, found leg by leg.
//!
//! A packet's way from s over m to d is a shortest path from s to m, then one from m to d; m may be any router that the
//! detours allow. Following all (s, m, d) would take N_r^3 steps. But the first leg does not depend on d, and the second on
//! s only through the number h of hops that the first had. So the dependencies are those
//!
//! - of shortest paths that begin at hop 0 and lead to an m that some d allows,
//! - of shortest paths that begin at hop h at m and lead to a d, if some s is h hops from m and allows both,
//! - and from the last channel of a first leg to the first of a second, where one s, m and d have both.
//!
//! That is exactly what following every path gives, which a test compares; with N_r^2 h steps a Slim Fly of 722 routers takes
//! a fraction of a second.

use rayon::prelude::*;

use super::cycle::Dependency;
use super::deadlock::share;
use super::dependencies::{Dependencies, Rows};
use super::detours::Detours;
use super::TwoLegs;
use crate::ids::RouterId;
use crate::topology::Graph;

/// Who comes by a channel: no one, one router's packets, or those of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sources {
    One(RouterId),
    Several,
}

impl Sources {
    fn and(self, other: Self) -> Self {
        if self == other {
            self
        } else {
            Sources::Several
        }
    }

    fn has_other_than(self, router: RouterId) -> bool {
        self != Sources::One(router)
    }
}

/// A channel crossed as hop `hop` of a packet, counted from 0.
type Crossed = (u32, u8);

struct Legs<'a> {
    graph: &'a Graph,
    detours: &'a Detours,
    straight: bool,
    /// Routers with endpoints.
    ends: Vec<RouterId>,
    /// Of each router, how many of `ends` are how many hops away; shape `[n_routers][diameter + 1]`.
    ends_at: Vec<Vec<u32>>,
}

/// All dependencies, sorted, each once.
pub(super) fn dependencies(graph: &Graph, TwoLegs { detours, straight }: TwoLegs) -> Vec<Dependency> {
    let ends: Vec<RouterId> = (0..graph.n_routers()).filter(|&r| !graph.endpoints(r).is_empty()).collect();
    let ends_at = (0..graph.n_routers()).into_par_iter().map(|via| count_by_distance(detours, via, &ends)).collect();
    let legs = Legs { graph, detours, straight, ends, ends_at };
    let rows = Rows::new(graph);
    let routers: Vec<RouterId> = (0..graph.n_routers()).collect();
    let first = routers.par_chunks(share(routers.len())).map(|chunk| {
        let mut walk = Walk::new(&legs, &rows);
        chunk.iter().for_each(|&via| legs.by_way_of(via, &mut walk));
        walk.found
    });
    let second = legs.ends.par_chunks(share(legs.ends.len())).map(|chunk| {
        let mut walk = Walk::new(&legs, &rows);
        chunk.iter().for_each(|&destination| legs.on_to(destination, &mut walk));
        walk.found
    });
    first.chain(second).reduce(|| Dependencies::new(&rows), Dependencies::absorb).list()
}

/// Legs followed by one thread, target after target.
struct Walk<'a> {
    /// What waits for what.
    found: Dependencies<'a>,
    /// By channel and hop, who comes by, and the number of the target for which that was found.
    seen: Vec<(u32, Sources)>,
    /// Most hops that a path can have made before a channel, and 1.
    n_hops: usize,
    /// Targets begun.
    begun: u32,
}

impl<'a> Walk<'a> {
    fn new(legs: &Legs<'_>, rows: &'a Rows) -> Self {
        let n_hops = (legs.ends_at.iter().map(Vec::len).max().unwrap_or(1) * 2).min(256);
        let n_seen = legs.graph.n_channels() * n_hops;
        Self { found: Dependencies::new(rows), seen: vec![(0, Sources::Several); n_seen], n_hops, begun: 0 }
    }

    /// What is known of a channel crossed as some hop on the way to the current target.
    #[inline]
    fn seen(&mut self, (channel, hop): Crossed) -> &mut (u32, Sources) {
        &mut self.seen[channel as usize * self.n_hops + usize::from(hop)]
    }
}

fn count_by_distance(detours: &Detours, via: RouterId, ends: &[RouterId]) -> Vec<u32> {
    let mut counts = Vec::new();
    for hops in ends.iter().map(|&end| detours.distance(via, end) as usize) {
        counts.resize(counts.len().max(hops + 1), 0);
        counts[hops] += 1;
    }
    counts
}

impl Legs<'_> {
    /// What a packet that crossed `held` as hop `hop`, if it crossed any, waits for when it goes on by `port` of `router`.
    fn depends(&self, held: Option<Crossed>, wanted: Crossed, found: &mut Dependencies<'_>) {
        if let Some((held, hop)) = held {
            let (held_vcs, wanted_vcs) = (self.detours.vcs().allowed(hop), self.detours.vcs().allowed(wanted.1));
            found.insert(Dependency { held, held_vcs, wanted: wanted.0, wanted_vcs });
        }
    }

    /// Follows shortest paths to `target` from each of `starts`: a router, the hops made before it, and who starts there.
    /// Returns every channel into `target` that ends such a path, with its hop.
    fn follow(
        &self,
        target: RouterId,
        starts: impl Iterator<Item = (RouterId, u8, Sources)>,
        walk: &mut Walk<'_>,
    ) -> Vec<(Crossed, Sources)> {
        walk.begun += 1;
        let begun = walk.begun;
        let mut arrived = Vec::new();
        let mut open: Vec<(RouterId, Option<Crossed>, u8, Sources)> =
            starts.map(|(router, hops, sources)| (router, None, hops, sources)).collect();
        while let Some((router, held, hops, sources)) = open.pop() {
            self.detours.minimal().for_each(router, target, |port| {
                let crossed = (self.graph.channel(router) + u32::from(port), hops);
                self.depends(held, crossed, &mut walk.found);
                let known = walk.seen(crossed);
                let merged = if known.0 == begun { known.1.and(sources) } else { sources };
                if *known == (begun, merged) {
                    return;
                }
                *known = (begun, merged);
                let next = self.graph.peers(router)[usize::from(port)];
                if next == target {
                    arrived.push(crossed);
                } else {
                    open.push((next, Some(crossed), hops.saturating_add(1), merged));
                }
            });
        }
        arrived.sort_unstable();
        arrived.dedup();
        arrived.into_iter().map(|crossed| (crossed, walk.seen(crossed).1)).collect()
    }

    /// First legs to `via`, and what follows them there.
    fn by_way_of(&self, via: RouterId, walk: &mut Walk<'_>) {
        let others = || self.ends.iter().copied().filter(move |&end| end != via);
        let leads_on = |source: RouterId| others().any(|d| d != source && self.detours.is_allowed(source, via, d));
        let sources = others().filter(|&s| leads_on(s)).map(|s| (s, 0, Sources::One(s)));
        let arrived = self.follow(via, sources, walk);
        // For each first channel of a second leg, the destinations that are reached by it.
        let mut reached: Vec<Vec<RouterId>> = vec![Vec::new(); self.graph.degree(via) as usize];
        for destination in others() {
            self.detours.minimal().for_each(via, destination, |port| reached[usize::from(port)].push(destination));
        }
        for (crossed, sources) in arrived {
            let hops = crossed.1.saturating_add(1);
            let fits =
                |d: RouterId| self.detours.limit().is_none_or(|limit| u32::from(hops) + self.detours.distance(via, d) <= limit);
            for (port, destinations) in (0..).zip(&reached) {
                if destinations.iter().any(|&d| sources.has_other_than(d) && fits(d)) {
                    self.depends(Some(crossed), (self.graph.channel(via) + port, hops), &mut walk.found);
                }
            }
        }
    }

    /// Second legs to `destination`, and packets that go straight.
    fn on_to(&self, destination: RouterId, walk: &mut Walk<'_>) {
        let others = || self.ends.iter().copied().filter(move |&end| end != destination);
        let straight = others().filter(|&s| self.straight || self.detours.all(s, destination).next().is_none());
        let mut starts: Vec<(RouterId, u8, Sources)> = straight.map(|s| (s, 0, Sources::Several)).collect();
        for via in (0..self.graph.n_routers()).filter(|&via| via != destination) {
            let beyond = self.detours.distance(via, destination) as usize;
            for (hops, &n_sources) in self.ends_at[via as usize].iter().enumerate().skip(1) {
                let fits = self.detours.limit().is_none_or(|limit| hops + beyond <= limit as usize);
                // The destination may be one of those so far away; it sends nothing to itself.
                if fits && n_sources > u32::from(hops == beyond) {
                    starts.push((via, hops.min(255) as u8, Sources::Several));
                }
            }
        }
        self.follow(destination, starts.into_iter(), walk);
    }
}
