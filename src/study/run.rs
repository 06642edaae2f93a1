//! A whole study: every point of the sweep that is not finished yet, each made durable before the next begins.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::config::{Config, ConfigErrors, Schema, Study, Value};
use crate::error::Error;
use crate::ids::Cycle;
use crate::output::{
    estimate_bytes, read_table, render_table, summary_path, write_summary, Axis, Coordinate, NetworkInfo, PointRecord,
    PointRuntime, PointTable, Progress, ProgressMode, RunInfo, Runtime, Store, StudyKind, Terms,
};
use crate::stats::Status;
use crate::study::{schema, Outcome, Prepared, Team, Watcher};
use crate::topology::Graph;

/// Tables of the input that change no result.
pub const VOLATILE_TABLES: &[&str] = &["runtime", "output"];

/// What `sfpdes INPUT` is asked to do.
#[derive(Clone, Debug)]
pub struct Request {
    /// The input file.
    pub input: PathBuf,
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
    /// The results file.
    pub results: PathBuf,
    /// The summary beside it.
    pub summary: PathBuf,
}

/// The folder and name of the results if the input names none.
#[must_use]
pub fn default_output(input: &Path) -> PathBuf {
    let name = input.file_stem().map_or_else(|| "results".into(), |s| s.to_string_lossy().into_owned());
    Path::new("results").join(format!("{name}.h5"))
}

/// Runs the study on the whole team; rank 0 gets what is finished.
///
/// # Errors
/// Faults of the input, before anything is written; I/O errors; [`Error::Stall`] after all points if one of them
/// stalled; [`Error::Interrupted`].
pub fn run(request: &Request, team: &Team, interrupted: &Arc<AtomicBool>) -> Result<Option<Finished>, Error> {
    let study = share_study(request, team)?;
    let first = &study.points[0];
    let threads = first.int("runtime.threads") as usize;
    team.check_threads(threads)?;
    if team.rank() == 0 {
        Leader::new(request, team, study, threads, interrupted)?.run().map(Some)
    } else {
        follow(team, &study, threads)?;
        Ok(None)
    }
}

/// Rank 0 reads and checks the input; the others get its text, so that no two ranks can see different files.
fn share_study(request: &Request, team: &Team) -> Result<Study, Error> {
    if team.rank() == 0 {
        let study = Study::load(&request.input, &request.sets, schema())?;
        check_all(&study, (team.size() * study.points[0].int("runtime.threads") as usize) as u32)?;
        team.broadcast(study.to_toml(&[]).into_bytes())?;
        return Ok(study);
    }
    let text = String::from_utf8_lossy(&team.broadcast(Vec::new())?).into_owned();
    Ok(Study::parse(&request.input.to_string_lossy(), &text, &[], schema())?)
}

/// Every fault of every point that takes a network to find, each once.
fn check_all(study: &Study, n_partitions: u32) -> Result<(), ConfigErrors> {
    let mut prepared = Prepared::default();
    let mut faults = ConfigErrors::default();
    for config in &study.points {
        if let Err(e) = prepared.checked(config, n_partitions) {
            faults.add_new(e);
        }
    }
    if faults.0.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

/// What ranks other than 0 do: simulate the points that rank 0 names, until it names none.
fn follow(team: &Team, study: &Study, threads: usize) -> Result<(), Error> {
    let mut prepared = Prepared::default();
    loop {
        let bytes = team.broadcast(Vec::new())?;
        let index = u64::from_le_bytes(bytes.try_into().map_err(|_| Error::Internal("no index of a point".into()))?);
        if index == u64::MAX {
            return Ok(());
        }
        let point = prepared.point(&study.points[index as usize], (team.size() * threads) as u32)?;
        team.simulate(&point, threads, &crate::study::Unwatched)?;
    }
}

struct Leader<'a> {
    team: &'a Team,
    study: Study,
    threads: usize,
    store: Store,
    finished: Vec<usize>,
    progress: Mutex<Progress>,
    interrupted: &'a Arc<AtomicBool>,
    prepared: Prepared,
    network: Option<(Arc<Graph>, NetworkInfo)>,
    stalls: Vec<String>,
}

