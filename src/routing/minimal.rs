//! The next hop of a shortest path, for algorithms that do not choose it by the state of the network.

use super::port_sets::{self, PortSets};
use super::survey::Survey;
use super::table::{Disconnected, Table, Tie};
use super::{Choice, Head, ALGORITHM};
use crate::config::{Applies, Config, ConfigErrors, Default, Key, Kind};
use crate::ids::{Port, RouterId};
use crate::rng::Stream;
use crate::topology::Sizes;

/// The path of the tie key.
pub const TIE: &str = "routing.tie";

/// `routing.tie` for the algorithms named in `values`.
pub const fn tie_key(values: &'static [&'static str]) -> Key {
    Key {
        path: TIE,
        kind: Kind::Choice(&["lowest_id", "random", "per_packet"]),
        default: Default::Text("lowest_id"),
        applies: Applies::When { key: ALGORITHM, values },
        unit: "",
        doc: "Which of several shortest paths is taken: lowest_id = the one over the next router with the lowest id \
              (BookSim2's rule); random = one drawn once per pair of routers from the seed; per_packet = each packet draws \
              anew at every hop, all minimal ports being equally likely.",
    }
}

/// The tie of a table with one path per pair of routers, or `None` for a draw per packet.
pub fn tie(cfg: &Config) -> Option<Tie> {
    match cfg.text(TIE) {
        "per_packet" => None,
        "random" => Some(Tie::Random { seed: cfg.int("simulation.seed") as u64 }),
        _ => Some(Tie::LowestId),
    }
}

/// Bytes of a row of the tables that `tie` needs.
pub fn bytes_per_row(cfg: &Config, sizes: &Sizes) -> u64 {
    match tie(cfg) {
        Some(_) => sizes.n_routers,
        None => port_sets::bytes_per_row(sizes.n_routers),
    }
}

/// Next hops from the routers of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Minimal {
    /// One per router and target.
    One(Table),
    /// All, of which each packet draws one.
    All(PortSets),
}

impl Minimal {
    /// With rows for `routers`, in that order; `tie` is `None` for a draw per packet.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn build(survey: &Survey, routers: &[RouterId], tie: Option<Tie>) -> Result<Self, Disconnected> {
        let graph = survey.graph();
        Ok(match tie {
            Some(tie) => Minimal::One(Table::build(graph, routers, tie)?),
            None => Minimal::All(PortSets::build(graph, routers)?),
        })
    }

    /// As the input says.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn from_config(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Self, ConfigErrors> {
        Self::build(survey, routers, tie(cfg)).map_err(|e| refused(cfg, e))
    }

    /// The port that a packet takes from `row`'s router towards `target`, which is another router.
    #[inline]
    pub fn next(&self, row: u32, target: RouterId, rng: &mut Stream) -> Port {
        match self {
            Minimal::One(table) => table.next(row, target),
            Minimal::All(sets) => match sets.get(row, target) {
                [port] => *port,
                ports => ports[rng.below(ports.len() as u32) as usize],
            },
        }
    }

    /// Calls `each` with every port that `next` can return; all are equally likely. Returns how many there are.
    pub fn for_each(&self, row: u32, target: RouterId, mut each: impl FnMut(Port)) -> usize {
        match self {
            Minimal::One(table) => {
                each(table.next(row, target));
                1
            }
            Minimal::All(sets) => {
                let ports = sets.get(row, target);
                ports.iter().for_each(|&port| each(port));
                ports.len()
            }
        }
    }

    /// Appends every choice of `next` for a head that leaves as `head` on one of `vcs`, `probability` being shared among them.
    pub fn choices(&self, row: u32, head: Head, vcs: u32, probability: f64, out: &mut Vec<(f64, Choice, Head)>) {
        match self {
            Minimal::One(table) => out.push((probability, Choice { port: table.next(row, head.target), vcs }, head)),
            Minimal::All(sets) => sets.choices(row, head, vcs, probability, out),
        }
    }
}

/// What the user is told of a network that falls into parts.
pub fn refused(cfg: &Config, error: Disconnected) -> ConfigErrors {
    cfg.fault("network.topology", error.to_string()).into()
}
