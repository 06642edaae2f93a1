//! Coordinates of routers on a grid: what meshes and tori and their routings share. Pure arithmetic.

use super::keys::{given_concentration, DIMS};
use super::{describe, limits, Graph};
use crate::config::{Config, ConfigErrors};
use crate::ids::RouterId;

/// Routers along each dimension. Router ids count dimension 0 fastest: `r = c_0 + d_0 (c_1 + d_1 (c_2 + ...))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    dims: Vec<u32>,
}

impl Grid {
    /// The most dimensions a grid may have; more would make the number of routers absurd or the dimensions trivial.
    pub const MAX_DIMS: usize = 16;

    /// The grid of `dims` routers, each at least 1.
    ///
    /// # Panics
    /// If there is no dimension or one is 0.
    #[must_use]
    pub fn new(dims: &[u32]) -> Self {
        assert!(!dims.is_empty() && dims.iter().all(|&d| d > 0), "dimensions are positive");
        Self { dims: dims.to_vec() }
    }

    /// The grid of `network.dims` and the endpoints per router (`network.p`, 1 unless given), checked against `limits`.
    ///
    /// # Errors
    /// Too many dimensions, or a network that does not fit the widths of `ids`.
    pub fn from_config(cfg: &Config) -> Result<(Self, u32), ConfigErrors> {
        let p = given_concentration(cfg).unwrap_or(1);
        let dims: Vec<u32> = cfg.get_ints(DIMS).unwrap_or_default().iter().map(|&d| d as u32).collect();
        if dims.len() > Self::MAX_DIMS {
            let rule = format!("{} dimensions; at most {} are possible", dims.len(), Self::MAX_DIMS);
            return Err(cfg.fault(DIMS, rule).into());
        }
        let n_routers = dims.iter().fold(1u64, |n, &d| n.saturating_mul(u64::from(d)));
        limits::check(n_routers, 2 * dims.len() as u64, u64::from(p)).map_err(|rule| cfg.fault(DIMS, rule))?;
        Ok((Self::new(&dims), p))
    }

    /// Routers along each dimension.
    #[must_use]
    pub fn dims(&self) -> &[u32] {
        &self.dims
    }

    /// Number of routers.
    #[must_use]
    pub fn n_routers(&self) -> u32 {
        self.dims.iter().product()
    }

    /// The coordinate of router `r` in `dim`.
    #[must_use]
    pub fn coordinate(&self, r: RouterId, dim: usize) -> u32 {
        r / self.stride(dim) % self.dims[dim]
    }

    /// The router with the coordinates of `r` but `coordinate` in `dim`.
    #[must_use]
    pub fn with_coordinate(&self, r: RouterId, dim: usize, coordinate: u32) -> RouterId {
        r - self.coordinate(r, dim) * self.stride(dim) + coordinate * self.stride(dim)
    }

    /// The graph with these `links` and `p` endpoints per router. A rack is a row along dimension 0 (consecutive ids), so
    /// that racks in their order are slabs of the grid: cutting between them cuts few channels. A subgroup is a router.
    pub(super) fn graph(&self, links: &[(RouterId, RouterId)], p: u32) -> Graph {
        let n = self.n_routers();
        let rack = (0..n).map(|r| r / self.dims[0]).collect();
        Graph::from_links(links, &vec![p; n as usize], rack, (0..n).collect())
    }

    /// What a mesh or torus tells of itself.
    pub(super) fn describe(cfg: &Config, graph: &Graph, diameter: fn(&Self) -> u32) -> Vec<(&'static str, String)> {
        let (grid, _) = Self::from_config(cfg).expect("the graph was built from it");
        let mut rows = vec![("dims", grid.to_string())];
        rows.extend(describe::sizes(graph));
        rows.push(("diameter", format!("{} hops", diameter(&grid))));
        rows
    }

    fn stride(&self, dim: usize) -> u32 {
        self.dims[..dim].iter().product()
    }
}

impl std::fmt::Display for Grid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts: Vec<String> = self.dims.iter().map(u32::to_string).collect();
        write!(f, "{}", parts.join(" x "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimension_zero_varies_fastest() {
        let grid = Grid::new(&[4, 3, 2]);
        assert_eq!(grid.n_routers(), 24);
        assert_eq!([0, 1, 2].map(|d| grid.coordinate(4 * (3 + 2) + 1, d)), [1, 2, 1]);
        assert_eq!(grid.with_coordinate(21, 1, 0), 13);
        assert_eq!(grid.to_string(), "4 x 3 x 2");
        for r in 0..24 {
            for dim in 0..3 {
                assert_eq!(grid.with_coordinate(r, dim, grid.coordinate(r, dim)), r);
            }
        }
    }
}
