//! `worst-case-exchange`: the worst permutation for minimal routing on a Slim Fly, as the authors' scripts have it. Routers are
//! taken in chains A - Rx - Ry - B, each once; A exchanges with Ry and Rx with B, endpoint by endpoint. With p endpoints per
//! router the link (Rx, Ry) carries 2 p flows each way, so minimal routing accepts 1/(2 p).

use super::chains::{chains, endpoint};
use super::fixed::Fixed;
use super::{Entry, Pattern};
use crate::ids::EndpointId;

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: "worst-case-exchange",
    summary: "the worst permutation for minimal routing: routers two hops apart exchange over one link, bound 1/(2 p)",
    keys: &[],
    timed: false,
    build: |config, graph| {
        let mut to: Vec<Option<EndpointId>> = vec![None; graph.n_endpoints() as usize];
        for [a, x, y, b] in chains(config, graph)? {
            for (r, s) in [(a, y), (x, b)] {
                // Routers with different numbers of endpoints leave the rest idle: it stays a permutation.
                for i in 0..graph.endpoints(r).len().min(graph.endpoints(s).len()) {
                    let (e, f) = (endpoint(graph, r, i), endpoint(graph, s, i));
                    (to[e as usize], to[f as usize]) = (Some(f), Some(e));
                }
            }
        }
        Ok(Pattern::Fixed(Fixed::new(graph.n_endpoints(), |src| to[src as usize])))
    },
};
