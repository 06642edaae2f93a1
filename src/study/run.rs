//! A whole study: every point of the sweep that is not finished yet, each made durable before the next begins.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use crate::config::{ConfigError, ConfigErrors, Study, TextFile};
use crate::error::Error;
use crate::output::PointTable;
use crate::study::ended::{join, split};
use crate::study::leader::{Leader, SIDE_BY_SIDE};
use crate::study::plan::{Job, Plan, LOAD};
use crate::study::{schema, Ended, Outcome, Point, Prepared, Room, Share, Stoppable, Team, Watcher};
use crate::transport::Group;

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
    let first = &plan.study().points[0];
    let (threads, side_by_side) = (first.int("runtime.threads") as usize, first.int(SIDE_BY_SIDE) as usize);
    team.check_threads(threads, side_by_side)?;
    let groups = team.groups(side_by_side);
    if team.rank() == 0 {
        Leader::new(request, team, (plan, prepared), (groups, threads), interrupted)?.run().map(Some)
    } else {
        let own = groups.into_iter().find(|g| (g.first..g.first + g.size).contains(&team.rank()));
        let group = own.ok_or_else(|| Error::Internal(format!("rank {} is in no group", team.rank())))?;
        follow(team, group, &plan, prepared, threads, interrupted)?;
        Ok(None)
    }
}

/// Rank 0 reads and checks the input; the others get its text, so that no two ranks can see different files. With it what
/// the check has prepared.
fn share_plan(request: &Request, team: &Team) -> Result<(Plan, Prepared), Error> {
    let room = team.room()?;
    if team.rank() == 0 {
        let plan = Plan::examined(match request.text {
            Some(text) => Study::examine(&request.input.to_string_lossy(), text, &request.sets, schema()),
            None => Study::examine_file(&request.input, &request.sets, schema()),
        })?;
        let prepared = check_all(&plan, team, room)?;
        let mut texts = vec![plan.study().to_toml(&[])];
        for (path, file) in plan.study().files() {
            texts.extend([path.to_string_lossy().into_owned(), file.text.to_string()]);
        }
        team.broadcast(join(&texts.iter().map(String::as_bytes).collect::<Vec<_>>()))?;
        return Ok((plan, prepared));
    }
    let texts = split(&team.broadcast(Vec::new())?)?;
    let mut texts = texts.iter().map(|text| String::from_utf8_lossy(text).into_owned());
    let toml = texts.next().unwrap_or_default();
    let study = Study::parse(&request.input.to_string_lossy(), &toml, &[], schema())?;
    while let (Some(name), Some(text)) = (texts.next(), texts.next()) {
        study.provide([(PathBuf::from(&name), TextFile { name, text: text.into() })]);
    }
    Ok((Plan::new(study), Prepared::default()))
}

/// Every fault of every point that takes a network to find, each once; else what was found on the way.
fn check_all(plan: &Plan, team: &Team, room: Option<Room>) -> Result<Prepared, ConfigErrors> {
    let mut faults = plan.faults();
    let share = share_of(plan, team.size() as u32).map_err(|e| faults.add_new(e.into())).unwrap_or(Share::ALONE);
    let mut prepared = Prepared::within(room, Some(share));
    let n_partitions = share.ranks * share.threads;
    for config in plan.samples() {
        if let Err(too_large) = prepared.fits(&config) {
            faults.add_first(too_large);
        } else if let Err(e) = prepared.checked(&config, n_partitions) {
            faults.add_new(e);
        }
    }
    if faults.0.is_empty() {
        Ok(prepared)
    } else {
        Err(faults)
    }
}

