//! Dimension scales after the HDF5 high-level conventions ("HDF5 Dimension Scale Specification and Design Notes"), written as
//! attributes: the high-level library is not part of the `hdf5` crate.

use hdf5::types::{FixedAscii, VarLenArray};
use hdf5::{Dataset, Group, H5Type, ObjectReference1};

use super::array::{label, write_array};
use super::terminated;

/// An entry of `REFERENCE_LIST`: a data set that uses a scale, and along which of its dimensions.
#[derive(Clone, Copy, H5Type)]
#[repr(C)]
pub(super) struct BackReference {
    pub dataset: ObjectReference1,
    pub dimension: i32,
}

/// The dimension scales of a group while its data sets are written.
pub(super) struct Dimensions<'a> {
    group: &'a Group,
    scales: Vec<(String, Dataset, Vec<BackReference>)>,
}

impl<'a> Dimensions<'a> {
    /// No scales yet.
    pub(super) fn new(group: &'a Group) -> Self {
        Self { group, scales: Vec::new() }
    }

    /// Makes the data set `name` of the group the scale of the dimension of that name.
    pub(super) fn scale(&mut self, name: &str, dataset: Dataset) -> hdf5::Result<()> {
        write_terminated(&dataset, "CLASS", "DIMENSION_SCALE")?;
        write_terminated(&dataset, "NAME", name)?;
        self.scales.push((name.to_string(), dataset, Vec::new()));
        Ok(())
    }

    /// Makes the scale `name` with the values 0, 1, ... `size - 1`.
    pub(super) fn index(&mut self, name: &str, size: usize, long_name: &str) -> hdf5::Result<()> {
        let values: Vec<u32> = (0u32..).take(size).collect();
        let dataset = write_array(self.group, label(name, "1", long_name), &[size], &values)?;
        self.scale(name, dataset)
    }

    /// Puts the data set `name` of the group along the given scales.
    pub(super) fn attach(&mut self, name: &str, dataset: &Dataset, along: &[&str]) -> hdf5::Result<()> {
        let own: ObjectReference1 = self.group.reference(name)?;
        let mut list: Vec<VarLenArray<ObjectReference1>> = Vec::with_capacity(along.len());
        for (dimension, &scale) in (0i32..).zip(along) {
            let found = self.scales.iter_mut().find(|(n, ..)| n == scale);
            let (_, _, users) = found.ok_or_else(|| format!("no dimension scale {scale}"))?;
            users.push(BackReference { dataset: own, dimension });
            list.push(VarLenArray::from_slice(&[self.group.reference::<ObjectReference1>(scale)?]));
        }
        let attribute = dataset.new_attr::<VarLenArray<ObjectReference1>>().shape(along.len()).create("DIMENSION_LIST")?;
        attribute.write_raw(&list)
    }

    /// Writes for each scale the list of its users: its size is fixed on creation, so it comes last.
    pub(super) fn finish(self) -> hdf5::Result<()> {
        for (_, dataset, users) in self.scales {
            if !users.is_empty() {
                let attribute = dataset.new_attr::<BackReference>().shape(users.len()).create("REFERENCE_LIST")?;
                attribute.write_raw(&users)?;
            }
        }
        Ok(())
    }
}

/// Writes a null-terminated string attribute, the only kind that the conventions accept.
fn write_terminated(dataset: &Dataset, name: &str, text: &str) -> hdf5::Result<()> {
    /// Longest name of a dimension here.
    const LONGEST: usize = 63;
    let value = FixedAscii::<LONGEST>::from_ascii(text).map_err(|e| format!("dimension name {text}: {e}"))?;
    dataset.new_attr_builder().empty_as(terminated::datatype(text.len())?).create(name)?.write_scalar(&value)
}
