//! Universal globally-adaptive load-balanced routing (Singh, "Load-balanced routing in interconnection networks", 2005): at
//! its source a packet compares the shortest path with some random detours and takes whichever seems faster. How a
//! candidate is scored is what tells its variants apart; the rest is here.

use super::detours::{Detours, DECIDED};
use super::{Choice, Head, Here, Survey, ALGORITHM};
use crate::config::{Applies, Config, ConfigErrors, Default, Key, Kind};
use crate::ids::{Port, RouterId};
use crate::rng::Stream;

/// `routing.ugal_candidates` for the variants named in `values`.
pub const fn candidates_key(values: &'static [&'static str]) -> Key {
    Key {
        path: "routing.ugal_candidates",
        kind: Kind::Int { min: 1, max: 64 },
        default: Default::Int(4),
        applies: Applies::When { key: ALGORITHM, values },
        unit: "detours",
        doc: "Random detours that are compared with the shortest path, drawn anew for each packet.",
    }
}

/// `routing.ugal_threshold` for the variants named in `values`.
pub const fn threshold_key(values: &'static [&'static str]) -> Key {
    Key {
        path: "routing.ugal_threshold",
        kind: Kind::Int { min: -1_000_000, max: 1_000_000 },
        default: Default::Int(0),
        applies: Applies::When { key: ALGORITHM, values },
        unit: "flits",
        doc: "T: the shortest path is taken if its score is at most that of the best detour plus T.",
    }
}

/// `routing.ugal_weight` for the variants named in `values`.
pub const fn weight_key(values: &'static [&'static str]) -> Key {
    Key {
        path: "routing.ugal_weight",
        kind: Kind::Choice(&["hops", "legs", "none"]),
        default: Default::Text("hops"),
        applies: Applies::When { key: ALGORITHM, values },
        unit: "",
        doc: "What the occupancy of a path is multiplied by to give its score: hops = the hops of the path (Besta and \
              Hoefler, SC14); legs = 1 for the shortest path and 2 for a detour (minimal iff q_min <= 2 q_detour + T, \
              BookSim2's Dragonfly); none = 1.",
    }
}

/// A path that a packet can take from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The router to go to first: the intermediate of a detour, else that of the destination.
    pub target: RouterId,
    /// The port it starts by.
    pub port: Port,
    /// 2 for a detour, 1 for the shortest path.
    pub legs: u32,
}

/// What the occupancy of a candidate is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Its hops.
    Hops,
    /// Its legs.
    Legs,
    /// Nothing.
    None,
}

/// Parameters of the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Detours that are drawn.
    pub candidates: u32,
    /// T, in flits times the weight.
    pub threshold: i64,
    /// Of each candidate.
    pub weight: Weight,
}

impl Rule {
    /// As the input says.
    #[must_use]
    pub fn from_config(cfg: &Config) -> Self {
        Self {
            candidates: cfg.int("routing.ugal_candidates") as u32,
            threshold: cfg.int("routing.ugal_threshold"),
            weight: match cfg.text("routing.ugal_weight") {
                "legs" => Weight::Legs,
                "none" => Weight::None,
                _ => Weight::Hops,
            },
        }
    }
}

/// The decision of UGAL at the routers of one partition, whatever the score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ugal {
    detours: Detours,
    rule: Rule,
}

impl Ugal {
    /// Chooses between shortest paths and `detours` by `rule`.
    #[must_use]
    pub fn new(detours: Detours, rule: Rule) -> Self {
        Self { detours, rule }
    }

    /// As the input says, with the weight of UGAL-L.
    ///
    /// # Errors
    /// Those of [`Detours::from_config`].
    pub fn from_config(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Self, ConfigErrors> {
        Ok(Self::new(Detours::from_config(cfg, survey, routers)?, Rule::from_config(cfg)))
    }

    /// The detours.
    #[must_use]
    pub fn detours(&self) -> &Detours {
        &self.detours
    }

    /// The next hop; at the source the whole path is decided. `occupancy` gives the flits that wait along a candidate, in
    /// whatever sense the variant has; it is asked once per candidate, and need not count beyond its second argument, with
    /// which a candidate has lost. Of equal detours the first drawn is taken. No detour is drawn where none could win.
    #[inline]
    pub fn route(&self, here: Here, head: &mut Head, rng: &mut Stream, occupancy: impl FnMut(&Candidate, u32) -> u32) -> Choice {
        if head.state == DECIDED {
            return self.detours.step(here, head, rng);
        }
        head.state = DECIDED;
        let chosen = self.decide(here, head.target, rng, occupancy);
        head.target = chosen.target;
        Choice { port: chosen.port, vcs: self.detours.vcs().allowed(head.hops) }
    }

    fn decide(
        &self,
        here: Here,
        destination: RouterId,
        rng: &mut Stream,
        mut occupancy: impl FnMut(&Candidate, u32) -> u32,
    ) -> Candidate {
        let port = self.detours.minimal().next(here.row, destination, rng);
        let straight = Candidate { target: destination, port, legs: 1 };
        // A detour's score is at least 0, so the shortest path is taken if its own is at most this.
        let bar =
            i64::from(occupancy(&straight, u32::MAX)) * self.factor(here.router, &straight, destination) - self.rule.threshold;
        if bar <= 0 {
            return straight;
        }
        let (mut best, mut least) = (straight, bar);
        for _ in 0..self.rule.candidates {
            let Some(target) = self.detours.draw(here.router, destination, rng) else { break };
            let port = self.detours.minimal().next(here.row, target, rng);
            let detour = Candidate { target, port, legs: 2 };
            let factor = self.factor(here.router, &detour, destination);
            let own = i64::from(occupancy(&detour, u32::try_from(least / factor + 1).unwrap_or(u32::MAX))) * factor;
            if own < least {
                (best, least) = (detour, own);
            }
        }
        best
    }

    #[inline]
    fn factor(&self, source: RouterId, candidate: &Candidate, destination: RouterId) -> i64 {
        let hops = || self.detours.distance(source, candidate.target) + self.detours.distance(candidate.target, destination);
        i64::from(match self.rule.weight {
            Weight::Hops => hops(),
            Weight::Legs => candidate.legs,
            Weight::None => 1,
        })
    }

    /// Every decision, with its probability on an idle network.
    pub fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        if head.state == DECIDED {
            return self.detours.steps(here, *head, 1.0, out);
        }
        let n = self.detours.all(here.router, head.target).count();
        // All scores are 0 then: the shortest path is taken, or the first detour drawn if the threshold is negative.
        let straight = if self.rule.threshold >= 0 || n == 0 { 1.0 } else { 0.0 };
        self.detours.steps(here, Head { state: DECIDED, ..*head }, straight, out);
        for target in self.detours.all(here.router, head.target) {
            self.detours.steps(here, Head { target, state: DECIDED, ..*head }, (1.0 - straight) / n as f64, out);
        }
    }
}