impl<'a> Leader<'a> {
    fn new(
        request: &Request,
        team: &'a Team,
        study: Study,
        threads: usize,
        interrupted: &'a Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let config = &study.points[0];
        let mut prepared = Prepared::default();
        let graph = prepared.graph(config)?;
        let run = run_info(&study);
        let runtime = runtime(request, team, config.text("runtime.partitioner"), threads);
        let path = config.get_path("output.file").unwrap_or_else(|| default_output(&request.input));
        let num_vcs = config.int("router.num_vcs") as usize;
        let bytes = estimate_bytes(run.n_points, graph.n_channels(), num_vcs, graph.n_endpoints() as usize);
        let (store, finished) = Store::create_or_resume(&path, &run, &runtime, bytes)?;
        let progress = Progress::new(progress_mode(config), Terms::SIMULATION, run.n_points, finished.len());
        Ok(Self {
            team,
            study,
            threads,
            store,
            finished,
            progress: Mutex::new(progress),
            interrupted,
            prepared,
            network: None,
            stalls: Vec::new(),
        })
    }

    fn run(mut self) -> Result<Finished, Error> {
        if !self.finished.is_empty() {
            log::info!("{}: {} points are finished already", self.store.path().display(), self.finished.len());
        }
        let todo: Vec<usize> = (0..self.study.points.len()).filter(|i| !self.finished.contains(i)).collect();
        for index in todo {
            if self.interrupted.load(Ordering::Relaxed) {
                return self.end(Some(Error::Interrupted));
            }
            self.team.broadcast((index as u64).to_le_bytes().to_vec())?;
            match self.point(index) {
                Err(Error::Interrupted) => return self.end(Some(Error::Interrupted)),
                result => result?,
            }
        }
        self.team.broadcast(u64::MAX.to_le_bytes().to_vec())?;
        let stall = (!self.stalls.is_empty()).then(|| Error::Stall(self.stalls.join("\n")));
        self.end(stall)
    }

    fn point(&mut self, index: usize) -> Result<(), Error> {
        let started = Instant::now();
        let config = self.study.points[index].clone();
        let point = self.prepared.point(&config, (self.team.size() * self.threads) as u32)?;
        let label = label(&config);
        self.progress().point(&label, point.rules.longest());
        if let Some(lookahead) = point.layout.lookahead {
            log::info!("lookahead {lookahead} cycles over {} cut channels", point.layout.cut_channels);
        }
        let watcher = Reporting { progress: &self.progress, interrupted: self.interrupted, hops: Mutex::new(0) };
        let outcome = self.team.simulate(&point, self.threads, &watcher)?;
        let Outcome { report, stuck, windows } = outcome.expect("rank 0 has the outcome");
        if report.status == Status::Stalled {
            self.stalls.push(format!(
                "{label}: no flit moved for {} cycles with packets in the network; those that wait longest:\n  {}",
                point.rules.stall_cycles,
                stuck.join("\n  ")
            ));
        }
        let runtime = PointRuntime {
            wall_seconds: started.elapsed().as_secs_f64(),
            lookahead: point.layout.lookahead.unwrap_or(0),
            windows,
        };
        let record = PointRecord {
            index,
            coordinates: config.coordinates().map(|(_, v)| coordinate(v)).collect(),
            config_toml: config.to_toml(VOLATILE_TABLES),
            report,
            runtime,
        };
        let network = self.network_info(&config, &point.graph);
        self.store.add(&record, &network)
    }

    fn network_info(&mut self, config: &Config, graph: &Arc<Graph>) -> NetworkInfo {
        match &self.network {
            Some((have, info)) if Arc::ptr_eq(have, graph) => info.clone(),
            _ => {
                let info = NetworkInfo::new(config.text("network.topology"), graph);
                self.network = Some((graph.clone(), info.clone()));
                info
            }
        }
    }

