//! Rows that every topology tells of itself.

use super::Graph;

/// N_r, k', p, k, N and racks as the graph has them; a range where routers differ.
pub fn sizes(graph: &Graph) -> Vec<(&'static str, String)> {
    let over = |size: &dyn Fn(u32) -> u32| {
        let (min, max) = (0..graph.n_routers()).map(size).fold((u32::MAX, 0), |(lo, hi), v| (lo.min(v), hi.max(v)));
        if min == max {
            format!("{min}")
        } else {
            format!("{min}..{max}")
        }
    };
    vec![
        ("N_r", format!("{} routers", graph.n_routers())),
        ("k'", format!("{} network ports", over(&|r| graph.degree(r)))),
        ("p", format!("{} endpoints per router", over(&|r| graph.endpoints(r).len() as u32))),
        ("k", format!("{} ports", over(&|r| graph.radix(r)))),
        ("N", format!("{} endpoints", graph.n_endpoints())),
        ("racks", graph.n_racks().to_string()),
    ]
}
