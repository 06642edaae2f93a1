//! Random streams. Each belongs to (seed, purpose, entity), never to a rank, a thread or an order of events,
//! so results do not depend on who simulates what.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a stream is used for; streams of different purposes are independent even for the same entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Gaps between packets of an endpoint.
    Injection = 1,
    /// Destinations chosen by an endpoint.
    Destination = 2,
    /// Choices of a router: ties, candidates.
    Routing = 3,
    /// Construction of a random topology or table.
    Construction = 4,
    /// Fault placement.
    Faults = 5,
    /// Sampled pairs of a study.
    Pairs = 6,
    /// A traffic pattern that is drawn once.
    Pattern = 7,
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection of `u64` that spreads every bit.
#[must_use]
pub const fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stream of random numbers: xoshiro256++.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of `entity` for `purpose` under `seed`.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, entity: u64) -> Self {
        let key = mix(mix(mix(seed) ^ purpose as u64) ^ entity);
        Self(Xoshiro256PlusPlus::seed_from_u64(key))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform integer in `0..n` (Lemire's multiply-shift with rejection: no bias). `n` must not be 0.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0);
        let mut product = u64::from(self.bits() as u32) * u64::from(n);
        if (product as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u32) < threshold {
                product = u64::from(self.bits() as u32) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// A uniform float in `(0, 1]`, 53 bits.
    #[inline]
    pub fn open01(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_purpose_and_entity() {
        let first = |s, p, e| Stream::new(s, p, e).bits();
        let base = first(1, Purpose::Injection, 0);
        assert_ne!(base, first(2, Purpose::Injection, 0));
        assert_ne!(base, first(1, Purpose::Destination, 0));
        assert_ne!(base, first(1, Purpose::Injection, 1));
        assert_eq!(base, first(1, Purpose::Injection, 0));
    }

    #[test]
    fn below_is_uniform_and_in_range() {
        let mut stream = Stream::new(7, Purpose::Pairs, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[stream.below(7) as usize] += 1;
        }
        // 6 degrees of freedom: chi-square above 22.5 has probability 0.001.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi2 < 22.5, "chi-square {chi2}");
        assert_eq!(stream.below(1), 0);
    }

    #[test]
    fn open01_never_returns_zero() {
        let mut stream = Stream::new(7, Purpose::Pairs, 1);
        for _ in 0..10_000 {
            let x = stream.open01();
            assert!(x > 0.0 && x <= 1.0);
        }
    }
}
