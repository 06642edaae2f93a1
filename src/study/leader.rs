//! Rank 0 of a study: names the points, keeps what they gave, each durable before the next is begun, and ends the study.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::config::{Config, Schema, Study, Value};
use crate::error::Error;
use crate::ids::Cycle;
use crate::output::{
    estimate_bytes, read_table, render_search, render_table, stdout_width, summary_path, write_search_summary, write_summary,
    Axis, Coordinate, NetworkInfo, PointRecord, PointRuntime, Progress, ProgressMode, RunInfo, Runtime, Store, StudyKind, Terms,
};
use crate::stats::Status;
use crate::study::plan::{Done, Job, Plan, LOAD};
use crate::study::run::{simulate_by, Finished, Order, Request, VOLATILE_TABLES};
use crate::study::saturation;
use crate::study::search::Probe;
use crate::study::{schema, Outcome, Point, Prepared, Team, Watcher};
use crate::topology::Graph;
use crate::transport::Group;

/// Points that are simulated at the same time.
pub(super) const SIDE_BY_SIDE: &str = "runtime.side_by_side";

/// Rank 0 and what it knows.
pub(super) struct Leader<'a> {
    team: &'a Team,
    plan: Plan,
    /// The ranks of each point that is simulated at the same time as others.
    groups: Vec<Group>,
    threads: usize,
    store: Store,
    finished: Vec<usize>,
    progress: Arc<Mutex<Progress>>,
    interrupted: &'a Arc<AtomicBool>,
    prepared: Prepared,
    network: Option<(Arc<Graph>, NetworkInfo)>,
    stalls: Vec<String>,
}

impl<'a> Leader<'a> {
    pub(super) fn new(
        request: &Request,
        team: &'a Team,
        (plan, mut prepared): (Plan, Prepared),
        (groups, threads): (Vec<Group>, usize),
        interrupted: &'a Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let config = plan.study().points[0].clone();
        let graph = prepared.graph(&config)?;
        let run = run_info(&plan);
        let runtime = runtime(request, team, config.text("runtime.partitioner"), threads);
        let path = config.get_path("output.file").unwrap_or_else(|| default_output(&request.input));
        let num_vcs = config.int("router.num_vcs") as usize;
        // The shortest record of a list is `0,0,1,1` and its end of line.
        let n_messages = plan.study().files().iter().map(|(_, file)| file.text.len() / 8).sum();
        let bytes = estimate_bytes(run.n_points, graph.n_channels(), num_vcs, graph.n_endpoints() as usize, n_messages);
        let (store, finished) = Store::create_or_resume(&path, &run, &runtime, bytes)?;
        let progress =
            Arc::new(Mutex::new(Progress::new(progress_mode(&config), Terms::SIMULATION, run.n_points, finished.len())));
        Ok(Self {
            team,
            plan,
            groups,
            threads,
            store,
            finished,
            progress,
            interrupted,
            prepared,
            network: None,
            stalls: Vec::new(),
        })
    }

    pub(super) fn run(mut self) -> Result<Finished, Error> {
        if !self.finished.is_empty() {
            log::info!("{}: {} points are finished already", self.store.path().display(), self.finished.len());
        }
        let mut done = self.known()?;
        loop {
            let jobs = self.plan.ready(&done);
            if jobs.is_empty() {
                break;
            }
            // An MPI library may want to hear of the main thread only, so there is no other if none is needed.
            let one_by_one = self.team.size() > 1 && self.groups.len() == 1;
            let simulated = if one_by_one { self.in_turn(jobs, &mut done) } else { self.at_the_same_time(jobs, &mut done) };
            match simulated {
                Err(Error::Interrupted) => return self.end(Some(Error::Interrupted)),
                result => result?,
            }
        }
        Order::end(self.team, &self.groups)?;
        let stall = (!self.stalls.is_empty()).then(|| Error::Stall(self.stalls.join("\n")));
        self.end(stall)
    }

    /// What earlier runs found out.
    fn known(&self) -> Result<Done, Error> {
        if self.finished.is_empty() {
            return Ok(Done::new());
        }
        Ok(saturation::probes(&read_table(self.store.path())?))
    }

