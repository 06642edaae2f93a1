//! Studies: from a checked input to finished points.

mod cube;
mod cube_plan;
mod prepare;
mod run;
mod schema;
mod simulate;
mod team;

pub use cube::{run as run_cube, FinishedCube};
pub use prepare::{partitioner_of, routing_of, topology_of, Estimate, Prepared};
pub use run::{default_output, print_table, run, Finished, Request, VOLATILE_TABLES};
pub use schema::{cube_schema, reference, schema, PARTITIONERS};
pub use simulate::{first_of, run_partition, run_threads, simulate, Outcome, Point, Unwatched, Watcher};
pub use team::{abort, Team};
