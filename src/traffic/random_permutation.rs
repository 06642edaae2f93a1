//! `random-permutation`: one of all permutations of the endpoints, drawn from the seed, the same for the whole run.

use super::fixed::Fixed;
use super::keys::self_traffic;
use super::Entry;
use crate::rng::{Purpose, Stream};

const NAME: &[&str] = &["random-permutation"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "a permutation of all endpoints, drawn once from the seed",
    keys: &[self_traffic(NAME)],
    timed: false,
    build: |config, graph| {
        let image = draw(graph.n_endpoints(), config.int("simulation.seed") as u64);
        Ok(Fixed::permutation(config, graph.n_endpoints(), |src| Some(image[src as usize])))
    },
};

/// A permutation of `0..n`, all equally likely (Fisher and Yates).
fn draw(n: u32, seed: u64) -> Vec<u32> {
    let mut stream = Stream::new(seed, Purpose::Pattern, 0);
    let mut image: Vec<u32> = (0..n).collect();
    for last in (1..n).rev() {
        image.swap(last as usize, stream.below(last + 1) as usize);
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_permutations_are_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..24_000 {
            *counts.entry(draw(4, seed)).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // 23 degrees of freedom: chi-square above 49.7 has probability 0.001.
        let chi2: f64 = counts.values().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi2 < 49.7, "chi-square {chi2}");
    }
}
