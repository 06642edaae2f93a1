//! Topologies: each yields an immutable [`Graph`], never behaviour. A new one is one file, its `mod` line and one line
//! in [`REGISTRY`].

mod describe;
pub mod distance;
pub mod galois;
mod graph;
pub mod grid;
pub mod hypercube;
mod keys;
pub mod limits;
pub mod mesh;
mod search;
mod sizes;
pub mod slim_fly;
pub mod torus;

pub use distance::Distances;
pub use graph::{ChannelClass, Graph};
pub use keys::channel_latencies;
pub use search::Search;
pub use sizes::Sizes;

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
    /// The one of them that says how many routers there are.
    pub size_key: &'static str,
    /// What the graph will measure, without building it; refuses what `build` refuses.
    pub sizes: fn(&Config) -> Result<Sizes, ConfigErrors>,
    /// Builds the graph.
    pub build: fn(&Config) -> Result<Graph, ConfigErrors>,
    /// Sizes worth telling a user who checks an input: (name, value with unit).
    pub describe: fn(&Config, &Graph) -> Vec<(&'static str, String)>,
}

/// Every topology.
pub const REGISTRY: &[Entry] = &[slim_fly::ENTRY, mesh::ENTRY, torus::ENTRY, hypercube::ENTRY];
