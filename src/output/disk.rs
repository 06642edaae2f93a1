//! Files that appear whole or not at all, and the questions to ask of a disk before hours of simulation.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Fixed cost of a point in a results file: names, attributes and indices of its data sets.
const BYTES_PER_POINT: u64 = 160 << 10;

/// Upper estimate of the bytes that a study with these sizes takes on disk, the copy made while a point is added included.
#[must_use]
pub fn estimate_bytes(n_points: usize, n_channels: usize, num_vcs: usize, n_endpoints: usize, n_messages: usize) -> u64 {
    let arrays = n_channels * (2 + num_vcs) + n_endpoints * 3 + n_messages * 6;
    let network = n_channels * 17 + n_endpoints * 8;
    2 * (n_points as u64 * (BYTES_PER_POINT + 8 * arrays as u64) + network as u64)
}

/// Upper estimate of the bytes that a cell of a hypercube study with these sizes takes on disk, its copy included.
#[must_use]
pub fn estimate_cell_bytes(n_points: usize, n_sets: usize) -> u64 {
    const BYTES_PER_CELL: u64 = 64 << 10;
    const BYTES_PER_ROW: u64 = 4 << 10;
    2 * (BYTES_PER_CELL + n_points as u64 * (BYTES_PER_ROW + 40 * n_sets as u64) + 36 * n_sets as u64)
}

/// The folder that holds `path`.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The file name of `path` between a dot and `end`: a hidden neighbour.
pub(super) fn neighbour(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(end);
    folder_of(path).join(name)
}

/// Name under which a file for `path` is written before it is complete.
pub(super) fn temporary(path: &Path) -> PathBuf {
    neighbour(path, &format!(".{}.partial", std::process::id()))
}

/// Removes what killed runs left of their temporary files for `path`. Only for the holder of its lock.
pub(super) fn remove_stale(path: &Path) {
    let start = neighbour(path, ".");
    let Some(start) = start.file_name().and_then(|n| n.to_str()) else { return };
    for entry in fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|n| n.starts_with(start) && n.ends_with(".partial")) {
            log::info!("removing {}, left by a run that was killed", entry.path().display());
            // A failure here costs space only; the run does not depend on it.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Puts the finished file `temporary` in the place of `path`, so that a crash at any moment leaves the old or the new.
pub(super) fn replace(temporary: &Path, path: &Path) -> Result<(), Error> {
    File::open(temporary).and_then(|f| f.sync_all()).map_err(|e| Error::io(path, e))?;
    fs::rename(temporary, path).map_err(|e| Error::io(path, e))?;
    // The rename itself is durable once the folder is. Some file systems refuse to sync a folder: nothing more can be done.
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Writes `content` to `path`, whole or not at all.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> Result<(), Error> {
    let partial = temporary(path);
    let result = File::create(&partial)
        .and_then(|mut f| f.write_all(content))
        .map_err(|e| Error::io(path, e))
        .and_then(|()| replace(&partial, path));
    if result.is_err() {
        let _ = fs::remove_file(&partial);
    }
    result
}

/// Checks that `path` can become a file of about `bytes`: its folder exists or is made, can be written and has the space.
pub(super) fn prepare(path: &Path, bytes: u64) -> Result<(), Error> {
    if path.file_name().is_none() || path.is_dir() {
        return Err(Error::io(path, "is a folder; name a file in it"));
    }
    if path.exists() && !path.is_file() {
        return Err(Error::io(path, "is not a regular file"));
    }
    let folder = folder_of(path);
    fs::create_dir_all(folder).map_err(|e| Error::io(folder, format!("cannot make this folder: {e}")))?;
    // Permission bits do not tell (root, read-only mounts, quotas): only writing does.
    let probe = temporary(path);
    let tried = File::create(&probe).and_then(|mut f| f.write_all(b"probe"));
    let _ = fs::remove_file(&probe);
    tried.map_err(|e| Error::io(folder, format!("cannot write in this folder: {e}")))?;
    // What is there already needs no more room.
    let bytes = bytes.saturating_sub(fs::metadata(path).map_or(0, |m| m.len()));
    match rustix::fs::statvfs(folder) {
        Ok(s) if s.f_bavail.saturating_mul(s.f_frsize) < bytes => {
            let (free, need) = (readable_bytes(s.f_bavail.saturating_mul(s.f_frsize) as f64), readable_bytes(bytes as f64));
            Err(Error::io(path, format!("{free} free on its disk, the study may need {need}")))
        }
        // A file system that cannot tell its free space is no reason not to run.
        _ => Ok(()),
    }
}

/// Reserves `bytes` past the end of `path` without changing its length, so that a full disk shows before HDF5 starts to write:
/// the library does not recover well from a failed write.
pub(super) fn reserve(path: &Path, bytes: u64) -> Result<(), Error> {
    use rustix::fs::{fallocate, FallocateFlags};
    let file = File::options().write(true).open(path).map_err(|e| Error::io(path, e))?;
    let length = file.metadata().map_err(|e| Error::io(path, e))?.len();
    match fallocate(&file, FallocateFlags::KEEP_SIZE, length, bytes) {
        // Not every file system can reserve: then a full disk shows while writing.
        Ok(()) | Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS | rustix::io::Errno::INVAL) => Ok(()),
        Err(e) => Err(Error::io(path, std::io::Error::from(e))),
    }
}

/// Gives back what `reserve` took and was not used.
pub(super) fn release(path: &Path) -> std::io::Result<()> {
    let file = File::options().write(true).open(path)?;
    file.set_len(file.metadata()?.len())
}

/// Bytes for a person.
#[must_use]
pub fn readable_bytes(bytes: f64) -> String {
    let mut value = bytes;
    let mut units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].into_iter();
    let mut unit = units.next().unwrap_or("B");
    while value >= 1024.0 {
        let Some(next) = units.next() else { break };
        value /= 1024.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}
