//! One run at a time per results file: two that write the same file would each lose the other's points.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{flock, FlockOperation};
use rustix::io::Errno;

use super::disk;
use crate::error::Error;

/// Held for as long as a run may write a results file. The kernel gives the lock back when the process ends in any way;
/// a file left by a killed run does no harm and goes with the next run.
#[derive(Debug)]
pub(super) struct Lock {
    /// The lock file, open: the lock lives as long as this does.
    _file: File,
    /// Its name.
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of the results file `path`.
    pub(super) fn take(path: &Path) -> Result<Self, Error> {
        let lock_path = disk::neighbour(path, ".lock");
        loop {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&lock_path)
                .map_err(|e| Error::io(&lock_path, e))?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Err(Error::io(path, "another run is writing this file")),
                Err(e) => log::warn!("{}: no locks on this file system ({e}): start one run per file only", path.display()),
            }
            // The former holder may have removed the file between the opening and the locking: then this lock guards nothing.
            let same = |m: fs::Metadata| file.metadata().is_ok_and(|own| own.ino() == m.ino() && own.dev() == m.dev());
            if fs::metadata(&lock_path).is_ok_and(same) {
                return Ok(Self { _file: file, path: lock_path });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while still locked, so that no other run can hold the name that goes.
        let _ = fs::remove_file(&self.path);
    }
}
