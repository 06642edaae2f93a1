//! `tornado` (Dally and Towles, section 3.2): in every dimension of k places, ceil(k/2) - 1 further and around. On a ring
//! it is the farthest that goes one way only.

use super::fixed::Fixed;
use super::{grid, keys, Entry};

const NAME: &[&str] = &["tornado"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "ceil(k/2) - 1 places further in every dimension of k, around",
    keys: &[
        keys::self_traffic(NAME),
        keys::grid(
            NAME,
            "The grid that endpoints stand on, the first dimension varying fastest in the endpoint id; endpoints beyond it do not \
             send. Unset: that of a mesh or torus, with the endpoints of a router as a first dimension if it has several. \
             Unset on other networks: a ring of all endpoints for tornado, the most even three dimensions for nearest-neighbour.",
        ),
    ],
    timed: false,
    build: |config, graph| {
        let grid = grid::grid(config, graph, |n| vec![n])?;
        Ok(Fixed::permutation(config, graph.n_endpoints(), |src| {
            (src < grid.n_routers()).then(|| {
                let further = |at: u32, (dim, &k): (usize, &u32)| {
                    grid.with_coordinate(at, dim, (grid.coordinate(at, dim) + k.div_ceil(2) - 1) % k)
                };
                grid.dims().iter().enumerate().fold(src, further)
            })
        }))
    },
};
