//! E-cube routing in a hypercube (`ecube`; Sullivan and Bashkow, "A large scale, homogeneous, fully distributed parallel
//! machine", 1977): the lowest dimension first, one path per pair of nodes. It takes no way around a fault. Its sources are
//! given as much as one path can use: they know every fault that news has reached them of, and refuse packets whose path is
//! broken. A packet that meets a fault of which its source had not heard is dropped there.

use std::sync::Arc;

use super::coded::{knowledge, memory, update, NO_WAY, TOPOLOGIES};
use super::vc::split;
use super::{Choice, Entry, Head, Here, Routing, RoutingAlgorithm, Survey, Update, View, ALGORITHM};
use crate::config::{Config, ConfigErrors};
use crate::hypercube::{Knowledge, Method};
use crate::ids::{Cycle, RouterId};
use crate::rng::Stream;
use crate::topology::hypercube;

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: "ecube",
    summary: "Hypercube: the lowest dimension first; packets whose only path is broken are refused at the source",
    topologies: TOPOLOGIES,
    keys: &[],
    adaptive: false,
    tolerates_faults: true,
    max_hops: |cfg, _| cfg.int(hypercube::N) as u32,
    vcs_required: |_, _| 1,
    memory: |cfg, _| memory(cfg, Method::Failures),
    build,
};

fn build(cfg: &Config, survey: &Survey, _: &[RouterId]) -> Result<Routing, ConfigErrors> {
    let knowledge = knowledge(cfg, survey, Method::Failures, ALGORITHM)?;
    Ok(Routing::Ecube(Ecube { knowledge, vcs: split(cfg.int("router.num_vcs") as u32, 1)[0] }))
}

/// E-cube routing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ecube {
    knowledge: Arc<Knowledge>,
    /// All VCs, on every hop.
    vcs: u32,
}

impl RoutingAlgorithm for Ecube {
    #[inline]
    fn route(&self, here: Here, head: &mut Head, view: &impl View, _rng: &mut Stream) -> Choice {
        let dim = self.knowledge.next_in_order(here.router, head.target, view.now());
        dim.map_or(NO_WAY, |dim| Choice { port: hypercube::port(here.router, dim), vcs: self.vcs })
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        // A packet whose path breaks off later on has not been admitted.
        if self.knowledge.order_is_open(here.router, head.target, 0) {
            let dim = (here.router ^ head.target).trailing_zeros();
            out.push((1.0, Choice { port: hypercube::port(here.router, dim), vcs: self.vcs }, *head));
        }
    }

    #[inline]
    fn admits(&self, from: RouterId, to: RouterId, now: Cycle) -> bool {
        !self.knowledge.is_dead(to, now) && self.knowledge.order_is_open(from, to, now)
    }

    fn refuses(&self) -> bool {
        true
    }

    fn changes(&self) -> Option<Update> {
        update(&self.knowledge)
    }

    fn argument(&self) -> Option<&'static str> {
        Some("dimensions are crossed in ascending order, each at most once, so no channel can wait for itself")
    }

    fn reads_hops(&self) -> bool {
        false
    }
}
