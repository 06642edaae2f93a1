//! Shortest-path tables: the network port that leads from a router towards every other one. Only the rows of the routers
//! that are asked for are kept, so memory follows the local routers.

use rayon::prelude::*;

use crate::ids::{Port, RouterId};
use crate::rng::{Purpose, Stream};
use crate::topology::{Graph, Search};

/// Which of several shortest paths is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The one whose next router has the lowest id: BookSim2's rule.
    LowestId,
    /// A random one, drawn once per (router, target) from a stream of the router: the same whoever builds the row.
    Random {
        /// The seed of the run.
        seed: u64,
    },
}

/// The network falls into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the network is not connected: no path leads from router {from} to router {to}")]
pub struct Disconnected {
    /// A router.
    pub from: RouterId,
    /// One it cannot reach.
    pub to: RouterId,
}

/// Next ports by row and target router; shape `[rows][n_routers]`. The entry of a row for its own router is never read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    n_routers: usize,
    rows: Rows,
}

/// One byte per entry where every port fits: a million endpoints (q = 89) take 16 KB per row.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Rows {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl Table {
    /// Builds the rows of `routers`, in that order and in parallel. Costs one breadth-first search per row, which stops when
    /// every router is reached.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn build(graph: &Graph, routers: &[RouterId], tie: Tie) -> Result<Self, Disconnected> {
        if graph.n_routers() > 0 {
            let mut search = Search::new(graph);
            search.run(graph, 0, |_, _, _| ());
            if let Some(to) = search.unreached() {
                return Err(Disconnected { from: 0, to });
            }
        }
        let rows = if graph.max_degree() <= 1 << u8::BITS {
            Rows::Narrow(build_rows(graph, routers, tie, |port| port as u8))
        } else {
            Rows::Wide(build_rows(graph, routers, tie, |port| port as u16))
        };
        Ok(Self { n_routers: graph.n_routers() as usize, rows })
    }

    /// The port that `row`'s router takes towards `target`, which is another router.
    #[inline]
    #[must_use]
    pub fn next(&self, row: u32, target: RouterId) -> Port {
        let index = row as usize * self.n_routers + target as usize;
        match &self.rows {
            Rows::Narrow(ports) => Port::from(ports[index]),
            Rows::Wide(ports) => ports[index],
        }
    }
}

fn build_rows<T>(graph: &Graph, routers: &[RouterId], tie: Tie, entry: fn(usize) -> T) -> Vec<T>
where
    T: Copy + Default + Send,
{
    let n = graph.n_routers() as usize;
    let mut rows = vec![T::default(); n * routers.len()];
    rows.par_chunks_mut(n.max(1)).zip(routers).for_each_init(
        || (Search::new(graph), FirstHops::default()),
        |(search, hops), (row, &router)| match tie {
            Tie::LowestId => lowest_id_row(graph, search, router, row, entry),
            Tie::Random { seed } => random_row(graph, search, hops, router, seed, row, entry),
        },
    );
    rows
}

/// The search meets the peers of `router` in the order of their ids and keeps that order from level to level, so the first
/// path that reaches a router is, of all its shortest paths, one with the lowest first port.
fn lowest_id_row<T: Copy>(graph: &Graph, search: &mut Search, router: RouterId, row: &mut [T], entry: fn(usize) -> T) {
    search.run(graph, router, |from, port, to| {
        row[to as usize] = if from == router { entry(port) } else { row[from as usize] };
    });
}

fn random_row<T>(
    graph: &Graph,
    search: &mut Search,
    hops: &mut FirstHops,
    router: RouterId,
    seed: u64,
    row: &mut [T],
    entry: fn(usize) -> T,
) {
    search.run(graph, router, |_, _, _| ());
    hops.fill(graph, search, router);
    // The high half keeps these streams apart from those by which topologies are built.
    let mut stream = Stream::new(seed, Purpose::Construction, 1 << 32 | u64::from(router));
    for (target, slot) in row.iter_mut().enumerate().filter(|&(target, _)| target != router as usize) {
        *slot = entry(hops.pick(target, &mut stream));
    }
}

/// For every router, the set of ports by which a shortest path to it can start: bit sets of equal width.
#[derive(Debug, Default)]
struct FirstHops {
    /// Words per set.
    width: usize,
    /// Shape `[n_routers][width]`.
    bits: Vec<u64>,
}

impl FirstHops {
    /// Collects the sets for paths from `router`, which `search` was run from.
    fn fill(&mut self, graph: &Graph, search: &Search, router: RouterId) {
        let distance = search.distances();
        self.width = (graph.degree(router) as usize).div_ceil(64);
        self.bits.clear();
        self.bits.resize(self.width * distance.len(), 0);
        for (port, &peer) in graph.peers(router).iter().enumerate() {
            self.bits[peer as usize * self.width + port / 64] |= 1 << (port % 64);
        }
        // Nearest first: the set of a router is complete before it is handed on. Routers at the largest distance hand on nothing.
        let last = search.order().last().map_or(0, |&r| distance[r as usize]);
        for &from in search.order()[1..].iter().take_while(|&&r| distance[r as usize] < last) {
            for &to in graph.peers(from) {
                if distance[to as usize] == distance[from as usize] + 1 {
                    for word in 0..self.width {
                        self.bits[to as usize * self.width + word] |= self.bits[from as usize * self.width + word];
                    }
                }
            }
        }
    }

    /// A uniformly drawn port of the set of `target`.
    fn pick(&self, target: usize, stream: &mut Stream) -> usize {
        let set = &self.bits[target * self.width..(target + 1) * self.width];
        // Most sets of a Slim Fly have one port. They need no draw, and no population counts, which are slow on baseline x86-64.
        let mut used = set.iter().enumerate().filter(|(_, &word)| word != 0);
        if let (Some((index, &word)), None) = (used.next(), used.next()) {
            if word & (word - 1) == 0 {
                return index * 64 + word.trailing_zeros() as usize;
            }
        }
        let mut skip = stream.below(set.iter().map(|word| word.count_ones()).sum());
        for (index, &word) in set.iter().enumerate() {
            if skip < word.count_ones() {
                let rest = (0..skip).fold(word, |w, _| w & (w - 1));
                return index * 64 + rest.trailing_zeros() as usize;
            }
            skip -= word.count_ones();
        }
        unreachable!("the set has more ports than are skipped")
    }
}
