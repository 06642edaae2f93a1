//! Null-terminated fixed-length strings, which the dimension scale conventions demand and the `hdf5` crate cannot make: it pads
//! with nulls instead, and the HDF5 library then denies that the data set is a dimension scale.
#![allow(unsafe_code)]

use hdf5::Datatype;
use hdf5_sys::h5t::{H5Tcopy, H5Tset_size};

/// The type of null-terminated ASCII strings of up to `length` characters.
pub(super) fn datatype(length: usize) -> hdf5::Result<Datatype> {
    // `sync` holds the global lock of the library, which is not safe for threads.
    hdf5::sync::sync(|| {
        // SAFETY: H5T_C_S1 is a valid datatype once the library is initialised, which `sync` has done; both calls check their
        // arguments and report failure by a negative value.
        let (id, status) = unsafe {
            let id = H5Tcopy(*hdf5::globals::H5T_C_S1);
            (id, H5Tset_size(id, length + 1))
        };
        if id < 0 || status < 0 {
            return Err("cannot make a string type".into());
        }
        // SAFETY: `id` is a datatype that was just created and is owned by nobody else; the object made here closes it.
        unsafe { hdf5::from_id::<Datatype>(id) }
    })
}
