//! `sfpdes reproduce FIGURE`: a figure of the Slim Fly paper, and what the paper says of it beside our result.

use clap::Args;

use crate::cli::{command_line, watch_signals, NetworkArgs};
use crate::error::Error;
use crate::study::{paper, print_table, run as run_study, Request, Team};

/// Arguments of `reproduce`.
#[derive(Args)]
#[command(after_help = "Figures: fig6a uniform traffic, fig6b bit reversal, fig6c shift, fig6d worst cases, fig8a buffers, \
fig8b to fig8e 16, 18, 20 and 21 endpoints per router; all with 722 routers (q = 19). \
A figure takes from minutes to an hour; --set scales it down, --side-by-side uses more cores.")]
pub struct ReproduceArgs {
    #[command(flatten)]
    input: NetworkArgs,
    /// Run in this process alone, even if a launcher announces several
    #[arg(long)]
    pub alone: bool,
}

/// Runs the figure's input, draws it, and shows the result and the claims on rank 0.
pub fn run(args: &ReproduceArgs, team: &Team) -> Result<(), Error> {
    let names = || paper::FIGURES.iter().map(|f| f.name).collect::<Vec<_>>().join(", ");
    let named = args.input.input().map_err(|_| Error::Usage(format!("no figure: give one of {}", names())))?;
    let name = named.to_string_lossy().into_owned();
    let figure = paper::find(&name).ok_or_else(|| Error::Usage(format!("no figure `{name}`; there are {}", names())))?;
    let interrupted = watch_signals()?;
    let request = Request {
        input: format!("{name}.toml").into(),
        text: Some(figure.input),
        sets: args.input.sets(),
        command: command_line(),
    };
    let Some(finished) = run_study(&request, team, &interrupted)? else { return Ok(()) };
    print_table(&finished.shown);
    print_table(&paper::render(figure, &finished.table));
    eprintln!("results: {}\nsummary: {}", finished.results.display(), finished.summary.display());
    crate::cli::plot::draw(&finished.results, None)
}
