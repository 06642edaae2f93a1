//! What several test files share.

#![allow(dead_code, reason = "each test file uses its own part")]

use sfpdes::rng::{Purpose, Stream};
use sfpdes::topology::Graph;

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
