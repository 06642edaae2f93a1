//! Minimal routing (`min`, the paper's MIN): one shortest path per pair of routers, from a table.

use super::table::{Disconnected, Table, Tie};
use super::vc::{is_by_hop, policy_key, VcClasses};
use super::{Choice, Entry, Head, Here, Routing, RoutingAlgorithm, View, ALGORITHM};
use crate::config::{Applies, Config, ConfigErrors, Default, Key, Kind};
use crate::ids::RouterId;
use crate::rng::Stream;
use crate::topology::{Distances, Graph};

const NAME: &[&str] = &["min"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Minimal: one shortest path per pair of routers (MIN)",
    topologies: &[],
    keys: &[
        Key {
            path: "routing.tie",
            kind: Kind::Choice(&["lowest_id", "random"]),
            default: Default::Text("lowest_id"),
            applies: Applies::When { key: ALGORITHM, values: NAME },
            unit: "",
            doc: "Which of several shortest paths is taken: lowest_id = the one over the next router with the lowest id \
                  (BookSim2's rule); random = one drawn once per pair of routers from the seed.",
        },
        policy_key(NAME),
    ],
    max_hops: |_, graph| max_hops(graph),
    vcs_required: |cfg, graph| if is_by_hop(cfg) { max_hops(graph).max(1) } else { 1 },
    build,
};

fn build(cfg: &Config, graph: &Graph, routers: &[RouterId]) -> Result<Routing, ConfigErrors> {
    let tie = match cfg.text("routing.tie") {
        "random" => Tie::Random { seed: cfg.int("simulation.seed") as u64 },
        _ => Tie::LowestId,
    };
    let vcs = VcClasses::from_config(cfg, || max_hops(graph));
    Min::new(graph, routers, tie, vcs).map(Routing::Min).map_err(|e| cfg.fault("network.topology", e.to_string()).into())
}

/// The diameter; 0 for a network that is not connected, which building refuses.
fn max_hops(graph: &Graph) -> u32 {
    Distances::of(graph).diameter().unwrap_or(0)
}

/// Minimal routing for the routers of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Min {
    table: Table,
    vcs: VcClasses,
}

impl Min {
    /// With table rows for `routers`, in that order.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn new(graph: &Graph, routers: &[RouterId], tie: Tie, vcs: VcClasses) -> Result<Self, Disconnected> {
        Ok(Self { table: Table::build(graph, routers, tie)?, vcs })
    }

    #[inline]
    fn choice(&self, here: Here, head: &Head) -> Choice {
        Choice { port: self.table.next(here.row, head.target), vcs: self.vcs.allowed(head.hops) }
    }
}

impl RoutingAlgorithm for Min {
    #[inline]
    fn route(&self, here: Here, head: &mut Head, _view: &impl View, _rng: &mut Stream) -> Choice {
        self.choice(here, head)
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        out.push((1.0, self.choice(here, head), *head));
    }

    fn argument(&self) -> Option<&'static str> {
        self.vcs.argument()
    }

    fn reads_hops(&self) -> bool {
        self.vcs.reads_hops()
    }
}
