//! What is drawn: one curve for each combination of the swept keys that are not the horizontal axis.

use crate::output::{PointTable, TableColumn, Values};

/// One finished point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Mean packet latency and half of its 95 % interval, where packets were measured.
    pub latency: Option<(f64, f64)>,
    /// Accepted load.
    pub accepted: f64,
    /// Share of the packets that were delivered, if the fate of any is known.
    pub delivered: Option<f64>,
    /// Whether latency has a steady value.
    pub steady: bool,
}

/// The points of one curve, ascending in x.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curve {
    /// Values of the keys that it stands for; empty if there are none.
    pub label: String,
    /// Its points.
    pub samples: Vec<Sample>,
}

/// A whole figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    /// What the horizontal axis means.
    pub x_title: String,
    /// Whether that is the offered load, so that the accepted load would ideally equal it.
    pub against_load: bool,
    /// How points without a steady latency ended, each word once.
    pub unsteady: Vec<String>,
    /// In the order of the sweep.
    pub curves: Vec<Curve>,
}

impl Figure {
    /// The figures of `table`, each with what its name ends in: one, or one for each traffic pattern where that is not all that
    /// curves differ in and not all packets are delivered, so that there is more to show of each.
    pub(super) fn all(table: &PointTable) -> Vec<(String, Self)> {
        let x_axis = horizontal(table);
        let whole = Self::new(table, None);
        let pattern = table.axes.iter().position(|axis| axis.name == "traffic.pattern").filter(|_| whole.has_undelivered());
        let others = (0..table.axes.len()).any(|at| Some(at) != x_axis && Some(at) != pattern);
        let (Some(at), true) = (pattern, others) else { return vec![(String::new(), whole)] };
        let mut names: Vec<String> = Vec::new();
        for name in (0..table.points.len()).map(|row| table.axes[at].values.text(row)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.iter().map(|name| (format!(".{name}"), Self::new(table, Some((at, name))))).collect()
    }

    /// The figure of those rows of `table` that have this value on the axis of that number; of all if none is given.
    fn new(table: &PointTable, only: Option<(usize, &String)>) -> Self {
        let x_axis = horizontal(table);
        let shown = |row: &usize| only.is_none_or(|(at, value)| table.axes[at].values.text(*row) == *value);
        let (x_column, x_title) = match x_axis {
            Some(at) if !is_load(&table.axes[at]) => (Some(&table.axes[at]), title(&table.axes[at])),
            _ => (table.column("offered_load"), "Offered load (flits/cycle/endpoint)".to_string()),
        };
        let against_load = x_axis.is_none_or(|at| is_load(&table.axes[at]));
        let mut unsteady: Vec<String> = Vec::new();
        let mut curves: Vec<Curve> = Vec::new();
        for row in (0..table.points.len()).filter(shown) {
            let label = label(table, [x_axis, only.map(|(at, _)| at)], row);
            let sample = Sample {
                x: x_column.and_then(|c| c.values.number(row)).unwrap_or(0.0),
                latency: table.has_latency(row).then(|| {
                    let number = |name| table.number(name, row).unwrap_or(0.0);
                    (number("packet_latency"), number("packet_latency_ci95"))
                }),
                accepted: table.number("accepted_load", row).unwrap_or(0.0),
                delivered: delivered(table, row),
                steady: table.is_steady(row),
            };
            if !sample.steady {
                unsteady.extend(table.column("status").map(|c| c.values.text(row)));
            }
            match curves.iter_mut().find(|c| c.label == label) {
                Some(curve) => curve.samples.push(sample),
                None => curves.push(Curve { label, samples: vec![sample] }),
            }
        }
        for curve in &mut curves {
            curve.samples.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        unsteady.sort();
        unsteady.dedup();
        Self { x_title, against_load, unsteady, curves }
    }

    /// Whether there are packets that were not delivered.
    pub(super) fn has_undelivered(&self) -> bool {
        self.samples().any(|s| s.delivered.is_some_and(|share| share < 1.0))
    }

    /// All points.
    pub(super) fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.curves.iter().flat_map(|c| &c.samples)
    }
}

/// Whether a swept key is the offered load.
fn is_load(axis: &TableColumn) -> bool {
    axis.name.rsplit('.').next() == Some("injection_rate")
}

/// The swept key of the horizontal axis: the load, else the first number.
fn horizontal(table: &PointTable) -> Option<usize> {
    let number = |a: &TableColumn| !matches!(a.values, Values::Text(_));
    table.axes.iter().position(is_load).or_else(|| table.axes.iter().position(number))
}

/// The share of packets delivered at `row`, if the fate of any packet is known there.
fn delivered(table: &PointTable, row: usize) -> Option<f64> {
    let fates = ["packets_measured", "packets_refused", "packets_lost", "packets_dropped"];
    let known = fates.into_iter().filter_map(|name| table.number(name, row)).any(|packets| packets > 0.0);
    table.number("delivered_share", row).filter(|_| known)
}

/// The title of an axis: its key as the user typed it, and its unit.
fn title(axis: &TableColumn) -> String {
    if axis.name == "faults.count" {
        return "Number of faults".to_string();
    }
    let key = last_part(&axis.name);
    if axis.unit.is_empty() || axis.unit == "1" {
        key.to_string()
    } else {
        format!("{key} ({})", axis.unit)
    }
}

/// What a dotted key ends in.
fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The values at `row` of the swept keys other than those `told` elsewhere: words as they are, numbers with their key.
fn label(table: &PointTable, told: [Option<usize>; 2], row: usize) -> String {
    let others = table.axes.iter().enumerate().filter(|(at, _)| !told.contains(&Some(*at)));
    let parts = others.map(|(_, axis)| match &axis.values {
        Values::Text(words) if !matches!(words[row].as_str(), "true" | "false") => words[row].clone(),
        other => {
            let value = other.text(row);
            format!("{} = {}", last_part(&axis.name), value.strip_suffix(".0").unwrap_or(&value))
        }
    });
    parts.collect::<Vec<_>>().join(", ")
}
