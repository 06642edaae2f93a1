//! Cycles in a channel dependency graph.

use std::collections::{HashMap, VecDeque};

/// Packets on channel `held`, on one of the VCs in `held_vcs`, may wait for channel `wanted` on any VC of `wanted_vcs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dependency {
    /// The channel the packet is on.
    pub held: u32,
    /// Bit v: it may be on VC v.
    pub held_vcs: u32,
    /// The channel it is routed to.
    pub wanted: u32,
    /// Bit v: it may take VC v there.
    pub wanted_vcs: u32,
}

/// A virtual channel: the channel and the VC.
type Vertex = (u32, u32);

/// The dependencies with a way to find those of a channel.
struct Edges<'a> {
    sorted: &'a [Dependency],
    /// First dependency of each channel; shape `[n_channels + 1]`.
    first: Vec<u32>,
}

impl<'a> Edges<'a> {
    fn new(sorted: &'a [Dependency], n_channels: usize) -> Self {
        let mut first = vec![0; n_channels + 1];
        for dependency in sorted {
            first[dependency.held as usize + 1] += 1;
        }
        for i in 0..n_channels {
            first[i + 1] += first[i];
        }
        Self { sorted, first }
    }

    fn of(&self, channel: u32) -> &'a [Dependency] {
        &self.sorted[self.first[channel as usize] as usize..self.first[channel as usize + 1] as usize]
    }

    /// The vertices that `vertex` can wait for; some perhaps more than once.
    fn next(&self, vertex: Vertex) -> impl Iterator<Item = Vertex> + use<'a> {
        let held_by_vertex = move |d: &&Dependency| d.held_vcs >> vertex.1 & 1 == 1;
        self.of(vertex.0).iter().filter(held_by_vertex).flat_map(|d| bits(d.wanted_vcs).map(|vc| (d.wanted, vc)))
    }
}

/// The positions of the bits of `set`, ascending.
fn bits(set: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(set), |rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|&rest| rest != 0)
        .map(u32::trailing_zeros)
}

/// A cycle of the graph of `dependencies`, which are in the order of the channel held, or `None` if there is none. Costs the edges once; a cycle that is
/// found is replaced by a shortest one through any of its first vertices. The same input always gives the same cycle.
#[must_use]
pub fn find(dependencies: &[Dependency], n_channels: usize, num_vcs: u32) -> Option<Vec<Vertex>> {
    /// Starting points tried for a shorter cycle: a few show a short one, where there is one nearby.
    const TRIED: usize = 16;
    let edges = Edges::new(dependencies, n_channels);
    let cycle = any(&edges, n_channels, num_vcs)?;
    let shorter = cycle.iter().take(TRIED).filter_map(|&vertex| shortest_through(&edges, vertex));
    shorter.chain([cycle.clone()]).min_by_key(Vec::len)
}

/// Depth-first search for an edge back to a vertex of the current path.
fn any(edges: &Edges, n_channels: usize, num_vcs: u32) -> Option<Vec<Vertex>> {
    const NEW: u8 = 0;
    const ON_PATH: u8 = 1;
    const DONE: u8 = 2;
    let index = |(channel, vc): Vertex| channel as usize * num_vcs as usize + vc as usize;
    let mut colour = vec![NEW; n_channels * num_vcs as usize];
    for root in (0..n_channels as u32).flat_map(|channel| (0..num_vcs).map(move |vc| (channel, vc))) {
        if colour[index(root)] != NEW {
            continue;
        }
        colour[index(root)] = ON_PATH;
        let mut path = vec![(root, edges.next(root))];
        while let Some((vertex, successors)) = path.last_mut() {
            let Some(next) = successors.next() else {
                colour[index(*vertex)] = DONE;
                path.pop();
                continue;
            };
            match colour[index(next)] {
                NEW => {
                    colour[index(next)] = ON_PATH;
                    path.push((next, edges.next(next)));
                }
                ON_PATH => return Some(path.iter().map(|(vertex, _)| *vertex).skip_while(|&vertex| vertex != next).collect()),
                _ => {}
            }
        }
    }
    None
}

