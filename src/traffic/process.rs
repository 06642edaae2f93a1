//! When packets are generated: gaps between them, one draw per packet or per change of state, so that an idle endpoint costs
//! nothing.

use crate::rng::Stream;

/// No event lies further ahead than this, in cycles.
const FOREVER: f64 = (1u64 << 62) as f64;

/// Cycles up to and with the first success of a trial per cycle that fails with probability exp(`log_miss`): at least 1;
/// infinite if the trial cannot succeed.
#[inline]
fn geometric(log_miss: f64, rng: &mut Stream) -> f64 {
    // P(gap > k) = (1-p)^k = P(u <= (1-p)^k) for u uniform on (0, 1].
    (rng.open01().ln() / log_miss).floor() + 1.0
}

#[inline]
fn cycles(gap: f64) -> Option<u64> {
    (gap < FOREVER).then_some(gap as u64)
}

/// A Bernoulli trial per cycle, drawn as geometric gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bernoulli {
    p: f64,
    /// ln(1 - p) of the probability p of a packet per cycle; 0 means never.
    log_miss: f64,
}

impl Bernoulli {
    /// Packets with probability `p` per cycle, `0 <= p <= 1`.
    #[must_use]
    pub fn new(p: f64) -> Self {
        assert!((0.0..=1.0).contains(&p), "a probability");
        Self { p, log_miss: (-p).ln_1p() }
    }

    /// Cycles from one packet to the next (from cycle -1 to the first): at least 1; `None` if none will come within
    /// 2^62 cycles.
    #[inline]
    pub fn gap(&self, rng: &mut Stream) -> Option<u64> {
        if self.log_miss == 0.0 {
            return None;
        }
        // As `geometric`, less a call: rounding down needs one on processors without SSE4.1.
        let gap = rng.open01().ln() / self.log_miss;
        (gap < FOREVER).then_some(gap as u64 + 1)
    }
}

/// Bursts: a Markov chain of two states, on and off. An endpoint that is on generates a packet with probability r per cycle;
/// after a cycle on it goes off with probability 1 / `burst_length`, after a cycle off it comes on with the probability
/// that makes the share of cycles on `on`.
///
/// Whenever a packet is generated the chain is on, so the gaps between packets are independent and equally distributed,
/// and no state has to be kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    /// Probability of a packet per cycle on.
    r: f64,
    burst_length: f64,
    /// Share of cycles on.
    on: f64,
    /// ln of the probability that in a cycle on the next brings neither a packet nor the end of the burst.
    log_on: f64,
    /// Share of those events that are the end of the burst.
    end: f64,
    /// ln of the probability that the cycle after one off is off.
    log_off: f64,
}

impl OnOff {
    /// Packets with probability `r` per cycle on, bursts of `burst_length >= 1` cycles on average, the share `on` of cycles on.
    ///
    /// # Panics
    /// If silences would last less than a cycle on average: see [`OnOff::silence`].
    #[must_use]
    pub fn new(r: f64, burst_length: f64, on: f64) -> Self {
        assert!((0.0..=1.0).contains(&r) && burst_length >= 1.0 && (0.0..=1.0).contains(&on), "probabilities");
        let silence = Self::silence(burst_length, on);
        let leave = if silence == 0.0 { 0.0 } else { 1.0 / burst_length };
        assert!(silence == 0.0 || silence >= 1.0, "a silence lasts a cycle or more");
        let event = leave + (1.0 - leave) * r;
        Self {
            r,
            burst_length,
            on,
            log_on: (-event).ln_1p(),
            end: if event > 0.0 { leave / event } else { 0.0 },
            log_off: (-1.0 / silence).ln_1p(),
        }
    }

    /// Mean length of the silences between bursts, cycles; 0 if it is always on.
    #[must_use]
    pub fn silence(burst_length: f64, on: f64) -> f64 {
        burst_length * (1.0 - on) / on
    }

    /// Cycles from cycle -1 to the first packet: the state in cycle 0 is drawn from the chain's steady state.
    pub fn first(&self, rng: &mut Stream) -> Option<u64> {
        if self.on * self.r == 0.0 {
            return None;
        }
        let mut gap = 1.0;
        if rng.open01() > self.on {
            gap += geometric(self.log_off, rng);
        }
        self.arrive(gap, rng)
    }

    /// Cycles from one packet to the next: at least 1; `None` if none will come within 2^62 cycles.
    pub fn gap(&self, rng: &mut Stream) -> Option<u64> {
        self.stay(0.0, rng)
    }

    /// `gap` cycles on, the chain has come on.
    fn arrive(&self, gap: f64, rng: &mut Stream) -> Option<u64> {
        if rng.open01() <= self.r {
            return cycles(gap);
        }
        self.stay(gap, rng)
    }

    /// `gap` cycles on, the chain is on and what happens in that cycle has happened.
    fn stay(&self, mut gap: f64, rng: &mut Stream) -> Option<u64> {
        while gap < FOREVER {
            gap += geometric(self.log_on, rng);
            if rng.open01() > self.end {
                return cycles(gap);
            }
            gap += geometric(self.log_off, rng);
            if rng.open01() <= self.r {
                return cycles(gap);
            }
        }
        None
    }
}

