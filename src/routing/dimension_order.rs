//! Dimension-order routing on meshes and tori (`dimension-order`): the lowest dimension that still differs first, along
//! the shorter way, as BookSim2's `dim_order_mesh` and `dim_order_torus` do (Dally and Seitz, "Deadlock-free message
//! routing in multiprocessor interconnection networks", 1987).
//!
//! A packet that enters a ring of a torus picks its direction, a tie by a coin, and with it a half of the VCs, and
//! keeps both until it leaves the ring. Going up it takes the upper half if it will cross the wrap-around channel, else
//! the lower; going down it is the other way round. Packets of one half and direction then either never use the
//! wrap-around channel, or all do, in which case none passes the middle of the ring: neither kind can close a cycle. A
//! ring of two or three routers is crossed in one hop and cannot deadlock with any number of VCs.

use super::vc::split;
use super::{Choice, Entry, Head, Here, Memory, Routing, RoutingAlgorithm, Survey, View};
use crate::config::{Config, ConfigErrors};
use crate::ids::{Port, RouterId};
use crate::rng::Stream;
use crate::topology::grid::Grid;
use crate::topology::{mesh, torus, Graph, Sizes};

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: "dimension-order",
    summary: "Dimension order: the lowest dimension first, the shorter way round in a torus",
    topologies: &["mesh", "torus"],
    keys: &[],
    adaptive: false,
    tolerates_faults: false,
    max_hops: |cfg, _| with_grid(cfg, |grid, wraps| if wraps { torus::diameter(grid) } else { mesh::diameter(grid) }),
    vcs_required: |cfg, _| with_grid(cfg, vcs_required),
    memory,
    build,
};

/// Two ports per dimension, and the coordinates of all routers, of which each partition has its own.
fn memory(cfg: &Config, sizes: &Sizes) -> Memory {
    let dims = with_grid(cfg, |grid, _| grid.dims().len() as u64);
    Memory { per_row: 4 * dims, shared: 2 * dims * sizes.n_routers }
}

fn build(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Routing, ConfigErrors> {
    let num_vcs = cfg.int("router.num_vcs") as u32;
    let build = |grid: &Grid, wraps| DimensionOrder::new(survey.graph(), grid, wraps, routers, num_vcs);
    Ok(Routing::DimensionOrder(with_grid(cfg, build)))
}

/// Calls `f` with the grid of the input and whether it wraps.
fn with_grid<T>(cfg: &Config, f: impl FnOnce(&Grid, bool) -> T) -> T {
    let (grid, _) = Grid::from_config(cfg).expect("the graph was built from it");
    f(&grid, cfg.text("network.topology") == "torus")
}

/// The fewest VCs without a cycle: 2 if a ring takes two hops or more, that is from four routers on.
#[must_use]
pub fn vcs_required(grid: &Grid, wraps: bool) -> u32 {
    1 + u32::from(wraps && grid.dims().iter().any(|&d| d >= 4))
}

/// Dimension-order routing for the routers of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimensionOrder {
    /// Routers along each dimension.
    dims: Vec<u32>,
    wraps: bool,
    /// Coordinates of every router; shape `[n_routers][dims]`.
    coordinates: Vec<u16>,
    /// Ports up and down in each dimension, by row; shape `[rows][dims][2]`. 0 where there is no neighbour, never read.
    ports: Vec<Port>,
    /// The lower and upper half of the VCs in each dimension; both are all VCs where it is not a ring. Shape `[dims]`.
    halves: Vec<[u32; 2]>,
    /// Whether `num_vcs` suffices.
    safe: bool,
}

/// What a packet keeps while it travels in one dimension, and `Head::state` holds: 4 (dimension + 1) + 2 up + upper half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Leg {
    dim: usize,
    up: bool,
    upper: bool,
}

impl Leg {
    fn pack(self) -> u8 {
        (4 * (self.dim + 1)) as u8 + 2 * u8::from(self.up) + u8::from(self.upper)
    }

    /// `None` for 0, the state of a packet that has not moved.
    fn unpack(state: u8) -> Option<Self> {
        let dim = usize::from(state / 4).checked_sub(1)?;
        Some(Self { dim, up: state & 2 != 0, upper: state & 1 != 0 })
    }
}

/// Which ways are shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Up,
    Down,
    Either,
}

