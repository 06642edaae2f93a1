//! `worst-case-link`: many to one around a link, the worst case for minimal routing in the text of Besta and Hoefler (SC14,
//! section V). Routers are taken in chains A - Rx - Ry - B, each once. All p endpoints of A send to Ry, and so does one of
//! Rx; all of B send to Rx, and so does one of Ry. The link (Rx, Ry) carries p + 1 flows each way, so minimal routing accepts
//! 1/(p + 1) of the active endpoints. The other endpoints of Rx and Ry, and routers outside the chains, only receive or idle.

use super::chains::{chains, endpoint};
use super::fixed::Fixed;
use super::{Entry, Pattern};
use crate::ids::EndpointId;

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: "worst-case-link",
    summary: "many to one over a link, the worst case for minimal routing of the Slim Fly paper, bound 1/(p + 1)",
    keys: &[],
    timed: false,
    build: |config, graph| {
        let mut to: Vec<Option<EndpointId>> = vec![None; graph.n_endpoints() as usize];
        for [a, x, y, b] in chains(config, graph)? {
            for (far, near, goal) in [(a, x, y), (b, y, x)] {
                let n = graph.endpoints(far).len();
                for i in 0..n {
                    to[endpoint(graph, far, i) as usize] = Some(endpoint(graph, goal, i));
                }
                to[endpoint(graph, near, 0) as usize] = Some(endpoint(graph, goal, n));
            }
        }
        Ok(Pattern::Fixed(Fixed::new(graph.n_endpoints(), |src| to[src as usize])))
    },
};
