//! Names in the file, and the version that goes with them.

use hdf5::plist::group_create::LinkCreationOrder;
use hdf5::types::VarLenUnicode;
use hdf5::{File, Group};

use super::array::{string, write_text_attribute};
use crate::output::{Axis, StudyKind};

/// Raised whenever a reader of the older layout would misread the file.
pub const FORMAT_VERSION: u32 = 3;

/// Value of the attribute `format` of the root.
pub(super) const FORMAT: &str = "sfpdes results";

/// Dimension scale of `/points`.
pub(super) const POINT: &str = "point";

/// Unit of flits per cycle.
pub(super) const FLITS_PER_CYCLE: &str = "flits/cycle";

/// Name of the group of point `index` under `/points_detail`: wide enough that names sort like indices.
pub(super) fn point_name(index: u64, n_points: usize) -> String {
    let width = n_points.saturating_sub(1).to_string().len().max(4);
    format!("{index:0width$}")
}

/// Makes the group `name`, whose members readers list in the order of their creation.
pub(super) fn create_group(parent: &Group, name: &str) -> hdf5::Result<Group> {
    parent.create_group_builder().with_gcpl(|p| p.link_creation_order(LinkCreationOrder::Indexed)).create(name)
}

/// Attribute of the root that names the kind of study; a file without it holds a simulation.
const STUDY: &str = "study";

/// Its value for a hypercube study.
const HYPERCUBE: &str = "hypercube";

/// Writes what kind of study the file holds.
pub(super) fn write_kind(file: &File, kind: StudyKind) -> hdf5::Result<()> {
    match kind {
        StudyKind::Simulation => Ok(()),
        StudyKind::Hypercube => write_text_attribute(file, STUDY, HYPERCUBE),
    }
}

/// What kind of study the file holds.
pub(super) fn read_kind(file: &File) -> hdf5::Result<StudyKind> {
    if !file.attr_names()?.iter().any(|name| name == STUDY) {
        return Ok(StudyKind::Simulation);
    }
    match file.attr(STUDY)?.read_scalar::<VarLenUnicode>()?.as_str() {
        HYPERCUBE => Ok(StudyKind::Hypercube),
        other => Err(format!("no study of the kind {other} is known").into()),
    }
}

/// Writes which columns of `/points` are swept keys, in the order of the input.
pub(super) fn write_axes(points: &Group, axes: &[Axis]) -> hdf5::Result<()> {
    let names: Vec<VarLenUnicode> = axes.iter().map(|a| string(&a.name)).collect::<Result<_, _>>()?;
    points.new_attr::<VarLenUnicode>().shape(names.len()).create("axes")?.write_raw(&names)
}

/// The swept keys among the columns of `/points`.
pub(super) fn read_axes(points: &Group) -> hdf5::Result<Vec<String>> {
    Ok(points.attr("axes")?.read_raw::<VarLenUnicode>()?.iter().map(|s| s.as_str().to_string()).collect())
}
