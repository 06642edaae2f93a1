//! The inner loop of the study: many pairs of one faulty cube, decided under many models and criteria at once.
//!
//! Whether a source has a preferred neighbour with a certain bit is one `and` of the navigation vector with a mask that
//! depends on the source and the distance only. So per source a row of masks per distance is made, one lane per column of the
//! study, and per pair and column remain two `and`s and two comparisons, eight columns at a time.

use super::code::{Code, Model};
use super::connectivity::Components;
use super::cube::Cube;
use super::error::CubeError;
use super::exact::{self, AllPairs, MAX_TABLE_DIMENSION};
use super::planes::Grid;
use super::search::PathSearch;
use super::unicast::Criterion;
use crate::rng::Stream;

/// Whose knowledge decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Global information: optimal if a path of H hops exists, suboptimal if only one of H + 2 does.
    Global,
    /// A coding method.
    Coded(Model),
}

impl Scheme {
    /// `global`, or the name of the model.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Scheme::Global => "global".to_string(),
            Scheme::Coded(model) => model.name(),
        }
    }

    /// The scheme of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "global" {
            return Some(Scheme::Global);
        }
        Model::from_name(name).map(Scheme::Coded)
    }
}

/// One column of a study: who decides and how. The criterion means nothing for `Global`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column {
    /// Whose knowledge decides.
    pub scheme: Scheme,
    /// By which rule.
    pub criterion: Criterion,
}

/// Which pairs of distinct nonfaulty nodes are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// This many, drawn uniformly and independently.
    Sample(u32),
    /// Every ordered pair once: no sampling error.
    All,
}

/// What one column counted over the pairs of one fault set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Declared optimal.
    pub optimal: u64,
    /// Declared suboptimal.
    pub suboptimal: u64,
    /// Declared failures although a path exists.
    pub failed_connected: u64,
    /// Rounds of neighbour exchange of the model (0 for global information, which no such exchange provides).
    pub rounds: u64,
    /// Messages of these rounds.
    pub messages: u64,
}

/// What was counted over one fault set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    /// Pairs decided.
    pub(super) pairs: u64,
    /// Those that are connected.
    pub(super) connected: u64,
    /// Per column.
    pub(super) counts: Vec<Counts>,
}

/// Columns decided at once.
const LANES: usize = 8;
/// Beside the dimensions of a mask: asks whether a path of length H (in `near`) or H + 2 (in `far`) exists.
const EXACT: u32 = 1 << 31;

/// The masks of eight columns for one source and one distance: a pair is optimal if `near` meets the preferred dimensions,
/// delivered if moreover, or instead, `far` meets the spare ones.
#[derive(Clone, Copy, Default)]
struct Row {
    near: [u32; LANES],
    far: [u32; LANES],
}

/// One pair as seen from its source: distance, preferred dimensions and spare dimensions, with the `EXACT` answers.
#[derive(Clone, Copy)]
struct Query {
    k: u32,
    preferred: u32,
    spare: u32,
}

/// Declared optimal, and optimal or suboptimal, per lane.
#[derive(Clone, Copy, Default)]
struct Sums {
    optimal: [u32; LANES],
    delivered: [u32; LANES],
}

/// How the `EXACT` questions are answered.
enum Oracle<'a> {
    /// Nobody asks.
    Silent,
    Table(AllPairs),
    Search(PathSearch<'a>),
}

impl Oracle<'_> {
    /// Do paths of length H and, where not, of length H + 2 exist?
    #[inline]
    fn ask(&mut self, u: u32, v: u32) -> (bool, bool) {
        match self {
            Oracle::Silent => (false, false),
            Oracle::Table(table) => (table.minimal(u, v), table.plus_two(u, v)),
            Oracle::Search(search) => {
                let minimal = search.minimal(u, v);
                (minimal, !minimal && search.plus_two(u, v))
            }
        }
    }
}

/// Everything about one faulty cube that its pairs share.
struct Shared<'a> {
    cube: &'a Cube,
    columns: &'a [Column],
    /// One code per model that occurs, and its place for each column; `None` for global information.
    codes: Vec<Code>,
    code_of: Vec<Option<usize>>,
    oracle: Oracle<'a>,
}

impl<'a> Shared<'a> {
    fn new(cube: &'a Cube, columns: &'a [Column]) -> Result<Self, CubeError> {
        let n = cube.n();
        let mut models = Vec::new();
        let mut code_of = Vec::with_capacity(columns.len());
        for column in columns {
            code_of.push(match column.scheme {
                Scheme::Global => None,
                Scheme::Coded(model) => {
                    model.check(n)?;
                    Some(models.iter().position(|&m| m == model).unwrap_or_else(|| {
                        models.push(model);
                        models.len() - 1
                    }))
                }
            });
        }
        let grid = Grid::new(cube);
        let asks = columns.iter().any(|c| c.scheme == Scheme::Global || c.criterion == Criterion::Text);
        let extended = models.iter().filter(|m| matches!(m, Model::Extended(_))).map(|m| m.exact_distance()).max();
        let (oracle, exact) = if asks && n <= MAX_TABLE_DIMENSION {
            let (table, bits) = AllPairs::on_grid(&grid);
            (Oracle::Table(table), bits)
        } else {
            let oracle = if asks { Oracle::Search(PathSearch::new(cube)) } else { Oracle::Silent };
            (oracle, extended.map(|d| exact::exact_bits(&grid, d)).unwrap_or_default())
        };
        let codes = models.iter().map(|&model| Code::on_grid(cube, &grid, model, &exact)).collect();
        Ok(Self { cube, columns, codes, code_of, oracle })
    }

