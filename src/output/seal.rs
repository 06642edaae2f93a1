//! Seals results files: the first bytes of a file, which HDF5 leaves to its users, hold a digest of all the others. The library
//! trusts what it reads, so that damage is unnoticed at best, and at worst ends the program: a file is examined as plain bytes
//! before the library sees it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::output::FORMAT_VERSION;

/// Bytes at the beginning of a file that are the seal's; the smallest user block of HDF5.
pub(super) const ROOM: usize = 512;

/// How every seal begins.
const BEGIN: &str = "sfpdes results; SHA-256 of the ";

/// How an HDF5 file without room for a seal begins.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Seals the file `path`, which has room for it: what is in it counts as whole from now on.
///
/// # Errors
/// `Error::Io` if it cannot be read or written.
pub fn seal(path: &Path) -> Result<(), Error> {
    let write = || {
        let mut file = File::options().read(true).write(true).open(path)?;
        let seal = seal_of(&mut file)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&seal)
    };
    write().map_err(|e| Error::io(path, e))
}

/// That the file `path` is sealed, and as it was then: it may be given to the library.
///
/// # Errors
/// `Error::Io` if it cannot be read, is damaged, or is no HDF5 file; `Error::Usage` if it is one that was never sealed, of which
/// nobody knows whether it is whole.
pub(super) fn examine(path: &Path) -> Result<(), Error> {
    let read = || {
        let mut file = File::open(path)?;
        let mut begin = Vec::new();
        Read::by_ref(&mut file).take(ROOM as u64).read_to_end(&mut begin)?;
        Ok((seal_of(&mut file)?, begin))
    };
    let (seal, begin) = read().map_err(|e: io::Error| Error::io(path, e))?;
    if begin == seal {
        Ok(())
    } else if begin.starts_with(HDF5) {
        Err(Error::Usage(format!(
            "{}: an HDF5 file, but no results file of sfpdes in format {FORMAT_VERSION} (its seal is missing)",
            path.display()
        )))
    } else if begin.starts_with(BEGIN.as_bytes()) {
        Err(Error::io(path, "damaged, cut short, or changed by another program: its bytes are not those that were written"))
    } else {
        Err(Error::io(path, "not a readable HDF5 file, or damaged at its beginning"))
    }
}

/// The seal that fits what is behind the room for it.
fn seal_of(file: &mut File) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(ROOM as u64))?;
    let mut hash = Sha256::new();
    let n = io::copy(file, &mut hash)?;
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let mut seal = format!("{BEGIN}{n} bytes behind the first {ROOM}: {hash}\n").into_bytes();
    seal.resize(ROOM, 0);
    Ok(seal)
}
