//! Exact information: which nodes a minimal healthy path reaches.
//!
//! Let R_N(u) say that u reaches u xor N by a minimal path over healthy nodes and links. Then R_N(u) holds iff u xor N is
//! healthy and R_M(u) holds for some M = N less one dimension i whose link at u xor N is healthy. The program runs over the
//! subsets N with 64 nodes u side by side in one word, so each step serves 64 sources.

use rayon::prelude::*;

use super::cube::Cube;
use super::error::CubeError;
use super::planes::{self, Grid};

/// The largest dimension for which the tables of all pairs are held: 2^24 bits each.
pub const MAX_TABLE_DIMENSION: u32 = 12;

/// The subsets of dimensions with at most d members in ascending order, each with the places of its subsets of one less.
struct Subsets {
    masks: Vec<u32>,
    /// Places of `mask` less each of its dimensions, in ascending order of dimension, for each mask in turn.
    below: Vec<u32>,
}

impl Subsets {
    fn new(n: u32, d: u32) -> Self {
        let mut place = vec![0u32; 1 << n];
        let (mut masks, mut below) = (Vec::new(), Vec::new());
        for mask in (0..1u32 << n).filter(|mask| mask.count_ones() <= d) {
            place[mask as usize] = masks.len() as u32;
            masks.push(mask);
            below.extend((0..n).filter(|i| mask >> i & 1 != 0).map(|i| place[(mask ^ 1 << i) as usize]));
        }
        Self { masks, below }
    }

    /// Runs the program for the 64 nodes of word `w`: `reach[t]` becomes R for the t-th subset, and `every[k]` those nodes that
    /// have a healthy path up to the doorstep of every node at distance k. A bit of a faulty node is 0.
    fn run(&self, grid: &Grid, w: usize, reach: &mut [u64], every: &mut [u64]) {
        reach[0] = grid.healthy[w];
        every.fill(grid.healthy[w]);
        let mut below = self.below.iter();
        for (t, &mask) in self.masks.iter().enumerate().skip(1) {
            let (far, low) = (w ^ (mask >> 6) as usize, mask & 63);
            let size = mask.count_ones() as usize;
            let mut arrives = 0;
            if grid.has_faulty_links() {
                let mut rest = mask;
                for &b in below.by_ref().take(size) {
                    arrives |= reach[b as usize] & planes::translate(grid.link(rest.trailing_zeros(), far), low);
                    rest &= rest - 1;
                }
            } else {
                for &b in below.by_ref().take(size) {
                    arrives |= reach[b as usize];
                }
            }
            reach[t] = arrives & planes::translate(grid.healthy[far], low);
            every[size] &= arrives;
        }
    }
}

/// Most steps that the exact bits of one cube may take, each some nanoseconds: a minute or two of one core.
const MAX_STEPS: u64 = 20_000_000_000;

/// Largest `d` for which `exact_bits` of an n-cube takes no longer than anyone waits for; at least 1.
#[must_use]
pub fn max_exact_distance(n: u32) -> u32 {
    let n_words = (1u64 << n).div_ceil(64);
    // Every subset of k dimensions takes k steps per word; k C(n, k) = n C(n - 1, k - 1).
    let (mut steps, mut choices) = (0u64, 1u64);
    for k in 1..=n {
        steps += u64::from(n) * choices * n_words;
        if steps > MAX_STEPS {
            return (k - 1).max(1);
        }
        choices = choices * u64::from(n - k) / u64::from(k);
    }
    n
}

/// Bits 1 to `d` of the extended safety vector as planes. The time is O(C(n, <= d) d 2^n / 64): for d = n and n = 20 that is
/// the better part of an hour on one core, for d = 4 seconds; see `max_exact_distance`.
#[must_use]
pub(super) fn exact_bits(grid: &Grid, d: u32) -> Vec<Vec<u64>> {
    let subsets = Subsets::new(grid.n, d);
    let words: Vec<Vec<u64>> = (0..grid.healthy.len())
        .into_par_iter()
        .map_init(
            || vec![0; subsets.masks.len()],
            |reach, w| {
                let mut every = vec![0; d as usize + 1];
                subsets.run(grid, w, reach, &mut every);
                every
            },
        )
        .collect();
    (1..=d as usize).map(|k| words.iter().map(|every| every[k]).collect()).collect()
}

