//! Layers of VCs, each free of cycles: every pair of routers is given to one, whose VCs all its packets use on all hops.
//!
//! The assignment is that of DFSSSP (Domke, Hoefler and Nagel, "Deadlock-free oblivious routing for arbitrary topologies",
//! IPDPS 2011): all paths begin in layer 0. As long as its channel dependency graph has a cycle, the weakest dependency of
//! that cycle, the one that the fewest paths make, is removed by moving those paths to the next layer, which is then treated
//! likewise. Of equally weak ones the last is taken, that which closes the cycle.
//!
//! Where no path has more than two hops each makes at most one dependency. A depth-first search then moves just those
//! paths whose dependency leads back to a channel it came from; among these every dependency leads towards the root of
//! the search, so that they close no cycle in layer 1: two layers are enough on any network of diameter 2.

use rayon::prelude::*;

use super::table::{Disconnected, Table, Tie};
use crate::ids::RouterId;
use crate::topology::Graph;

/// Why there are no layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLayers {
    /// The network falls into parts.
    #[error(transparent)]
    Disconnected(#[from] Disconnected),
    /// The table of layers would take too much memory.
    #[error("finding layers follows every path, and {0} pairs of routers are more than the {max} that fit", max = Layers::MAX_PAIRS)]
    TooManyPairs(u64),
    /// The paths would take too much memory.
    #[error("finding layers takes {0} dependencies of channels, more than the {max} that fit", max = Layers::MAX_DEPENDENCIES)]
    TooManyDependencies(u64),
}

/// The layer of every pair of routers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers {
    n_routers: usize,
    /// Shape `[n_routers][n_routers]`, by source and destination; 0 where there is no path.
    layer: Vec<u8>,
    /// Paths between routers with endpoints in each layer; at least one layer.
    paths: Vec<u64>,
    /// Dependencies of channels that the paths make, each counted once.
    n_dependencies: usize,
}

impl Layers {
    /// Most ordered pairs of routers: those of 8,192 routers.
    pub const MAX_PAIRS: u64 = 1 << 26;
    /// Most dependencies, each path counting its own; they take 20 bytes each while layers are found.
    pub const MAX_DEPENDENCIES: u64 = 1 << 26;
    /// Most layers, far beyond the VCs of any router; what would need more stays in the last, which then has cycles.
    pub const MAX_LAYERS: usize = 255;

    /// Assigns the paths of a [`Table`] with this tie. The same input always gives the same layers.
    ///
    /// # Errors
    /// A graph that is not connected, or too large.
    pub fn find(graph: &Graph, tie: Tie) -> Result<Self, NoLayers> {
        let n = graph.n_routers() as usize;
        let ends: Vec<RouterId> = (0..graph.n_routers()).filter(|&r| !graph.endpoints(r).is_empty()).collect();
        if (n * n) as u64 > Self::MAX_PAIRS {
            return Err(NoLayers::TooManyPairs((n * n) as u64));
        }
        let pairs = (ends.len() * ends.len().saturating_sub(1)) as u64;
        let all: Vec<RouterId> = (0..graph.n_routers()).collect();
        let table = Table::build(graph, &all, tie)?;
        let uses = dependencies(graph, &table, &ends)?;
        let mut layers = Self { n_routers: n, layer: vec![0; n * n], paths: vec![pairs], n_dependencies: 0 };
        let mut waiting = LayerGraph::new(uses, graph.n_channels());
        layers.n_dependencies = waiting.n_edges();
        loop {
            let moved = waiting.make_acyclic();
            if moved.is_empty() || layers.paths.len() == Self::MAX_LAYERS {
                return Ok(layers);
            }
            for &path in &moved {
                layers.layer[path as usize] += 1;
            }
            *layers.paths.last_mut().expect("there is a layer") -= moved.len() as u64;
            layers.paths.push(moved.len() as u64);
            waiting = waiting.of(&moved, graph.n_channels());
        }
    }

