//! Adaptive minimal routing (`min-adaptive`): at every hop the minimal port with the fewest flits waiting, which the router
//! sees at its own outputs.

use super::minimal::refused;
use super::port_sets::{self, PortSets};
use super::table::Disconnected;
use super::vc::{self, policy_key, VcClasses};
use super::{Choice, Entry, Head, Here, Memory, Routing, RoutingAlgorithm, Survey, View};
use crate::config::{Config, ConfigErrors};
use crate::ids::{Port, RouterId};
use crate::rng::Stream;

const NAME: &[&str] = &["min-adaptive"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Minimal adaptive: at every hop the least occupied of all minimal ports",
    topologies: &[],
    keys: &[policy_key(NAME)],
    adaptive: true,
    tolerates_faults: false,
    max_hops: |_, survey| survey.diameter(),
    vcs_required: |cfg, survey| vc::required(cfg, || survey.diameter()),
    memory: |_, sizes| Memory { per_row: port_sets::bytes_per_row(sizes.n_routers), shared: 0 },
    build,
};

fn build(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Routing, ConfigErrors> {
    let vcs = VcClasses::from_config(cfg, || survey.diameter())?;
    MinAdaptive::new(survey, routers, vcs).map(Routing::MinAdaptive).map_err(|e| refused(cfg, e))
}

/// Adaptive minimal routing for the routers of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinAdaptive {
    sets: PortSets,
    vcs: VcClasses,
}

impl MinAdaptive {
    /// With port sets for `routers`, in that order.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn new(survey: &Survey, routers: &[RouterId], vcs: VcClasses) -> Result<Self, Disconnected> {
        Ok(Self { sets: PortSets::build(survey.graph(), routers)?, vcs })
    }
}

/// The least occupied of `ports`; equals are equally likely.
fn least_occupied(ports: &[Port], view: &impl View, rng: &mut Stream) -> Port {
    let mut least = u32::MAX;
    let mut equals = 0;
    for occupancy in ports.iter().map(|&port| view.occupancy(port)) {
        (least, equals) = match occupancy.cmp(&least) {
            std::cmp::Ordering::Less => (occupancy, 1),
            std::cmp::Ordering::Equal => (least, equals + 1),
            std::cmp::Ordering::Greater => (least, equals),
        };
    }
    let skip = if equals > 1 { rng.below(equals) } else { 0 };
    let mut emptiest = ports.iter().filter(|&&port| view.occupancy(port) == least);
    *emptiest.nth(skip as usize).expect("there are that many")
}

impl RoutingAlgorithm for MinAdaptive {
    #[inline]
    fn route(&self, here: Here, head: &mut Head, view: &impl View, rng: &mut Stream) -> Choice {
        let port = match self.sets.get(here.row, head.target) {
            [port] => *port,
            ports => least_occupied(ports, view, rng),
        };
        Choice { port, vcs: self.vcs.allowed(head.hops) }
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        self.sets.choices(here.row, *head, self.vcs.allowed(head.hops), 1.0, out);
    }

    fn argument(&self) -> Option<&'static str> {
        self.vcs.argument()
    }

    fn reads_hops(&self) -> bool {
        self.vcs.reads_hops()
    }
}
