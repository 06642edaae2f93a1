//! A whole study: every point of the sweep that is not finished yet, each made durable before the next begins.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use crate::config::{ConfigErrors, Study, TextFile};
use crate::error::Error;
use crate::output::PointTable;
use crate::study::leader::{Leader, SIDE_BY_SIDE};
use crate::study::plan::Plan;
use crate::study::{schema, Prepared, Stoppable, Team};

/// Tables of the input that change no result.
pub const VOLATILE_TABLES: &[&str] = &["runtime", "output"];

/// What `sfpdes INPUT` is asked to do.
#[derive(Clone, Debug)]
pub struct Request {
    /// The input file.
    pub input: PathBuf,
    /// Its text, if it is part of the program and not a file.
    pub text: Option<&'static str>,
    /// `key=value` texts.
    pub sets: Vec<String>,
    /// The command line, for the record.
    pub command: String,
}

/// What a finished study leaves behind, on rank 0.
#[derive(Debug)]
pub struct Finished {
    /// Every point.
    pub table: PointTable,
    /// The result as text, for stdout.
    pub shown: String,
    /// The results file.
    pub results: PathBuf,
    /// The summary beside it.
    pub summary: PathBuf,
}

/// Runs the study on the whole team; rank 0 gets what is finished.
///
/// # Errors
/// Faults of the input, before anything is written; I/O errors; [`Error::Stall`] after all points if one of them
/// stalled; [`Error::Interrupted`].
pub fn run(request: &Request, team: &Team, interrupted: &Arc<AtomicBool>) -> Result<Option<Finished>, Error> {
    let (plan, prepared) = share_plan(request, team)?;
    let threads = plan.study().points[0].int("runtime.threads") as usize;
    team.check_threads(threads)?;
    if team.rank() == 0 {
        Leader::new(request, team, (plan, prepared), threads, interrupted)?.run().map(Some)
    } else {
        follow(team, &plan, prepared, threads, interrupted)?;
        Ok(None)
    }
}

/// Rank 0 reads and checks the input; the others get its text, so that no two ranks can see different files. With it what
/// the check has prepared.
fn share_plan(request: &Request, team: &Team) -> Result<(Plan, Prepared), Error> {
    if team.rank() == 0 {
        let plan = Plan::examined(match request.text {
            Some(text) => Study::examine(&request.input.to_string_lossy(), text, &request.sets, schema()),
            None => Study::examine_file(&request.input, &request.sets, schema()),
        })?;
        let prepared = check_all(&plan, team)?;
        let mut texts = vec![plan.study().to_toml(&[])];
        for (path, file) in plan.study().files() {
            texts.extend([path.to_string_lossy().into_owned(), file.text.to_string()]);
        }
        team.broadcast(join(&texts))?;
        return Ok((plan, prepared));
    }
    let mut texts = split(&team.broadcast(Vec::new())?)?.into_iter();
    let toml = texts.next().unwrap_or_default();
    let study = Study::parse(&request.input.to_string_lossy(), &toml, &[], schema())?;
    while let (Some(name), Some(text)) = (texts.next(), texts.next()) {
        study.provide([(PathBuf::from(&name), TextFile { name, text: text.into() })]);
    }
    Ok((Plan::new(study), Prepared::default()))
}

/// Texts as bytes, for [`split`].
fn join(texts: &[String]) -> Vec<u8> {
    let framed = texts.iter().flat_map(|text| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat());
    framed.collect()
}

/// The texts that [`join`] joined.
fn split(mut bytes: &[u8]) -> Result<Vec<String>, Error> {
    let mut texts = Vec::new();
    let cut = || Error::Internal("the study came cut short".into());
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(cut)?;
        let (text, rest) = rest.split_at_checked(u64::from_le_bytes(*length) as usize).ok_or_else(cut)?;
        texts.push(String::from_utf8_lossy(text).into_owned());
        bytes = rest;
    }
    Ok(texts)
}

/// Every fault of every point that takes a network to find, each once; else what was found on the way.
fn check_all(plan: &Plan, team: &Team) -> Result<Prepared, ConfigErrors> {
    let first = &plan.study().points[0];
    let n_partitions = (team.size() * first.int("runtime.threads") as usize) as u32;
    let mut prepared = Prepared::default();
    let mut faults = plan.faults();
    if team.size() > 1 && first.int(SIDE_BY_SIDE) > 1 {
        faults.add_new(
            first
                .fault(
                    SIDE_BY_SIDE,
                    format!("points run side by side in one process only; here {} ranks share each", team.size()),
                )
                .into(),
        );
    }
    for config in plan.samples() {
        if let Err(e) = prepared.checked(&config, n_partitions) {
            faults.add_new(e);
        }
    }
    if faults.0.is_empty() {
        Ok(prepared)
    } else {
        Err(faults)
    }
}

/// What ranks other than 0 do: simulate the points that rank 0 names, until it names none, or ends the job.
fn follow(team: &Team, plan: &Plan, mut prepared: Prepared, threads: usize, interrupted: &AtomicBool) -> Result<(), Error> {
    loop {
        let bytes = team.broadcast(Vec::new())?;
        let Order { index, load } =
            bytemuck::try_pod_read_unaligned(&bytes).map_err(|_| Error::Internal("no index of a point".into()))?;
        if index == u64::MAX {
            return Ok(());
        }
        let config = plan.config(index as usize, load);
        let point = prepared.point(&config, (team.size() * threads) as u32)?;
        match team.simulate(&point, threads, &Stoppable(interrupted)) {
            // Rank 0 was interrupted as well: it ends all ranks when it has written its summary, so wait for it.
            Err(Error::Interrupted) => {}
            result => drop(result?),
        }
    }
}

/// Which point all ranks simulate next.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Order {
    /// Its index; `u64::MAX` at the end of the study.
    pub index: u64,
    /// Its load, for a search.
    pub load: f64,
}

/// Shows a table on stdout.
pub fn print_table(text: &str) {
    use std::io::Write;
    // A reader that has gone away, such as `head`, is no fault of the study.
    let _ = writeln!(std::io::stdout(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_where_they_were_joined() {
        let texts = ["", "one\n", "Fly \u{e9}", ""].map(String::from);
        assert_eq!(split(&join(&texts)).expect("whole"), texts);
        let whole = join(&texts);
        for length in [5, 17, 30] {
            assert!(matches!(split(&whole[..length]), Err(Error::Internal(_))), "cut after {length} bytes");
        }
    }
}