    /// How many layers there are; at least 1.
    #[must_use]
    pub fn n_layers(&self) -> u32 {
        self.paths.len() as u32
    }

    /// Paths in each layer.
    #[must_use]
    pub fn paths(&self) -> &[u64] {
        &self.paths
    }

    /// Dependencies between channels that the paths make together.
    #[must_use]
    pub fn n_dependencies(&self) -> usize {
        self.n_dependencies
    }

    /// The layer of packets from router `source` to router `destination`.
    #[inline]
    #[must_use]
    pub fn get(&self, source: RouterId, destination: RouterId) -> u8 {
        self.layer[source as usize * self.n_routers + destination as usize]
    }

    /// Bytes of memory for `n_routers` routers.
    #[must_use]
    pub fn bytes(n_routers: u64) -> u64 {
        n_routers.saturating_mul(n_routers)
    }
}

/// A dependency that a path makes: the channel held, the channel wanted, and the path, source * n_routers + destination.
type Use = (u32, u32, u32);

/// What every path between `ends` makes, sorted.
fn dependencies(graph: &Graph, table: &Table, ends: &[RouterId]) -> Result<Vec<Use>, NoLayers> {
    let n = graph.n_routers();
    let step = |router: RouterId, target| {
        let port = table.next(router, target);
        (graph.channel(router) + u32::from(port), graph.peers(router)[usize::from(port)])
    };
    let of_source = |&source: &RouterId| {
        let mut uses = Vec::new();
        for &target in ends.iter().filter(|&&target| target != source) {
            let (mut held, mut router) = step(source, target);
            while router != target {
                let (wanted, next) = step(router, target);
                uses.push((held, wanted, source * n + target));
                (held, router) = (wanted, next);
            }
        }
        uses
    };
    let length = |&source: &RouterId| of_source(&source).len() as u64;
    let total: u64 = ends.par_iter().map(length).sum();
    if total > Layers::MAX_DEPENDENCIES {
        return Err(NoLayers::TooManyDependencies(total));
    }
    let mut uses: Vec<Use> = ends.par_iter().flat_map_iter(of_source).collect();
    uses.par_sort_unstable();
    Ok(uses)
}

/// The dependency graph of the paths of one layer, from which paths can be taken.
struct LayerGraph {
    /// Sorted: the paths of an edge stand together, the edges out of a channel too.
    uses: Vec<Use>,
    /// First of `uses` of each edge, and the end; shape `[edges + 1]`.
    edges: Vec<u32>,
    /// First edge of each channel, and the end.
    channels: Vec<u32>,
    /// Paths of each edge that are still in the layer.
    weight: Vec<u32>,
    /// Edges by path: sorted pairs.
    edges_of_path: Vec<(u32, u32)>,
    /// Paths taken out, sorted in the end.
    moved: Vec<u32>,
    /// By path, whether it was taken out.
    is_moved: Vec<u64>,
}

impl LayerGraph {
    fn new(uses: Vec<Use>, n_channels: usize) -> Self {
        let mut edges = Vec::new();
        let mut channels = vec![0; n_channels + 1];
        let mut edges_of_path = Vec::with_capacity(uses.len());
        for (i, &(held, wanted, path)) in uses.iter().enumerate() {
            if i == 0 || (uses[i - 1].0, uses[i - 1].1) != (held, wanted) {
                edges.push(i as u32);
                channels[held as usize + 1] += 1;
            }
            edges_of_path.push((path, edges.len() as u32 - 1));
        }
        edges.push(uses.len() as u32);
        for i in 0..n_channels {
            channels[i + 1] += channels[i];
        }
        edges_of_path.par_sort_unstable();
        let weight = edges.windows(2).map(|w| w[1] - w[0]).collect();
        let n_paths = uses.iter().map(|u| u.2 as usize + 1).max().unwrap_or(0);
        Self { uses, edges, channels, weight, edges_of_path, moved: Vec::new(), is_moved: vec![0; n_paths.div_ceil(64)] }
    }

