//! When packets are generated: gaps between them, one draw per packet, so that an idle endpoint costs nothing.

use crate::rng::Stream;

/// A Bernoulli trial per cycle, drawn as geometric gaps.
#[derive(Clone, Copy, Debug)]
pub struct Bernoulli {
    /// ln(1 - p) of the probability p of a packet per cycle; 0 means never.
    log_miss: f64,
}

impl Bernoulli {
    /// Packets with probability `p` per cycle, `0 <= p <= 1`.
    #[must_use]
    pub fn new(p: f64) -> Self {
        assert!((0.0..=1.0).contains(&p), "a probability");
        Self { log_miss: (-p).ln_1p() }
    }

    /// Cycles from one packet to the next (from cycle -1 to the first): at least 1; `None` if none will come within
    /// 2^62 cycles.
    #[inline]
    pub fn gap(&self, rng: &mut Stream) -> Option<u64> {
        if self.log_miss == 0.0 {
            return None;
        }
        // P(gap > k) = (1-p)^k = P(u <= (1-p)^k) for u uniform on (0, 1].
        let gap = rng.open01().ln() / self.log_miss;
        (gap < (1u64 << 62) as f64).then_some(gap as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    #[test]
    fn gaps_are_geometric() {
        for p in [0.02, 0.3, 0.9] {
            let process = Bernoulli::new(p);
            let mut rng = Stream::new(11, Purpose::Injection, 0);
            let n = 200_000;
            let gaps: Vec<u64> = (0..n).map(|_| process.gap(&mut rng).expect("p > 0")).collect();
            let mean = gaps.iter().sum::<u64>() as f64 / f64::from(n);
            let sd = ((1.0 - p) / (p * p)).sqrt();
            assert!((mean - 1.0 / p).abs() < 4.0 * sd / f64::from(n).sqrt(), "p = {p}: mean gap {mean}");
            let ones = gaps.iter().filter(|&&g| g == 1).count() as f64 / f64::from(n);
            assert!((ones - p).abs() < 4.0 * (p * (1.0 - p) / f64::from(n)).sqrt(), "p = {p}: P(gap 1) = {ones}");
            assert!(gaps.iter().all(|&g| g >= 1));
        }
    }

    #[test]
    fn certain_and_impossible_packets() {
        let mut rng = Stream::new(11, Purpose::Injection, 0);
        assert!((0..1000).all(|_| Bernoulli::new(1.0).gap(&mut rng) == Some(1)));
        assert_eq!(Bernoulli::new(0.0).gap(&mut rng), None);
    }
}
