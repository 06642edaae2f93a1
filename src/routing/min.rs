//! Minimal routing (`min`, the paper's MIN): a shortest path that does not depend on the state of the network.

use std::sync::Arc;

use super::layers::Layers;
use super::minimal::{self, refused, tie_key, Minimal, TIE};
use super::table::Disconnected;
use super::vc::{self, policy_key, split, VcClasses, POLICY};
use super::{Choice, Entry, Head, Here, Memory, Routing, RoutingAlgorithm, Survey, View};
use crate::config::{Config, ConfigErrors};
use crate::ids::RouterId;
use crate::rng::Stream;

const NAME: &[&str] = &["min"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Minimal: a shortest path, by default one per pair of routers (MIN)",
    topologies: &[],
    keys: &[tie_key(NAME), policy_key(NAME)],
    adaptive: false,
    tolerates_faults: false,
    max_hops: |_, survey| survey.diameter(),
    vcs_required,
    memory: |cfg, sizes| Memory {
        per_row: minimal::bytes_per_row(cfg, sizes),
        shared: if uses_layers(cfg) { Layers::bytes(sizes.n_routers) } else { 0 },
    },
    build,
};

fn uses_layers(cfg: &Config) -> bool {
    cfg.text(POLICY) == "layers"
}

fn vcs_required(cfg: &Config, survey: &Survey) -> u32 {
    if uses_layers(cfg) {
        // What cannot be laid out is refused when it is built.
        layers(cfg, survey).map_or(1, |layers| layers.n_layers())
    } else {
        vc::required(cfg, || survey.diameter())
    }
}

/// The layers of the input's paths, whatever its VC policy.
///
/// # Errors
/// A tie without one path per pair of routers, a network that is not connected or too large.
pub fn layers(cfg: &Config, survey: &Survey) -> Result<Arc<Layers>, ConfigErrors> {
    let Some(tie) = minimal::tie(cfg) else {
        return Err(cfg
            .fault(
                TIE,
                format!("layers need one path per pair of routers: {TIE} = \"lowest_id\" or \"random\", not \"per_packet\""),
            )
            .into());
    };
    survey.layers(tie).map_err(|e| cfg.fault(POLICY, e.to_string()).into())
}

fn build(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Routing, ConfigErrors> {
    let num_vcs = cfg.int("router.num_vcs") as u32;
    let vcs = if uses_layers(cfg) {
        Vcs::by_layer(num_vcs, layers(cfg, survey)?)
    } else {
        Vcs::Classes(VcClasses::from_config(cfg, || survey.diameter())?)
    };
    let tie = minimal::tie(cfg);
    Min::new(survey, routers, tie, vcs).map(Routing::Min).map_err(|e| refused(cfg, e))
}

/// Which VCs a packet may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vcs {
    /// By its hops.
    Classes(VcClasses),
    /// By its source and destination.
    Layers {
        /// The layer of every pair.
        layers: Arc<Layers>,
        /// The VCs of each layer.
        sets: Vec<u32>,
    },
}

impl Vcs {
    /// `num_vcs` VCs dealt to the layers as evenly as possible; if there are fewer than layers, the last share a VC, which
    /// is not free of deadlock.
    #[must_use]
    pub fn by_layer(num_vcs: u32, layers: Arc<Layers>) -> Self {
        let sets = split(num_vcs, layers.n_layers());
        Vcs::Layers { layers, sets }
    }
}

/// Minimal routing for the routers of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Min {
    minimal: Minimal,
    vcs: Vcs,
}

impl Min {
    /// With table rows for `routers`, in that order; `tie` is `None` for a draw per packet.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn new(survey: &Survey, routers: &[RouterId], tie: Option<super::table::Tie>, vcs: Vcs) -> Result<Self, Disconnected> {
        Ok(Self { minimal: Minimal::build(survey, routers, tie)?, vcs })
    }

    /// The VCs of a head; in layers it learns at its source which it is on, 1 more than which is its state.
    #[inline]
    fn vcs(&self, here: Here, head: &mut Head) -> u32 {
        match &self.vcs {
            Vcs::Classes(classes) => classes.allowed(head.hops),
            Vcs::Layers { layers, sets } => {
                if head.state == 0 {
                    head.state = layers.get(here.router, head.target) + 1;
                }
                sets[usize::from(head.state) - 1]
            }
        }
    }
}

impl RoutingAlgorithm for Min {
    #[inline]
    fn route(&self, here: Here, head: &mut Head, _view: &impl View, rng: &mut Stream) -> Choice {
        Choice { port: self.minimal.next(here.row, head.target, rng), vcs: self.vcs(here, head) }
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        let mut head = *head;
        let vcs = self.vcs(here, &mut head);
        self.minimal.choices(here.row, head, vcs, 1.0, out);
    }

    fn argument(&self) -> Option<&'static str> {
        match &self.vcs {
            Vcs::Classes(classes) => classes.argument(),
            Vcs::Layers { layers, sets } => (layers.n_layers() <= sets.iter().fold(0, |all, s| all | s).count_ones())
                .then_some("every packet stays in one layer of VCs, whose dependency graph was made acyclic"),
        }
    }

    fn reads_hops(&self) -> bool {
        matches!(&self.vcs, Vcs::Classes(classes) if classes.reads_hops())
    }
}
