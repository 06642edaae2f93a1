//! Warm-up, measurement, drain: when a point ends and how. Decided at multiples of `sample_period` from counts of the whole
//! network, so the decision cannot depend on partitions or on the clock.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::config::{Applies, Config, ConfigError, Default, Key, Kind};
use crate::ids::Cycle;
use crate::stats::{Period, Status};

/// A list of messages has no steady state: a point ends when all are delivered.
const STEADY: Applies = Applies::Unless { key: "traffic.pattern", values: &["messages"] };

const fn int(path: &'static str, min: i64, max: i64, default: i64, unit: &'static str, doc: &'static str) -> Key {
    Key { path, kind: Kind::Int { min, max }, default: Default::Int(default), applies: STEADY, unit, doc }
}

const fn float(path: &'static str, min: f64, max: f64, default: f64, unit: &'static str, doc: &'static str) -> Key {
    Key { path, kind: Kind::Float { min, max }, default: Default::Float(default), applies: STEADY, unit, doc }
}

/// Keys of `[measurement]`.
pub const KEYS: &[Key] = &[
    Key {
        path: "measurement.sample_period",
        kind: Kind::Int { min: 1, max: 100_000_000 },
        default: Default::Int(1000),
        applies: Applies::Always,
        unit: "cycles",
        doc: "Length of a sample; warm-up, convergence, drain and the end are decided only at its multiples.",
    },
    int(
        "measurement.warmup_periods",
        0,
        1_000_000,
        3,
        "sample periods",
        "Samples before the measured window; more if a packet takes longer than that from end to end without load. 0: none at all.",
    ),
    int("measurement.min_samples", 1, 1_000_000, 3, "sample periods", "Fewest samples of the measured window."),
    int("measurement.max_samples", 1, 1_000_000, 10, "sample periods", "Most samples of the measured window."),
    int(
        "measurement.max_drain_periods",
        0,
        1_000_000,
        10,
        "sample periods",
        "Most samples after the measured window in which its packets may still arrive, under unchanged load; a point that \
         needs more is saturated. At least twice the time from end to end without load.",
    ),
    float(
        "measurement.confidence_width",
        0.0,
        1.0,
        0.02,
        "1",
        "Measurement ends when the half width of the 95 % confidence interval of the mean packet latency, by batch means over \
         samples, is at most this share of the mean; 0 always takes max_samples.",
    ),
    float(
        "measurement.saturation_tolerance",
        0.0,
        1.0,
        0.01,
        "1",
        "A point is saturated if, in the measured window, more than this share of the flits offered stayed behind in source \
         queues and buffers.",
    ),
    Key {
        path: "measurement.latency_thres",
        kind: Kind::Float { min: 0.0, max: 1e9 },
        default: Default::Unset,
        applies: STEADY,
        unit: "cycles",
        doc: "A point is also saturated if the mean packet latency of a sample of the measured window exceeds this. Unset: 5,000 \
              cycles, or 10 times the latency from end to end without load if that is more.",
    },
    Key {
        path: "measurement.stall_cycles",
        kind: Kind::Int { min: 1, max: 1_000_000_000 },
        default: Default::Unset,
        applies: Applies::Always,
        unit: "cycles",
        doc: "A point is stalled if for this long no flit moves while some are in the network, checked at multiples of \
              sample_period. Unset: 10,000 cycles and 20 times the slowest channel.",
    },
    Key {
        path: "measurement.max_cycles",
        kind: Kind::Int { min: 1, max: (1 << 32) - 1 },
        default: Default::Int(10_000_000),
        applies: Applies::When { key: "traffic.pattern", values: &["messages"] },
        unit: "cycles",
        doc: "The point ends with the sample that reaches this cycle if not all messages have been delivered by then.",
    },
];

/// What a point is simulated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The steady state under an endless load.
    Steady,
    /// The delivery of everything there is.
    Delivery {
        /// Packets of the whole list.
        packets: u64,
        /// The cycle at which the point ends at the latest.
        max_cycles: Cycle,
    },
}

