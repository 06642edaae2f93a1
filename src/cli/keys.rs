//! `sfpdes keys`: the reference of the input, the text of docs/config.md.

use std::io::Write;

use crate::error::Error;
use crate::study::reference;

/// Prints the reference.
pub fn print() -> Result<(), Error> {
    // A reader that has gone away is no error.
    let _ = std::io::stdout().write_all(reference().as_bytes());
    Ok(())
}
