//! The search for saturation: between which two offered loads the network stops carrying what it is offered.
//!
//! A load is carried if its point ends in a steady state. The bracket is narrowed in rounds of several loads at equal
//! distances, which are independent of each other; what is tried depends on the outcomes alone, never on how many points
//! run at a time, so the answer is the same on any machine, and an interrupted search goes on from its finished points.

use crate::config::{Applies, Config, Default, Key, Kind};

/// The key that says what a study does.
pub const KIND: &str = "study.kind";
/// Its values.
pub const KINDS: &[&str] = &["sweep", "saturation"];
/// The key that bounds the loads of a search.
pub const HIGHEST: &str = "study.highest_load";
/// How close two loads of a search can be.
pub const STEP: f64 = 1e-6;
const SATURATION: &[&str] = &["saturation"];
/// Loads closer than this are one.
const SAME: f64 = 3e-6;

/// Keys of `[study]`.
pub const KEYS: &[Key] = &[
    Key {
        path: KIND,
        kind: Kind::Choice(KINDS),
        default: Default::Text(KINDS[0]),
        applies: Applies::Always,
        unit: "",
        doc: "What is done: sweep = simulate every point of the input; saturation = find, for every point of the input, the \
              highest injection_rate that is carried.",
    },
    Key {
        path: "study.tolerance",
        kind: Kind::Float { min: 1e-4, max: 0.5 },
        default: Default::Float(0.01),
        applies: Applies::When { key: KIND, values: SATURATION },
        unit: "flits/cycle/endpoint",
        doc: "The search ends when the highest load carried and the lowest load refused are no further apart.",
    },
    Key {
        path: HIGHEST,
        kind: Kind::Float { min: 1e-3, max: 1.0 },
        default: Default::Float(1.0),
        applies: Applies::When { key: KIND, values: SATURATION },
        unit: "flits/cycle/endpoint",
        doc: "The highest load that the search tries.",
    },
    Key {
        path: "study.loads_per_round",
        kind: Kind::Int { min: 1, max: 64 },
        default: Default::Int(4),
        applies: Applies::When { key: KIND, values: SATURATION },
        unit: "",
        doc: "Loads that each round of the search tries between the two ends of the bracket. They are independent: with \
              runtime.side_by_side they run at the same time.",
    },
];

/// What was found at one load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Offered load, flits/cycle/endpoint.
    pub load: f64,
    /// Whether it was carried.
    pub carried: bool,
}

/// The ends of the bracket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    /// The highest load that was carried below any that was not; 0 if none was.
    pub carried: f64,
    /// The lowest load that was not carried; `None` if all were.
    pub refused: Option<f64>,
}

impl Bracket {
    /// Of the loads tried so far.
    #[must_use]
    pub fn of(probes: &[Probe]) -> Self {
        let refused = probes.iter().filter(|p| !p.carried).map(|p| p.load).min_by(f64::total_cmp);
        let below = |p: &&Probe| p.carried && refused.is_none_or(|r| p.load < r);
        let carried = probes.iter().filter(below).map(|p| p.load).max_by(f64::total_cmp);
        Self { carried: carried.unwrap_or(0.0), refused }
    }
}

/// The rules of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Width of the bracket at which it ends, flits/cycle/endpoint.
    pub tolerance: f64,
    /// The highest load tried.
    pub highest: f64,
    /// Loads tried at a time.
    pub per_round: usize,
}

impl Search {
    /// As `[study]` says.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            tolerance: config.float("study.tolerance"),
            highest: config.float(HIGHEST),
            per_round: config.int("study.loads_per_round") as usize,
        }
    }

    /// The most rounds a search can take.
    #[must_use]
    pub fn max_rounds(&self) -> usize {
        let mut width = self.highest / self.per_round as f64;
        let mut rounds = 1;
        while width > self.tolerance + SAME {
            width /= (self.per_round + 1) as f64;
            rounds += 1;
        }
        rounds
    }

    /// The loads of the next round, after rounds that gave `probes`; `None` at the end of the search. The first round
    /// divides everything up to the highest load, and includes it.
    #[must_use]
    pub fn round(&self, probes: &[Probe]) -> Option<Vec<f64>> {
        if probes.is_empty() {
            return Some((1..=self.per_round).map(|i| round(self.highest * i as f64 / self.per_round as f64)).collect());
        }
        let Bracket { carried, refused } = Bracket::of(probes);
        let width = refused? - carried;
        let parts = (self.per_round + 1) as f64;
        (width > self.tolerance + SAME).then(|| (1..=self.per_round).map(|i| round(carried + width * i as f64 / parts)).collect())
    }
}

/// To six decimals, so that a load can be typed.
fn round(load: f64) -> f64 {
    (load * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(search: Search, threshold: f64) -> (Vec<Probe>, usize) {
        let (mut probes, mut rounds) = (Vec::new(), 0);
        while let Some(loads) = search.round(&probes) {
            assert_eq!(loads.len(), search.per_round);
            probes.extend(loads.into_iter().map(|load| Probe { load, carried: load <= threshold }));
            rounds += 1;
        }
        (probes, rounds)
    }

    #[test]
    fn the_bracket_closes_around_any_threshold() {
        for per_round in [1, 2, 3, 4, 7] {
            for tolerance in [0.3, 0.01, 0.003] {
                let search = Search { tolerance, highest: 0.9, per_round };
                for k in 0..90 {
                    let threshold = f64::from(k) / 100.0 + 0.0049;
                    let (probes, rounds) = run(search, threshold);
                    let Bracket { carried, refused } = Bracket::of(&probes);
                    assert!(rounds <= search.max_rounds(), "{rounds} rounds");
                    match refused {
                        Some(refused) => {
                            assert!(carried <= threshold && threshold < refused && refused - carried <= tolerance + SAME);
                        }
                        None => assert!(carried == 0.9 && threshold >= 0.9 && rounds == 1),
                    }
                }
            }
        }
    }

    #[test]
    fn a_lucky_point_above_a_refused_one_does_not_count() {
        let probe = |load, carried| Probe { load, carried };
        let probes = [probe(0.2, true), probe(0.4, false), probe(0.6, true), probe(0.8, false)];
        assert_eq!(Bracket::of(&probes), Bracket { carried: 0.2, refused: Some(0.4) });
        assert_eq!(Bracket::of(&[probe(0.5, false)]), Bracket { carried: 0.0, refused: Some(0.5) });
        assert_eq!(Bracket::of(&[]), Bracket { carried: 0.0, refused: None });
    }
}