/// When to stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Cycles of a sample.
    pub sample_period: Cycle,
    /// Cycles in which a packet crosses the network without load, at the most: so long it takes until as much can arrive as is
    /// offered.
    pub fill: Cycle,
    /// Samples before the window; as long as the fill, or none.
    pub warmup_periods: u64,
    /// Fewest samples of the window.
    pub min_samples: u64,
    /// Most samples of the window.
    pub max_samples: u64,
    /// Most samples of the drain.
    pub max_drain_periods: u64,
    /// Relative half width that ends the window.
    pub confidence_width: f64,
    /// Share of the offered flits that may stay behind.
    pub saturation_tolerance: f64,
    /// Mean packet latency of a sample, cycles.
    pub latency_thres: f64,
    /// Cycles without movement.
    pub stall_cycles: Cycle,
    /// Nothing will ever be offered.
    pub idle: bool,
    /// What it is all for.
    pub goal: Goal,
}

impl Rules {
    /// Reads the rules. `slowest_channel` is the largest channel latency, `fill` the most cycles that a packet takes without
    /// load; `packets` of them have to be delivered, or it is the steady state that is looked for; `idle` if nobody sends.
    ///
    /// # Errors
    /// Combinations that cannot work.
    pub fn new(
        config: &Config,
        slowest_channel: u32,
        fill: Cycle,
        packets: Option<u64>,
        idle: bool,
    ) -> Result<Self, ConfigError> {
        // What the steady state asks for does not apply to a list of messages, and is not looked at there.
        let u = |path: &str| config.get_int(path).unwrap_or(0) as u64;
        let f = |path: &str| config.get_float(path).unwrap_or(0.0);
        let sample_period = u("measurement.sample_period");
        let fill_periods = fill.div_ceil(sample_period);
        let warmup_periods = match u("measurement.warmup_periods") {
            0 => 0,
            asked => asked.max(fill_periods),
        };
        let rules = Self {
            sample_period,
            fill,
            warmup_periods,
            min_samples: u("measurement.min_samples"),
            max_samples: u("measurement.max_samples"),
            max_drain_periods: u("measurement.max_drain_periods").max(2 * fill_periods),
            confidence_width: f("measurement.confidence_width"),
            saturation_tolerance: f("measurement.saturation_tolerance"),
            latency_thres: config.get_float("measurement.latency_thres").unwrap_or((10.0 * fill as f64).max(5000.0)),
            stall_cycles: config
                .get_int("measurement.stall_cycles")
                .map_or((20 * u64::from(slowest_channel)).max(10_000), |c| c as u64),
            idle: idle || f("traffic.injection_rate") == 0.0,
            goal: packets.map_or(Goal::Steady, |packets| Goal::Delivery { packets, max_cycles: u("measurement.max_cycles") }),
        };
        if rules.max_samples < rules.min_samples {
            return Err(config.fault(
                "measurement.max_samples",
                format!("max_samples {} is less than min_samples {}", rules.max_samples, rules.min_samples),
            ));
        }
        let longest = rules.longest();
        if longest >= 1 << 32 {
            return Err(config.fault(
                "measurement.sample_period",
                format!("the point may take {longest} cycles; it must end before 2^32 = 4294967296"),
            ));
        }
        Ok(rules)
    }

    /// The most cycles a point can take; at the end of the window and of the drain it may wait for the watchdog.
    #[must_use]
    pub fn longest(&self) -> Cycle {
        if let Goal::Delivery { max_cycles, .. } = self.goal {
            return max_cycles.next_multiple_of(self.sample_period);
        }
        (self.warmup_periods + self.max_samples + self.max_drain_periods)
            .saturating_mul(self.sample_period)
            .saturating_add(2 * self.stall_cycles + self.sample_period)
    }
}

/// What every partition does after a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Goes on.
    Continue,
    /// Opens the measured window and goes on.
    OpenWindow,
    /// Closes the window and goes on until its packets have arrived.
    CloseWindow,
    /// Closes the window if it is open, and ends the point.
    Stop,
    /// Ends without a result.
    Abandon,
}

impl Step {
    /// As a byte.
    #[must_use]
    pub fn encode(self) -> u8 {
        self as u8
    }

