//! Data sets and attributes that are written once.

use hdf5::types::VarLenUnicode;
use hdf5::{Dataset, Group, H5Type, Location};

/// Bytes from which an array is stored in checksummed, compressed chunks; below, the index would cost more than it saves.
const CHUNKED_FROM: usize = 16 << 10;

/// Largest chunk, in elements.
const CHUNK: usize = 1 << 16;

/// Effort of the compression, 1 to 9: above 4 it costs time for a per cent of space.
const DEFLATE: u8 = 4;

/// What a reader has to know about a data set.
#[derive(Clone, Copy)]
pub(super) struct Label<'a> {
    pub name: &'a str,
    /// "1" for a pure number, empty for words.
    pub unit: &'a str,
    pub long_name: &'a str,
}

/// A label from its parts.
pub(super) fn label<'a>(name: &'a str, unit: &'a str, long_name: &'a str) -> Label<'a> {
    Label { name, unit, long_name }
}

/// `text` as the library stores it.
pub(super) fn string(text: &str) -> hdf5::Result<VarLenUnicode> {
    text.parse().map_err(|e| format!("text that cannot be stored: {e}").into())
}

/// Writes the text attribute `name`.
pub(super) fn write_text_attribute(place: &Location, name: &str, text: &str) -> hdf5::Result<()> {
    place.new_attr::<VarLenUnicode>().create(name)?.write_scalar(&string(text)?)
}

/// Writes the numeric attribute `name`.
pub(super) fn write_attribute<T: H5Type>(place: &Location, name: &str, value: &T) -> hdf5::Result<()> {
    place.new_attr::<T>().create(name)?.write_scalar(value)
}

/// Writes unit and definition of a data set.
pub(super) fn describe(dataset: &Dataset, label: Label<'_>) -> hdf5::Result<()> {
    write_text_attribute(dataset, "units", label.unit)?;
    write_text_attribute(dataset, "long_name", label.long_name)
}

/// Writes `values` as a data set of that shape, the last dimension varying fastest.
pub(super) fn write_array<T: H5Type>(group: &Group, label: Label<'_>, shape: &[usize], values: &[T]) -> hdf5::Result<Dataset> {
    let mut builder = group.new_dataset::<T>().obj_track_times(false);
    if std::mem::size_of_val(values) >= CHUNKED_FROM {
        let mut chunk = shape.to_vec();
        let row: usize = shape.iter().skip(1).product();
        chunk[0] = (CHUNK / row.max(1)).clamp(1, shape[0]);
        builder = builder.chunk(chunk).shuffle();
        if hdf5::filters::deflate_available() {
            builder = builder.deflate(DEFLATE);
        }
        // Found on reading: a damaged chunk is an error, not a wrong number.
        builder = builder.fletcher32();
    }
    let dataset = builder.shape(shape.to_vec()).create(label.name)?;
    dataset.write_raw(values)?;
    describe(&dataset, label)?;
    Ok(dataset)
}

/// Writes one text as a data set without dimensions.
pub(super) fn write_text(group: &Group, label: Label<'_>, text: &str) -> hdf5::Result<()> {
    let dataset = group.new_dataset::<VarLenUnicode>().obj_track_times(false).create(label.name)?;
    dataset.write_scalar(&string(text)?)?;
    describe(&dataset, label)
}
