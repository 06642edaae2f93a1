//! Rows along the dimension `point`: `/points`, and the columns of `/runtime`.

use hdf5::{Dataset, File, Group};

use super::array::{label, Label};
use super::column::{self, axis_datum, Datum, Kind};
use super::dimension::Dimensions;
use super::layout::{self, POINT};
use crate::hypercube::{self, Number};
use crate::output::{CellRecord, Coordinate, PointRecord, PointTable, RunInfo, Values};
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

/// Inserts the rows of all points of a cell.
pub(super) fn add_cell(file: &File, run: &RunInfo, record: &CellRecord, session: u64) -> hdf5::Result<()> {
    let (points, runtime) = (file.group("points")?, file.group("runtime")?);
    let wall_seconds = label("wall_seconds", "s", "wall time of the cell that the point belongs to");
    for (at, coordinates) in record.coordinates.iter().enumerate() {
        let point = (record.first_point + at) as u64;
        let counted = &record.summary.columns[at];
        let measured = hypercube::COLUMNS.iter().map(|c| {
            let datum = match (c.get)(&record.summary, counted) {
                Number::Count(v) => Datum::Count(v),
                // Where there was nothing to count: the long name says so.
                Number::Float(v) if v.is_nan() => Datum::Float(0.0),
                Number::Float(v) => Datum::Float(v),
            };
            (label(c.name, c.unit, c.long_name), datum)
        });
        insert(&points, POINTS, point, axes_row(run, coordinates).chain(measured).collect(), run.n_points)?;
        let row = vec![(wall_seconds, Datum::Float(record.wall_seconds)), (SESSION, Datum::Count(session))];
        insert(&runtime, POINTS, point, row, run.n_points)?;
    }
    Ok(())
}

/// The part of a row that holds its values on the axes.
fn axes_row<'a>(run: &'a RunInfo, coordinates: &'a [Coordinate]) -> impl Iterator<Item = (Label<'a>, Datum)> {
    run.axes.iter().zip(coordinates).map(|(axis, coordinate)| {
        let label = Label { name: &axis.name, unit: &axis.unit, long_name: &axis.long_name };
        (label, axis_datum(axis, coordinate))
    })
}

/// The column that says which run of the program computed a point.
const SESSION: Label<'static> =
    Label { name: "session", unit: "1", long_name: "run of the program that computed the point, see sessions" };

/// The row of `/points`: the axes, then `COLUMNS`.
fn point_row<'a>(run: &'a RunInfo, record: &'a PointRecord) -> Row<'a> {
    let measured = COLUMNS.iter().map(|c| {
        let datum = match (c.get)(&record.report) {
            Cell::Int(v) => Datum::Count(v),
            Cell::Float(v) => Datum::Float(v),
            Cell::Text(v) => Datum::Text(v.to_string()),
        };
        (label(c.name, c.unit, c.long_name), datum)
    });
    axes_row(run, &record.coordinates).chain(measured).collect()
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
        (SESSION, Datum::Count(session)),
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
