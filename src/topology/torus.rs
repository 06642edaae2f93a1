//! Tori: k-ary n-dimensional grids with wrap-around (k-ary n-cubes), any length in each dimension.

use super::grid::Grid;
use super::keys::{concentration, dims, DIMS};
use super::{Entry, Graph, Sizes};

const NAME: &[&str] = &["torus"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Torus: a grid of routers that closes to a ring along every dimension",
    keys: &[dims(NAME), concentration(NAME, "Unset on a torus: 1.")],
    size_key: DIMS,
    sizes: |cfg| Grid::from_config(cfg).map(|(grid, p)| sizes(&grid, p)),
    build: |cfg| Grid::from_config(cfg).map(|(grid, p)| graph(&grid, p)),
    describe: |cfg, graph| Grid::describe(cfg, graph, diameter),
};

/// The longest shortest path: half way round every ring.
#[must_use]
pub fn diameter(grid: &Grid) -> u32 {
    grid.dims().iter().map(|d| d / 2).sum()
}

/// What `graph(grid, p)` measures.
fn sizes(grid: &Grid, p: u32) -> Sizes {
    let n_routers = u64::from(grid.n_routers());
    let n_channels = grid.dims().iter().map(|&length| n_routers * u64::from((length - 1).min(2))).sum();
    Sizes { n_routers, n_endpoints: n_routers * u64::from(p), n_channels, diameter: diameter(grid) }
}

/// The torus of `grid` with `p` endpoints per router. A ring of two routers is one link, not two parallel ones, and a
/// dimension of length 1 has none: both are then the same as in a mesh.
#[must_use]
pub fn graph(grid: &Grid, p: u32) -> Graph {
    let mut links = Vec::new();
    for r in 0..grid.n_routers() {
        for (dim, &length) in grid.dims().iter().enumerate() {
            let here = grid.coordinate(r, dim);
            if here + 1 < length || length > 2 {
                links.push((r, grid.with_coordinate(r, dim, (here + 1) % length)));
            }
        }
    }
    grid.graph(&links, p)
}
