//! sfpdes: a parallel discrete-event simulator of interconnection networks, with one answer on any number of ranks.
//!
//! The layers, top to bottom, each importing only what is below it: `cli`, `study`, `output`, then `engine` with `transport`
//! and `network` with `stats`, then `analysis`, `routing` and `traffic`, `topology` and `partition`, `config`, and `ids`, `rng`, `error`.

pub mod analysis;
pub mod cli;
pub mod config;
pub mod engine;
pub mod error;
pub mod hypercube;
pub mod ids;
pub mod network;
pub mod output;
pub mod partition;
pub mod rng;
pub mod routing;
pub mod stats;
pub mod study;
pub mod topology;
pub mod traffic;
pub mod transport;
