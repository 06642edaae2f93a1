//! Bit planes: one bit per node, 64 nodes in a word, node `u` at bit `u & 63` of word `u >> 6`. A status of all nodes
//! is a plane, and a round of neighbour exchange is a few operations on whole words.

use super::cube::Cube;

/// For each dimension below 6, the bit positions whose node has a 0 in that dimension.
const LOW_HALF: [u64; 6] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];

/// Words of a plane of the n-cube.
#[must_use]
pub(super) fn n_words(n: u32) -> usize {
    1 << n.saturating_sub(6)
}

/// The plane in which every node of the n-cube is set; below n = 6 the upper bits of its only word stay 0.
#[must_use]
pub(super) fn all_nodes(n: u32) -> Vec<u64> {
    let word = if n >= 6 { !0 } else { (1 << (1 << n)) - 1 };
    vec![word; n_words(n)]
}

/// The bit of node `u`.
#[inline]
#[must_use]
pub(super) fn get(plane: &[u64], u: u32) -> bool {
    plane[(u >> 6) as usize] >> (u & 63) & 1 != 0
}

/// Sets the bit of node `u`.
#[inline]
pub(super) fn set(plane: &mut [u64], u: u32) {
    plane[(u >> 6) as usize] |= 1 << (u & 63);
}

/// Swaps the bits of neighbours along dimension `i < 6` within a word.
#[inline]
#[must_use]
fn swap(x: u64, i: u32) -> u64 {
    let (low, shift) = (LOW_HALF[i as usize], 1 << i);
    (x & low) << shift | x >> shift & low
}

/// The word in which bit `u` is bit `u xor a` of `x`, for `a < 64`.
#[inline]
#[must_use]
pub(super) fn translate(mut x: u64, mut a: u32) -> u64 {
    // Faults are few: most words are uniform, and a uniform word is its own translation.
    if x == 0 || x == !0 {
        return x;
    }
    while a != 0 {
        x = swap(x, a.trailing_zeros());
        a &= a - 1;
    }
    x
}

/// Word `w` of the plane in which the bit of `u` is the bit of its neighbour along dimension `i` in `plane`.
#[inline]
#[must_use]
pub(super) fn neighbour(plane: &[u64], w: usize, i: u32) -> u64 {
    if i < 6 {
        swap(plane[w], i)
    } else {
        plane[w ^ 1 << (i - 6)]
    }
}

/// Adds bit `k` of `masks[u]` for every node `u` set in `plane`.
pub(super) fn scatter(plane: &[u64], k: u32, masks: &mut [u32]) {
    for (&word, nodes) in plane.iter().zip(masks.chunks_mut(64)) {
        if word == 0 {
            continue;
        }
        for (b, mask) in nodes.iter_mut().enumerate() {
            *mask |= ((word >> b & 1) as u32) << k;
        }
    }
}

/// 64 counters side by side, each below 32, bit-sliced: enough to count the neighbours of 64 nodes at once.
#[derive(Clone, Copy, Default)]
pub(super) struct Counters([u64; 5]);

impl Counters {
    /// Adds 1 to the counters set in `x`.
    #[inline]
    pub(super) fn add(&mut self, x: u64) {
        let mut carry = x;
        for bit in &mut self.0 {
            let next = *bit & carry;
            *bit ^= carry;
            carry = next;
        }
    }

    /// The counters that are at most `limit`.
    #[inline]
    #[must_use]
    pub(super) fn at_most(&self, limit: u32) -> u64 {
        let (mut less, mut equal) = (0, !0);
        for (j, &bit) in self.0.iter().enumerate().rev() {
            if limit >> j & 1 != 0 {
                less |= equal & !bit;
                equal &= bit;
            } else {
                equal &= !bit;
            }
        }
        less | equal
    }
}

/// A faulty cube as planes: which nodes are healthy, and for each dimension whose link along it is.
pub(super) struct Grid {
    /// Dimension of the cube.
    pub(super) n: u32,
    /// The nonfaulty nodes.
    pub(super) healthy: Vec<u64>,
    /// The nonfaulty nodes that are no end of a faulty link.
    pub(super) sound: Vec<u64>,
    /// Plane of each dimension: the nodes whose link along it is healthy. Empty if no link is faulty.
    links: Vec<Vec<u64>>,
}

impl Grid {
    /// The planes of `cube`.
    #[must_use]
    pub(super) fn new(cube: &Cube) -> Self {
        let n = cube.n();
        let healthy: Vec<u64> = all_nodes(n).iter().zip(cube.faulty_plane()).map(|(all, faulty)| all & !faulty).collect();
        let mut sound = healthy.clone();
        let mut links = Vec::new();
        if !cube.faulty_links().is_empty() {
            links = vec![all_nodes(n); n as usize];
        }
        for &(u, i) in cube.faulty_links() {
            for end in [u, u ^ 1 << i] {
                let (w, bit) = ((end >> 6) as usize, 1u64 << (end & 63));
                links[i as usize][w] &= !bit;
                sound[w] &= !bit;
            }
        }
        Self { n, healthy, sound, links }
    }

    /// Whether any link is faulty.
    #[inline]
    #[must_use]
    pub(super) fn has_faulty_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// Word `w` of the healthy links along dimension `i`.
    #[inline]
    #[must_use]
    pub(super) fn link(&self, i: u32, w: usize) -> u64 {
        self.links.get(i as usize).map_or(!0, |plane| plane[w])
    }

    /// The plane of nodes with at most `limit` neighbours outside `plane`, where the far end of a faulty link counts as outside.
    #[must_use]
    pub(super) fn few_outside(&self, plane: &[u64], limit: u32) -> Vec<u64> {
        (0..plane.len())
            .map(|w| {
                let mut outside = Counters::default();
                for i in 0..self.n {
                    outside.add(!(neighbour(plane, w, i) & self.link(i, w)));
                }
                outside.at_most(limit)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_count_each_lane() {
        let mut c = Counters::default();
        for i in 0..20 {
            // Lane b receives a 1 in its first b rounds.
            c.add(!0 << (i + 1));
        }
        for limit in 0..=20 {
            let expected = (0..64u32).filter(|b| (*b).min(20) <= limit).fold(0u64, |m, b| m | 1 << b);
            assert_eq!(c.at_most(limit), expected, "limit {limit}");
        }
    }

    #[test]
    fn translation_moves_every_bit() {
        let x = 0x0123_4567_89ab_cdef;
        for a in 0..64 {
            for u in 0..64 {
                assert_eq!(translate(x, a) >> u & 1, x >> (u ^ a) & 1);
            }
        }
    }
}
