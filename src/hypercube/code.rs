//! What a node knows about the faults around it: a coding method gives every node an n-bit vector.
//!
//! All methods are brought to one form, that of the safety vector: bit k of node u is 1 only if u has a minimal healthy
//! path to *every* nonfaulty node at distance k. A safe node has all bits, a node of safety level l the first l. So one
//! unicasting algorithm serves them all, and the methods are compared on equal terms.

use super::cube::Cube;
use super::error::CubeError;
use super::exact::max_exact_distance;
use super::planes::{self, Grid};
use super::{extended_safe, extended_safety_vector, safe_unsafe, safety_level, safety_vector};

/// A coding method, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// Safe and unsafe nodes (Lee and Hayes).
    SafeUnsafe,
    /// Extended safe nodes (Wu and Fernandez).
    ExtendedSafe,
    /// Safety levels (Wu).
    SafetyLevel,
    /// Safety vectors (Wu).
    SafetyVector,
    /// Extended safety vectors (Wu, Gao, Li, Min) with exact knowledge within this distance.
    Extended(u32),
}

impl Model {
    /// The models without a parameter; `Extended` completes them.
    pub const FIXED: [Model; 4] = [Model::SafeUnsafe, Model::ExtendedSafe, Model::SafetyLevel, Model::SafetyVector];

    /// The name used in inputs, tables and files: `safe-unsafe`, `extended-safe`, `safety-level`, `safety-vector`, `esv2`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Model::SafeUnsafe => "safe-unsafe".to_string(),
            Model::ExtendedSafe => "extended-safe".to_string(),
            Model::SafetyLevel => "safety-level".to_string(),
            Model::SafetyVector => "safety-vector".to_string(),
            Model::Extended(d) => format!("esv{d}"),
        }
    }

    /// The model of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let extended = || name.strip_prefix("esv")?.parse().ok().map(Model::Extended);
        Self::FIXED.into_iter().find(|m| m.name() == name).or_else(extended)
    }

    /// Checks that cubes of `n` dimensions can have this model.
    ///
    /// # Errors
    /// If the distance of an extended safety vector is not in `1..=n`, or takes too long to know exactly.
    pub fn check(self, n: u32) -> Result<(), CubeError> {
        match self {
            Model::Extended(d) if d == 0 || d > n => Err(CubeError::Distance { d, n }),
            Model::Extended(d) if d > max_exact_distance(n) => Err(CubeError::TooExact { d, n, most: max_exact_distance(n) }),
            _ => Ok(()),
        }
    }

    /// Within what distance a node knows every fault exactly. Every node knows its own links and neighbours.
    #[inline]
    #[must_use]
    pub fn exact_distance(self) -> u32 {
        match self {
            Model::Extended(d) => d,
            _ => 1,
        }
    }
}

/// What computing a code costs a machine that does it by synchronous rounds of neighbour exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Rounds: the last one that tells some node something new.
    pub rounds: u32,
    /// Messages: in each round every nonfaulty node sends one over each healthy link to a nonfaulty neighbour.
    pub messages: u64,
}

/// The code of every node of one faulty cube under one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    model: Model,
    n: u32,
    /// Bit k - 1 is the k-th bit of the vector; 0 for faulty nodes.
    vectors: Vec<u32>,
    cost: Cost,
}

impl Code {
    /// Computes the code of every node of `cube` under `model`.
    ///
    /// # Errors
    /// As `Model::check`.
    pub fn new(cube: &Cube, model: Model) -> Result<Self, CubeError> {
        model.check(cube.n())?;
        let grid = Grid::new(cube);
        let exact = match model {
            Model::Extended(d) => super::exact::exact_bits(&grid, d),
            _ => Vec::new(),
        };
        Ok(Self::on_grid(cube, &grid, model, &exact))
    }

    /// As `new`, with the planes and the exact bits (at least as many as the model needs) already at hand.
    pub(super) fn on_grid(cube: &Cube, grid: &Grid, model: Model, exact: &[Vec<u64>]) -> Self {
        let (bits, rounds) = match model {
            Model::SafeUnsafe => safe_unsafe::bits(grid),
            Model::ExtendedSafe => extended_safe::bits(grid),
            Model::SafetyLevel => safety_level::bits(grid),
            Model::SafetyVector => safety_vector::bits(grid),
            Model::Extended(d) => extended_safety_vector::bits(grid, &exact[..d as usize]),
        };
        let mut vectors = vec![0; cube.n_nodes() as usize];
        for (k, plane) in bits.iter().enumerate() {
            planes::scatter(plane, k as u32, &mut vectors);
        }
        let cost = Cost { rounds, messages: u64::from(rounds) * 2 * cube.n_open_links() };
        Self { model, n: cube.n(), vectors, cost }
    }

    /// The model.
    #[inline]
    #[must_use]
    pub fn model(&self) -> Model {
        self.model
    }

    /// Rounds and messages it takes.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The vector of `node`: bit k - 1 of the mask is bit k.
    #[inline]
    #[must_use]
    pub fn vector(&self, node: u32) -> u32 {
        self.vectors[node as usize]
    }

    /// The vectors of all nodes.
    #[must_use]
    pub fn vectors(&self) -> &[u32] {
        &self.vectors
    }

    /// Bit `k` in `1..=n` of `node`; beyond n there is no node to reach and the bit counts as 0.
    #[inline]
    #[must_use]
    pub fn bit(&self, node: u32, k: u32) -> bool {
        debug_assert!(k > 0);
        self.vectors[node as usize] >> (k - 1) & 1 != 0
    }

    /// The safety level of `node`: how many bits are 1 before the first 0. It is the code itself under `SafetyLevel`.
    #[must_use]
    pub fn level(&self, node: u32) -> u32 {
        self.vector(node).trailing_ones()
    }

    /// Whether every bit of `node` is 1: it is safe.
    #[must_use]
    pub fn is_safe(&self, node: u32) -> bool {
        self.level(node) == self.n
    }

    /// The vector of `node` as the papers write it: bit 1 first.
    #[must_use]
    pub fn text(&self, node: u32) -> String {
        (1..=self.n).map(|k| if self.bit(node, k) { '1' } else { '0' }).collect()
    }
}
