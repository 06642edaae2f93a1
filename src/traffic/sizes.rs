//! How large packets are.

use crate::config::{Config, ConfigErrors};
use crate::rng::Stream;

/// Sizes of packets, in flits.
#[derive(Clone, Debug, PartialEq)]
pub enum PacketSizes {
    /// All alike.
    One(u8),
    /// Drawn for each packet.
    Mix {
        /// The sizes.
        sizes: Vec<u8>,
        /// Sum of the weights up to and with that of each size; ascending.
        cumulative: Vec<u32>,
    },
}

const SIZE: &str = "traffic.packet_size";
const SIZES: &str = "traffic.packet_sizes";
const WEIGHTS: &str = "traffic.packet_size_weights";

/// `traffic.packet_size`, in flits.
pub(super) fn packet_size(config: &Config) -> i64 {
    config.get_int(SIZE).unwrap_or(1)
}

/// The largest packet of an input, in flits.
#[must_use]
pub fn largest_packet(config: &Config) -> i64 {
    config.get_ints(SIZES).and_then(|sizes| sizes.iter().copied().max()).unwrap_or_else(|| packet_size(config))
}

impl PacketSizes {
    /// The sizes of an input.
    ///
    /// # Errors
    /// One size and several at once, or weights that do not fit.
    pub fn new(config: &Config) -> Result<Self, ConfigErrors> {
        let mut faults = ConfigErrors::default();
        let (sizes, weights) = (config.get_ints(SIZES), config.get_ints(WEIGHTS));
        if sizes.is_some() && config.given(SIZE) {
            faults.0.push(config.fault(SIZE, "packet_sizes takes the place of packet_size; give one of them"));
        }
        match (sizes, weights) {
            (None, Some(_)) => faults.0.push(config.fault(WEIGHTS, "packet_size_weights means nothing without packet_sizes")),
            (Some(sizes), Some(weights)) if sizes.len() != weights.len() => {
                let message = format!("{} weights for {} packet_sizes; give one for each", weights.len(), sizes.len());
                faults.0.push(config.fault(WEIGHTS, message));
            }
            (Some(sizes), _) if sizes.len() > 255 => {
                faults.0.push(config.fault(SIZES, format!("{} sizes; a packet has 1 to 255 flits", sizes.len())));
            }
            _ => {}
        }
        if !faults.0.is_empty() {
            return Err(faults);
        }
        let Some(sizes) = sizes else { return Ok(PacketSizes::One(packet_size(config) as u8)) };
        let mut sum = 0;
        let cumulative = (0..sizes.len()).map(|i| {
            sum += weights.map_or(1, |w| w[i] as u32);
            sum
        });
        Ok(PacketSizes::Mix { cumulative: cumulative.collect(), sizes: sizes.iter().map(|&s| s as u8).collect() })
    }

    /// The size of the next packet; draws only where there are several.
    #[inline]
    pub fn draw(&self, rng: &mut Stream) -> u8 {
        match self {
            PacketSizes::One(size) => *size,
            PacketSizes::Mix { sizes, cumulative } => {
                let wanted = rng.below(cumulative[cumulative.len() - 1]);
                sizes[cumulative.partition_point(|&sum| sum <= wanted)]
            }
        }
    }

    /// The mean size.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            PacketSizes::One(size) => f64::from(*size),
            PacketSizes::Mix { sizes, cumulative } => {
                let mut before = 0;
                let weighted = sizes.iter().zip(cumulative).map(|(&size, &sum)| {
                    let weight = sum - before;
                    before = sum;
                    f64::from(weight) * f64::from(size)
                });
                weighted.sum::<f64>() / f64::from(cumulative[cumulative.len() - 1])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    #[test]
    fn sizes_are_drawn_by_their_weights() {
        let sizes = PacketSizes::Mix { sizes: vec![1, 5, 9], cumulative: vec![6, 9, 10] };
        assert!((sizes.mean() - 3.0).abs() < 1e-12);
        let mut rng = Stream::new(3, Purpose::Injection, 0);
        let mut counts = [0u32; 10];
        (0..100_000).for_each(|_| counts[usize::from(sizes.draw(&mut rng))] += 1);
        for (size, expected) in [(1, 60_000.0), (5, 30_000.0), (9, 10_000.0)] {
            assert!((f64::from(counts[size]) - expected).abs() < 4.5 * f64::sqrt(expected), "{counts:?}");
        }
        let mut untouched = rng.clone();
        assert_eq!((PacketSizes::One(4).draw(&mut untouched), PacketSizes::One(4).mean()), (4, 4.0));
        assert_eq!(untouched, rng, "one size takes no draw");
    }
}
