//! Taking up a results file: what is in it must be whole and belong to the same study.

use std::path::Path;

use hdf5::File;

use super::read::{self, text};
use super::{detail, digest, failed, fault_sets, layout};
use crate::error::Error;
use crate::output::{PointTable, RunInfo, StudyKind};

/// The finished points of the file `path`, ascending, after checking that it is a whole results file of the study `run`.
pub(super) fn finished_points(path: &Path, run: &RunInfo) -> Result<Vec<usize>, Error> {
    const ANEW: &str = "move it away to start anew";
    let file = read::open(path).map_err(|e| match e {
        Error::Io { reason, .. } => Error::io(path, format!("{reason}; {ANEW}")),
        other => other,
    })?;
    let act = &format!("take up this results file; {ANEW}");
    let refusal = difference(&file, run).map_err(|e| failed(path, act, &e))?;
    if let Some(reason) = refusal {
        return Err(Error::Usage(format!(
            "{}: {reason}\nname another output, or move this file away to start anew",
            path.display()
        )));
    }
    whole_points(&file, run).map_err(|e| failed(path, act, &e))
}

/// How the study in the file differs from `run`, if it does.
fn difference(file: &File, run: &RunInfo) -> hdf5::Result<Option<String>> {
    if layout::read_kind(file)? != run.kind {
        return Ok(Some("holds the results of another kind of study".into()));
    }
    let config = file.group("config")?;
    let version = text(&*config.attr("version")?)?;
    if version != run.version {
        return Ok(Some(format!("written by sfpdes {version}; this is sfpdes {}", run.version)));
    }
    let toml = text(&*config.dataset("toml")?)?;
    if toml != run.config_toml {
        let lines = differing_lines(&toml, &run.config_toml);
        return Ok(Some(format!("holds the results of another configuration (- in the file, + now):\n{lines}")));
    }
    let seed: u64 = config.attr("seed")?.read_scalar()?;
    if seed != run.seed {
        return Ok(Some(format!("holds the results of seed {seed}, not {}", run.seed)));
    }
    let n_points: u64 = config.attr("n_points")?.read_scalar()?;
    if n_points != run.n_points as u64 {
        return Ok(Some(format!("holds a study of {n_points} points, not {}", run.n_points)));
    }
    Ok(None)
}

/// The first lines in which two texts differ, with the table they stand in.
fn differing_lines(old: &str, new: &str) -> String {
    const SHOWN: usize = 4;
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let table = old[..same].iter().rev().find(|l| l.starts_with('[')).map(|l| format!("  {l}\n")).unwrap_or_default();
    let same_end = old[same..].iter().rev().zip(new[same..].iter().rev()).take_while(|(a, b)| a == b).count();
    let section = |lines: &[&str], sign: char| {
        let changed = &lines[same..lines.len() - same_end];
        let mut text: Vec<String> = changed.iter().take(SHOWN).map(|l| format!("{sign} {l}")).collect();
        if changed.len() > SHOWN {
            text.push(format!("{sign} ... and {} more lines", changed.len() - SHOWN));
        }
        text
    };
    let changes: Vec<_> = section(&old, '-').into_iter().chain(section(&new, '+')).collect();
    format!("{table}{}", changes.join("\n"))
}

/// The finished points, after reading everything that belongs to them.
fn whole_points(file: &File, run: &RunInfo) -> hdf5::Result<Vec<usize>> {
    // Reads every value: chunks are checksummed, so that damage shows here and not in somebody's figure.
    digest::contents(file)?;
    let table = read::table(file)?;
    if !table.points.is_sorted_by(|a, b| a < b) || table.points.last().is_some_and(|&last| last >= run.n_points as u64) {
        return Err("the points are not in order".into());
    }
    match run.kind {
        StudyKind::Simulation => whole_details(file, run, &table)?,
        StudyKind::Hypercube => fault_sets::check(file, &table)?,
    }
    table.points.iter().map(|&p| usize::try_from(p).map_err(|_| "point out of range".into())).collect()
}

/// Checks that every finished point of a simulation has its details.
fn whole_details(file: &File, run: &RunInfo, table: &PointTable) -> hdf5::Result<()> {
    let details = file.group("points_detail")?;
    if details.len() != table.points.len() as u64 {
        return Err(format!("{} points, but details of {}", table.points.len(), details.len()).into());
    }
    for &point in &table.points {
        let group = details.group(&layout::point_name(point, run.n_points))?;
        if group.attr(layout::POINT)?.read_scalar::<u64>()? != point {
            return Err(format!("details of point {point} are those of another").into());
        }
        if let Some(name) = detail::ALWAYS.iter().find(|n| !group.link_exists(n)) {
            return Err(format!("point {point} has no {name}").into());
        }
        let network = text(&*group.attr("network")?)?;
        let n_channels: u64 = file.group(&network)?.attr("n_channels")?.read_scalar()?;
        if group.dataset("channel_utilization")?.size() as u64 != n_channels {
            return Err(format!("point {point} does not fit its network").into());
        }
    }
    Ok(())
}
