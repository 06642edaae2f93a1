//! Chains of four routers A - Rx - Ry - B on which minimal routing has no choice: the only shortest path from A to Ry leads
//! over Rx, the only one from Rx to B over Ry. Both cross the link (Rx, Ry), so traffic between these routers meets there
//! (Besta and Hoefler, SC14, section V). The worst cases for minimal routing are laid along such chains, on any graph that
//! has them.

use crate::config::{Config, ConfigErrors};
use crate::ids::{EndpointId, RouterId};
use crate::topology::Graph;

use super::PATTERN;

/// The routers of a chain, from A to B.
pub(super) type Chain = [RouterId; 4];

/// Chains over different routers that have endpoints, as many as are found by taking links in the order of their ids and, for
/// each, the first ends that fit.
///
/// # Errors
/// If the graph has none.
pub(super) fn chains(config: &Config, graph: &Graph) -> Result<Vec<Chain>, ConfigErrors> {
    let mut free: Vec<bool> = (0..graph.n_routers()).map(|r| !graph.endpoints(r).is_empty()).collect();
    let mut chains: Vec<Chain> = Vec::new();
    for x in 0..graph.n_routers() {
        for &y in graph.peers(x).iter().filter(|&&y| y > x) {
            if !(free[x as usize] && free[y as usize]) {
                continue;
            }
            let end = |over: RouterId, to: RouterId, not: Option<RouterId>| {
                let fits = |&r: &RouterId| free[r as usize] && r != to && Some(r) != not && is_only_path(graph, r, over, to);
                graph.peers(over).iter().copied().find(fits)
            };
            let Some(a) = end(x, y, None) else { continue };
            let Some(b) = end(y, x, Some(a)) else { continue };
            [a, x, y, b].iter().for_each(|&r| free[r as usize] = false);
            chains.push([a, x, y, b]);
        }
    }
    if chains.is_empty() {
        let fault = format!(
            "`{}` needs routers A - Rx - Ry - B with endpoints such that the only shortest path from A to Ry leads over Rx, and \
             the only one from Rx to B over Ry; this network has none",
            config.text(PATTERN)
        );
        return Err(config.fault(PATTERN, fault).into());
    }
    Ok(chains)
}

/// Whether `a` and `b`, both linked to `over`, are not linked and have no other common neighbour.
fn is_only_path(graph: &Graph, a: RouterId, over: RouterId, b: RouterId) -> bool {
    let peers = graph.peers(b);
    peers.binary_search(&a).is_err() && graph.peers(a).iter().all(|r| *r == over || peers.binary_search(r).is_err())
}

/// Endpoint `i` of router `r`, counted around.
pub(super) fn endpoint(graph: &Graph, r: RouterId, i: usize) -> EndpointId {
    let endpoints = graph.endpoints(r);
    endpoints.start + (i % endpoints.len()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::slim_fly;

    #[test]
    fn a_path_is_the_only_one_where_counting_says_so() {
        let graph = slim_fly::graph(7, 1);
        let linked = |a: u32, b: u32| graph.peers(a).contains(&b);
        let mut seen = [0; 2];
        for over in 0..graph.n_routers() {
            for (&a, &b) in graph.peers(over).iter().zip(graph.peers(over).iter().skip(1)) {
                let paths = (0..graph.n_routers()).filter(|&r| linked(a, r) && linked(r, b)).count();
                let only = !linked(a, b) && paths == 1;
                assert_eq!(is_only_path(&graph, a, over, b), only, "{a} {over} {b}");
                seen[usize::from(only)] += 1;
            }
        }
        assert!(seen.iter().all(|&n| n > 0), "{seen:?}");
    }
}