/// How many of `ranks` simulate a point together: all of them, or an equal share of them for each of the points side by side.
/// One process simulates all of these by itself.
///
/// # Errors
/// Ranks that cannot be shared equally.
pub fn share_of(plan: &Plan, ranks: u32) -> Result<Share, ConfigError> {
    let config = &plan.study().points[0];
    let [side_by_side, threads] = [SIDE_BY_SIDE, "runtime.threads"].map(|key| config.int(key) as u32);
    if ranks == 1 {
        return Ok(Share { ranks, threads, points: side_by_side.min(u32::try_from(plan.n_points()).unwrap_or(u32::MAX)) });
    }
    if ranks % side_by_side == 0 {
        return Ok(Share { ranks: ranks / side_by_side, threads, points: 1 });
    }
    let message = format!(
        "{side_by_side} points side by side cannot share {ranks} ranks equally; several ranks have to be a multiple of side_by_side"
    );
    Err(config.fault(SIDE_BY_SIDE, message))
}

/// What ranks other than 0 do: simulate the points that rank 0 names, until it names none, or ends the job.
fn follow(
    team: &Team,
    group: Group,
    plan: &Plan,
    mut prepared: Prepared,
    threads: usize,
    interrupted: &AtomicBool,
) -> Result<(), Error> {
    // The first rank of a group other than that of rank 0 passes on what comes from there, and sends back what was counted.
    let is_head = team.rank() == group.first;
    loop {
        let received = if is_head { team.receive(0, &|| false).unwrap_or_default() } else { Vec::new() };
        let bytes = team.broadcast_in(group, received)?;
        let Order { index, load } =
            bytemuck::try_pod_read_unaligned(&bytes).map_err(|_| Error::Internal("no index of a point".into()))?;
        if index == Order::LAST.index {
            return Ok(());
        }
        let config = plan.config(index as usize, load);
        let point = prepared.point(&config, (group.size * threads) as u32)?;
        match team.simulate_in(group, &point, threads, &Stoppable(interrupted)) {
            Ok(Some(ended)) => team.send(0, &ended.encode()?),
            Ok(None) => {}
            // Rank 0 hears of it, or was interrupted as well. It ends all ranks when it has written its summary: wait for that.
            Err(Error::Interrupted) if is_head => team.send(0, &[]),
            Err(Error::Interrupted) => {}
            Err(e) => return Err(e),
        }
    }
}

/// Has `group` simulate the point of `order`, which is `point`; only rank 0 does so.
///
/// # Errors
/// As those of a simulation.
pub(super) fn simulate_by(
    team: &Team,
    group: Group,
    order: &Order,
    point: &Point,
    threads: usize,
    watcher: &dyn Watcher,
) -> Result<Outcome, Error> {
    if group.first == 0 {
        team.broadcast_in(group, order.to_bytes())?;
        let ended = team.simulate_in(group, point, threads, watcher)?;
        return ended.ok_or_else(|| Error::Internal("rank 0 has no outcome".into()))?.outcome(point);
    }
    team.send(group.first, &order.to_bytes());
    match team.receive(group.first, &|| watcher.stops()) {
        Some(bytes) if !bytes.is_empty() => Ended::decode(point, &bytes)?.outcome(point),
        _ => Err(Error::Interrupted),
    }
}

/// Which point a group of ranks simulates next.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Order {
    /// Its index; `u64::MAX` at the end of the study.
    pub index: u64,
    /// Its load, for a search.
    pub load: f64,
}

impl Order {
    /// The order that says that there are no more points.
    const LAST: Order = Order { index: u64::MAX, load: 0.0 };

    /// The order to simulate the point of `job`.
    pub(super) fn of(job: &Job) -> Self {
        Order { index: job.index as u64, load: job.config.get_float(LOAD).unwrap_or(0.0) }
    }

    fn to_bytes(self) -> Vec<u8> {
        bytemuck::bytes_of(&self).to_vec()
    }

    /// Tells each of the groups that the study has ended.
    pub(super) fn end(team: &Team, groups: &[Group]) -> Result<(), Error> {
        for &group in groups {
            if group.first == 0 {
                team.broadcast_in(group, Order::LAST.to_bytes())?;
            } else {
                team.send(group.first, &Order::LAST.to_bytes());
            }
        }
        Ok(())
    }
}

/// Shows a table on stdout.
pub fn print_table(text: &str) {
    use std::io::Write;
    // A reader that has gone away, such as `head`, is no fault of the study.
    let _ = writeln!(std::io::stdout(), "{text}");
}
