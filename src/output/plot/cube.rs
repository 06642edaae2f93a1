//! What is drawn of a hypercube study: a panel for each cube and mix of faults, in it a curve for each model.

use crate::output::{PointTable, TableColumn, Values};

/// Swept keys that can be the horizontal axis, in the order of preference; else it is the number of faults.
const RATES: [(&str, &str); 2] = [
    ("cube.node_fault_rate", "Probability that a node is faulty"),
    ("cube.link_fault_rate", "Probability that a link is faulty"),
];

/// One cell in a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mean {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Mean over fault sets.
    pub value: f64,
    /// Its standard error, 0 if there is none.
    pub stderr: f64,
}

/// The cells of one model and criterion, ascending in x.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ModelCurve {
    /// Which entry of the legend it belongs to.
    pub entry: usize,
    /// Its cells.
    pub means: Vec<Mean>,
}

/// One cube and mix of faults.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CubePanel {
    /// What stands above it.
    pub title: String,
    /// Its curves.
    pub curves: Vec<ModelCurve>,
}

/// How values are laid out on the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// By what is missing to 100 per cent, in decades: 90, 99 and 99.9 per cent are equally far apart.
    Nines,
    /// From 0, evenly.
    Linear,
}

/// A quantity that has a figure of its own.
pub(super) struct Quantity {
    /// Its column; the standard error has the same name and `_stderr`.
    pub column: &'static str,
    /// What is put before the ending of the file.
    pub suffix: &'static str,
    /// Title of the vertical axis.
    pub title: &'static str,
    /// How it is laid out.
    pub scale: Scale,
    /// Drawn only where a sound criterion was counted.
    pub sound_only: bool,
}

/// All figures of a study.
pub(super) const QUANTITIES: [Quantity; 3] = [
    Quantity { column: "optimal", suffix: "", title: "Optimal (% of pairs)", scale: Scale::Nines, sound_only: false },
    Quantity {
        column: "failed_connected",
        suffix: ".failed",
        title: "Failed needlessly (%)",
        scale: Scale::Linear,
        sound_only: true,
    },
    Quantity { column: "detour", suffix: ".detour", title: "Mean detour (hops)", scale: Scale::Linear, sound_only: true },
];

/// A whole figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CubeFigure {
    /// Title of the horizontal axis.
    pub x_title: &'static str,
    /// Title of the vertical axis.
    pub y_title: &'static str,
    /// How the vertical axis is laid out.
    pub scale: Scale,
    /// The legend: models, with the criterion where a model has two.
    pub entries: Vec<String>,
    /// In the order of the study.
    pub panels: Vec<CubePanel>,
}

impl CubeFigure {
    /// The figure of `quantity`; `None` if it says nothing about this study.
    pub(super) fn new(table: &PointTable, quantity: &Quantity) -> Option<Self> {
        let rows = 0..table.points.len();
        let words = |name: &str, row: usize| axis(table, name).map_or(String::new(), |c| c.values.text(row));
        let sound = rows.clone().any(|row| words("criterion", row) == "text");
        if quantity.sound_only && !sound {
            return None;
        }
        let rate = RATES.into_iter().find(|(key, _)| axis(table, key).is_some());
        let (x_name, x_title) = rate.unwrap_or(("faults", "Number of faults"));
        let of_criterion = |criterion| rows.clone().any(|row| words("criterion", row) == criterion);
        let two_criteria = of_criterion("text") && of_criterion("table");
        let (mut entries, mut panels) = (Vec::<String>::new(), Vec::<CubePanel>::new());
        for row in rows.filter(|&row| table.is_measured(quantity.column, row)) {
            let criterion = words("criterion", row);
            let entry = match words("model", row) {
                model if two_criteria && criterion != "none" => format!("{model} ({criterion})"),
                model => model,
            };
            let entry = position(&mut entries, |e| *e == entry, || entry.clone());
            let title = panel_title(table, x_name, row);
            let at = position(&mut panels, |p| p.title == title, || CubePanel { title: title.clone(), curves: Vec::new() });
            let curves = &mut panels[at].curves;
            let at = position(curves, |c| c.entry == entry, || ModelCurve { entry, means: Vec::new() });
            let number = |name: &str| table.number(name, row).unwrap_or(0.0);
            curves[at].means.push(Mean {
                x: axis(table, x_name).and_then(|c| c.values.number(row)).unwrap_or(0.0),
                value: number(quantity.column),
                stderr: number(&format!("{}_stderr", quantity.column)),
            });
        }
        for curve in panels.iter_mut().flat_map(|p| &mut p.curves) {
            curve.means.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        Some(Self { x_title, y_title: quantity.title, scale: quantity.scale, entries, panels })
    }

    /// All cells of all curves.
    pub(super) fn means(&self) -> impl Iterator<Item = &Mean> {
        self.panels.iter().flat_map(|p| &p.curves).flat_map(|c| &c.means)
    }
}

/// Where in `list` the item is that `is` knows; `make` adds it if it is missing.
fn position<T>(list: &mut Vec<T>, is: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> usize {
    list.iter().position(is).unwrap_or_else(|| {
        list.push(make());
        list.len() - 1
    })
}

/// The axis of that name.
fn axis<'a>(table: &'a PointTable, name: &str) -> Option<&'a TableColumn> {
    table.axes.iter().find(|a| a.name == name)
}

/// What tells the panel of `row` from others: the cube, its faults, and swept keys that are not the horizontal axis.
fn panel_title(table: &PointTable, x_name: &str, row: usize) -> String {
    let parts = table.axes.iter().filter(|a| a.name != x_name).filter_map(|a| match (a.name.as_str(), &a.values) {
        ("n", values) => Some(format!("{}-cube", values.text(row))),
        ("mix", Values::Text(words)) => Some(match words[row].as_str() {
            "node" => "all faults are nodes".to_string(),
            "half" => "half nodes, half links".to_string(),
            "link" => "all faults are links".to_string(),
            _ => "nodes and links".to_string(),
        }),
        ("faults" | "model" | "criterion", _) => None,
        (key, values) => {
            let value = values.text(row);
            let value = value.strip_suffix(".0").unwrap_or(&value);
            Some(format!("{} = {value}", key.rsplit('.').next().unwrap_or(key).replace('_', " ")))
        }
    });
    parts.collect::<Vec<_>>().join(", ")
}