    /// One point after the other, each by all ranks.
    fn in_turn(&mut self, jobs: Vec<Job>, done: &mut Done) -> Result<(), Error> {
        for job in jobs {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let started = Instant::now();
            let (point, watcher) = self.begin(&job, &Arc::default())?;
            let outcome = simulate_by(self.team, self.groups[0], &Order::of(&job), &point, self.threads, &watcher)?;
            self.keep(&job, &point, started, outcome, done)?;
        }
        Ok(())
    }

    /// As many points at the same time as asked for, each by its own threads, and its own ranks where there are several.
    fn at_the_same_time(&mut self, jobs: Vec<Job>, done: &mut Done) -> Result<(), Error> {
        let failed = Arc::new(AtomicBool::new(false));
        let (send, receive) = mpsc::channel();
        let mut jobs = jobs.into_iter();
        let (team, threads) = (self.team, self.threads);
        let mut idle = self.groups.clone();
        let mut error = None;
        std::thread::scope(|scope| loop {
            while !idle.is_empty() && error.is_none() && !self.interrupted.load(Ordering::Relaxed) {
                let Some(job) = jobs.next() else { break };
                let group = idle.remove(0);
                let started = Instant::now();
                match self.begin(&job, &failed) {
                    Ok((point, watcher)) => {
                        let send = send.clone();
                        scope.spawn(move || {
                            let work = || simulate_by(team, group, &Order::of(&job), &point, threads, &watcher);
                            let outcome = catch_unwind(AssertUnwindSafe(work))
                                .unwrap_or_else(|_| Err(Error::Internal("a thread of the simulation panicked".into())));
                            // The leader waits for every point that it began.
                            let _ = send.send((job, point, started, group, outcome));
                        });
                    }
                    Err(e) => {
                        idle.push(group);
                        error = Some(e);
                    }
                }
            }
            if idle.len() == self.groups.len() {
                break;
            }
            let (job, point, started, group, outcome) = receive.recv().expect("every point that was begun reports its end");
            idle.push(group);
            if let Err(e) = outcome.and_then(|o| self.keep(&job, &point, started, o, done)) {
                failed.store(true, Ordering::Relaxed);
                // The others then end as interrupted, which explains nothing.
                if !matches!(error, Some(ref known) if !matches!(known, Error::Interrupted)) {
                    error = Some(e);
                }
            }
        });
        match error {
            Some(e) => Err(e),
            None if jobs.len() > 0 => Err(Error::Interrupted),
            None => Ok(()),
        }
    }

    /// Makes a point ready, and shows that it is begun.
    fn begin(&mut self, job: &Job, failed: &Arc<AtomicBool>) -> Result<(Point, Reporting), Error> {
        let point = self.prepared.point(&job.config, (self.groups[0].size * self.threads) as u32)?;
        lock(&self.progress).point(job.index, &self.label(&job.config), point.rules.longest());
        if let Some(lookahead) = point.layout.lookahead {
            log::info!("lookahead {lookahead} cycles over {} cut channels", point.layout.cut_channels);
        }
        let watcher = Reporting {
            index: job.index,
            progress: self.progress.clone(),
            interrupted: self.interrupted.clone(),
            failed: failed.clone(),
            hops: Mutex::new(0),
        };
        Ok((point, watcher))
    }

    /// Adds a finished point to the results.
    fn keep(&mut self, job: &Job, point: &Point, started: Instant, outcome: Outcome, done: &mut Done) -> Result<(), Error> {
        let Outcome { report, stuck, cycle, windows } = outcome;
        lock(&self.progress).done(job.index);
        if report.status == Status::Stalled {
            let cycle = cycle.map_or_else(String::new, |cycle| format!("\n  a cycle of channels: {cycle}"));
            self.stalls.push(format!(
                "{}: no flit moved for {} cycles with packets in the network; those that wait longest:\n  {}{cycle}",
                self.label(&job.config),
                point.rules.stall_cycles,
                stuck.join("\n  ")
            ));
        }
        let load = job.config.get_float(LOAD).unwrap_or(0.0);
        done.insert(job.index, Probe { load, carried: saturation::is_carried(report.status.name()) });
        let runtime = PointRuntime {
            wall_seconds: started.elapsed().as_secs_f64(),
            lookahead: point.layout.lookahead.unwrap_or(0),
            windows,
        };
        let record = PointRecord {
            index: job.index,
            coordinates: self.coordinates(&job.config).into_iter().map(|(_, v)| v).collect(),
            config_toml: job.config.to_toml(VOLATILE_TABLES),
            deadlock: self.prepared.evidence(&job.config)?.to_string(),
            report,
            runtime,
        };
        let network = self.network_info(&job.config, &point.graph);
        self.store.add(&record, &network)
    }

