//! UGAL-G (`ugal-g`): the score of a candidate is the flits that wait along its whole path.
//!
//! What waits at other routers is read from a board on which every router publishes its queues each `ugal_g_period` cycles.
//! An edition can be read, near and far alike, after the least time in which anything can cross a channel: knowledge that
//! travelled faster could not be simulated conservatively, and a staleness that depended on the partition would make the
//! result depend on it.

use std::sync::Arc;

use super::detours::{max_hops, max_hops_key, memory, Detours};
use super::minimal::{refused, tie_key};
use super::table::Table;
use super::ugal::{candidates_key, threshold_key, Candidate, Rule, Ugal, Weight};
use super::vc::policy_key;
use super::{vc, Choice, Entry, Head, Here, Memory, Routing, RoutingAlgorithm, Survey, TwoLegs, View, ALGORITHM};
use crate::config::{Applies, Config, ConfigErrors, Default, Key, Kind};
use crate::ids::{Port, RouterId};
use crate::rng::Stream;
use crate::topology::Graph;

const NAME: &[&str] = &["ugal-g"];

/// The key of the time between two editions of the board. That it applies says that there is a board.
pub const PERIOD: &str = "routing.ugal_g_period";

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "UGAL with global queues: the shortest path or one of several random detours, by what waits along them (UGAL-G)",
    topologies: &[],
    keys: &[
        candidates_key(NAME),
        threshold_key(NAME),
        Key {
            path: PERIOD,
            kind: Kind::Int { min: 1, max: 1_000_000 },
            default: Default::Unset,
            applies: Applies::When { key: ALGORITHM, values: NAME },
            unit: "cycles",
            doc:
                "Time between two publications of all queue lengths. What is published can be read everywhere after the latency \
                  of the fastest channel and the time to get onto it, which is the least lookahead of any partition. Unset: \
                  the latency of the fastest channel between routers.",
        },
        max_hops_key(NAME),
        tie_key(NAME),
        policy_key(NAME),
    ],
    adaptive: true,
    tolerates_faults: false,
    max_hops,
    vcs_required: |cfg, survey| vc::required(cfg, || max_hops(cfg, survey)),
    memory: |cfg, sizes| {
        let Memory { per_row, shared } = memory(cfg, sizes);
        // The paths of all pairs, and some editions of the board.
        let paths = sizes.n_routers.saturating_mul(sizes.n_routers);
        Memory { per_row, shared: shared.saturating_add(paths).saturating_add(2 * 8 * sizes.n_channels) }
    },
    build,
};

fn build(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Routing, ConfigErrors> {
    let rule = Rule {
        candidates: cfg.int("routing.ugal_candidates") as u32,
        threshold: cfg.int("routing.ugal_threshold"),
        weight: Weight::None,
    };
    let detours = Detours::from_config(cfg, survey, routers)?;
    let paths = survey.paths().map_err(|e| refused(cfg, e))?;
    Ok(Routing::UgalG(UgalG { ugal: Ugal::new(detours, rule), graph: survey.graph().clone(), paths }))
}

/// UGAL-G for the routers of one partition.
#[derive(Clone, Debug)]
pub struct UgalG {
    ugal: Ugal,
    graph: Arc<Graph>,
    /// Next hops of all routers. Where packets choose among several shortest paths this is the one that is looked at.
    paths: Arc<Table>,
}

impl UgalG {
    /// Flits published for the channels of a candidate's path from `router` to `destination`, no further than until there are
    /// `enough`. Its first channel is the one that the packet will take.
    #[inline]
    fn along(&self, router: RouterId, candidate: &Candidate, destination: RouterId, enough: u32, view: &impl View) -> u32 {
        let (mut at, mut port, mut flits) = (router, candidate.port, 0u32);
        let mut target = candidate.target;
        loop {
            let channel = self.graph.channel(at) + u32::from(port);
            flits = flits.saturating_add(view.published(channel));
            if flits >= enough {
                return flits;
            }
            at = self.graph.channel_end(channel);
            if at == target {
                if at == destination {
                    return flits;
                }
                target = destination;
            }
            port = self.next(at, target);
        }
    }

    #[inline]
    fn next(&self, at: RouterId, target: RouterId) -> Port {
        self.paths.next(at, target)
    }
}

impl RoutingAlgorithm for UgalG {
    #[inline]
    fn route(&self, here: Here, head: &mut Head, view: &impl View, rng: &mut Stream) -> Choice {
        let destination = head.target;
        self.ugal.route(here, head, rng, |candidate, enough| self.along(here.router, candidate, destination, enough, view))
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        self.ugal.choices(here, head, out);
    }

    fn argument(&self) -> Option<&'static str> {
        self.ugal.detours().vcs().argument()
    }

    fn reads_hops(&self) -> bool {
        self.ugal.detours().vcs().reads_hops()
    }

    fn two_legs(&self) -> Option<TwoLegs<'_>> {
        Some(TwoLegs { detours: self.ugal.detours(), straight: true })
    }
}