    fn progress(&self) -> std::sync::MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the summary of what is finished, whatever ended the study.
    fn end(self, error: Option<Error>) -> Result<Finished, Error> {
        self.progress().finish();
        let results = self.store.path().to_path_buf();
        let table = read_table(&results)?;
        let summary = summary_path(&results);
        write_summary(&summary, &table)?;
        match error {
            Some(e) => {
                print_table(&table);
                Err(e)
            }
            None => Ok(Finished { table, results, summary }),
        }
    }
}

/// Shows the table on stdout.
pub fn print_table(table: &PointTable) {
    use std::io::{IsTerminal, Write};
    let text = render_table(table, !std::io::stdout().is_terminal());
    // A reader that has gone away, such as `head`, is no fault of the study.
    let _ = writeln!(std::io::stdout(), "{text}");
}

struct Reporting<'a> {
    progress: &'a Mutex<Progress>,
    interrupted: &'a AtomicBool,
    hops: Mutex<u64>,
}

impl Watcher for Reporting<'_> {
    fn sampled(&self, cycle: Cycle, flit_hops: u64) -> bool {
        let mut hops = self.hops.lock().unwrap_or_else(PoisonError::into_inner);
        *hops += flit_hops;
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).advance(cycle, *hops);
        !self.interrupted.load(Ordering::Relaxed)
    }
}

/// How progress is shown, by `[runtime]`.
pub(super) fn progress_mode(config: &Config) -> ProgressMode {
    let period = Duration::from_secs(config.int("runtime.progress_seconds") as u64);
    match config.text("runtime.progress") {
        "off" => ProgressMode::Off,
        "lines" => ProgressMode::Lines(period),
        _ => ProgressMode::auto(period),
    }
}

fn label(config: &Config) -> String {
    let list: Vec<String> = config.coordinates().map(|(key, value)| format!("{key} = {value}")).collect();
    if list.is_empty() {
        "the only point".into()
    } else {
        list.join(", ")
    }
}

/// A value of a swept key, for the results file.
pub(super) fn coordinate(value: &Value) -> Coordinate {
    match value {
        Value::Int(v) => Coordinate::Int(*v),
        Value::Float(v) => Coordinate::Float(*v),
        Value::Text(v) => Coordinate::Text(v.clone()),
        other => Coordinate::Text(other.to_string()),
    }
}

/// A swept key with its values, for the results file.
pub(super) fn axis(schema: &Schema, key: &str, values: &[Value]) -> Axis {
    let definition = schema.get(key).expect("swept keys are in the schema");
    let numbers = values.iter().all(|v| matches!(v, Value::Int(_) | Value::Float(_)));
    Axis {
        name: key.to_string(),
        unit: if definition.unit.is_empty() && numbers { "1".into() } else { definition.unit.to_string() },
        long_name: definition.doc.clone(),
        values: values.iter().map(coordinate).collect(),
    }
}

fn run_info(study: &Study) -> RunInfo {
    let axes = study.axes.iter().map(|(key, values)| axis(schema(), key, values));
    RunInfo {
        kind: StudyKind::Simulation,
        config_toml: study.to_toml(VOLATILE_TABLES),
        seed: study.points[0].int("simulation.seed") as u64,
        version: env!("CARGO_PKG_VERSION").to_string(),
        axes: axes.collect(),
        n_points: study.points.len(),
    }
}

/// This run of the program, for the record; `partitioner` is how the work is dealt.
pub(super) fn runtime(request: &Request, team: &Team, partitioner: &str, threads: usize) -> Runtime {
    Runtime {
        started: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
        host: std::fs::read_to_string("/proc/sys/kernel/hostname").map(|h| h.trim().to_string()).unwrap_or_default(),
        git: option_env!("SFPDES_GIT").unwrap_or("unknown").to_string(),
        command: request.command.clone(),
        transport: team.transport(threads).to_string(),
        partitioner: partitioner.to_string(),
        ranks: team.size() as u32,
        threads: threads as u32,
    }
}
