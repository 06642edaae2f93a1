//! Studies: from a checked input to finished points.

mod layers;
mod prepare;
mod run;
mod schema;
mod simulate;
mod team;

pub use layers::layer_table;
pub use prepare::{partitioner_of, routing_of, topology_of, Estimate, Prepared};
pub use run::{default_output, print_table, run, Finished, Request, VOLATILE_TABLES};
pub use schema::{schema, PARTITIONERS};
pub use simulate::{first_of, run_partition, run_threads, simulate, Outcome, Point, Unwatched, Watcher};
pub use team::{abort, Team};