    /// Fills the rows of source `s`: row `k` of chunk `c` at `c * (n + 1) + k`.
    fn fill_rows(&self, s: u32, holders: &mut [u32], rows: &mut [Row]) {
        let n = self.cube.n() as usize;
        let width = n + 3;
        // holders[m * width + j]: the open dimensions whose neighbour has bit j - 1 under model m.
        holders.fill(0);
        let mut open = self.cube.open_dims(s);
        while open != 0 {
            let i = open.trailing_zeros();
            open &= open - 1;
            for (code, holders) in self.codes.iter().zip(holders.chunks_exact_mut(width)) {
                let vector = code.vector(s ^ 1 << i);
                holders[1] |= 1 << i;
                for (j, holder) in holders[2..n + 2].iter_mut().enumerate() {
                    *holder |= (vector >> j & 1) << i;
                }
            }
        }
        for (c, column) in self.columns.iter().enumerate() {
            let (chunk, lane) = (c / LANES, c % LANES);
            let known = match column.scheme {
                Scheme::Global => n,
                Scheme::Coded(model) => model.exact_distance() as usize,
            };
            for k in 1..=n {
                let row = &mut rows[chunk * (n + 1) + k];
                let holder = |j: usize| self.code_of[c].map_or(EXACT, |m| holders[m * width + j]);
                (row.near[lane], row.far[lane]) = match column.criterion {
                    Criterion::Text if k <= known => (EXACT, holder(k + 2)),
                    Criterion::Text => (holder(k), holder(k + 2)),
                    Criterion::Table => (holder(k), holder(k)),
                };
            }
        }
    }
}

/// Adds up the verdicts of eight columns over `queries`.
fn sum(rows: &[Row], queries: &[Query]) -> Sums {
    let mut sums = Sums::default();
    for query in queries {
        let row = &rows[query.k as usize];
        for lane in 0..LANES {
            let near = row.near[lane] & query.preferred;
            let any = near | row.far[lane] & query.spare;
            sums.optimal[lane] += u32::from(near != 0);
            sums.delivered[lane] += u32::from(any != 0);
        }
    }
    sums
}

/// Decides `pairs` of `cube` for every column. Sampled pairs are drawn from `stream`: first how often each node is a source, then the
/// destinations source by source, which has the distribution of independent uniform pairs and keeps each source's work together.
///
/// # Errors
/// As `Model::check`, of any column.
pub(super) fn tally(cube: &Cube, columns: &[Column], pairs: Pairs, stream: &mut Stream) -> Result<Tally, CubeError> {
    let n = cube.n();
    let mut shared = Shared::new(cube, columns)?;
    let components = Components::new(cube);
    let nodes: Vec<u32> = cube.nonfaulty_nodes().collect();
    let m = nodes.len() as u32;
    let mut total = Tally { pairs: 0, connected: 0, counts: vec![Counts::default(); columns.len()] };
    for (counts, code) in total.counts.iter_mut().zip(&shared.code_of) {
        if let Some(code) = code {
            let cost = shared.codes[*code].cost();
            (counts.rounds, counts.messages) = (cost.rounds.into(), cost.messages);
        }
    }
    if m < 2 {
        return Ok(total);
    }
    let mut draws = vec![0u32; m as usize];
    match pairs {
        Pairs::All => draws.fill(m - 1),
        Pairs::Sample(count) => (0..count).for_each(|_| draws[stream.below(m) as usize] += 1),
    }
    let mut holders = vec![0; shared.codes.len() * (n as usize + 3)];
    let mut rows = vec![Row::default(); columns.len().div_ceil(LANES) * (n as usize + 1)];
    let (mut joined, mut apart) = (Vec::new(), Vec::new());
    for (place, &draws) in draws.iter().enumerate().filter(|(_, &draws)| draws > 0) {
        let s = nodes[place];
        shared.fill_rows(s, &mut holders, &mut rows);
        joined.clear();
        apart.clear();
        for draw in 0..draws {
            let other = if pairs == Pairs::All { draw } else { stream.below(m - 1) };
            let d = nodes[other as usize + usize::from(other as usize >= place)];
            let preferred = s ^ d;
            let spare = !preferred & ((1 << n) - 1);
            let (minimal, plus_two) = shared.oracle.ask(s, d);
            let query = Query {
                k: preferred.count_ones(),
                preferred: preferred | u32::from(minimal) << 31,
                spare: spare | u32::from(plus_two) << 31,
            };
            if components.is_connected() || components.joins(s, d) {
                joined.push(query);
            } else {
                apart.push(query);
            }
        }
        total.pairs += u64::from(draws);
        total.connected += joined.len() as u64;
        for (counts, rows) in total.counts.chunks_mut(LANES).zip(rows.chunks(n as usize + 1)) {
            let (with_path, without) = (sum(rows, &joined), sum(rows, &apart));
            for (lane, counts) in counts.iter_mut().enumerate() {
                let optimal = with_path.optimal[lane] + without.optimal[lane];
                counts.optimal += u64::from(optimal);
                counts.suboptimal += u64::from(with_path.delivered[lane] + without.delivered[lane] - optimal);
                counts.failed_connected += joined.len() as u64 - u64::from(with_path.delivered[lane]);
            }
        }
    }
    Ok(total)
}
