//! Seals results files: behind what the HDF5 library wrote stands a digest of it, which the library and all readers pass over.
//! The library trusts what it reads, so that damage is unnoticed at best, and at worst ends the program or keeps it for ever: a
//! file is examined as plain bytes before the library sees it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::output::FORMAT_VERSION;

/// Bytes of a seal.
const LENGTH: u64 = 160;

/// How every seal begins.
const BEGIN: &str = "\nsfpdes results; SHA-256 of the ";

/// How an HDF5 file begins.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Words that stand near the beginning of every results file, whether it is whole or not, and the bytes in which they do.
const OURS: &[u8] = b"sfpdes results";
const NEAR: u64 = 1 << 16;

/// Seals the file `path`, which has no seal: what is in it counts as whole from now on.
///
/// # Errors
/// `Error::Io` if it cannot be read or written.
pub fn seal(path: &Path) -> Result<(), Error> {
    let write = || {
        let mut file = File::options().read(true).write(true).open(path)?;
        let length = file.metadata()?.len();
        let seal = seal_of(&mut file, length)?;
        file.seek(SeekFrom::Start(length))?;
        file.write_all(&seal)
    };
    write().map_err(|e| Error::io(path, e))
}

/// Takes the seal off the file `path`, which has one, so that the library may write behind what it wrote.
///
/// # Errors
/// `Error::Io` if it cannot be written.
pub fn unseal(path: &Path) -> Result<(), Error> {
    let cut = || {
        let file = File::options().write(true).open(path)?;
        file.set_len(file.metadata()?.len().saturating_sub(LENGTH))
    };
    cut().map_err(|e: io::Error| Error::io(path, e))
}

/// That the file `path` is sealed, and as it was then: it may be given to the library.
///
/// # Errors
/// `Error::Io` if it cannot be read, is damaged, or is no HDF5 file; `Error::Usage` if it is one, but none of sfpdes.
pub(super) fn examine(path: &Path) -> Result<(), Error> {
    let read = || {
        let mut file = File::open(path)?;
        let mut begin = Vec::new();
        Read::by_ref(&mut file).take(NEAR).read_to_end(&mut begin)?;
        let content = file.metadata()?.len().saturating_sub(LENGTH);
        let seal = seal_of(&mut file, content)?;
        file.seek(SeekFrom::Start(content))?;
        let mut end = Vec::new();
        file.read_to_end(&mut end)?;
        let is_ours = end.starts_with(BEGIN.as_bytes())
            || begin.windows(OURS.len()).any(|words| words == OURS)
            || is_cut(&begin, content + LENGTH);
        Ok((begin, end == seal, is_ours))
    };
    let (begin, is_whole, is_ours) = read().map_err(|e: io::Error| Error::io(path, e))?;
    if !begin.starts_with(HDF5) {
        Err(Error::io(path, "not a readable HDF5 file, or damaged at its beginning"))
    } else if is_whole {
        Ok(())
    } else if is_ours {
        let reason = "damaged, cut short, changed by another program, or of another format than";
        Err(Error::io(path, format!("{reason} {FORMAT_VERSION}: its bytes are not those that were written")))
    } else {
        Err(Error::Usage(format!("{}: an HDF5 file, but no results file of sfpdes", path.display())))
    }
}

/// Whether an HDF5 file that begins like this, with the superblock that ours have, was longer than `length` once.
fn is_cut(begin: &[u8], length: u64) -> bool {
    let end = begin.get(40..48).map_or(u64::MAX, |end| u64::from_le_bytes(end.try_into().expect("8 bytes")));
    begin.get(8) == Some(&0) && end > length
}

/// The seal that fits the first `length` bytes of `file`.
fn seal_of(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut hash = Sha256::new();
    io::copy(&mut file.take(length), &mut hash)?;
    let mut seal = format!("{BEGIN}{length} bytes before this line: {:x}", hash.finalize()).into_bytes();
    seal.resize(LENGTH as usize - 1, b' ');
    seal.push(b'\n');
    Ok(seal)
}