/// A shortest cycle through `start`, by breadth-first search.
fn shortest_through(edges: &Edges, start: Vertex) -> Option<Vec<Vertex>> {
    let mut parent: HashMap<Vertex, Vertex> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(vertex) = queue.pop_front() {
        for next in edges.next(vertex) {
            if next == start {
                let mut cycle: Vec<Vertex> = std::iter::successors(Some(vertex), |v| (*v != start).then(|| parent[v])).collect();
                cycle.reverse();
                return Some(cycle);
            }
            parent.entry(next).or_insert_with(|| {
                queue.push_back(next);
                vertex
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    fn edge(held: u32, held_vcs: u32, wanted: u32, wanted_vcs: u32) -> Dependency {
        Dependency { held, held_vcs, wanted, wanted_vcs }
    }

    /// Whether each vertex of `cycle` can wait for the next.
    fn is_cycle(dependencies: &[Dependency], cycle: &[Vertex]) -> bool {
        let waits = |a: Vertex, b: Vertex| {
            dependencies
                .iter()
                .any(|d| d.held == a.0 && d.held_vcs >> a.1 & 1 == 1 && d.wanted == b.0 && d.wanted_vcs >> b.1 & 1 == 1)
        };
        !cycle.is_empty() && (0..cycle.len()).all(|i| waits(cycle[i], cycle[(i + 1) % cycle.len()]))
    }

    #[test]
    fn vcs_keep_channels_apart() {
        let ring = [edge(0, 1, 1, 1), edge(1, 1, 2, 1), edge(2, 1, 0, 1)];
        assert_eq!(find(&ring, 3, 2), Some(vec![(0, 0), (1, 0), (2, 0)]));
        // The last edge leads to the other VC, from which nothing leads on.
        let cut = [edge(0, 1, 1, 1), edge(1, 1, 2, 1), edge(2, 1, 0, 2)];
        assert_eq!(find(&cut, 3, 2), None);
        assert_eq!(find(&[edge(0, 1, 0, 1)], 1, 1), Some(vec![(0, 0)]));
        assert_eq!(find(&[], 5, 2), None);
    }

    #[test]
    fn the_cycle_shown_is_short() {
        // A long cycle of 20 with a chord that closes one of 3.
        let mut dependencies: Vec<_> = (0..20).map(|i| edge(i, 1, (i + 1) % 20, 1)).collect();
        dependencies.push(edge(2, 1, 0, 1));
        dependencies.sort_unstable();
        assert_eq!(find(&dependencies, 20, 1).unwrap().len(), 3);
    }

    #[test]
    fn random_graphs_agree_with_a_topological_order() {
        let (mut cyclic, mut acyclic) = (0, 0);
        for seed in 0..300 {
            let mut stream = Stream::new(seed, Purpose::Pairs, 0);
            let n_edges = 1 + stream.below(24);
            let mut dependencies: Vec<_> =
                (0..n_edges).map(|_| edge(stream.below(8), 1 + stream.below(3), stream.below(8), 1 + stream.below(3))).collect();
            dependencies.sort_unstable();
            dependencies.dedup();
            // Kahn: a graph is acyclic iff removing vertices without successors empties it.
            let edges = Edges::new(&dependencies, 8);
            let mut left: Vec<Vertex> = (0..8).flat_map(|c| [(c, 0), (c, 1)]).collect();
            while let Some(i) = left.iter().position(|&v| !edges.next(v).any(|next| left.contains(&next))) {
                left.swap_remove(i);
            }
            match find(&dependencies, 8, 2) {
                Some(cycle) => {
                    cyclic += 1;
                    assert!(!left.is_empty() && is_cycle(&dependencies, &cycle), "seed {seed}");
                }
                None => {
                    acyclic += 1;
                    assert!(left.is_empty(), "seed {seed}");
                }
            }
        }
        assert!(cyclic > 20 && acyclic > 20, "both kinds occur: {cyclic} and {acyclic}");
    }
}
