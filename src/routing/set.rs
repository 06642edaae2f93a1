//! Hash sets for keys of our own making: no one feeds it chosen keys, so it does without the standard hasher's protection
//! and its cost.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use crate::rng::mix;

/// A set whose order of iteration depends on nothing but its history.
pub type Set<T> = HashSet<T, BuildHasherDefault<Mixer>>;

/// Mixes in each number that a key consists of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u8(byte));
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_keys_are_told_apart_and_spread() {
        let hash = |key: (u32, u8)| {
            let mut mixer = Mixer::default();
            std::hash::Hash::hash(&key, &mut mixer);
            mixer.finish()
        };
        let hashes: HashSet<u64> = (0..1000).flat_map(|a| (0..10).map(move |b| hash((a, b)))).collect();
        assert_eq!(hashes.len(), 10_000);
        assert_eq!(hashes.iter().map(|h| h & 0xff).collect::<HashSet<_>>().len(), 256);
        assert_ne!(hash((1, 0)), hash((0, 1)));
    }
}
