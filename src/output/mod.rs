//! How a person sees a study: the results file, the summary beside it, the table on the terminal, the figure, the progress line.
//!
//! Everything here is fed with plain data on rank 0 and knows nothing of the simulation. Only `hdf5/` names the HDF5
//! library, and nothing but `/runtime` in the file may depend on the machine, the time or the number of ranks.

mod csv;
mod disk;
mod hdf5;
mod lock;
mod plot;
mod progress;
mod record;
mod results;
mod seal;
mod seeds;
mod table;

pub use self::csv::{csv_line, summary_path, to_csv, write_search_summary, write_summary};
pub use self::disk::{estimate_bytes, estimate_cell_bytes, readable_bytes};
pub use self::hdf5::{compare, digest, read_table, Store, FORMAT_VERSION};
pub use self::plot::plot;
pub use self::progress::{Progress, ProgressMode, Terms};
pub use self::record::{Axis, CellRecord, Coordinate, NetworkInfo, PointRecord, PointRuntime, RunInfo, Runtime, StudyKind};
pub use self::results::{PointTable, TableColumn, Values};
pub use self::seal::{seal, unseal};
pub use self::table::{render as render_table, render_search, stdout_width};
