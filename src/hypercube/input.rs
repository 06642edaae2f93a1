//! From the checked values of `[cube]` to a study, with the rules that take a cube to check.

use super::code::Model;
use super::cube::Cube;
use super::exact::MAX_TABLE_DIMENSION;
use super::faults::{Faults, LinkPlacement, Mix};
use super::study::{Cell, StudyParams};
use super::tally::{Column, Pairs, Scheme};
use super::unicast::Criterion;
use crate::config::{Config, ConfigErrors};

/// The models of the published tables, in their order.
const PAPER: [Scheme; 4] =
    [Scheme::Global, Scheme::Coded(Model::SafetyVector), Scheme::Coded(Model::Extended(2)), Scheme::Coded(Model::Extended(3))];

impl StudyParams {
    /// The study that the table `[cube]` of `config` describes: one cell per mix and number of faults, the columns in the order of
    /// `cube.models`.
    ///
    /// # Errors
    /// Every fault that the types and ranges of the keys do not show: faults that do not fit in the cube or leave no pair of
    /// nodes, models that do not fit it, more pairs than can be counted.
    pub fn from_config(config: &Config) -> Result<Self, ConfigErrors> {
        let mut errors = ConfigErrors::default();
        let n = config.int("cube.n") as u32;
        let mut fault = |path: &str, message: String| errors.0.push(config.fault(path, message));
        let columns = columns(config, n, &mut fault);
        let pairs = match config.int("cube.pairs") as u32 {
            0 => Pairs::All,
            count => Pairs::Sample(count),
        };
        if pairs == Pairs::All && n > MAX_TABLE_DIMENSION {
            let message = format!("`cube.pairs` = 0 counts all pairs of at most {MAX_TABLE_DIMENSION} dimensions, not {n}");
            fault("cube.pairs", message);
        }
        let faults = match config.text("cube.placement") {
            "rate" => by_rate(config, &mut fault),
            "list" => by_list(config, n, &mut fault),
            _ => by_count(config, n, &mut fault),
        };
        let params = Self {
            cells: faults.into_iter().map(|faults| Cell { n, faults }).collect(),
            columns,
            sets: config.int("cube.sets") as u32,
            pairs,
            seed: config.int("cube.seed") as u64,
        };
        if errors.0.is_empty() {
            Ok(params)
        } else {
            Err(errors)
        }
    }
}

/// Notes a fault of the key at a path.
type Note<'a> = dyn FnMut(&str, String) + 'a;

/// The columns: each model under each criterion, global information once.
fn columns(config: &Config, n: u32, fault: &mut Note) -> Vec<Column> {
    let schemes: Vec<Scheme> = match config.get_names("cube.models") {
        Some(names) => names.iter().filter_map(|name| Scheme::from_name(name)).collect(),
        // A small cube has no distances beyond n.
        None => PAPER.into_iter().filter(|s| !matches!(s, Scheme::Coded(Model::Extended(d)) if *d > n)).collect(),
    };
    for scheme in &schemes {
        if let Scheme::Coded(model) = *scheme {
            model.check(n).unwrap_or_else(|e| fault("cube.models", e.to_string()));
        }
    }
    let criteria: &[Criterion] = match config.text("cube.criterion") {
        "text" => &[Criterion::Text],
        "both" => &[Criterion::Text, Criterion::Table],
        _ => &[Criterion::Table],
    };
    let columns_of = |scheme| {
        let criteria = if scheme == Scheme::Global { &[Criterion::Text] } else { criteria };
        criteria.iter().map(move |&criterion| Column { scheme, criterion })
    };
    schemes.into_iter().flat_map(columns_of).collect()
}

/// One row per mix and number.
fn by_count(config: &Config, n: u32, fault: &mut Note) -> Vec<Faults> {
    const KEY: &str = "cube.faults";
    let counts: Vec<u32> = config.get_ints(KEY).unwrap_or_default().iter().map(|&v| v as u32).collect();
    for (_, count) in counts.iter().enumerate().filter(|(at, count)| counts[..*at].contains(count)) {
        fault(KEY, format!("{count} stands twice in the list of `{KEY}`"));
    }
    let mixes: Vec<Mix> = match config.get_names("cube.mix") {
        Some(names) => names.iter().filter_map(|name| Mix::from_name(name)).collect(),
        None => Mix::ALL.to_vec(),
    };
    let links = link_placement(config, "cube.link_faults");
    let rows: Vec<Faults> =
        mixes.iter().flat_map(|&mix| counts.iter().map(move |&faults| Faults::Count { faults, mix, links })).collect();
    for faults in &rows {
        let cell = Cell { n, faults: faults.clone() };
        if let Err(e) = cell.check(config.int("cube.seed") as u64, config.int("cube.sets") as u32) {
            fault(KEY, e.to_string());
        } else if let Faults::Count { faults, mix, .. } = *faults {
            check_pairs(KEY, n, mix.split(faults).0, fault);
        }
    }
    rows
}

/// One row, drawn by rate.
fn by_rate(config: &Config, fault: &mut Note) -> Vec<Faults> {
    let (node, link) = (config.float("cube.node_fault_rate"), config.float("cube.link_fault_rate"));
    if node == 1.0 {
        fault("cube.node_fault_rate", "a rate of 1 fails every node, so there is no pair to decide".to_string());
    }
    vec![Faults::Rate { node, link }]
}

/// One row, as listed.
fn by_list(config: &Config, n: u32, fault: &mut Note) -> Vec<Faults> {
    let faults = listed(config, ["cube.faulty_nodes", "cube.faulty_links"], n, fault);
    if let Some(Faults::List { nodes, .. }) = &faults {
        check_pairs("cube.faulty_nodes", n, nodes.len() as u32, fault);
    }
    faults.into_iter().collect()
}

/// Which links a link fault may hit, as the key at `path` says.
pub(super) fn link_placement(config: &Config, path: &str) -> LinkPlacement {
    match config.text(path) {
        "anywhere" => LinkPlacement::Anywhere,
        _ => LinkPlacement::Apart,
    }
}

/// The faults that the keys for nodes and for links list, unless some of them are not in the n-cube or stand twice.
pub(super) fn listed(config: &Config, [nodes_key, links_key]: [&str; 2], n: u32, fault: &mut Note) -> Option<Faults> {
    let nodes: Vec<u32> = config.get_ints(nodes_key).unwrap_or_default().iter().map(|&v| v as u32).collect();
    let pairs = config.get_pairs(links_key).unwrap_or_default();
    let links: Vec<(u32, u32)> = pairs.iter().map(|&[u, i]| (u as u32, i as u32)).collect();
    let (node_errors, link_errors) = (Cube::list_errors(n, &nodes, &[]), Cube::list_errors(n, &[], &links));
    node_errors.iter().for_each(|e| fault(nodes_key, e.to_string()));
    link_errors.iter().for_each(|e| fault(links_key, e.to_string()));
    (node_errors.is_empty() && link_errors.is_empty()).then_some(Faults::List { nodes, links })
}

/// Refuses faults that leave fewer than two nodes.
fn check_pairs(path: &str, n: u32, faulty_nodes: u32, fault: &mut Note) {
    let left = (1u32 << n) - faulty_nodes;
    if left < 2 {
        let which = if left == 0 { "no node".to_string() } else { "one node".to_string() };
        let message =
            format!("{faulty_nodes} faulty nodes leave {which} of the {n}-cube nonfaulty, so there is no pair to decide");
        fault(path, message);
    }
}
