//! What a node finds out by itself about nodes within a distance d, all faults there being known to it: by which dimensions
//! minimal healthy paths lead to each of them, and the first d bits of its extended safety vector. The program is that of
//! `exact`, for one node at a time and with the first hops kept.

use super::code::Model;
use super::cube::Cube;
use super::error::CubeError;

/// Most entries of a table with one for each node and each that is near it, of four bytes each.
const MAX_ENTRIES: u64 = 1 << 28;

/// Nodes within distance `d` of a node of the n-cube.
pub(super) fn n_near(n: u32, d: u32) -> u64 {
    let mut choices = 1u64;
    (0..=d).fold(0, |sum, k| {
        let own = choices;
        choices = choices * u64::from(n - k) / u64::from(k + 1);
        sum + own
    })
}

/// The sets of at most d of n dimensions, in ascending order of their masks: the nodes within distance d of any node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Near {
    d: u32,
    masks: Vec<u32>,
    /// Place in `masks` of every mask of at most d dimensions. Shape `[2^n]`.
    place: Vec<u32>,
}

impl Near {
    /// Of the n-cube within the distance that `model` knows exactly, if that is more than a node sees for itself.
    ///
    /// # Errors
    /// As `Model::check`, and if tables of it take too much memory.
    pub(super) fn of(n: u32, model: Model) -> Result<Option<Self>, CubeError> {
        model.check(n)?;
        let d = model.exact_distance();
        let fits = |d: u32| n_near(n, d) << n <= MAX_ENTRIES;
        if !fits(d) {
            let most = (1..d).rev().find(|&d| fits(d)).unwrap_or(1);
            return Err(CubeError::TooExact { d, n, most });
        }
        Ok((d > 1).then(|| Self::new(n, d)))
    }

    fn new(n: u32, d: u32) -> Self {
        let mut place = vec![0; 1 << n];
        let mut masks = Vec::new();
        for mask in (0..1u32 << n).filter(|mask| mask.count_ones() <= d) {
            place[mask as usize] = masks.len() as u32;
            masks.push(mask);
        }
        Self { d, masks, place }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.masks.len()
    }

    /// Where the node that differs in `mask`, of at most d dimensions, has its place.
    #[inline]
    pub(super) fn place(&self, mask: u32) -> usize {
        self.place[mask as usize] as usize
    }

    /// Fills `first_hops[place]` with the mask of the dimensions by which minimal paths over what is healthy in `cube` leave `u`
    /// for that node; 0 if there are none. Returns bits 1 to d of the extended safety vector of `u`.
    pub(super) fn explore(&self, cube: &Cube, u: u32, first_hops: &mut [u32]) -> u32 {
        first_hops[0] = 0;
        let mut bits = (1 << self.d) - 1;
        for (at, &mask) in self.masks.iter().enumerate().skip(1) {
            let node = u ^ mask;
            let mut links = mask & !cube.faulty_dims(node);
            let (mut hops, mut doorstep) = (0, false);
            while links != 0 {
                let last = links & links.wrapping_neg();
                links ^= last;
                if mask == last {
                    (hops, doorstep) = (last, true);
                } else {
                    hops |= first_hops[self.place(mask ^ last)];
                    doorstep = hops != 0;
                }
            }
            if !doorstep {
                bits &= !(1 << (mask.count_ones() - 1));
            }
            first_hops[at] = if cube.is_faulty(node) { 0 } else { hops };
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypercube::{minimal_first_hops, Code, Faults, Mix, Model};

    #[test]
    fn a_node_alone_finds_what_the_planes_and_the_search_of_one_pair_find() {
        for (n, set) in (1..=6).flat_map(|n| (0..6).map(move |set| (n, set))) {
            let mix = Mix::ALL[set as usize % 3];
            let Ok(cube) = Faults::count((1 << n) / 4, mix).place(n, 3, set) else { continue };
            for d in 1..=n {
                let near = Near::new(n, d);
                let mut hops = vec![0; near.len()];
                let code = Code::new(&cube, Model::Extended(d)).unwrap();
                for u in cube.nonfaulty_nodes() {
                    let bits = near.explore(&cube, u, &mut hops);
                    assert_eq!(bits, code.vector(u) & ((1 << d) - 1), "n {n}, d {d}, node {u}");
                    for v in cube.nonfaulty_nodes().filter(|v| (u ^ v).count_ones() <= d) {
                        assert_eq!(hops[near.place(u ^ v)], minimal_first_hops(&cube, u, v), "n {n}, d {d}, {u} to {v}");
                    }
                }
            }
        }
    }
}
