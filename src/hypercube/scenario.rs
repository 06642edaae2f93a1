//! A hypercube in a simulation: its faults from the start, and those that come while it runs.

use super::cube::Cube;
use super::error::CubeError;
use super::faults::{Faults, Mix};
use super::input::{link_placement, listed};
use super::scenario_keys::{COUNT, LINKS, LINK_FAILURES, NODES, NODE_FAILURES, PLACEMENT};
use crate::config::{Config, ConfigErrors};

/// The cycle of what never happens.
pub const NEVER: u64 = u64::MAX;

/// What can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A node, with all its links.
    Node(u32),
    /// The link of the node along the dimension; the node is the end with a 0 there.
    Link(u32, u32),
}

/// Something that breaks while the network runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Failure {
    /// The first cycle in which it is broken.
    pub at: u64,
    /// What breaks.
    pub part: Part,
}

/// A hypercube with its faults in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// At the start.
    pub cube: Cube,
    /// What breaks later, ascending in time.
    pub failures: Vec<Failure>,
}

impl Scenario {
    /// The n-cube as `[faults]` has it.
    ///
    /// # Errors
    /// Every fault that the types and ranges of the keys do not show: what is not in the cube, too many faults, too few nodes
    /// left, what breaks twice.
    pub fn from_config(config: &Config, n: u32) -> Result<Self, ConfigErrors> {
        let mut errors = ConfigErrors::default();
        let mut fault = |path: &str, message: String| errors.0.push(config.fault(path, message));
        let cube = placed(config, n, &mut fault);
        let failures = failures(config);
        if let Some(cube) = &cube {
            let dead = dead_nodes(cube, &failures, &mut fault);
            let left = u64::from(cube.n_nodes()).saturating_sub(u64::from(cube.n_faulty_nodes()) + dead);
            if left < 2 {
                let which = if left == 0 { "no node" } else { "one node" };
                let message = format!("the faults leave {which} of the {n}-cube nonfaulty, so there is nobody to send to");
                fault(if dead > 0 { NODE_FAILURES } else { PLACEMENT }, message);
            }
        }
        match cube {
            Some(cube) if errors.0.is_empty() => Ok(Self { cube, failures: failures.into_iter().map(|(_, f)| f).collect() }),
            _ => Err(errors),
        }
    }

    /// The cube as it is in cycle `now`.
    ///
    /// # Panics
    /// If something is broken twice, which `from_config` refuses.
    #[must_use]
    pub fn at(&self, now: u64) -> Cube {
        with_failures(&self.cube, self.failures.iter().filter(|f| f.at <= now).map(|f| f.part))
    }

    /// Whether anything is broken, or will be.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        self.cube.n_faulty_nodes() > 0 || !self.cube.faulty_links().is_empty() || !self.failures.is_empty()
    }

    /// The cycle from which each node is faulty, [`NEVER`] for most. Shape `[n_nodes]`.
    #[must_use]
    pub fn deaths(&self) -> Vec<u64> {
        let mut deaths = vec![NEVER; self.cube.n_nodes() as usize];
        self.cube.faulty_nodes().for_each(|u| deaths[u as usize] = 0);
        for failure in &self.failures {
            if let Part::Node(u) = failure.part {
                deaths[u as usize] = failure.at;
            }
        }
        deaths
    }
}

/// `cube` with more broken.
pub(super) fn with_failures(cube: &Cube, parts: impl Iterator<Item = Part>) -> Cube {
    let mut nodes: Vec<u32> = cube.faulty_nodes().collect();
    let mut links = cube.faulty_links().to_vec();
    for part in parts {
        match part {
            Part::Node(u) => nodes.push(u),
            Part::Link(u, i) => links.push((u, i)),
        }
    }
    Cube::with_faults(cube.n(), &nodes, &links).expect("nothing breaks twice")
}

/// Notes a fault of the key at a path.
type Note<'a> = dyn FnMut(&str, String) + 'a;

/// The cube at the start, unless it cannot be.
fn placed(config: &Config, n: u32, fault: &mut Note) -> Option<Cube> {
    let seed = config.get_int("faults.seed").unwrap_or(0) as u64;
    let (faults, path) = match config.text(PLACEMENT) {
        "count" => {
            let links = link_placement(config, "faults.link_faults");
            let mix = Mix::from_name(config.text("faults.mix")).expect("the schema lists the mixes");
            (Faults::Count { faults: config.int(COUNT) as u32, mix, links }, COUNT)
        }
        "rate" => {
            let (node, link) = (config.float("faults.node_fault_rate"), config.float("faults.link_fault_rate"));
            (Faults::Rate { node, link }, PLACEMENT)
        }
        "list" => (listed(config, [NODES, LINKS], n, fault)?, PLACEMENT),
        _ => (Faults::List { nodes: Vec::new(), links: Vec::new() }, PLACEMENT),
    };
    faults.place(n, seed, 0).map_err(|e| fault(path, e.to_string())).ok()
}

/// What breaks later, each with the key that says so, ascending in time.
fn failures(config: &Config) -> Vec<(&'static str, Failure)> {
    let nodes = config.get_pairs(NODE_FAILURES).unwrap_or_default().iter();
    let nodes = nodes.map(|&[at, u]| (NODE_FAILURES, Failure { at: at as u64, part: Part::Node(u as u32) }));
    let links = config.get_triples(LINK_FAILURES).unwrap_or_default().iter().map(|&[at, u, i]| {
        let (u, i) = (u as u32, i as u32);
        (LINK_FAILURES, Failure { at: at as u64, part: Part::Link(u & !(1 << i), i) })
    });
    let mut all: Vec<_> = nodes.chain(links).collect();
    all.sort_by_key(|&(_, failure)| failure);
    all
}

/// Checks that each of `failures` breaks something that is there and whole; returns how many nodes break.
fn dead_nodes(cube: &Cube, failures: &[(&'static str, Failure)], fault: &mut Note) -> u64 {
    let (mut nodes, mut links): (Vec<u32>, Vec<(u32, u32)>) = (cube.faulty_nodes().collect(), cube.faulty_links().to_vec());
    let n = cube.n();
    let mut dead = 0;
    for &(path, Failure { at, part }) in failures {
        let alone = match part {
            Part::Node(u) => Cube::with_faults(n, &[u], &[]),
            Part::Link(u, i) => Cube::with_faults(n, &[], &[(u, i)]),
        };
        if let Err(e @ (CubeError::Node { .. } | CubeError::Dim { .. })) = alone {
            fault(path, e.to_string());
            continue;
        }
        match part {
            Part::Node(u) if nodes.contains(&u) => {
                fault(path, format!("node {u} cannot fail in cycle {at}: it is faulty already"))
            }
            Part::Node(u) => {
                nodes.push(u);
                dead += 1;
            }
            Part::Link(u, i) if links.contains(&(u, i)) => {
                fault(path, format!("link ({u}, {i}) cannot fail in cycle {at}: it is faulty already"));
            }
            Part::Link(u, i) => match [u, u ^ 1 << i].into_iter().find(|end| nodes.contains(end)) {
                Some(end) => fault(path, format!("link ({u}, {i}) cannot fail in cycle {at}: node {end} is faulty already")),
                None => links.push((u, i)),
            },
        }
    }
    dead
}
