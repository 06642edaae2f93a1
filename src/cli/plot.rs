//! `sfpdes plot RESULTS`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::error::Error;
use crate::output;

/// Arguments of `plot`.
#[derive(Args)]
pub struct PlotArgs {
    /// The results file of a run
    results: PathBuf,
    /// Name of the figures without ending; by default that of the results
    #[arg(long, short = 'o', value_name = "STEM")]
    output: Option<PathBuf>,
}

/// Draws the figures and says where they are.
pub fn plot(args: &PlotArgs) -> Result<(), Error> {
    draw(&args.results, args.output.as_deref())
}

/// Draws the figures of `results` at `stem`.
pub fn draw(results: &Path, stem: Option<&Path>) -> Result<(), Error> {
    let stem = stem.map_or_else(|| results.with_extension(""), Path::to_path_buf);
    for file in output::plot(results, &stem)? {
        eprintln!("figure: {}", file.display());
    }
    Ok(())
}