    /// From a byte.
    #[must_use]
    pub fn decode(byte: u8) -> Option<Self> {
        [Step::Continue, Step::OpenWindow, Step::CloseWindow, Step::Stop, Step::Abandon].into_iter().find(|s| *s as u8 == byte)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    WarmUp,
    Measure,
    Drain,
}

/// Follows a point through its phases; lives in partition 0.
#[derive(Debug)]
pub struct Phases {
    rules: Rules,
    phase: Phase,
    /// Every sample so far.
    pub periods: Vec<Period>,
    /// First sample of the window.
    pub first: usize,
    /// One past its last sample.
    pub last: usize,
    still: Cycle,
    /// How the point ended, and why.
    pub outcome: Option<(Status, &'static str)>,
}

impl Phases {
    /// At cycle 0.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules, phase: Phase::WarmUp, periods: Vec::new(), first: 0, last: 0, still: 0, outcome: None }
    }

    /// What to do before the first cycle.
    pub fn begin(&mut self) -> Step {
        if self.rules.warmup_periods == 0 || self.rules.goal != Goal::Steady {
            self.phase = Phase::Measure;
            return Step::OpenWindow;
        }
        Step::Continue
    }

    /// Takes the counts of the sample that just ended.
    pub fn sample(&mut self, period: Period) -> Step {
        self.periods.push(period);
        let moved = period.flit_hops + period.flits_accepted + period.flits_injected > 0;
        self.still = if moved || period.flits_in_network == 0 { 0 } else { self.still + self.rules.sample_period };
        if self.still >= self.rules.stall_cycles {
            return self.stop(Status::Stalled, "stalled");
        }
        if let Goal::Delivery { packets, max_cycles } = self.rules.goal {
            return self.delivered(packets, max_cycles);
        }
        match self.phase {
            Phase::WarmUp if self.periods.len() as u64 >= self.rules.warmup_periods => {
                self.phase = Phase::Measure;
                self.first = self.periods.len();
                Step::OpenWindow
            }
            Phase::WarmUp => Step::Continue,
            Phase::Measure => self.measured(),
            Phase::Drain => self.drained(),
        }
    }

    fn stop(&mut self, status: Status, reason: &'static str) -> Step {
        if self.phase != Phase::Drain {
            self.last = self.periods.len();
            if self.phase == Phase::WarmUp {
                self.first = self.last;
            }
        }
        self.outcome = Some((status, reason));
        Step::Stop
    }

    /// The window is the whole run.
    fn delivered(&mut self, packets: u64, max_cycles: Cycle) -> Step {
        if self.periods.last().is_some_and(|p| p.measured_accepted == packets) {
            return self.stop(Status::Completed, "completed");
        }
        if self.periods.len() as u64 * self.rules.sample_period >= max_cycles {
            return self.stop(Status::MaxTime, "max_time");
        }
        Step::Continue
    }

    fn measured(&mut self) -> Step {
        let window = &self.periods[self.first..];
        let n = window.len() as u64;
        if n < self.rules.min_samples {
            return Step::Continue;
        }
        let converged = self.is_converged(window);
        if !converged && n < self.rules.max_samples {
            return Step::Continue;
        }
        if self.is_saturated(window) {
            return self.saturated();
        }
        self.last = self.periods.len();
        self.phase = Phase::Drain;
        self.outcome = Some(if converged { (Status::Converged, "converged") } else { (Status::MaxTime, "max_time") });
        if self.drain_is_done() {
            return Step::Stop;
        }
        Step::CloseWindow
    }

    fn drained(&mut self) -> Step {
        if self.drain_is_done() {
            return Step::Stop;
        }
        let drained = (self.periods.len() - self.last) as u64;
        if drained >= self.rules.max_drain_periods {
            return self.saturated();
        }
        Step::Continue
    }

    /// Ends the point as saturated, unless nothing moved lately: a dead network also leaves its load behind, and telling the
    /// two apart takes until the watchdog's time is over or something moves.
    fn saturated(&mut self) -> Step {
        if self.still > 0 {
            return Step::Continue;
        }
        self.stop(Status::Saturated, "saturated")
    }

    fn drain_is_done(&self) -> bool {
        self.periods.last().is_some_and(|p| p.measured_generated == p.measured_accepted + p.measured_failed)
    }