/// When an endpoint generates packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Process {
    /// A trial per cycle.
    Bernoulli(Bernoulli),
    /// The same, in bursts.
    OnOff(OnOff),
}

impl Process {
    /// The same process at `weight` times the load.
    fn at(&self, weight: f64) -> Self {
        match self {
            Process::Bernoulli(b) => Process::Bernoulli(Bernoulli::new((b.p * weight).min(1.0))),
            Process::OnOff(o) => Process::OnOff(OnOff::new(o.r, o.burst_length, o.on * weight)),
        }
    }

    /// Cycles from cycle -1 to the first packet of an endpoint with `weight` times the load.
    pub fn first(&self, weight: f64, rng: &mut Stream) -> Option<u64> {
        match self.at(weight) {
            Process::Bernoulli(process) => process.gap(rng),
            Process::OnOff(process) => process.first(rng),
        }
    }

    /// Cycles from one packet to the next of an endpoint with `weight` times the load; at least 1.
    #[inline]
    pub fn gap(&self, weight: f64, rng: &mut Stream) -> Option<u64> {
        if weight != 1.0 {
            return self.at(weight).gap(1.0, rng);
        }
        match self {
            Process::Bernoulli(process) => process.gap(rng),
            Process::OnOff(process) => process.gap(rng),
        }
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
        assert!((0..1000).all(|_| OnOff::new(1.0, 5.0, 1.0).gap(&mut rng) == Some(1)));
        assert_eq!(OnOff::new(1.0, 5.0, 0.0).first(&mut rng), None);
        assert_eq!(OnOff::new(0.0, 5.0, 0.5).first(&mut rng), None);
    }

    /// The chain itself, a cycle at a time: whether there is a packet in each cycle.
    fn by_cycles(r: f64, burst_length: f64, on: f64, cycles: usize) -> Vec<bool> {
        let mut rng = Stream::new(12, Purpose::Pairs, 0);
        let (leave, come) = (1.0 / burst_length, 1.0 / OnOff::silence(burst_length, on));
        let mut state = rng.open01() <= on;
        (0..cycles)
            .map(|_| {
                let packet = state && rng.open01() <= r;
                state = if state { rng.open01() > leave } else { rng.open01() <= come };
                packet
            })
            .collect()
    }

    fn by_gaps(r: f64, burst_length: f64, on: f64, cycles: usize) -> Vec<bool> {
        let process = OnOff::new(r, burst_length, on);
        let mut rng = Stream::new(13, Purpose::Injection, 0);
        let mut packets = vec![false; cycles];
        let mut at = process.first(&mut rng).expect("a load") - 1;
        while at < cycles as u64 {
            packets[at as usize] = true;
            at += process.gap(&mut rng).expect("a load");
        }
        packets
    }

    /// Load, and the chance of a packet 1, 2, 4 ... cycles after one.
    fn moments(packets: &[bool]) -> Vec<f64> {
        let n = packets.iter().filter(|&&p| p).count() as f64;
        let after = |lag: usize| packets.windows(lag + 1).filter(|w| w[0] && w[lag]).count() as f64 / n;
        let mut list = vec![n / packets.len() as f64];
        list.extend([1, 2, 4, 16, 64].map(after));
        list
    }

    #[test]
    fn gaps_of_bursts_are_those_of_the_chain() {
        let n = 2_000_000;
        for (r, burst_length, on) in [(1.0, 20.0, 0.3), (0.25, 8.0, 0.5), (0.05, 3.0, 0.1), (0.5, 1.0, 0.4), (1.0, 1.0, 0.5)] {
            let (chain, gaps) = (moments(&by_cycles(r, burst_length, on, n)), moments(&by_gaps(r, burst_length, on, n)));
            // With rates a (off to on) and b, the state is correlated by (1 - a - b)^lag.
            let (a, b) = (1.0 / OnOff::silence(burst_length, on), 1.0 / burst_length);
            let exact = [1, 2, 4, 16, 64].map(|lag| r * (on + (1.0 - on) * (1.0 - a - b).powi(lag)));
            let packets = r * on * n as f64;
            // Packets come in bursts: the effective number of trials is smaller by the packets of a burst.
            let error = 6.0 * ((1.0 + 2.0 * r * burst_length) / packets).sqrt();
            for (i, (&c, &g)) in chain.iter().zip(&gaps).enumerate() {
                let exact = if i == 0 { r * on } else { exact[i - 1] };
                let scale = if i == 0 { r * on } else { 1.0 };
                assert!((g - exact).abs() < error * scale, "{r} {burst_length} {on}, moment {i}: {g}, {exact}");
                assert!((c - exact).abs() < error * scale, "{r} {burst_length} {on}, moment {i} of the chain: {c}, {exact}");
            }
        }
    }

    #[test]
    fn runs_of_a_full_burst_have_the_length_asked_for() {
        for burst_length in [1.0, 5.0, 50.0] {
            let packets = by_gaps(1.0, burst_length, 0.25, 1_000_000);
            let runs = packets.windows(2).filter(|w| w[0] && !w[1]).count() as f64;
            let mean = packets.iter().filter(|&&p| p).count() as f64 / runs;
            assert!((mean / burst_length - 1.0).abs() < 5.0 / runs.sqrt(), "{burst_length}: {mean}");
        }
    }
}
