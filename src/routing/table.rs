//! Shortest-path tables: the network port that leads from a router towards every other one. Only the rows of the routers
//! that are asked for are kept, so memory follows the local routers.

use rayon::prelude::*;

use super::first_hops::FirstHops;
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
        Self::check_connected(graph)?;
        let rows = if graph.max_degree() <= 1 << u8::BITS {
            Rows::Narrow(build_rows(graph, routers, tie, |port| port as u8))
        } else {
            Rows::Wide(build_rows(graph, routers, tie, |port| port as u16))
        };
        Ok(Self { n_routers: graph.n_routers() as usize, rows })
    }

    /// Costs one search.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn check_connected(graph: &Graph) -> Result<(), Disconnected> {
        if graph.n_routers() > 0 {
            let mut search = Search::new(graph);
            search.run(graph, 0, |_, _, _| ());
            if let Some(to) = search.unreached() {
                return Err(Disconnected { from: 0, to });
            }
        }
        Ok(())
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
