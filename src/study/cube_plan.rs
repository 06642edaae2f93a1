//! What a hypercube study consists of: from its input to cells, each with its place among the points of the results.

use crate::config::{Config, ConfigErrors, Study as Input, Value};
use crate::hypercube::{CellSummary, CubeError, Faults, Reference, Scheme, Study};
use crate::output::{Axis, Coordinate, RunInfo, StudyKind};
use crate::study::leader::{axis, coordinate};
use crate::study::run::VOLATILE_TABLES;
use crate::study::schema::cube_schema;

/// Keys whose values every point tells by columns of its own, swept or not.
const TOLD: [&str; 5] = ["cube.n", "cube.mix", "cube.faults", "cube.models", "cube.criterion"];

/// One cell: a cube and a way of placing faults.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellPlace {
    /// Which point of the sweep it belongs to, and so which study.
    pub study: usize,
    /// Its number within the study.
    pub cell: u32,
    /// Index of the first of its points, one per column of the study.
    pub first_point: usize,
}

/// A checked input.
pub(super) struct Plan {
    /// The input.
    pub input: Input,
    /// One study per point of its sweep.
    pub studies: Vec<Study>,
    /// All cells of all studies.
    pub cells: Vec<CellPlace>,
    /// Points of all cells.
    pub n_points: usize,
}

impl Plan {
    /// The plan of `input`.
    ///
    /// # Errors
    /// Everything that is wrong with it, at any point of its sweep.
    pub(super) fn new(input: Input) -> Result<Self, ConfigErrors> {
        let mut errors = ConfigErrors::default();
        let mut studies = Vec::new();
        for config in &input.points {
            match study(config) {
                Ok(study) => studies.push(study),
                Err(e) => errors.add_new(e),
            }
        }
        if !errors.0.is_empty() {
            return Err(errors);
        }
        let (mut cells, mut n_points) = (Vec::new(), 0);
        for (at, study) in studies.iter().enumerate() {
            for cell in (0u32..).take(study.params().cells.len()) {
                cells.push(CellPlace { study: at, cell, first_point: n_points });
                n_points += study.params().columns.len();
            }
        }
        Ok(Self { input, studies, cells, n_points })
    }

    /// The values of `[runtime]` and `[output]`, which are the same at all points.
    pub(super) fn config(&self) -> &Config {
        &self.input.points[0]
    }

    /// What tells this study from others, for the results file.
    pub(super) fn run_info(&self) -> RunInfo {
        let words = |name: &str, long_name: &str| Axis {
            name: name.into(),
            unit: String::new(),
            long_name: long_name.into(),
            values: vec![Coordinate::Text(String::new())],
        };
        let number = |name: &str, unit: &str, long_name: &str, kind: Coordinate| Axis {
            name: name.into(),
            unit: unit.into(),
            long_name: long_name.into(),
            values: vec![kind],
        };
        let mut axes = vec![
            number("n", "1", "dimension of the cube: 2^n nodes", Coordinate::Int(0)),
            words(
                "mix",
                "what the faults are: node, half (half nodes, half links), link, or mixed (both kinds, by rate or list)",
            ),
            number("faults", "faults", "faults of a fault set, a mean where they are drawn by rate", Coordinate::Float(0.0)),
            words("model", "whose knowledge decides: global information or a coding method"),
            words(
                "criterion",
                "how the source decides: text (sound) or table (as published tables were counted); none for global",
            ),
        ];
        let swept = self.other_axes().map(|(key, values)| axis(cube_schema(), key, values.iter().map(coordinate).collect()));
        axes.extend(swept);
        RunInfo {
            kind: StudyKind::Hypercube,
            config_toml: self.input.to_toml(VOLATILE_TABLES),
            seed: self.studies[0].params().seed,
            version: env!("CARGO_PKG_VERSION").to_string(),
            axes,
            n_points: self.n_points,
        }
    }

    /// The swept keys that no other column tells.
    fn other_axes(&self) -> impl Iterator<Item = &(&'static str, Vec<Value>)> {
        self.input.axes.iter().filter(|(key, _)| !TOLD.contains(key))
    }

    /// The values of a cell on the axes, for each of its points.
    pub(super) fn coordinates(&self, place: CellPlace, summary: &CellSummary) -> Vec<Vec<Coordinate>> {
        let faults = summary.faulty_nodes + summary.faulty_links;
        let swept = self.input.points[place.study].coordinates().filter(|(key, _)| !TOLD.contains(key));
        let swept: Vec<Coordinate> = swept.map(|(_, value)| coordinate(value)).collect();
        let columns = &self.studies[place.study].params().columns;
        columns
            .iter()
            .map(|column| {
                let criterion = if column.scheme == Scheme::Global { "none" } else { column.criterion.name() };
                let mut values = vec![
                    Coordinate::Int(summary.cell.n.into()),
                    Coordinate::Text(mix(&summary.cell.faults).into()),
                    Coordinate::Float(faults),
                    Coordinate::Text(column.scheme.name()),
                    Coordinate::Text(criterion.into()),
                ];
                values.extend(swept.iter().cloned());
                values
            })
            .collect()
    }

    /// What a person calls a cell: the cube, its faults, and the swept keys that these do not tell.
    pub(super) fn label(&self, place: CellPlace) -> String {
        let cell = &self.studies[place.study].params().cells[place.cell as usize];
        let untold = ["cube.node_fault_rate", "cube.link_fault_rate"];
        let swept = self.input.points[place.study]
            .coordinates()
            .filter(|(key, _)| !TOLD.contains(key) && !untold.contains(key))
            .map(|(key, value)| format!(", {} = {value}", key.trim_start_matches("cube.")));
        cell.describe() + &swept.collect::<String>()
    }
}

/// The study of one point of the sweep.
fn study(config: &Config) -> Result<Study, ConfigErrors> {
    let params = crate::hypercube::StudyParams::from_config(config)?;
    Study::new(params).map_err(|e| config.fault("cube.n", e.to_string()).into())
}

/// What the faults are, in a word.
fn mix(faults: &Faults) -> &'static str {
    let of = |nodes: bool, links: bool| match (nodes, links) {
        (true, false) => "node",
        (false, true) => "link",
        _ => "mixed",
    };
    match faults {
        Faults::Count { mix, .. } => mix.name(),
        Faults::Rate { node, link } => of(*node > 0.0, *link > 0.0),
        Faults::List { nodes, links } => of(!nodes.is_empty(), !links.is_empty()),
    }
}

/// The published values that `output.reference` names, if it is given.
///
/// # Errors
/// If the file cannot be read, or each line of it that cannot be understood.
pub(super) fn reference(config: &Config) -> Result<Option<Reference>, ConfigErrors> {
    const KEY: &str = "output.reference";
    if config.get_path(KEY).is_none() {
        return Ok(None);
    }
    let file = config.file(KEY)?;
    let located = |e: CubeError| match e {
        CubeError::Reference { line, reason } => config.fault(KEY, format!("{}:{line}: {reason}", file.name)),
        other => config.fault(KEY, other.to_string()),
    };
    Reference::parse(&file.text).map(Some).map_err(|errors| ConfigErrors(errors.into_iter().map(located).collect()))
}
