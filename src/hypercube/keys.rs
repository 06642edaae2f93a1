//! The keys of the table `[cube]`, and the study they describe.

use super::code::Model;
use super::cube::MAX_DIMENSION;
use super::error::CubeError;
use super::faults::{Faults, LinkPlacement, Mix};
use super::study::{all_columns, Cell, StudyParams};
use super::tally::{Column, Pairs, Scheme};
use super::unicast::Criterion;
use crate::config::{Applies, Default, Key, Kind};

/// More faults than any cube has links.
const MAX_FAULTS: i64 = (MAX_DIMENSION as i64) << (MAX_DIMENSION - 1);

const BY_COUNT: Applies = Applies::When { key: "cube.placement", values: &["count"] };
const BY_RATE: Applies = Applies::When { key: "cube.placement", values: &["rate"] };
const BY_LIST: Applies = Applies::When { key: "cube.placement", values: &["list"] };

/// Every key of `[cube]`.
pub const KEYS: &[Key] = &[
    Key {
        path: "cube.n",
        kind: Kind::Int { min: 1, max: MAX_DIMENSION as i64 },
        default: Default::Int(8),
        applies: Applies::Always,
        unit: "",
        doc: "Dimension of the cube: 2^n nodes.",
    },
    Key {
        path: "cube.placement",
        kind: Kind::Choice(&["count", "rate", "list"]),
        default: Default::Text("count"),
        applies: Applies::Always,
        unit: "",
        doc: "How faults are placed: `count` draws a number of them without repetition, `rate` fails each node and link with a \
              probability, `list` takes them as given.",
    },
    Key {
        path: "cube.faults",
        kind: Kind::Ints { min: 0, max: MAX_FAULTS },
        default: Default::Required,
        applies: BY_COUNT,
        unit: "faults",
        doc: "Numbers of faults: one row of the table each.",
    },
    Key {
        path: "cube.mix",
        kind: Kind::Choice(&["all", "node", "half", "link"]),
        default: Default::Text("all"),
        applies: BY_COUNT,
        unit: "",
        doc: "What the faults are: nodes, half nodes (rounded up) and half links, links, or `all` three in turn.",
    },
    Key {
        path: "cube.link_faults",
        kind: Kind::Choice(&["apart", "anywhere"]),
        default: Default::Text("apart"),
        applies: BY_COUNT,
        unit: "",
        doc: "Which links a link fault may hit: `apart` only those between nonfaulty nodes, `anywhere` also links at faulty nodes, as \
              the published tables did.",
    },
    Key {
        path: "cube.node_fault_rate",
        kind: Kind::Float { min: 0.0, max: 1.0 },
        default: Default::Float(0.0),
        applies: BY_RATE,
        unit: "",
        doc: "Probability that a node is faulty.",
    },
    Key {
        path: "cube.link_fault_rate",
        kind: Kind::Float { min: 0.0, max: 1.0 },
        default: Default::Float(0.0),
        applies: BY_RATE,
        unit: "",
        doc: "Probability that a link between nonfaulty nodes is faulty.",
    },
    Key {
        path: "cube.faulty_nodes",
        kind: Kind::Ints { min: 0, max: (1 << MAX_DIMENSION) - 1 },
        default: Default::Unset,
        applies: BY_LIST,
        unit: "",
        doc: "Faulty nodes; none if not given.",
    },
    Key {
        path: "cube.faulty_links",
        kind: Kind::Ints { min: 0, max: (1 << MAX_DIMENSION) - 1 },
        default: Default::Unset,
        applies: BY_LIST,
        unit: "",
        doc: "Faulty links as a flat list u, i, u, i, ...: node u at either end and dimension i; none if not \
              given.",
    },
    Key {
        path: "cube.models",
        kind: Kind::Choice(&["paper", "all"]),
        default: Default::Text("paper"),
        applies: Applies::Always,
        unit: "",
        doc: "Which fault information decides: `paper` takes global information, the safety vector and extended safety vectors, `all` \
              adds safe/unsafe, extended safe and safety level.",
    },
    Key {
        path: "cube.esv_d",
        kind: Kind::Ints { min: 1, max: MAX_DIMENSION as i64 },
        default: Default::Unset,
        applies: Applies::Always,
        unit: "hops",
        doc: "Distances d within which extended safety vectors know every fault; if not given 2 and 3 for the models of the paper, 1 \
              to 4 for all.",
    },
    Key {
        path: "cube.criterion",
        kind: Kind::Choice(&["table", "text", "both"]),
        default: Default::Text("table"),
        applies: Applies::Always,
        unit: "",
        doc: "How the source decides: `text` is sound and routes, `table` counts as the published tables were counted.",
    },
    Key {
        path: "cube.sets",
        kind: Kind::Int { min: 1, max: 1_000_000_000 },
        default: Default::Int(100),
        applies: Applies::Always,
        unit: "fault sets",
        doc: "Fault sets per row.",
    },
    Key {
        path: "cube.pairs",
        kind: Kind::Int { min: 0, max: 1_000_000_000 },
        default: Default::Int(200_000),
        applies: Applies::Always,
        unit: "pairs",
        doc: "Pairs of distinct nonfaulty nodes drawn per fault set; 0 counts every ordered pair once (up to 12 dimensions).",
    },
    Key {
        path: "cube.seed",
        kind: Kind::Int { min: 0, max: i64::MAX },
        default: Default::Int(1),
        applies: Applies::Always,
        unit: "",
        doc: "Seed of fault sets and pairs.",
    },
    Key {
        path: "cube.reference",
        kind: Kind::Path,
        default: Default::Unset,
        applies: Applies::Always,
        unit: "",
        doc: "CSV file of published percentages to print beside ours, with columns mix, faults and op_n, op_3, sv_op, sv_sub, esv_op, \
              esv_sub.",
    },
];

