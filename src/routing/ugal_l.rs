//! UGAL-L (`ugal-l`): the score of a candidate is its hops times the flits that wait at the port it starts by, which the
//! source router sees itself.

use super::detours::{self, max_hops, max_hops_key};
use super::minimal::tie_key;
use super::ugal::{candidates_key, threshold_key, weight_key, Ugal};
use super::vc::policy_key;
use super::{vc, Choice, Entry, Head, Here, Routing, RoutingAlgorithm, Survey, TwoLegs, View};
use crate::config::{Config, ConfigErrors};
use crate::ids::RouterId;
use crate::rng::Stream;

const NAME: &[&str] = &["ugal-l"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "UGAL with local queues: the shortest path or one of several random detours, by hops and local occupancy (UGAL-L)",
    topologies: &[],
    keys: &[candidates_key(NAME), threshold_key(NAME), weight_key(NAME), max_hops_key(NAME), tie_key(NAME), policy_key(NAME)],
    adaptive: true,
    tolerates_faults: false,
    max_hops,
    vcs_required: |cfg, survey| vc::required(cfg, || max_hops(cfg, survey)),
    memory: detours::memory,
    build,
};

fn build(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Routing, ConfigErrors> {
    Ok(Routing::UgalL(UgalL(Ugal::from_config(cfg, survey, routers)?)))
}

/// UGAL-L for the routers of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UgalL(pub Ugal);

impl RoutingAlgorithm for UgalL {
    #[inline]
    fn route(&self, here: Here, head: &mut Head, view: &impl View, rng: &mut Stream) -> Choice {
        self.0.route(here, head, rng, |candidate, _| view.occupancy(candidate.port))
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        self.0.choices(here, head, out);
    }

    fn argument(&self) -> Option<&'static str> {
        self.0.detours().vcs().argument()
    }

    fn reads_hops(&self) -> bool {
        self.0.detours().vcs().reads_hops()
    }

    fn two_legs(&self) -> Option<TwoLegs<'_>> {
        Some(TwoLegs { detours: self.0.detours(), straight: true })
    }
}
