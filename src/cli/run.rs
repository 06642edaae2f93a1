//! `sfpdes run INPUT`, or simply `sfpdes INPUT`.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use clap::Args;

use crate::cli::InputArgs;
use crate::error::Error;
use crate::study::{print_table, run as run_study, Request, Team};

/// Arguments of a run.
#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Run in this process alone, even if a launcher announces several
    #[arg(long)]
    pub alone: bool,
    /// Draw the figure when all points are finished
    #[arg(long)]
    plot: bool,
}

/// Runs the study and shows its table on rank 0.
pub fn run(args: &RunArgs, team: &Team) -> Result<(), Error> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        // The first signal ends the run at the next sample with everything saved; a second one ends it at once.
        signal_hook::flag::register_conditional_default(signal, interrupted.clone())
            .and_then(|_| signal_hook::flag::register(signal, interrupted.clone()))
            .map_err(|e| Error::Internal(format!("cannot watch for signals: {e}")))?;
    }
    let request =
        Request { input: args.input.input()?, sets: args.input.sets(), command: std::env::args().collect::<Vec<_>>().join(" ") };
    let Some(finished) = run_study(&request, team, &interrupted)? else { return Ok(()) };
    print_table(&finished.shown);
    eprintln!("results: {}\nsummary: {}", finished.results.display(), finished.summary.display());
    if args.plot {
        crate::cli::plot::draw(&finished.results, None)?;
    }
    Ok(())
}
