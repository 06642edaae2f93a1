//! What is in a results file, without how the library laid it out: two runs of one study must agree in all of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hdf5::types::{FixedAscii, IntSize, Reference, TypeDescriptor, VarLenArray, VarLenUnicode};
use hdf5::{Container, File, Group, H5Type, Location, LocationToken, LocationType, ObjectReference1, ReferencedObject};
use sha2::{Digest, Sha256};

use super::dimension::BackReference;
use super::failed;
use crate::error::Error;

/// Hash of one data set, attribute or group by its path; an attribute `a` of `/x` is `/x@a`.
type Contents = BTreeMap<String, [u8; 32]>;

/// The part of the file that may differ.
const VOLATILE: &str = "runtime";

/// A hash, in hexadecimal, over everything in the file outside `/runtime`: names, attributes, types, shapes and values.
///
/// # Errors
/// `Error::Io` if the file cannot be read.
pub fn digest(path: &Path) -> Result<String, Error> {
    let mut hash = Sha256::new();
    for (name, value) in read(path)? {
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
        hash.update(value);
    }
    Ok(format!("{:x}", hash.finalize()))
}

/// The paths outside `/runtime` in which two files differ, ascending; empty if they hold the same.
///
/// # Errors
/// `Error::Io` if a file cannot be read.
pub fn compare(a: &Path, b: &Path) -> Result<Vec<String>, Error> {
    let (left, right) = (read(a)?, read(b)?);
    let names: BTreeSet<_> = left.keys().chain(right.keys()).collect();
    Ok(names.into_iter().filter(|n| left.get(*n) != right.get(*n)).cloned().collect())
}

/// The contents of the file `path`.
fn read(path: &Path) -> Result<Contents, Error> {
    let file = super::read::open(path)?;
    contents(&file).map_err(|e| failed(path, "read this file", &e))
}

/// A group with the addresses of its members: what the references of its data sets can point to. (The library would find the
/// name of a referenced object by a search through the whole file.)
struct Place<'a> {
    group: &'a Group,
    path: &'a str,
    members: Vec<(LocationToken, String)>,
}

/// Hashes everything outside `/runtime`, which reads all of it.
pub(super) fn contents(file: &File) -> hdf5::Result<Contents> {
    let mut all = Contents::new();
    add_group(file, "", &mut all)?;
    Ok(all)
}

/// Hashes the group at `path` and everything below it.
fn add_group(group: &Group, path: &str, all: &mut Contents) -> hdf5::Result<()> {
    let mut names = group.member_names()?;
    names.retain(|name| !path.is_empty() || name != VOLATILE);
    let infos: Vec<_> = names.iter().map(|name| group.loc_info_by_name(name)).collect::<Result<_, _>>()?;
    let members = infos.iter().map(|i| i.token).zip(names.iter().cloned()).collect();
    let place = Place { group, path, members };
    all.insert(path.to_string(), Sha256::digest("group").into());
    add_attributes(group, path, &place, all)?;
    for (name, info) in names.iter().zip(&infos) {
        let path = format!("{path}/{name}");
        match info.loc_type {
            LocationType::Group => add_group(&group.group(name)?, &path, all)?,
            LocationType::Dataset => {
                let dataset = group.dataset(name)?;
                all.insert(path.clone(), values(&dataset, &place)?);
                add_attributes(&dataset, &path, &place, all)?;
            }
            other => return Err(format!("{path} is a {other:?}").into()),
        }
    }
    Ok(())
}

/// Hashes the attributes of the object at `path`, in `place`.
fn add_attributes(object: &Location, path: &str, place: &Place<'_>, all: &mut Contents) -> hdf5::Result<()> {
    for name in object.attr_names()? {
        all.insert(format!("{path}@{name}"), values(&*object.attr(&name)?, place)?);
    }
    Ok(())
}

/// Hash of type, shape and values.
fn values(container: &Container, place: &Place<'_>) -> hdf5::Result<[u8; 32]> {
    let descriptor = container.dtype()?.to_descriptor()?;
    let mut hash = Sha256::new();
    hash.update(format!("{descriptor:?} {:?}", container.shape()));
    match &descriptor {
        TypeDescriptor::Unsigned(IntSize::U1) => numbers::<u8, 1>(container, &mut hash, u8::to_le_bytes)?,
        TypeDescriptor::Unsigned(IntSize::U4) => numbers::<u32, 4>(container, &mut hash, u32::to_le_bytes)?,
        TypeDescriptor::Unsigned(IntSize::U8) => numbers::<u64, 8>(container, &mut hash, u64::to_le_bytes)?,
        TypeDescriptor::Integer(IntSize::U8) => numbers::<i64, 8>(container, &mut hash, i64::to_le_bytes)?,
        TypeDescriptor::Float(_) => numbers::<f64, 8>(container, &mut hash, f64::to_le_bytes)?,
        TypeDescriptor::VarLenUnicode => {
            container.read_raw::<VarLenUnicode>()?.iter().for_each(|s| text(&mut hash, s));
        }
        TypeDescriptor::FixedAscii(_) => {
            container.read_raw::<FixedAscii<64>>()?.iter().for_each(|s| text(&mut hash, s));
        }
        // References are addresses, which depend on the layout: what they point to does not.
        TypeDescriptor::VarLenArray(item) if **item == TypeDescriptor::Reference(Reference::Object) => {
            for list in container.read_raw::<VarLenArray<ObjectReference1>>()? {
                for reference in list.iter() {
                    text(&mut hash, &target(reference, place)?);
                }
            }
        }
        TypeDescriptor::Compound(_) => {
            for entry in container.read_raw::<BackReference>()? {
                text(&mut hash, &target(&entry.dataset, place)?);
                hash.update(entry.dimension.to_le_bytes());
            }
        }
        other => return Err(format!("{other} is no type of a results file").into()),
    }
    Ok(hash.finalize().into())
}

/// Hashes numbers bit by bit, in one byte order.
fn numbers<T: H5Type + Copy, const N: usize>(
    container: &Container,
    hash: &mut Sha256,
    bytes: fn(T) -> [u8; N],
) -> hdf5::Result<()> {
    container.read_raw::<T>()?.into_iter().for_each(|v| hash.update(bytes(v)));
    Ok(())
}

/// Hashes a text so that two texts in a row cannot be taken for others.
fn text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

/// The path of what a reference points to.
fn target(reference: &ObjectReference1, place: &Place<'_>) -> hdf5::Result<String> {
    let ReferencedObject::Dataset(dataset) = place.group.dereference(reference)? else {
        return Err("a reference to something else than a data set".into());
    };
    let token = dataset.loc_info()?.token;
    match place.members.iter().find(|(member, _)| *member == token) {
        Some((_, name)) => Ok(format!("{}/{name}", place.path)),
        None => Err(format!("a reference out of the group {}", place.path).into()),
    }
}
