//! `sfpdes plot RESULTS`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::error::Error;
use crate::output;

/// Arguments of `plot`.
#[derive(Args)]
pub struct PlotArgs {
    /// The results file of a run
    results: PathBuf,
    /// Name of the figures, with or without the ending .svg or .png; by default that of the results
    #[arg(long, short = 'o', value_name = "STEM")]
    output: Option<PathBuf>,
}

/// Draws the figures and says where they are.
pub fn plot(args: &PlotArgs) -> Result<(), Error> {
    let stem = args.output.as_deref().map(stem_of).transpose()?;
    match std::fs::metadata(&args.results) {
        Ok(found) if found.is_dir() => return Err(Error::io(&args.results, "is a folder; name the results file in it")),
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(Error::io(&args.results, "no such file")),
        // What else is wrong with it shows when it is read.
        _ => {}
    }
    draw(&args.results, stem.as_deref())
}

/// The name without the ending of a figure, if it has one.
fn stem_of(output: &Path) -> Result<PathBuf, Error> {
    if output.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(Error::Usage(format!("--output {}: is a folder; name the figures in it", output.display())));
    }
    let figure = output.extension().is_some_and(|ending| ending == "svg" || ending == "png");
    Ok(if figure { output.with_extension("") } else { output.to_path_buf() })
}

/// Draws the figures of `results` at `stem`.
pub fn draw(results: &Path, stem: Option<&Path>) -> Result<(), Error> {
    let stem = stem.map_or_else(|| results.with_extension(""), Path::to_path_buf);
    for file in output::plot(results, &stem)? {
        eprintln!("figure: {}", file.display());
    }
    Ok(())
}