/// The values of `[cube]` as the input gives them, whoever reads it; `None` is "not given".
#[derive(Clone, Debug, PartialEq)]
pub struct CubeInput {
    /// `cube.n`
    pub n: u32,
    /// The faults; one entry per row.
    pub faults: Vec<Faults>,
    /// `cube.models` is `all`.
    pub all_models: bool,
    /// `cube.esv_d`
    pub esv_d: Option<Vec<u32>>,
    /// `cube.criterion`
    pub criteria: Vec<Criterion>,
    /// `cube.sets`
    pub sets: u32,
    /// `cube.pairs`
    pub pairs: u32,
    /// `cube.seed`
    pub seed: u64,
}

impl CubeInput {
    /// The rows of `cube.faults`, `cube.mix` (`None`: all three) and `cube.link_faults`.
    #[must_use]
    pub fn by_count(counts: &[u32], mix: Option<Mix>, links: LinkPlacement) -> Vec<Faults> {
        let mixes = mix.map_or_else(|| Mix::ALL.to_vec(), |mix| vec![mix]);
        mixes.into_iter().flat_map(|mix| counts.iter().map(move |&faults| Faults::Count { faults, mix, links })).collect()
    }

    /// The row of `cube.faulty_nodes` and the flat list `cube.faulty_links`.
    ///
    /// # Errors
    /// If a link lacks its dimension.
    pub fn by_list(nodes: &[u32], links: &[u32]) -> Result<Faults, CubeError> {
        if links.len() % 2 != 0 {
            return Err(CubeError::Study(
                "faulty links are pairs of a node and a dimension; the last has no dimension".to_string(),
            ));
        }
        Ok(Faults::List { nodes: nodes.to_vec(), links: links.chunks_exact(2).map(|l| (l[0], l[1])).collect() })
    }

    /// The study: one cell per row, the columns in the order global information, older models, extended safety vectors.
    #[must_use]
    pub fn study(&self) -> StudyParams {
        // A small cube has no distances beyond n: the default stops there, while an explicit list is checked by the study.
        let default_d = if self.all_models { 1..=self.n.min(4) } else { self.n.min(2)..=self.n.min(3) };
        let d = self.esv_d.clone().unwrap_or_else(|| default_d.collect());
        let in_paper = |c: &Column| match c.scheme {
            Scheme::Global | Scheme::Coded(Model::SafetyVector | Model::Extended(_)) => true,
            Scheme::Coded(_) => self.all_models,
        };
        StudyParams {
            cells: self.faults.iter().map(|faults| Cell { n: self.n, faults: faults.clone() }).collect(),
            columns: all_columns(&d, &self.criteria).into_iter().filter(in_paper).collect(),
            sets: self.sets,
            pairs: if self.pairs == 0 { Pairs::All } else { Pairs::Sample(self.pairs) },
            seed: self.seed,
        }
    }
}