    /// Relative half width of the interval of the mean over samples of the latency of the packets accepted in each.
    fn is_converged(&self, window: &[Period]) -> bool {
        let means: Vec<f64> = window
            .iter()
            .filter(|p| p.packets_accepted > 0)
            .map(|p| p.packet_latency_sum as f64 / p.packets_accepted as f64)
            .collect();
        if means.is_empty() {
            // Nothing arrived. If nothing can, or all that was offered was refused, there is nothing to wait for; a small load may
            // come yet.
            let all_failed = window.iter().all(|p| p.flits_offered == p.flits_failed && p.flits_in_network == 0);
            return self.rules.idle || all_failed && window.iter().any(|p| p.flits_offered > 0);
        }
        let (mean, half) = interval(&means);
        means.len() == window.len() && means.len() > 1 && half <= self.rules.confidence_width * mean
    }

    fn is_saturated(&self, window: &[Period]) -> bool {
        let offered: u64 = window.iter().map(|p| p.flits_offered).sum();
        let settled: u64 = window.iter().map(|p| p.flits_accepted + p.flits_failed).sum();
        let cycles = (window.len() as u64 * self.rules.sample_period) as f64;
        // Without a warm-up the network fills within the window: what it takes to do so is not left behind.
        let filling = (self.rules.fill.saturating_sub(self.first as u64 * self.rules.sample_period) as f64).min(cycles);
        let behind = offered.saturating_sub(settled) as f64 - offered as f64 * filling / cycles;
        let slow = window.iter().any(|p| p.packet_latency_sum as f64 > self.rules.latency_thres * p.packets_accepted as f64);
        // A network that is not saturated holds a bounded number of flits: in a short window their fluctuation must not
        // pass for growth, so it has to exceed what one standard deviation of the arrivals explains as well. Where wires are
        // so long that the network holds what is offered in a good part of the window, that is the variance of what it holds,
        // at the beginning and at the end, which comes in packets.
        let packets: u64 = window.iter().map(|p| p.packets_offered).sum();
        let packet_size = offered as f64 / packets.max(1) as f64;
        let held = (self.rules.fill as f64 / cycles).min(1.0);
        let noise = 3.0 * (offered as f64 * (2.0 * packet_size * held).max(1.0)).sqrt();
        slow || (behind > self.rules.saturation_tolerance * offered as f64 && behind > noise)
    }
}

/// Mean and half width of its 95 % confidence interval (Student's t); half width 0 for fewer than 2 values.
#[must_use]
pub fn interval(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, 0.0);
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let t = StudentsT::new(0.0, 1.0, n - 1.0).expect("positive degrees of freedom").inverse_cdf(0.975);
    (mean, t * (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        Rules {
            sample_period: 100,
            fill: 20,
            warmup_periods: 2,
            min_samples: 3,
            max_samples: 5,
            max_drain_periods: 2,
            confidence_width: 0.05,
            saturation_tolerance: 0.01,
            latency_thres: 500.0,
            stall_cycles: 300,
            idle: false,
            goal: Goal::Steady,
        }
    }

    fn steady(latency: u64) -> Period {
        Period {
            packets_offered: 1000,
            flits_offered: 1000,
            flits_injected: 1000,
            packets_accepted: 1000,
            flits_accepted: 1000,
            packet_latency_sum: 1000 * latency,
            flit_hops: 3000,
            flits_in_network: 10,
            ..Period::default()
        }
    }

    #[test]
    fn steady_latency_converges_after_the_fewest_samples() {
        let mut phases = Phases::new(rules());
        assert_eq!(phases.begin(), Step::Continue);
        let steps: Vec<Step> = (0..5).map(|_| phases.sample(steady(20))).collect();
        assert_eq!(steps, [Step::Continue, Step::OpenWindow, Step::Continue, Step::Continue, Step::Stop]);
        assert_eq!(phases.outcome, Some((Status::Converged, "converged")));
        assert_eq!((phases.first, phases.last), (2, 5));
    }

    #[test]
    fn unsteady_latency_takes_the_most_samples_then_drains() {
        let mut phases = Phases::new(rules());
        let outstanding = |latency| Period { measured_generated: 5, ..steady(latency) };
        for i in 0..6 {
            phases.sample(outstanding(if i % 2 == 0 { 20 } else { 60 }));
        }
        assert_eq!(phases.sample(outstanding(20)), Step::CloseWindow);
        assert_eq!(phases.sample(outstanding(20)), Step::Continue);
        assert_eq!(phases.sample(steady(20)), Step::Stop);
        assert_eq!(phases.outcome, Some((Status::MaxTime, "max_time")));
    }

    #[test]
    fn a_drain_that_does_not_end_is_saturation() {
        let mut phases = Phases::new(rules());
        let step = (0..20).map(|_| phases.sample(Period { measured_generated: 5, ..steady(20) })).find(|&s| s == Step::Stop);
        assert_eq!(step, Some(Step::Stop));
        assert_eq!(phases.outcome, Some((Status::Saturated, "saturated")));
        assert_eq!(phases.periods.len(), 2 + 3 + 2);
    }

    #[test]
    fn growth_of_the_backlog_is_saturation_and_ends_the_point() {
        let mut phases = Phases::new(rules());
        let grows = Period { flits_accepted: 900, packets_accepted: 900, ..steady(20) };
        let n = (0..20).take_while(|_| phases.sample(grows) != Step::Stop).count();
        assert_eq!(n, 4);
        assert_eq!(phases.outcome, Some((Status::Saturated, "saturated")));
    }

    #[test]
    fn no_movement_with_flits_inside_is_a_stall_and_an_empty_network_is_not() {
        let mut phases = Phases::new(rules());
        let stuck = Period { packets_offered: 10, flits_in_network: 7, ..Period::default() };
        assert_eq!((phases.sample(stuck), phases.sample(stuck), phases.sample(stuck)).2, Step::Stop);
        assert_eq!(phases.outcome, Some((Status::Stalled, "stalled")));
        let empty = |idle| {
            let mut phases = Phases::new(Rules { idle, ..rules() });
            let n = (0..20).take_while(|_| phases.sample(Period::default()) != Step::Stop).count();
            (n, phases.outcome)
        };
        assert_eq!(empty(true), (4, Some((Status::Converged, "converged"))));
        // Silence under a load says nothing of its latency.
        assert_eq!(empty(false), (6, Some((Status::MaxTime, "max_time"))));
    }

    #[test]
    fn a_stall_longer_than_the_window_is_not_taken_for_saturation() {
        let rules = Rules { stall_cycles: 1000, ..rules() };
        let mut phases = Phases::new(rules.clone());
        let stuck = Period { packets_offered: 10, flits_offered: 10, flits_in_network: 7, ..Period::default() };
        let n = (0..100).take_while(|_| phases.sample(stuck) != Step::Stop).count();
        assert_eq!((n, phases.outcome), (9, Some((Status::Stalled, "stalled"))));
        // The same, but the network wakes up again: it is saturated, and the point ends.
        let mut phases = Phases::new(rules);
        (0..8).for_each(|_| assert_ne!(phases.sample(stuck), Step::Stop));
        assert_eq!(phases.sample(Period { flit_hops: 1, ..stuck }), Step::Stop);
        assert_eq!(phases.outcome, Some((Status::Saturated, "saturated")));
    }

    #[test]
    fn a_list_of_messages_ends_when_all_is_delivered_or_time_is_up() {
        let rules = Rules { goal: Goal::Delivery { packets: 20, max_cycles: 450 }, ..rules() };
        assert_eq!(rules.longest(), 500);
        let mut phases = Phases::new(rules.clone());
        assert_eq!(phases.begin(), Step::OpenWindow);
        // Silence between messages is no stall, and everything so far is not everything.
        let steps =
            [5, 5, 5, 20].map(|n| phases.sample(Period { measured_generated: n, measured_accepted: n, ..Period::default() }));
        assert_eq!(steps, [Step::Continue, Step::Continue, Step::Continue, Step::Stop]);
        assert_eq!((phases.outcome, phases.first, phases.last), (Some((Status::Completed, "completed")), 0, 4));
        let mut late = Phases::new(rules);
        late.begin();
        let n = (0..20).take_while(|_| late.sample(Period { measured_accepted: 19, ..Period::default() }) != Step::Stop).count();
        assert_eq!((n, late.outcome), (4, Some((Status::MaxTime, "max_time"))));
    }

    #[test]
    fn interval_matches_a_worked_example() {
        // 1, 2, 3: mean 2, s = 1, t(0.975, 2) = 4.3027.
        let (mean, half) = interval(&[1.0, 2.0, 3.0]);
        assert!((mean - 2.0).abs() < 1e-12 && (half - 4.302_652_7 / 3f64.sqrt()).abs() < 1e-6);
    }
}
