//! Writing the results file so that nothing finished is ever lost.

use std::fs;
use std::path::{Path, PathBuf};

use hdf5::File;

use super::array::{label, write_attribute, write_text, write_text_attribute};
use super::layout::{self, FORMAT, FORMAT_VERSION};
use super::{detail, failed, fault_sets, network, not_written, resume, rows, runtime};
use crate::error::Error;
use crate::hypercube::SetResult;
use crate::output::lock::Lock;
use crate::output::{disk, seal, CellRecord, Coordinate, NetworkInfo, PointRecord, PointTable, RunInfo, Runtime, StudyKind};

/// The results file of a running study. While it lives, no other run can write the file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    run: RunInfo,
    runtime: Runtime,
    /// Number of this run in `/runtime/sessions`, once it has added a point.
    session: Option<u64>,
    _lock: Lock,
}

impl Store {
    /// Opens the results file of the study `run` or makes it, with its folder; returns it with the finished points, ascending.
    /// Checks that the disk has room for about `bytes`. A file of a killed run is taken up where it was left.
    ///
    /// # Errors
    /// `Error::Usage` if the file belongs to another configuration, seed or version, or is no results file;
    /// `Error::Io` if it is damaged, cannot be written, has no room, or is being written by another run. The file at `path` is as before.
    pub fn create_or_resume(path: &Path, run: &RunInfo, runtime: &Runtime, bytes: u64) -> Result<(Self, Vec<usize>), Error> {
        // A link stays a link: what it points to is replaced.
        let path = if path.is_symlink() { path.canonicalize().map_err(|e| Error::io(path, e))? } else { path.to_path_buf() };
        disk::prepare(&path, bytes)?;
        let lock = Lock::take(&path)?;
        disk::remove_stale(&path);
        let store = Self { path, run: run.clone(), runtime: runtime.clone(), session: None, _lock: lock };
        let finished = if store.path.exists() {
            resume::finished_points(&store.path, run)?
        } else {
            store.create()?;
            Vec::new()
        };
        Ok((store, finished))
    }

    /// The results file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what a search found in its points, as `/saturation`.
    ///
    /// # Errors
    /// `Error::Io`; the file is then as before.
    pub fn write_search(&self, found: &PointTable) -> Result<(), Error> {
        let growth = disk::estimate_bytes(found.n_points, 0, 0, 0, 0);
        self.replace(growth, "add the result of the search", |file| rows::write_search(file, found))
    }

    /// Adds a finished point; on return it is on disk. Points may come in any order.
    ///
    /// # Errors
    /// `Error::Io` if it cannot be written, `Error::Internal` if the record does not fit the study. The file is as before.
    pub fn add(&mut self, record: &PointRecord, network: &NetworkInfo) -> Result<(), Error> {
        self.check(record.index, &record.coordinates)?;
        let num_vcs = record.report.vc_occupancy.len().checked_div(network.source_router.len()).unwrap_or(0);
        let (n_channels, n_endpoints) = (network.source_router.len(), network.endpoint_router.len());
        let growth = disk::estimate_bytes(1, n_channels, num_vcs, n_endpoints, record.report.messages.size.len());
        self.put(growth, |file, run, session| {
            let network_path = network::write(file, network)?;
            detail::write(file, record, network, &network_path, run.n_points)?;
            rows::add(file, run, record, session)
        })
    }

    /// Adds a finished cell of a hypercube study with all its points; on return it is on disk. Cells may come in any order.
    ///
    /// # Errors
    /// As `add`.
    pub fn add_cell(&mut self, record: &CellRecord) -> Result<(), Error> {
        for (index, coordinates) in (record.first_point..).zip(&record.coordinates) {
            self.check(index, coordinates)?;
        }
        let growth = disk::estimate_cell_bytes(record.coordinates.len(), record.fault_sets.len());
        self.put(growth, |file, run, session| {
            fault_sets::write(file, record)?;
            rows::add_cell(file, run, record, session)
        })
    }

    /// What was counted in each fault set of each finished cell of a hypercube study, with the number of the cell, ascending.
    ///
    /// # Errors
    /// `Error::Io` if it cannot be read.
    pub fn fault_sets(&self) -> Result<Vec<(usize, Vec<SetResult>)>, Error> {
        let file = super::read::open(&self.path)?;
        fault_sets::read_all(&file).map_err(|e| failed(&self.path, "read the fault sets", &e))
    }

