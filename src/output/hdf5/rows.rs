//! Rows along the dimension `point`: `/points`, and the columns of `/runtime`.

use hdf5::{Dataset, File, Group};

use super::array::{label, Label};
use super::column::{self, axis_datum, Datum, Kind};
use super::dimension::Dimensions;
use super::layout::{self, POINT};
use crate::output::{PointRecord, PointTable, RunInfo, Values};
use crate::stats::{Cell, COLUMNS};

/// A row as it is inserted: label and value of every column.
type Row<'a> = Vec<(Label<'a>, Datum)>;

/// Inserts the row of `record` into `/points`; `session` is the run of the program that computed it.
pub(super) fn add(file: &File, run: &RunInfo, record: &PointRecord, session: u64) -> hdf5::Result<()> {
    let index = record.index as u64;
    insert(&file.group("points")?, POINTS, index, point_row(run, record), run.n_points)?;
    insert(&file.group("runtime")?, POINTS, index, runtime_row(record, session), run.n_points)
}

/// The dimension of `/points`.
const POINTS: Label<'_> = Label { name: POINT, unit: "1", long_name: "index of the point in the study, from 0" };

/// The dimension of `/saturation`.
const COMBINATIONS: Label<'_> =
    Label { name: "combination", unit: "1", long_name: "index of the point of the input, as swept, from 0" };

/// Writes what a search found as `/saturation`, in place of what was there.
pub(super) fn write_search(file: &File, found: &PointTable) -> hdf5::Result<()> {
    const NAME: &str = "saturation";
    if file.link_exists(NAME) {
        file.unlink(NAME)?;
    }
    let group = layout::create_group(file, NAME)?;
    for (row, &index) in found.points.iter().enumerate() {
        let cells = found.axes.iter().chain(&found.columns).map(|c| {
            let datum = match &c.values {
                Values::Int(v) => Datum::Int(v[row]),
                Values::Count(v) => Datum::Count(v[row]),
                Values::Float(v) => Datum::Float(v[row]),
                Values::Text(v) => Datum::Text(v[row].clone()),
            };
            (label(&c.name, &c.unit, &c.long_name), datum)
        });
        insert(&group, COMBINATIONS, index, cells.collect(), found.n_points)?;
    }
    Ok(())
}

/// The row of `/points`: the axes, then `COLUMNS`.
fn point_row<'a>(run: &'a RunInfo, record: &PointRecord) -> Row<'a> {
    let axes = run.axes.iter().zip(&record.coordinates).map(|(axis, coordinate)| {
        let label = Label { name: &axis.name, unit: &axis.unit, long_name: &axis.long_name };
        (label, axis_datum(axis, coordinate))
    });
    let measured = COLUMNS.iter().map(|c| {
        let datum = match (c.get)(&record.report) {
            Cell::Int(v) => Datum::Count(v),
            Cell::Float(v) => Datum::Float(v),
            Cell::Text(v) => Datum::Text(v.to_string()),
        };
        (label(c.name, c.unit, c.long_name), datum)
    });
    axes.chain(measured).collect()
}

/// The row of `/runtime`.
fn runtime_row(record: &PointRecord, session: u64) -> Row<'static> {
    let (runtime, hops) = (record.runtime, record.report.flit_hops as f64);
    let rate = if runtime.wall_seconds > 0.0 { hops / runtime.wall_seconds } else { 0.0 };
    vec![
        (label("wall_seconds", "s", "wall time of the point, set-up included"), Datum::Float(runtime.wall_seconds)),
        (label("flit_hops_rate", "flits/s", "flit_hops of the point over its wall time"), Datum::Float(rate)),
        (
            label("lookahead", "cycles", "cycles simulated between two exchanges, 0 where nothing is cut"),
            Datum::Count(runtime.lookahead),
        ),
        (label("windows", "1", "exchanges between partitions"), Datum::Count(runtime.windows)),
        (label("session", "1", "run of the program that computed the point, see sessions"), Datum::Count(session)),
    ]
}

/// Inserts a row at its place along dimension `along` of `group`, which gets its columns with the first one.
fn insert(group: &Group, along: Label<'_>, point: u64, row: Row<'_>, n_points: usize) -> hdf5::Result<()> {
    if !group.link_exists(along.name) {
        create(group, along, &row, n_points)?;
    }
    let points: Vec<u64> = group.dataset(along.name)?.read_raw()?;
    let place = points.partition_point(|&p| p < point);
    if points.get(place) == Some(&point) {
        return Err(format!("{} {point} is there already", along.name).into());
    }
    column::insert(group, along.name, place, Datum::Count(point))?;
    for (label, datum) in row {
        column::insert(group, label.name, place, datum)?;
    }
    Ok(())
}

/// Makes the columns of `row`, empty.
fn create(group: &Group, along: Label<'_>, row: &Row<'_>, n_points: usize) -> hdf5::Result<()> {
    let mut dimensions = Dimensions::new(group);
    dimensions.scale(along.name, column::create(group, along, Kind::Count, n_points)?)?;
    for (label, datum) in row {
        let dataset: Dataset = column::create(group, *label, datum.kind(), n_points)?;
        dimensions.attach(label.name, &dataset, &[along.name])?;
    }
    dimensions.finish()
}
