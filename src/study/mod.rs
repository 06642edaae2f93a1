//! Studies: from a checked input to finished points.

mod cube;
mod cube_faults;
mod cube_plan;
mod ended;
mod footprint;
mod layers;
mod leader;
pub mod paper;
pub mod plan;
mod prepare;
mod room;
mod run;
mod saturation;
mod schema;
pub mod search;
mod simulate;
mod team;
mod trace;

pub use cube::{run as run_cube, FinishedCube};
pub use cube_faults::scenario_of;
pub use ended::Ended;
pub use footprint::{Estimate, Footprint, Share};
pub use layers::layer_table;
pub use leader::default_output;
pub use plan::Plan;
pub use prepare::{partitioner_of, routing_of, static_bound, static_ceiling, topology_of, Prepared};
pub use room::Room;
pub use run::{print_table, run, share_of, Finished, Request, VOLATILE_TABLES};
pub use schema::{cube_schema, reference, schema, PARTITIONERS};
pub use simulate::{first_of, run_partition, run_threads, simulate, Outcome, Point, Stoppable, Unwatched, Watcher};
pub use team::{abort, Team};
pub use trace::{trace, PacketName, Spent, Traced};
