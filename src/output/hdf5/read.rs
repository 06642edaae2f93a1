//! Reading the columns back, for the summary, the table and the figure.

use std::path::Path;

use hdf5::types::VarLenUnicode;
use hdf5::{Container, Dataset, File, Group};

use super::column::Kind;
use super::failed;
use super::layout::{self, FORMAT, FORMAT_VERSION, POINT};
use crate::error::Error;
use crate::output::{seal, PointTable, StudyKind, TableColumn, Values};

/// Reads the finished points of a results file.
///
/// # Errors
/// `Error::Usage` if `path` is no results file of this format; `Error::Io` if it cannot be read.
pub fn read_table(path: &Path) -> Result<PointTable, Error> {
    let file = open(path)?;
    table(&file).map_err(|e| failed(path, "read this results file", &e))
}

/// Opens a results file, telling a damaged file from one that is something else.
pub(super) fn open(path: &Path) -> Result<File, Error> {
    // The library says nothing of use about a file that may not be read or is none of its own, and does not survive all damage.
    seal::examine(path)?;
    let file = File::open(path).map_err(|e| failed(path, "open this HDF5 file", &e))?;
    let format = file.attr("format").and_then(|a| text(&a));
    if !matches!(&format, Ok(f) if f == FORMAT) {
        return Err(Error::Usage(format!("{}: an HDF5 file, but no results file of sfpdes", path.display())));
    }
    match file.attr("format_version").and_then(|a| a.read_scalar::<u32>()) {
        Ok(FORMAT_VERSION) => Ok(file),
        Ok(other) => Err(Error::Usage(format!(
            "{}: written in format {other}; this program knows format {FORMAT_VERSION}",
            path.display()
        ))),
        Err(e) => Err(failed(path, "read the format of this file", &e)),
    }
}

/// A text without dimensions.
pub(super) fn text(place: &Container) -> hdf5::Result<String> {
    Ok(place.read_scalar::<VarLenUnicode>()?.as_str().to_string())
}

/// All columns of `/points`.
pub(super) fn table(file: &File) -> hdf5::Result<PointTable> {
    let n_points = file.group("config")?.attr("n_points")?.read_scalar::<u64>()?;
    let group = file.group("points")?;
    let axes = layout::read_axes(&group)?;
    let kind = layout::read_kind(file)?;
    let names: Vec<&str> = match kind {
        StudyKind::Simulation => crate::stats::COLUMNS.iter().map(|c| c.name).collect(),
        StudyKind::Hypercube => crate::hypercube::COLUMNS.iter().map(|c| c.name).collect(),
    };
    let mut table = PointTable {
        kind,
        points: Vec::new(),
        n_points: usize::try_from(n_points).map_err(|_| "n_points is too large")?,
        axes: Vec::new(),
        columns: Vec::new(),
    };
    if !group.link_exists(POINT) {
        return Ok(table);
    }
    table.points = group.dataset(POINT)?.read_raw()?;
    for name in &axes {
        table.axes.push(column(&group, name)?);
    }
    for name in names {
        table.columns.push(column(&group, name)?);
    }
    if let Some(c) = table.axes.iter().chain(&table.columns).find(|c| c.values.len() != table.points.len()) {
        return Err(format!("column {} has {} values for {} points", c.name, c.values.len(), table.points.len()).into());
    }
    Ok(table)
}

/// One column.
fn column(group: &Group, name: &str) -> hdf5::Result<TableColumn> {
    let dataset = group.dataset(name)?;
    let attribute = |name: &str| text(&*dataset.attr(name)?);
    Ok(TableColumn {
        name: name.to_string(),
        unit: attribute("units")?,
        long_name: attribute("long_name")?,
        values: values(&dataset)?,
    })
}

/// The values of one column.
fn values(dataset: &Dataset) -> hdf5::Result<Values> {
    let descriptor = dataset.dtype()?.to_descriptor()?;
    Ok(match Kind::of(&descriptor).ok_or_else(|| format!("{} holds {descriptor}", dataset.name()))? {
        Kind::Int => Values::Int(dataset.read_raw()?),
        Kind::Count => Values::Count(dataset.read_raw()?),
        Kind::Float => Values::Float(dataset.read_raw()?),
        Kind::Text => Values::Text(dataset.read_raw::<VarLenUnicode>()?.iter().map(|s| s.as_str().to_string()).collect()),
    })
}
