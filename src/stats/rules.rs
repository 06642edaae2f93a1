//! The keys of `[measurement]`, and the rules that they make: what a point is simulated for, and how long that may take.

use crate::config::{Applies, Config, ConfigError, Default, Key, Kind};
use crate::ids::Cycle;

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