    /// Adds to the file what `append` writes, told the number of this session; on return it is on disk.
    fn put(&mut self, growth: u64, append: impl FnOnce(&File, &RunInfo, u64) -> hdf5::Result<()>) -> Result<(), Error> {
        let session = self.replace(growth, "add a point", |file| {
            let session = match self.session {
                Some(number) => number,
                None => runtime::add_session(file, &self.runtime)?,
            };
            append(file, &self.run, session)?;
            Ok(session)
        })?;
        self.session = Some(session);
        Ok(())
    }

    /// Lets `write` change a copy of the file, which grows by `growth` bytes at most, and puts it in the file's place; on
    /// return it is on disk. After an error, which says that it could not `act`, the file is as before.
    fn replace<T>(&self, growth: u64, act: &str, write: impl FnOnce(&File) -> hdf5::Result<T>) -> Result<T, Error> {
        let partial = disk::temporary(&self.path);
        let written = self.write_copy(&partial, growth, act, write);
        if written.is_err() {
            // Whatever is left of it is removed by the next run.
            let _ = fs::remove_file(&partial);
        }
        written
    }

    /// Writes the file before its first point.
    fn create(&self) -> Result<(), Error> {
        let partial = disk::temporary(&self.path);
        let made = self
            .write_head(&partial)
            .map_err(|e| not_written(&self.path, "make the results file", &e))
            .and_then(|()| finish(&partial, &self.path));
        if made.is_err() {
            let _ = fs::remove_file(&partial);
        }
        made
    }

    /// Writes what does not depend on points.
    fn write_head(&self, path: &Path) -> hdf5::Result<()> {
        let file = File::create(path)?;
        self.write_groups(&file)?;
        close(file)
    }

    /// Writes the groups of a file without points. None of them is open on return, or the file would not close.
    fn write_groups(&self, file: &File) -> hdf5::Result<()> {
        write_text_attribute(file, "format", FORMAT)?;
        write_attribute(file, "format_version", &FORMAT_VERSION)?;
        layout::write_kind(file, self.run.kind)?;
        let config = file.create_group("config")?;
        write_attribute(&config, "seed", &self.run.seed)?;
        write_text_attribute(&config, "version", &self.run.version)?;
        write_attribute(&config, "n_points", &(self.run.n_points as u64))?;
        let toml = label("toml", "", "effective configuration of the study, with its sweep");
        write_text(&config, toml, &self.run.config_toml)?;
        let points = layout::create_group(file, "points")?;
        layout::write_axes(&points, &self.run.axes)?;
        match self.run.kind {
            StudyKind::Simulation => {
                file.create_group("points_detail")?;
                file.create_group("network")?;
            }
            StudyKind::Hypercube => {
                file.create_group("fault_sets")?;
            }
        }
        layout::create_group(file, "runtime")?.create_group("sessions")?;
        Ok(())
    }

    /// Refuses a record that does not belong to the study.
    fn check(&self, index: usize, coordinates: &[Coordinate]) -> Result<(), Error> {
        if index >= self.run.n_points || coordinates.len() != self.run.axes.len() {
            return Err(Error::Internal(format!("point {index} is no point of the study")));
        }
        Ok(())
    }

    /// Makes `partial` the file with what `write` changes, and puts it in place.
    fn write_copy<T>(
        &self,
        partial: &Path,
        growth: u64,
        act: &str,
        write: impl FnOnce(&File) -> hdf5::Result<T>,
    ) -> Result<T, Error> {
        fs::copy(&self.path, partial).map_err(|e| Error::io(&self.path, e))?;
        // Damage that came since the last point would be sealed with the next.
        seal::examine(partial).and_then(|()| seal::unseal(partial)).map_err(|e| rename_error(e, &self.path))?;
        disk::reserve(partial, growth).map_err(|e| rename_error(e, &self.path))?;
        let change = || {
            let file = File::open_rw(partial)?;
            let value = write(&file)?;
            close(file)?;
            Ok(value)
        };
        let value = change().map_err(|e| not_written(&self.path, act, &e))?;
        disk::release(partial).map_err(|e| Error::io(&self.path, e))?;
        finish(partial, &self.path)?;
        Ok(value)
    }
}

/// Seals the file `partial` and puts it in the place of `path`.
fn finish(partial: &Path, path: &Path) -> Result<(), Error> {
    seal::seal(partial).map_err(|e| rename_error(e, path))?;
    disk::replace(partial, path)
}

/// Closes a file that was written, with an error if any of it could not be written.
fn close(file: File) -> hdf5::Result<()> {
    file.flush()?;
    file.close()
}

/// The same error, about the file that the user knows rather than its temporary copy.
fn rename_error(error: Error, path: &Path) -> Error {
    match error {
        Error::Io { reason, .. } => Error::io(path, reason),
        other => other,
    }
}