    /// What tells a point from the others: the swept keys, and in a search the load.
    fn coordinates(&self, config: &Config) -> Vec<(&'static str, Coordinate)> {
        let mut list: Vec<_> = config.coordinates().map(|(key, value)| (key, coordinate(value))).collect();
        if self.plan.search().is_some() {
            list.push((LOAD, Coordinate::Float(config.float(LOAD))));
        }
        list
    }

    fn label(&self, config: &Config) -> String {
        let list: Vec<String> = self.coordinates(config).into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
        if list.is_empty() {
            "the only point".into()
        } else {
            list.join(", ")
        }
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

    /// Writes the summary of what is finished, whatever ended the study.
    fn end(self, error: Option<Error>) -> Result<Finished, Error> {
        lock(&self.progress).finish();
        let results = self.store.path().to_path_buf();
        let table = read_table(&results)?;
        let summary = summary_path(&results);
        write_summary(&summary, &table)?;
        let width = stdout_width();
        let whole = !matches!(error, Some(Error::Interrupted));
        let shown = match self.plan.search() {
            Some(search) if whole => {
                let found = saturation::table(&table, self.plan.per_combination());
                self.store.write_search(&found)?;
                write_search_summary(&results, &found)?;
                render_search(&found, search.tolerance, width)
            }
            _ => render_table(&table, width),
        };
        match error {
            Some(e) => {
                crate::study::print_table(&shown);
                Err(e)
            }
            None => Ok(Finished { table, shown, results, summary }),
        }
    }
}

fn lock(progress: &Mutex<Progress>) -> std::sync::MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes on how far a point is, and ends it when the study ends.
struct Reporting {
    index: usize,
    progress: Arc<Mutex<Progress>>,
    interrupted: Arc<AtomicBool>,
    /// Another point of the study failed.
    failed: Arc<AtomicBool>,
    hops: Mutex<u64>,
}

impl Watcher for Reporting {
    fn sampled(&self, cycle: Cycle, flit_hops: u64) -> bool {
        let mut hops = self.hops.lock().unwrap_or_else(PoisonError::into_inner);
        *hops += flit_hops;
        lock(&self.progress).advance(self.index, cycle, *hops);
        !self.stops()
    }

    fn stops(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }
}

/// The folder and name of the results if the input names none.
#[must_use]
pub fn default_output(input: &Path) -> PathBuf {
    let name = input.file_stem().map_or_else(|| "results".into(), |s| s.to_string_lossy().into_owned());
    Path::new("results").join(format!("{name}.h5"))
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

/// A value of a swept key, for the results file.
pub(super) fn coordinate(value: &Value) -> Coordinate {
    match value {
        Value::Int(v) => Coordinate::Int(*v),
        Value::Float(v) => Coordinate::Float(*v),
        Value::Text(v) => Coordinate::Text(v.clone()),
        other => Coordinate::Text(other.to_string()),
    }
}

/// The axis of key `path` of `schema` with `values`.
pub(super) fn axis(schema: &Schema, path: &str, values: Vec<Coordinate>) -> Axis {
    let definition = schema.get(path).expect("swept keys are in the schema");
    let number = values.iter().all(|v| matches!(v, Coordinate::Int(_) | Coordinate::Float(_)));
    Axis {
        name: path.to_string(),
        unit: if definition.unit.is_empty() && number { "1".into() } else { definition.unit.to_string() },
        long_name: definition.doc.clone(),
        values,
    }
}

fn run_info(plan: &Plan) -> RunInfo {
    let study: &Study = plan.study();
    let mut axes: Vec<Axis> =
        study.axes.iter().map(|(key, values)| axis(schema(), key, values.iter().map(coordinate).collect())).collect();
    if let Some(search) = plan.search() {
        axes.push(axis(schema(), LOAD, vec![Coordinate::Float(search.highest)]));
    }
    RunInfo {
        kind: StudyKind::Simulation,
        config_toml: study.to_toml(VOLATILE_TABLES) + &study.file_notes(),
        seed: study.points[0].int("simulation.seed") as u64,
        version: env!("CARGO_PKG_VERSION").to_string(),
        axes,
        n_points: plan.n_points(),
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
