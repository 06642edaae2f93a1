//! A log-linear histogram of latencies: exact below 2,048 cycles, then 1,024 bins per octave, a relative error of 0.1 %.

use crate::stats::Bins;

const EXACT_BITS: u32 = 11;
const EXACT: u64 = 1 << EXACT_BITS;
const PER_OCTAVE: u64 = EXACT / 2;

/// Counts of `u32` values; grows with the largest value seen. Merging is exact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    sum: u128,
    max: u64,
}

#[inline]
fn bin(value: u64) -> usize {
    if value < EXACT {
        return value as usize;
    }
    let octave = 63 - value.leading_zeros() - (EXACT_BITS - 1);
    (EXACT + u64::from(octave - 1) * PER_OCTAVE + ((value >> octave) - PER_OCTAVE)) as usize
}

/// Smallest value of a bin.
fn lower(bin: u64) -> u64 {
    if bin < EXACT {
        return bin;
    }
    let octave = (bin - EXACT) / PER_OCTAVE + 1;
    ((bin - EXACT) % PER_OCTAVE + PER_OCTAVE) << octave
}

impl Histogram {
    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u32) {
        let bin = bin(u64::from(value));
        if bin >= self.counts.len() {
            self.counts.resize((bin + 1).next_power_of_two().max(256), 0);
        }
        self.counts[bin] += 1;
        self.total += 1;
        self.sum += u128::from(value);
        self.max = self.max.max(u64::from(value));
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (a, b) in self.counts.iter_mut().zip(&other.counts) {
            *a += b;
        }
        self.total += other.total;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Exact mean; 0 if there are no values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            self.sum as f64 / self.total as f64
        }
    }

    /// Exact maximum; 0 if there are no values.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The smallest value v such that at least the share `q` of all values is at most v (in bins wider than one cycle:
    /// the largest value of the bin, at most the maximum); 0 if there are no values.
    #[must_use]
    pub fn percentile(&self, q: f64) -> f64 {
        let wanted = ((self.total as f64 * q).ceil() as u64).max(1);
        let mut seen = 0;
        for (bin, &count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return (lower(bin as u64 + 1) - 1).min(self.max) as f64;
            }
        }
        0.0
    }

    /// The bins that have entries.
    #[must_use]
    pub fn bins(&self) -> Bins {
        let mut bins = Bins::default();
        for (bin, &count) in self.counts.iter().enumerate().filter(|(_, &count)| count > 0) {
            bins.lower.push(lower(bin as u64));
            bins.upper.push(lower(bin as u64 + 1) - 1);
            bins.count.push(count);
        }
        bins
    }

    /// As integers, for [`Histogram::decode`].
    pub(super) fn encode(&self, out: &mut Vec<u64>) {
        let used = self.counts.iter().rposition(|&c| c > 0).map_or(0, |last| last + 1);
        out.extend([self.total, self.sum as u64, (self.sum >> 64) as u64, self.max, used as u64]);
        out.extend_from_slice(&self.counts[..used]);
    }

    /// Reads what `encode` wrote.
    pub(super) fn decode(input: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let total = input.next()?;
        let sum = u128::from(input.next()?) | u128::from(input.next()?) << 64;
        let max = input.next()?;
        let used = input.next()? as usize;
        let counts: Vec<u64> = input.take(used).collect();
        (counts.len() == used).then_some(Self { counts, total, sum, max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn every_value_falls_into_the_bin_that_claims_it() {
        for value in (0..5_000).chain([8_191, 8_192, 1 << 20, (1 << 20) + 1, u64::from(u32::MAX)]) {
            let b = bin(value) as u64;
            assert!(lower(b) <= value && value < lower(b + 1), "value {value} in bin {b}");
        }
        assert!((1..40_000).all(|b| lower(b) > lower(b - 1)));
    }

    #[test]
    fn percentiles_match_sorting_and_merging_is_exact() {
        let mut stream = Stream::new(1, Purpose::Pairs, 9);
        let values: Vec<u32> = (0..10_001).map(|_| stream.below(1_500)).collect();
        let (mut all, mut left, mut right) = (Histogram::default(), Histogram::default(), Histogram::default());
        for (i, &v) in values.iter().enumerate() {
            all.record(v);
            if i % 3 == 0 { &mut left } else { &mut right }.record(v);
        }
        let mut sorted = values.clone();
        sorted.sort_unstable();
        for q in [0.5, 0.95, 0.99, 0.999] {
            let rank = (values.len() as f64 * q).ceil() as usize;
            assert_eq!(all.percentile(q), f64::from(sorted[rank - 1]));
        }
        let exact = values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64;
        assert!((all.mean() - exact).abs() < 1e-9);
        left.merge(&right);
        assert_eq!((left.mean(), left.max(), left.bins()), (all.mean(), all.max(), all.bins()));
    }

    #[test]
    fn nothing_recorded_gives_zeros() {
        let empty = Histogram::default();
        assert_eq!((empty.mean(), empty.percentile(0.99), empty.max(), empty.count()), (0.0, 0.0, 0, 0));
        assert!(empty.bins().count.is_empty());
    }

    #[test]
    fn encoding_round_trips() {
        let mut h = Histogram::default();
        [1, 5, 5, 70_000].into_iter().for_each(|v| h.record(v));
        let mut words = Vec::new();
        h.encode(&mut words);
        let back = Histogram::decode(&mut words.into_iter()).expect("complete");
        assert_eq!((back.bins(), back.mean(), back.max()), (h.bins(), h.mean(), h.max()));
    }
}
