//! The columns of `/points` and of `/runtime`: one value per finished point, in the order of the points whatever the order in
//! which they finished.

use hdf5::types::{TypeDescriptor, VarLenUnicode};
use hdf5::{Dataset, Extent, Group, H5Type};

use super::array::{describe, string, Label};
use crate::output::{Axis, Coordinate};

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Count,
    Float,
    Text,
}

/// One value of a column.
#[derive(Clone, Debug)]
pub(super) enum Datum {
    Int(i64),
    Count(u64),
    Float(f64),
    Text(String),
}

impl Datum {
    /// Its type.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Datum::Int(_) => Kind::Int,
            Datum::Count(_) => Kind::Count,
            Datum::Float(_) => Kind::Float,
            Datum::Text(_) => Kind::Text,
        }
    }
}

impl Kind {
    /// The type in the file.
    pub(super) fn descriptor(self) -> TypeDescriptor {
        match self {
            Kind::Int => i64::type_descriptor(),
            Kind::Count => u64::type_descriptor(),
            Kind::Float => f64::type_descriptor(),
            Kind::Text => VarLenUnicode::type_descriptor(),
        }
    }

    /// The kind of a type in the file.
    pub(super) fn of(descriptor: &TypeDescriptor) -> Option<Self> {
        [Kind::Int, Kind::Count, Kind::Float, Kind::Text].into_iter().find(|k| k.descriptor() == *descriptor)
    }
}

/// The type that holds every value of an axis.
fn axis_kind(axis: &Axis) -> Kind {
    if axis.values.iter().all(|v| matches!(v, Coordinate::Int(_))) {
        Kind::Int
    } else if axis.values.iter().any(|v| matches!(v, Coordinate::Text(_))) {
        Kind::Text
    } else {
        Kind::Float
    }
}

/// The value of `coordinate` in the column of `axis`.
pub(super) fn axis_datum(axis: &Axis, coordinate: &Coordinate) -> Datum {
    match (axis_kind(axis), coordinate) {
        (Kind::Int, Coordinate::Int(v)) => Datum::Int(*v),
        (Kind::Float, Coordinate::Int(v)) => Datum::Float(*v as f64),
        (Kind::Float, Coordinate::Float(v)) => Datum::Float(*v),
        (_, Coordinate::Text(v)) => Datum::Text(v.clone()),
        (_, Coordinate::Int(v)) => Datum::Text(v.to_string()),
        (_, Coordinate::Float(v)) => Datum::Text(format!("{v:?}")),
    }
}

/// Makes an empty column that can hold any number of values.
pub(super) fn create(group: &Group, label: Label<'_>, kind: Kind, n_points: usize) -> hdf5::Result<Dataset> {
    let mut builder =
        group.new_dataset_builder().empty_as(kind.descriptor()).obj_track_times(false).chunk(n_points.clamp(1, 1024));
    if kind != Kind::Text {
        builder = builder.fletcher32();
    }
    let dataset = builder.shape(Extent::resizable(0)).create(label.name)?;
    describe(&dataset, label)?;
    Ok(dataset)
}

/// Inserts `datum` before row `row` of column `name`.
pub(super) fn insert(group: &Group, name: &str, row: usize, datum: Datum) -> hdf5::Result<()> {
    let dataset = group.dataset(name)?;
    match datum {
        Datum::Int(v) => insert_value(&dataset, row, v),
        Datum::Count(v) => insert_value(&dataset, row, v),
        Datum::Float(v) if v.is_finite() => insert_value(&dataset, row, v),
        Datum::Float(v) => Err(format!("{name} is {v}").into()),
        Datum::Text(v) => insert_value(&dataset, row, string(&v)?),
    }
}

/// As `insert`, for one type.
fn insert_value<T: H5Type>(dataset: &Dataset, row: usize, value: T) -> hdf5::Result<()> {
    let rows = dataset.size();
    let mut tail = vec![value];
    if row < rows {
        tail.extend(dataset.read_slice_1d::<T, _>(row..rows)?);
    }
    dataset.resize(rows + 1)?;
    dataset.write_slice(&tail, row..rows + 1)
}
