//! Fault-tolerant routing in a hypercube by coded fault information, with what its algorithms share: `safety-level`,
//! `safety-vector` and `esv` differ in the code alone (Wu, Gao, Li, Min, "Optimal Fault-Tolerant Routing in Hypercubes Using
//! Extended Safety Vectors", 2000).
//!
//! A packet goes along a preferred dimension whose neighbour guarantees a minimal path, which takes H hops; where there is none,
//! along a spare one from which there is, once, which takes H + 2. Without faults during the run only a source ever takes the
//! spare one, and a packet that has entered the network arrives. A packet for which there is neither is refused at its source.
//!
//! Hop i of H + 2 at most is on VC class i, so the VCs of a packet ascend whatever fails and when.

use std::sync::Arc;

use super::vc::VcClasses;
use super::{Choice, Entry, Head, Here, Memory, Routing, RoutingAlgorithm, Survey, Update, View, ALGORITHM};
use crate::config::{Applies, Config, ConfigErrors, Default, Key, Kind};
use crate::hypercube::{Knowledge, Method, Model, Scenario};
use crate::ids::{Cycle, RouterId};
use crate::rng::Stream;
use crate::topology::{channel_latencies, hypercube, Sizes};

/// The topologies of all that know of faults.
pub(super) const TOPOLOGIES: &[&str] = &["hypercube"];

/// A decision without a way on.
pub(super) const NO_WAY: Choice = Choice { port: 0, vcs: 0 };

/// The key of the dimension that is taken.
const CHOICE: &str = "routing.dimension_choice";

/// `routing.dimension_choice` for the algorithms named in `values`.
pub(super) const fn choice_key(values: &'static [&'static str]) -> Key {
    Key {
        path: CHOICE,
        kind: Kind::Choice(&["lowest", "random"]),
        default: Default::Text("lowest"),
        applies: Applies::When { key: ALGORITHM, values },
        unit: "",
        doc: "Which of several dimensions that guarantee the same a packet takes: lowest = the lowest; random = one drawn at every \
              hop, all being equally likely.",
    }
}

/// The entry of an algorithm of this kind.
pub(super) const fn entry(
    name: &'static [&'static str; 1],
    summary: &'static str,
    keys: &'static [Key],
    memory: fn(&Config, &Sizes) -> Memory,
    build: fn(&Config, &Survey, &[RouterId]) -> Result<Routing, ConfigErrors>,
) -> Entry {
    Entry {
        name: name[0],
        summary,
        topologies: TOPOLOGIES,
        keys,
        adaptive: false,
        tolerates_faults: true,
        max_hops: |cfg, _| max_hops(cfg),
        vcs_required: |cfg, _| max_hops(cfg),
        memory,
        build,
    }
}

/// The most hops of a packet: the diameter and a detour of two.
fn max_hops(cfg: &Config) -> u32 {
    cfg.int(hypercube::N) as u32 + 2
}

/// The knowledge of all nodes, shared by the partitions of a process.
///
/// # Errors
/// Faults that cannot be; a code that the cube cannot have, told at the key `of_method`.
pub(super) fn knowledge(cfg: &Config, survey: &Survey, method: Method, of_method: &str) -> Result<Arc<Knowledge>, ConfigErrors> {
    let scenario = Scenario::from_config(cfg, cfg.int(hypercube::N) as u32)?;
    survey.knowledge(scenario, method, channel_latencies(cfg)).map_err(|e| cfg.fault(of_method, e.to_string()).into())
}

/// What the tables take.
pub(super) fn memory(cfg: &Config, method: Method) -> Memory {
    Memory { per_row: 0, shared: Knowledge::bytes(cfg.int(hypercube::N) as u32, method) }
}

/// Messages and rounds, if anything fails during the run.
pub(super) fn update(knowledge: &Knowledge) -> Option<Update> {
    knowledge.changes().then(|| Update { messages: knowledge.messages(), rounds: knowledge.rounds() })
}

/// Routing by a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coded {
    knowledge: Arc<Knowledge>,
    vcs: VcClasses,
    /// Whether dimensions are drawn.
    random: bool,
}

impl Coded {
    /// As the input says, by the vectors of `model`.
    ///
    /// # Errors
    /// Faults that cannot be; a code that the cube cannot have, told at the key `of_model`.
    pub(super) fn from_config(cfg: &Config, survey: &Survey, model: Model, of_model: &str) -> Result<Self, ConfigErrors> {
        Ok(Self {
            knowledge: knowledge(cfg, survey, Method::Code(model), of_model)?,
            vcs: VcClasses::by_hop(cfg.int("router.num_vcs") as u32, max_hops(cfg)),
            random: cfg.text(CHOICE) == "random",
        })
    }

    fn leave(&self, here: Here, dim: u32, head: &Head) -> Choice {
        Choice { port: hypercube::port(here.router, dim), vcs: self.vcs.allowed(head.hops) }
    }
}

/// The dimension of `dims` that has `skip` lower ones.
fn nth(dims: u32, skip: u32) -> u32 {
    (0..skip).fold(dims, |rest, _| rest & (rest - 1)).trailing_zeros()
}

impl RoutingAlgorithm for Coded {
    /// `head.state` is 1 once the packet has made its detour.
    #[inline]
    fn route(&self, here: Here, head: &mut Head, view: &impl View, rng: &mut Stream) -> Choice {
        let ways = self.knowledge.directions(here.router, head.target, head.state != 0, view.now());
        if ways.dims == 0 {
            return NO_WAY;
        }
        let several = self.random && !ways.dims.is_power_of_two();
        let skip = if several { rng.below(ways.dims.count_ones()) } else { 0 };
        head.state |= u8::from(ways.spare);
        self.leave(here, nth(ways.dims, skip), head)
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        if self.knowledge.is_dead(head.target, 0) {
            return;
        }
        let ways = self.knowledge.directions(here.router, head.target, head.state != 0, 0);
        let n = if self.random { ways.dims.count_ones() } else { ways.dims.count_ones().min(1) };
        let after = Head { state: head.state | u8::from(ways.spare), ..*head };
        out.extend((0..n).map(|skip| (1.0 / f64::from(n), self.leave(here, nth(ways.dims, skip), head), after)));
    }

    #[inline]
    fn admits(&self, from: RouterId, to: RouterId, now: Cycle) -> bool {
        !self.knowledge.is_dead(to, now) && (from == to || self.knowledge.directions(from, to, false, now).dims != 0)
    }

    fn refuses(&self) -> bool {
        true
    }

    fn changes(&self) -> Option<Update> {
        update(&self.knowledge)
    }

    fn argument(&self) -> Option<&'static str> {
        self.vcs.argument()
    }
}