/// For every pair of nonfaulty nodes: does a path of length H (their Hamming distance) exist, and one of length H + 2?
#[derive(Clone, Debug)]
pub struct AllPairs {
    n_words: usize,
    /// Word `w` of R_N at `N * n_words + w`.
    minimal: Vec<u64>,
    /// Likewise for walks of length |N| + 2.
    plus_two: Vec<u64>,
}

impl AllPairs {
    /// Computes the tables.
    ///
    /// # Errors
    /// If the cube has more than `MAX_TABLE_DIMENSION` dimensions.
    pub fn new(cube: &Cube) -> Result<Self, CubeError> {
        if cube.n() > MAX_TABLE_DIMENSION {
            return Err(CubeError::Study(format!(
                "tables of all pairs are held for at most {MAX_TABLE_DIMENSION} dimensions, not {}",
                cube.n()
            )));
        }
        Ok(Self::on_grid(&Grid::new(cube)).0)
    }

    /// The tables, and the exact bits 1 to n that the same program yields.
    pub(super) fn on_grid(grid: &Grid) -> (Self, Vec<Vec<u64>>) {
        let (n, n_words) = (grid.n, grid.healthy.len());
        let subsets = Subsets::new(n, n);
        let n_subsets = subsets.masks.len();
        let mut bits = vec![vec![0; n_words]; n as usize];
        let (mut minimal, mut plus_two) = (vec![0; n_subsets * n_words], vec![0; n_subsets * n_words]);
        let (mut reach, mut two) = (vec![0; n_subsets], vec![0; n_subsets]);
        let mut every = vec![0; n as usize + 1];
        for w in 0..n_words {
            subsets.run(grid, w, &mut reach, &mut every);
            detour(grid, w, &reach, &mut two);
            for (k, plane) in bits.iter_mut().enumerate() {
                plane[w] = every[k + 1];
            }
            for mask in 0..n_subsets {
                minimal[mask * n_words + w] = reach[mask];
                plus_two[mask * n_words + w] = two[mask];
            }
        }
        (Self { n_words, minimal, plus_two }, bits)
    }

    /// Whether a path of length H leads from `u` to `v`.
    #[inline]
    #[must_use]
    pub fn minimal(&self, u: u32, v: u32) -> bool {
        self.look(&self.minimal, u, v)
    }

    /// Whether a walk of length H + 2 leads from `u` to `v`; where no path of length H does, it is a shortest path.
    #[inline]
    #[must_use]
    pub fn plus_two(&self, u: u32, v: u32) -> bool {
        self.look(&self.plus_two, u, v)
    }

    #[inline]
    fn look(&self, table: &[u64], u: u32, v: u32) -> bool {
        table[(u ^ v) as usize * self.n_words + (u >> 6) as usize] >> (u & 63) & 1 != 0
    }
}

/// Walks of length |N| + 2 from the 64 nodes of word `w`: the last hop comes along a dimension of N from a walk that has already
/// made its detour, or along another one from a minimal path to a node one farther away.
fn detour(grid: &Grid, w: usize, reach: &[u64], two: &mut [u64]) {
    for mask in 0..reach.len() {
        let (far, low) = (w ^ mask >> 6, (mask & 63) as u32);
        let mut arrives = 0;
        for i in 0..grid.n {
            let before = mask ^ 1 << i;
            let walk = if before < mask { two[before] } else { reach[before] };
            arrives |= if grid.has_faulty_links() { walk & planes::translate(grid.link(i, far), low) } else { walk };
        }
        two[mask] = arrives & planes::translate(grid.healthy[far], low);
    }
}
