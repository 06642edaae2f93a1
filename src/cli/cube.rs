//! `sfpdes cube INPUT`: hypercubes with faults.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::{explain, plot, watch_signals, StudyArgs};
use crate::error::Error;
use crate::study::{run_cube, Request, Team};

const EXAMPLES: &str = "\
Examples:
  sfpdes cube inputs/paper/esv_table1.toml              the published table of 8-cubes beside ours
  mpirun -n 4 sfpdes cube inputs/paper/esv_table1.toml  the same numbers, sooner
  sfpdes cube inputs/cube_dimensions.toml --threads 2   from 6 to 16 dimensions
  sfpdes cube inputs/paper/esv_table2.toml --set cube.n=12 --set cube.faults=[50,100,200]
  sfpdes cube explain --n 4 --faulty-nodes 1,6 --from 0 --to 15

Prints the table on stdout; writes results/NAME.h5, a summary as CSV and the figure as SVG and PNG beside it. \
The standard errors tell how certain a value is: they are over fault sets, since pairs of one fault set have the same faults. \
A run that was stopped goes on with the first cell that is missing when the same command is given again.

docs/hypercube.md explains models, criteria and columns; `sfpdes keys` lists the keys of [cube].";

/// Arguments of `cube`.
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct CubeArgs {
    #[command(subcommand)]
    command: Option<CubeCommand>,
    #[command(flatten)]
    input: StudyArgs,
    /// Run in this process alone, even if a launcher announces several
    #[arg(long)]
    pub alone: bool,
    /// Draw no figure
    #[arg(long)]
    no_plot: bool,
}

#[derive(Subcommand)]
enum CubeCommand {
    /// Show what every node knows about the faults, and one message on its way, with the reason for each hop
    Explain(explain::ExplainArgs),
}

impl CubeArgs {
    /// The arguments of `explain`, if that is asked for.
    pub fn explain(&self) -> Option<&explain::ExplainArgs> {
        self.command.as_ref().map(|CubeCommand::Explain(args)| args)
    }
}

/// Runs the study and shows its tables on rank 0.
pub fn run(args: &CubeArgs, team: &Team) -> Result<(), Error> {
    let interrupted = watch_signals()?;
    let request =
        Request { input: args.input.input()?, text: None, sets: args.input.sets(), command: crate::cli::command_line() };
    let Some(finished) = run_cube(&request, team, &interrupted)? else { return Ok(()) };
    // A reader that has gone away is no fault of the study.
    let _ = write!(std::io::stdout(), "{}", finished.text);
    if let Some(error) = finished.ended_by {
        return Err(error);
    }
    eprintln!("results: {}\nsummary: {}", finished.results.display(), finished.summary.display());
    if !args.no_plot {
        plot::draw(&finished.results, None::<PathBuf>.as_deref())?;
    }
    Ok(())
}
