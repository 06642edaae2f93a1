//! What can end a run early, and the exit code of each.

use std::io::Write;

use crate::config::ConfigErrors;

/// Exit codes of the program; 0 means it ran, saturation included.
pub mod exit {
    /// A defect of sfpdes itself.
    pub const INTERNAL: i32 = 1;
    /// The input cannot be run.
    pub const INPUT: i32 = 2;
    /// A file could not be read or written.
    pub const IO: i32 = 3;
    /// The network stopped moving: deadlock.
    pub const STALL: i32 = 4;
    /// Stopped early with every finished point saved: run the same command again.
    pub const CHECKPOINT: i32 = 75;
}

/// Why a run ended without its result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input is wrong; every fault is listed.
    #[error("{0}")]
    Config(#[from] ConfigErrors),
    /// The command line or the way of starting is wrong.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: String,
        /// What the system or the HDF5 library said.
        reason: String,
    },
    /// No flit moved for the watchdog's time while some were in flight.
    #[error("{0}")]
    Stall(String),
    /// Ended by a signal with every finished point saved.
    #[error("stopped by a signal; every finished point is saved: run the same command again to go on")]
    Interrupted,
    /// Another partition ended; its own error says why.
    #[error("another partition of the simulation ended early")]
    PeerLost,
    /// A contract of the simulator does not hold.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// The exit code that tells this kind of end.
    #[must_use]
    pub fn exit_code(&self) -> i32 {
        match self {
            Error::Config(_) | Error::Usage(_) => exit::INPUT,
            Error::Io { .. } => exit::IO,
            Error::Stall(_) => exit::STALL,
            Error::Interrupted => exit::CHECKPOINT,
            Error::PeerLost | Error::Internal(_) => exit::INTERNAL,
        }
    }

    /// An I/O error on `path`.
    pub fn io(path: impl AsRef<std::path::Path>, reason: impl std::fmt::Display) -> Self {
        Error::Io { path: path.as_ref().display().to_string(), reason: reason.to_string() }
    }
}

/// Writes `text` to stderr in one piece: other threads and ranks write there too. That nobody reads it is no error.
pub fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