impl DimensionOrder {
    /// For `routers`, in that order, of the mesh (or torus, if it `wraps`) of `grid`.
    ///
    /// # Panics
    /// If `graph` is not that of `grid`.
    #[must_use]
    pub fn new(graph: &Graph, grid: &Grid, wraps: bool, routers: &[RouterId], num_vcs: u32) -> Self {
        let dims = grid.dims().to_vec();
        let n_dims = dims.len();
        let coordinates =
            (0..grid.n_routers()).flat_map(|r| (0..n_dims).map(move |dim| grid.coordinate(r, dim) as u16)).collect();
        let mut ports = Vec::with_capacity(routers.len() * n_dims * 2);
        for &r in routers {
            for (dim, &length) in dims.iter().enumerate() {
                let here = grid.coordinate(r, dim);
                for (step, leaves) in [(1, here + 1 == length), (length - 1, here == 0)] {
                    let open = length > 1 && (wraps || !leaves);
                    let port = open.then(|| {
                        let peer = grid.with_coordinate(r, dim, (here + step) % length);
                        graph.peers(r).binary_search(&peer).expect("neighbours on the grid are linked") as Port
                    });
                    ports.push(port.unwrap_or(0));
                }
            }
        }
        let (all, halves) = (split(num_vcs, 1)[0], split(num_vcs, 2));
        let halves = dims.iter().map(|&d| if wraps && d > 2 { [halves[0], halves[1]] } else { [all, all] }).collect();
        Self { dims, wraps, coordinates, ports, halves, safe: num_vcs >= vcs_required(grid, wraps) }
    }

    fn coordinate(&self, r: RouterId, dim: usize) -> u32 {
        u32::from(self.coordinates[r as usize * self.dims.len() + dim])
    }

    /// The lowest dimension in which two different routers differ.
    fn dimension(&self, from: RouterId, to: RouterId) -> usize {
        (0..self.dims.len()).find(|&dim| self.coordinate(from, dim) != self.coordinate(to, dim)).expect("the routers differ")
    }

    /// The shortest ways from coordinate `from` to `to`, which differ. A ring of two is one link, the same both ways.
    fn way(&self, dim: usize, from: u32, to: u32) -> Way {
        let length = self.dims[dim];
        if !self.wraps || length == 2 {
            return if to > from { Way::Up } else { Way::Down };
        }
        let up = (to + length - from) % length;
        match (2 * up).cmp(&length) {
            std::cmp::Ordering::Less => Way::Up,
            std::cmp::Ordering::Equal => Way::Either,
            std::cmp::Ordering::Greater => Way::Down,
        }
    }

    /// The leg that begins in `dim` in this direction. It will wrap iff it goes up to a lower coordinate or down to a higher one.
    fn leg(&self, dim: usize, up: bool, from: u32, to: u32) -> Leg {
        let will_wrap = up != (to > from);
        Leg { dim, up, upper: will_wrap == up }
    }

    fn choice(&self, row: u32, leg: Leg) -> Choice {
        let port = self.ports[(row as usize * self.dims.len() + leg.dim) * 2 + usize::from(!leg.up)];
        Choice { port, vcs: self.halves[leg.dim][usize::from(leg.upper)] }
    }

    /// The leg of a packet here: the one it is on, or one of those that begin here, `toss` deciding a tie.
    fn next_leg(&self, router: RouterId, head: &Head, toss: impl FnOnce() -> bool) -> Leg {
        let dim = self.dimension(router, head.target);
        match Leg::unpack(head.state) {
            Some(leg) if leg.dim == dim => leg,
            _ => {
                let (from, to) = (self.coordinate(router, dim), self.coordinate(head.target, dim));
                let up = match self.way(dim, from, to) {
                    Way::Up => true,
                    Way::Down => false,
                    Way::Either => toss(),
                };
                self.leg(dim, up, from, to)
            }
        }
    }
}

impl RoutingAlgorithm for DimensionOrder {
    #[inline]
    fn route(&self, here: Here, head: &mut Head, _view: &impl View, rng: &mut Stream) -> Choice {
        let leg = self.next_leg(here.router, head, || rng.below(2) == 0);
        head.state = leg.pack();
        self.choice(here.row, leg)
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        let up = self.next_leg(here.router, head, || true);
        let down = self.next_leg(here.router, head, || false);
        let legs = if up == down { &[up][..] } else { &[up, down] };
        let probability = 1.0 / legs.len() as f64;
        out.extend(legs.iter().map(|leg| (probability, self.choice(here.row, *leg), Head { state: leg.pack(), ..*head })));
    }

    fn argument(&self) -> Option<&'static str> {
        let mesh = "dimensions are crossed in order, each in one direction, so no channel can wait for itself (Dally and Seitz)";
        let torus = "dimensions are crossed in order, and packets of one half of the VCs never cover a ring, so no channel can \
                     wait for itself (Dally and Seitz)";
        self.safe.then_some(if self.wraps { torus } else { mesh })
    }

    fn reads_hops(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leg_survives_packing_in_every_dimension() {
        for dim in 0..Grid::MAX_DIMS {
            for (up, upper) in [(false, false), (false, true), (true, false), (true, true)] {
                let leg = Leg { dim, up, upper };
                assert_eq!(Leg::unpack(leg.pack()), Some(leg));
            }
        }
        assert_eq!(Leg::unpack(0), None);
    }

    #[test]
    fn two_vcs_are_needed_where_a_ring_takes_two_hops() {
        let required = |dims: &[u32], wraps| vcs_required(&Grid::new(dims), wraps);
        assert_eq!([&[8, 8][..], &[3, 3], &[2, 1], &[3, 4]].map(|d| required(d, true)), [2, 1, 1, 2]);
        assert_eq!(required(&[8, 8], false), 1);
    }
}
