//! Valiant's routing (`valiant`, the paper's VAL): every packet goes by a router drawn at random, so that any traffic
//! becomes twice uniform traffic.

use super::detours::{self, max_hops, max_hops_key, Detours, DECIDED};
use super::minimal::tie_key;
use super::vc::{self, policy_key};
use super::{Choice, Entry, Head, Here, Routing, RoutingAlgorithm, Survey, TwoLegs, View};
use crate::config::{Config, ConfigErrors};
use crate::ids::RouterId;
use crate::rng::Stream;

const NAME: &[&str] = &["valiant"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Valiant: by a random router to the destination, both parts minimal (VAL)",
    topologies: &[],
    keys: &[max_hops_key(NAME), tie_key(NAME), policy_key(NAME)],
    adaptive: false,
    tolerates_faults: false,
    max_hops,
    vcs_required: |cfg, survey| vc::required(cfg, || max_hops(cfg, survey)),
    memory: detours::memory,
    build,
};

fn build(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Routing, ConfigErrors> {
    Ok(Routing::Valiant(Valiant(Detours::from_config(cfg, survey, routers)?)))
}

/// Valiant's routing for the routers of one partition. A packet for which there is no intermediate router goes straight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valiant(pub Detours);

impl RoutingAlgorithm for Valiant {
    #[inline]
    fn route(&self, here: Here, head: &mut Head, _view: &impl View, rng: &mut Stream) -> Choice {
        if head.state != DECIDED {
            head.state = DECIDED;
            head.target = self.0.draw(here.router, head.target, rng).unwrap_or(head.target);
        }
        self.0.step(here, head, rng)
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        if head.state == DECIDED {
            return self.0.steps(here, *head, 1.0, out);
        }
        let n = self.0.all(here.router, head.target).count();
        if n == 0 {
            return self.0.steps(here, Head { state: DECIDED, ..*head }, 1.0, out);
        }
        for target in self.0.all(here.router, head.target) {
            self.0.steps(here, Head { target, state: DECIDED, ..*head }, 1.0 / n as f64, out);
        }
    }

    fn argument(&self) -> Option<&'static str> {
        self.0.vcs().argument()
    }

    fn reads_hops(&self) -> bool {
        self.0.vcs().reads_hops()
    }

    fn two_legs(&self) -> Option<TwoLegs<'_>> {
        Some(TwoLegs { detours: &self.0, straight: false })
    }
}
