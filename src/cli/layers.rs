//! `sfpdes layers INPUT`: how many layers of VCs make one path per pair of routers free of deadlock.

use std::io::Write as _;

use clap::Args;

use crate::cli::InputArgs;
use crate::config::Study;
use crate::error::Error;
use crate::output::csv_line;
use crate::study::{layer_table, schema};

/// Arguments of `layers`.
#[derive(Args)]
pub struct LayersArgs {
    #[command(flatten)]
    input: InputArgs,
}

/// Prints one line of CSV per point of the input.
pub fn layers(args: &LayersArgs) -> Result<(), Error> {
    let table = layer_table(Study::examine_file(&args.input.input()?, &args.input.sets, schema()))?;
    let text = table.iter().map(|row| csv_line(row) + "\n").collect::<String>();
    // A reader that has gone away is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}
