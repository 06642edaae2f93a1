//! Breadth-first search, with memory that is reused from source to source. Distances, routing tables and analyses are
//! built on it.

use super::Graph;
use crate::ids::RouterId;

/// A search over one graph. After [`Search::run`] it holds the distances from the last source.
#[derive(Clone, Debug)]
pub struct Search {
    /// Hops from the source; `UNREACHED` where there is no path. Shape `[n_routers]`.
    distance: Vec<u32>,
    /// Routers in the order in which they were reached, the source first: by distance, then by the order of discovery.
    order: Vec<RouterId>,
    /// Bit r: router r has been reached. The inner loop looks at these, which stay in the first-level cache.
    seen: Vec<u64>,
}

impl Search {
    /// The distance of a router that cannot be reached.
    pub const UNREACHED: u32 = u32::MAX;

    /// Memory for searches over `graph`.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        let n = graph.n_routers() as usize;
        Self { distance: vec![Self::UNREACHED; n], order: Vec::with_capacity(n), seen: vec![0; n.div_ceil(64)] }
    }

    /// Searches from `source` and calls `discover(from, port, to)` for each router reached, once, by the channel that reached it
    /// first. Peers are looked at in the order of ports, that is of ids. Stops as soon as every router has been
    /// reached, which in a network of diameter 2 costs k'^2 steps per source and not k' N_r.
    pub fn run(&mut self, graph: &Graph, source: RouterId, mut discover: impl FnMut(RouterId, usize, RouterId)) {
        let n = self.distance.len();
        self.distance.fill(Self::UNREACHED);
        self.distance[source as usize] = 0;
        self.seen.fill(0);
        self.seen[source as usize / 64] |= 1 << (source % 64);
        self.order.clear();
        self.order.push(source);
        let mut next = 0;
        while next < self.order.len() && self.order.len() < n {
            let from = self.order[next];
            next += 1;
            let hops = self.distance[from as usize] + 1;
            for (port, &to) in graph.peers(from).iter().enumerate() {
                let word = &mut self.seen[to as usize / 64];
                if *word >> (to % 64) & 1 == 0 {
                    *word |= 1 << (to % 64);
                    self.distance[to as usize] = hops;
                    self.order.push(to);
                    discover(from, port, to);
                }
            }
        }
    }

    /// Hops from the source to every router; `UNREACHED` where there is no path.
    #[must_use]
    pub fn distances(&self) -> &[u32] {
        &self.distance
    }

    /// The routers reached, nearest first.
    #[must_use]
    pub fn order(&self) -> &[RouterId] {
        &self.order
    }

    /// Some router that was not reached, if there is one.
    #[must_use]
    pub fn unreached(&self) -> Option<RouterId> {
        (self.order.len() < self.distance.len())
            .then(|| self.distance.iter().position(|&d| d == Self::UNREACHED).expect("not all were reached") as RouterId)
    }
}
