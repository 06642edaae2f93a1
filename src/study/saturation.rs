//! What a search for saturation found, from the points it simulated.

use crate::output::{PointTable, StudyKind, TableColumn, Values};
use crate::study::plan::{Done, LOAD};
use crate::study::search::{Bracket, Probe};

/// Whether a point that ended with this status carried what it was offered.
#[must_use]
pub fn is_carried(status: &str) -> bool {
    matches!(status, "converged" | "max_time")
}

/// The loads of the finished points, by index, and whether they were carried. Without a search the loads are 0.
#[must_use]
pub fn probes(table: &PointTable) -> Done {
    let load = table.axes.iter().find(|a| a.name == LOAD);
    let status = table.column("status").expect("every point has a status");
    let probe = |row| Probe {
        load: load.and_then(|axis| axis.values.number(row)).unwrap_or(0.0),
        carried: is_carried(&status.values.text(row)),
    };
    table.points.iter().enumerate().map(|(row, &index)| (index as usize, probe(row))).collect()
}

/// One row per point of the input, from the `per_combination` points that the search has for each at most.
#[must_use]
pub fn table(points: &PointTable, per_combination: usize) -> PointTable {
    let n = points.n_points / per_combination;
    let all = probes(points);
    let row_of = |index: usize| points.points.iter().position(|&p| p as usize == index).expect("a finished point");
    let number = |name: &str, index: usize| points.number(name, row_of(index)).unwrap_or(0.0);
    let mut rows: Vec<[f64; 7]> = Vec::with_capacity(n);
    let mut first_rows = Vec::with_capacity(n);
    for combination in 0..n {
        let own: Vec<(usize, Probe)> =
            all.range(combination * per_combination..(combination + 1) * per_combination).map(|(&i, &p)| (i, p)).collect();
        let Bracket { carried, refused } = Bracket::of(&own.iter().map(|&(_, p)| p).collect::<Vec<_>>());
        let at = |load: f64| own.iter().find(|(_, p)| p.load == load).map(|&(index, _)| index);
        let accepted =
            |index: Option<usize>| index.map_or([0.0; 2], |i| [number("accepted_load", i), number("accepted_load_ci95", i)]);
        let most = own.iter().map(|&(i, _)| i).max_by(|&a, &b| number("accepted_load", a).total_cmp(&number("accepted_load", b)));
        let ([at_carried, ci], [highest, highest_ci]) = (accepted(at(carried)), accepted(most));
        rows.push([carried, refused.unwrap_or(carried), at_carried, ci, highest, highest_ci, own.len() as f64]);
        first_rows.push(row_of(own.first().expect("a finished search has points").0));
    }
    let load = "flits/cycle/endpoint";
    let column = |k: usize, name: &str, unit: &str, long_name: &str| TableColumn {
        name: name.into(),
        unit: unit.into(),
        long_name: long_name.into(),
        values: Values::Float(rows.iter().map(|row| row[k]).collect()),
    };
    let columns = vec![
        column(0, "carried_load", load, "highest offered load tried that was carried, below any that was not; 0 if none was"),
        column(1, "refused_load", load, "lowest offered load tried that was not carried; equal to carried_load if all were"),
        column(2, "accepted_load", load, "flits ejected at carried_load, mean over endpoints"),
        column(3, "accepted_load_ci95", load, "half width of the 95 % confidence interval of accepted_load"),
        column(4, "accepted_load_highest", load, "largest accepted load of any point of the search, saturated ones included"),
        column(5, "accepted_load_highest_ci95", load, "half width of the 95 % confidence interval of accepted_load_highest"),
        TableColumn {
            values: Values::Count(rows.iter().map(|row| row[6] as u64).collect()),
            ..column(6, "loads_tried", "1", "points that the search simulated")
        },
    ];
    let axes = points
        .axes
        .iter()
        .filter(|a| a.name != LOAD)
        .map(|axis| TableColumn { values: axis.values.pick(&first_rows), ..axis.clone() });
    PointTable { kind: StudyKind::Simulation, points: (0..n as u64).collect(), n_points: n, axes: axes.collect(), columns }
}
