//! Meshes: k-ary n-dimensional grids without wrap-around, any length in each dimension.

use super::grid::Grid;
use super::keys::{concentration, dims, DIMS};
use super::{Entry, Graph, Sizes};

const NAME: &[&str] = &["mesh"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Mesh: a grid of routers, each linked to its neighbours along every dimension",
    keys: &[dims(NAME), concentration(NAME, "Unset on a mesh: 1.")],
    size_key: DIMS,
    sizes: |cfg| Grid::from_config(cfg).map(|(grid, p)| sizes(&grid, p)),
    build: |cfg| Grid::from_config(cfg).map(|(grid, p)| graph(&grid, p)),
    describe: |cfg, graph| Grid::describe(cfg, graph, diameter),
};

/// The longest shortest path: from corner to corner.
#[must_use]
pub fn diameter(grid: &Grid) -> u32 {
    grid.dims().iter().map(|d| d - 1).sum()
}

/// What `graph(grid, p)` measures.
fn sizes(grid: &Grid, p: u32) -> Sizes {
    let n_routers = u64::from(grid.n_routers());
    let of_dimension = |&length: &u32| n_routers / u64::from(length) * 2 * u64::from(length - 1);
    let n_channels = grid.dims().iter().map(of_dimension).sum();
    Sizes { n_routers, n_endpoints: n_routers * u64::from(p), n_channels, diameter: diameter(grid) }
}

/// The mesh of `grid` with `p` endpoints per router. A dimension of length 1 has no links.
#[must_use]
pub fn graph(grid: &Grid, p: u32) -> Graph {
    let mut links = Vec::new();
    for r in 0..grid.n_routers() {
        for (dim, &length) in grid.dims().iter().enumerate() {
            let here = grid.coordinate(r, dim);
            if here + 1 < length {
                links.push((r, grid.with_coordinate(r, dim, here + 1)));
            }
        }
    }
    grid.graph(&links, p)
}
