//! What several test files share.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::Arc;

use sfpdes::ids::Port;
use sfpdes::rng::{Purpose, Stream};
use sfpdes::routing::min::{Min, Vcs};
use sfpdes::routing::table::Tie;
use sfpdes::routing::vc::VcClasses;
use sfpdes::routing::{Head, Survey, View};
use sfpdes::topology::grid::Grid;
use sfpdes::topology::{mesh, slim_fly, torus, Graph};

/// A random connected graph: a random tree and `extra` more links, parallel ones allowed; one endpoint per router.
pub fn random_graph(n: u32, extra: u32, seed: u64) -> Graph {
    let mut stream = Stream::new(seed, Purpose::Construction, 0);
    let mut links: Vec<(u32, u32)> = (1..n).map(|r| (r, stream.below(r))).collect();
    while links.len() < (n - 1 + extra) as usize {
        let (a, b) = (stream.below(n), stream.below(n));
        if a != b {
            links.push((a, b));
        }
    }
    Graph::from_links(&links, &vec![1; n as usize], vec![0; n as usize], vec![0; n as usize])
}

/// Occupancies by port.
pub struct Queues(pub Vec<u32>);

impl View for Queues {
    fn occupancy(&self, port: Port) -> u32 {
        self.0[usize::from(port)]
    }
}

/// The head of a packet from the first endpoint of `source` to that of `target`, at its source.
pub fn head(graph: &Graph, source: u32, target: u32) -> Head {
    Head { src: graph.endpoints(source).start, dst: graph.endpoints(target).start, target, hops: 0, state: 0 }
}

/// Fails if `counts`, of equally likely outcomes, are five standard deviations from what chi-square allows.
pub fn check_even(counts: &[u32], what: &str) {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
    let freedom = (counts.len() - 1) as f64;
    assert!(chi2 <= freedom + 5.0 * (2.0 * freedom).sqrt(), "{what}: chi-square {chi2} of {freedom}: {counts:?}");
}

/// A survey of a graph.
pub fn survey(graph: &Graph) -> Survey {
    Survey::new(Arc::new(graph.clone()))
}

/// Minimal routing with rows for all routers; `tie` is `None` for a draw per packet.
pub fn min(graph: &Graph, tie: Option<Tie>, vcs: VcClasses) -> Min {
    Min::new(&survey(graph), &all_routers(graph), tie, Vcs::Classes(vcs)).unwrap()
}

/// All routers of a graph, in their order.
pub fn all_routers(graph: &Graph) -> Vec<u32> {
    (0..graph.n_routers()).collect()
}

/// Distances between all pairs by relaxation until nothing changes (Bellman and Ford): slow, and unlike what is tested.
pub fn all_distances(graph: &Graph) -> Vec<Vec<u32>> {
    let n = graph.n_routers() as usize;
    (0..n)
        .map(|source| {
            let mut distance = vec![u32::MAX - 1; n];
            distance[source] = 0;
            loop {
                let before = distance.clone();
                for r in 0..graph.n_routers() {
                    for &peer in graph.peers(r) {
                        distance[r as usize] = distance[r as usize].min(distance[peer as usize] + 1);
                    }
                }
                if distance == before {
                    return distance;
                }
            }
        })
        .collect()
}

/// Small networks of many shapes, with their names.
pub fn graphs() -> Vec<(String, Graph)> {
    let mut graphs: Vec<(String, Graph)> =
        [4, 5, 7, 8].map(|q| (format!("slim fly {q}"), slim_fly::graph(q, 1))).into_iter().collect();
    for dims in [&[6, 5][..], &[4, 4, 3], &[1, 7], &[2, 2, 2], &[1]] {
        let grid = Grid::new(dims);
        graphs.push((format!("mesh {grid}"), mesh::graph(&grid, 1)));
        graphs.push((format!("torus {grid}"), torus::graph(&grid, 1)));
    }
    for seed in 0..8 {
        graphs.push((format!("random {seed}"), random_graph(30 + seed, 2 * seed, u64::from(seed))));
    }
    graphs.push((
        "star with more than 256 ports".into(),
        Graph::from_links(&(1..300).map(|r| (0, r)).collect::<Vec<_>>(), &[1; 300], vec![0; 300], vec![0; 300]),
    ));
    graphs
}

/// The ports of `a` by which a shortest path to `b` can start.
pub fn minimal_ports(graph: &Graph, distance: &[Vec<u32>], a: u32, b: u32) -> Vec<Port> {
    let nearer = |&(_, &peer): &(usize, &u32)| distance[peer as usize][b as usize] + 1 == distance[a as usize][b as usize];
    graph.peers(a).iter().enumerate().filter(nearer).map(|(port, _)| port as Port).collect()
}
