//! The results file: the only user of the HDF5 library.
//!
//! ```text
//! /                     attributes format, format_version
//! /config               attributes seed, version, n_points; data set toml
//! /points               one column per swept key and per entry of COLUMNS, along the dimension scale point (index of the point)
//! /points_detail/NNNN   one group per finished point: histograms, time series, per-channel and per-endpoint arrays, toml
//! /network/NAME         one group per distinct network: its channels, endpoints and racks
//! /fault_sets/NNNN      instead of the two above in a hypercube study, where the root has the attribute study: one group per
//!                       finished cell, what was counted in each fault set at each point of the cell
//! /runtime              everything that may differ between two runs of one study, and nothing else does
//! ```
//!
//! Behind the end of the HDF5 file stands a line with a digest of it (`seal.rs`), which every reading checks first.
//!
//! Dimension scales follow the HDF5 high-level conventions, so that netCDF readers see named dimensions. A file is complete at
//! every moment: each finished point is added to a copy, which then takes the place of the file.

mod array;
mod column;
mod detail;
mod digest;
mod dimension;
mod fault_sets;
mod layout;
mod network;
mod read;
mod resume;
mod rows;
mod runtime;
mod store;
mod terminated;

use std::path::Path;

pub use self::digest::{compare, digest};
pub use self::layout::FORMAT_VERSION;
pub use self::read::read_table;
pub use self::store::Store;

use crate::error::Error;

/// As `failed`, for writing: what the library has no part in is a record that should not have come here.
fn not_written(path: &Path, act: &str, error: &hdf5::Error) -> Error {
    match error.stack() {
        Some(_) => failed(path, act, error),
        None => Error::Internal(format!("{}: cannot {act}: {error}", path.display())),
    }
}

/// The error of the library on the file `path` while trying to `act`, with what the system said if it said anything.
fn failed(path: &Path, act: &str, error: &hdf5::Error) -> Error {
    // The description at the top of the stack is "unable to ..."; the system's own words are at the bottom.
    let system = error.stack().and_then(|stack| {
        stack.iter().find_map(|frame| {
            let (_, rest) = frame.desc().split_once("error message = '")?;
            Some(rest.split_once('\'')?.0.to_string())
        })
    });
    match system {
        Some(system) => Error::io(path, format!("cannot {act}: {system}")),
        None => Error::io(path, format!("cannot {act}: {error}")),
    }
}
