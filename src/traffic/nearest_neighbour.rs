//! `nearest-neighbour`: halo exchange. Endpoints stand on a grid that wraps around; each sends to its neighbours in turn, one
//! step up and one down in every dimension.

use std::ops::Range;

use super::{grid, keys, Entry, Pattern, TrafficPattern};
use crate::config::{Config, ConfigErrors};
use crate::ids::EndpointId;
use crate::rng::Stream;
use crate::topology::Graph;

const NAME: &[&str] = &["nearest-neighbour"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "the neighbours on a grid of endpoints in turn: up and down in each dimension, around",
    keys: &[
        keys::grid(NAME, "For nearest-neighbour a dimension of 2 has one neighbour, a dimension of 1 has none."),
        keys::phase_packets(NAME),
    ],
    timed: false,
    build,
};

fn build(config: &Config, graph: &Graph) -> Result<Pattern, ConfigErrors> {
    let grid = grid::grid(config, graph, grid::cube)?;
    let mut directions = Vec::new();
    let mut stride = 1;
    for &length in grid.dims() {
        if length > 1 {
            directions.push(Direction { stride, length, step: 1 });
        }
        if length > 2 {
            directions.push(Direction { stride, length, step: length - 1 });
        }
        stride *= length;
    }
    let phase = config.int("traffic.phase_packets") as u64;
    Ok(Pattern::NearestNeighbour(NearestNeighbour { n: grid.n_routers(), directions, phase }))
}

/// A way to a neighbour.
#[derive(Clone, Copy, Debug)]
struct Direction {
    /// Difference of ids along the dimension.
    stride: u32,
    /// Places along it.
    length: u32,
    /// Places further, around.
    step: u32,
}

/// Nearest-neighbour traffic.
#[derive(Debug)]
pub struct NearestNeighbour {
    /// Endpoints on the grid.
    n: u32,
    directions: Vec<Direction>,
    /// Packets to one neighbour before the next.
    phase: u64,
}

impl NearestNeighbour {
    fn neighbour(&self, src: EndpointId, direction: usize) -> EndpointId {
        let Direction { stride, length, step } = self.directions[direction];
        let at = src / stride % length;
        src - at * stride + (at + step) % length * stride
    }
}

impl TrafficPattern for NearestNeighbour {
    fn destination(&self, src: EndpointId, sequence: u64, _rng: &mut Stream) -> EndpointId {
        self.neighbour(src, (sequence / self.phase % self.directions.len() as u64) as usize)
    }

    fn active(&self, src: EndpointId) -> bool {
        src < self.n && !self.directions.is_empty()
    }

    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
        for direction in 0..self.directions.len() {
            let dst = self.neighbour(src, direction);
            visit(dst..dst + 1, 1.0 / self.directions.len() as f64);
        }
    }
}
