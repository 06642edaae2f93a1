//! `sfpdes run INPUT`, or simply `sfpdes INPUT`.

use clap::Args;

use crate::cli::{command_line, watch_signals, NetworkArgs};
use crate::error::Error;
use crate::study::{print_table, run as run_study, Request, Team};

/// Arguments of a run.
#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    input: NetworkArgs,
    /// Run in this process alone, even if a launcher announces several
    #[arg(long)]
    pub alone: bool,
    /// Draw the figure when all points are finished
    #[arg(long)]
    plot: bool,
}

/// Runs the study and shows its table on rank 0.
pub fn run(args: &RunArgs, team: &Team) -> Result<(), Error> {
    let interrupted = watch_signals()?;
    let request = Request { input: args.input.input()?, text: None, sets: args.input.sets(), command: command_line() };
    let Some(finished) = run_study(&request, team, &interrupted)? else { return Ok(()) };
    print_table(&finished.shown);
    eprintln!("results: {}\nsummary: {}", finished.results.display(), finished.summary.display());
    if args.plot {
        crate::cli::plot::draw(&finished.results, None)?;
    }
    Ok(())
}