    /// The graph of the paths `moved` alone.
    fn of(&self, moved: &[u32], n_channels: usize) -> Self {
        let uses = self.uses.iter().copied().filter(|u| moved.binary_search(&u.2).is_ok()).collect();
        Self::new(uses, n_channels)
    }

    fn n_edges(&self) -> usize {
        self.weight.len()
    }

    fn wanted(&self, edge: u32) -> u32 {
        self.uses[self.edges[edge as usize] as usize].1
    }

    /// Takes every path that uses `edge` out of the layer; returns how many edges have no path left.
    fn remove(&mut self, edge: u32) -> usize {
        let mut gone = 0;
        for i in self.edges[edge as usize]..self.edges[edge as usize + 1] {
            let path = self.uses[i as usize].2;
            let (word, bit) = (path as usize / 64, 1 << (path % 64));
            if self.is_moved[word] & bit != 0 {
                continue;
            }
            self.is_moved[word] |= bit;
            self.moved.push(path);
            let from = self.edges_of_path.partition_point(|&(p, _)| p < path);
            for &(_, edge) in self.edges_of_path[from..].iter().take_while(|&&(p, _)| p == path) {
                self.weight[edge as usize] -= 1;
                gone += usize::from(self.weight[edge as usize] == 0);
            }
        }
        gone
    }

    /// Takes out paths until the graph has no cycle; returns them, ascending. A channel is done when no way from it leads
    /// into a cycle; that stays true when further edges go.
    fn make_acyclic(&mut self) -> Vec<u32> {
        const NEW: u8 = 0;
        const ON_WAY: u8 = 1;
        const DONE: u8 = 2;
        let n_channels = self.channels.len() - 1;
        let mut colour = vec![NEW; n_channels];
        // The way from the root: each channel with the edge to be looked at next; the edge before that leads to the
        // channel that follows.
        let mut way: Vec<(u32, u32)> = Vec::new();
        for root in 0..n_channels as u32 {
            if colour[root as usize] == NEW {
                colour[root as usize] = ON_WAY;
                way.push((root, self.channels[root as usize]));
            }
            while let Some((channel, edge)) = way.last_mut() {
                if *edge == self.channels[*channel as usize + 1] {
                    colour[*channel as usize] = DONE;
                    way.pop();
                    continue;
                }
                let taken = *edge;
                *edge += 1;
                if self.weight[taken as usize] == 0 {
                    continue;
                }
                let wanted = self.wanted(taken);
                match colour[wanted as usize] {
                    NEW => {
                        colour[wanted as usize] = ON_WAY;
                        way.push((wanted, self.channels[wanted as usize]));
                    }
                    ON_WAY => {
                        let weakest = self.weakest(&way, wanted, taken);
                        if self.remove(weakest) == 1 && weakest == taken {
                            continue;
                        }
                        // What was reached over an edge that is gone is no longer on the way.
                        let cut = way.iter().position(|&(_, next)| self.weight[next as usize - 1] == 0);
                        for (channel, _) in way.drain(cut.map_or(way.len(), |at| at + 1)..) {
                            colour[channel as usize] = NEW;
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut moved = std::mem::take(&mut self.moved);
        moved.sort_unstable();
        moved
    }

    /// The edge with the fewest paths of the cycle that `closing` closes at `start`, the last of equals.
    fn weakest(&self, way: &[(u32, u32)], start: u32, closing: u32) -> u32 {
        let mut weakest = closing;
        // The last channel's edge is the closing one.
        for &(channel, next) in way[..way.len() - 1].iter().rev() {
            if self.weight[weakest as usize] == 1 {
                break;
            }
            let edge = next - 1;
            if self.weight[edge as usize] < self.weight[weakest as usize] {
                weakest = edge;
            }
            if channel == start {
                break;
            }
        }
        weakest
    }
}
