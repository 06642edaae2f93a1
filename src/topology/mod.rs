//! Topologies: each yields an immutable [`Graph`], never behaviour. A new one is one file, its `mod` line and one line in [`REGISTRY`].

mod graph;

pub use graph::{ChannelClass, Graph};

use crate::config::{Config, ConfigErrors, Key};

/// A topology as the program knows it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The value of `network.topology`.
    pub name: &'static str,
    /// One line for the reference.
    pub summary: &'static str,
    /// The keys it reads, each applying when `network.topology` is its name (shared keys: any of several).
    pub keys: &'static [Key],
    /// Builds the graph.
    pub build: fn(&Config) -> Result<Graph, ConfigErrors>,
    /// Sizes worth telling a user who checks an input: (name, value with unit).
    pub describe: fn(&Config, &Graph) -> Vec<(&'static str, String)>,
}

/// Every topology.
pub const REGISTRY: &[Entry] = &[];
