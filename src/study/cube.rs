//! A hypercube study: every cell that is not finished yet, its fault sets split over ranks and threads, each cell made
//! durable before the next begins.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::config::{ConfigErrors, Flawed, Study as Input};
use crate::error::Error;
use crate::hypercube::{report, CellSummary, CubeError, Reference, ReportedStudy, SetResult};
use crate::output::{estimate_cell_bytes, read_table, summary_path, write_summary, CellRecord, Progress, RunInfo, Store, Terms};
use crate::study::cube_plan::{self, CellPlace, Plan};
use crate::study::leader::{default_output, progress_mode, runtime};
use crate::study::{cube_schema, Request, Team};

/// Time that all fault sets of a batch are to take: after each the leader looks for signals and shows progress.
const BATCH: Duration = Duration::from_millis(300);

/// Most fault sets of a batch: their results travel in one message.
const MAX_BATCH: u64 = 1 << 14;

/// What a finished study leaves behind, on rank 0.
#[derive(Debug)]
pub struct FinishedCube {
    /// The tables, for stdout.
    pub text: String,
    /// The results file.
    pub results: PathBuf,
    /// The summary beside it.
    pub summary: PathBuf,
    /// Why the study ended before its last cell, if it did; what is finished is saved.
    pub ended_by: Option<Error>,
}

/// Runs the study on the whole team; rank 0 gets what is finished, also if a signal ends it.
///
/// # Errors
/// Faults of the input, before anything is written; I/O errors.
pub fn run(request: &Request, team: &Team, interrupted: &Arc<AtomicBool>) -> Result<Option<FinishedCube>, Error> {
    let (plan, reference) = share(request, team)?;
    let threads = plan.config().int("runtime.threads") as usize;
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Error::Internal(format!("cannot start {threads} threads: {e}")))?;
    let worker = Worker { team, plan, pool };
    if team.rank() == 0 {
        Leader::new(request, worker, reference, threads, interrupted)?.run().map(Some)
    } else {
        worker.follow()?;
        Ok(None)
    }
}

/// Rank 0 reads and checks the input; the others get its text, so that no two ranks can see different files.
fn share(request: &Request, team: &Team) -> Result<(Plan, Option<Reference>), Error> {
    if team.rank() == 0 {
        let (input, mut faults) = match Input::examine_file(&request.input, &request.sets, cube_schema()) {
            Ok(input) => (input, ConfigErrors::default()),
            // What hangs on values that are known is told together with the faults of the keys.
            Err(Flawed { faults, rest: Some(input) }) if input.points[0].is_sound(&cube_schema().tables()) => (input, faults),
            Err(Flawed { faults, .. }) => return Err(faults.into()),
        };
        let text = input.to_toml(&[]);
        let reference = cube_plan::reference(&input.points[0]).map_err(|e| faults.add_new(e)).ok();
        let plan = Plan::new(input).map_err(|e| faults.add_new(e)).ok();
        return match (plan, reference) {
            (Some(plan), Some(reference)) if faults.0.is_empty() => {
                team.broadcast(text.into_bytes())?;
                Ok((plan, reference))
            }
            _ => Err(faults.into()),
        };
    }
    let text = String::from_utf8_lossy(&team.broadcast(Vec::new())?).into_owned();
    let input = Input::parse(&request.input.to_string_lossy(), &text, &[], cube_schema())?;
    Ok((Plan::new(input)?, None))
}

/// Fault sets to compute, as rank 0 names them to all: a study, and the numbers of the first and behind the last one.
struct Batch {
    study: usize,
    first: u64,
    end: u64,
}

impl Batch {
    /// The batch that says that there is no more.
    const LAST: Batch = Batch { study: 0, first: 0, end: 0 };

    fn to_bytes(&self) -> Vec<u8> {
        [self.study as u64, self.first, self.end].iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        match words(bytes)[..] {
            [study, first, end] => Ok(Self { study: study as usize, first, end }),
            _ => Err(Error::Internal("no batch of fault sets".into())),
        }
    }
}

/// Bytes as the words that they were made of.
fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|word| word.iter().rev().fold(0, |w, &byte| w << 8 | u64::from(byte))).collect()
}

/// This rank's share of the work.
struct Worker<'a> {
    team: &'a Team,
    plan: Plan,
    pool: ThreadPool,
}

impl Worker<'_> {
    /// Computes this rank's part of the batch. Rank 0 gets the whole of it, in order.
    fn compute(&self, batch: &Batch) -> Result<Vec<SetResult>, Error> {
        let (rank, size) = (self.team.rank() as u64, self.team.size() as u64);
        let study = &self.plan.studies[batch.study];
        let at = |rank: u64| batch.first + (batch.end - batch.first) * rank / size;
        let part = self.pool.install(|| study.run_sets(at(rank)..at(rank + 1))).map_err(|e| internal(&e))?;
        let bytes = study.pack(&part).iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut all = Vec::new();
        for part in self.team.gather(bytes)? {
            all.extend(study.unpack(&words(&part)).map_err(|e| internal(&e))?);
        }
        Ok(all)
    }

    /// What ranks other than 0 do: compute their part of each batch, until there is none.
    fn follow(&self) -> Result<(), Error> {
        loop {
            let batch = Batch::from_bytes(&self.team.broadcast(Vec::new())?)?;
            if batch.first == batch.end {
                return Ok(());
            }
            self.compute(&batch)?;
        }
    }
}

/// The study was checked before it began.
fn internal(error: &CubeError) -> Error {
    Error::Internal(error.to_string())
}

struct Leader<'a> {
    worker: Worker<'a>,
    reference: Option<Reference>,
    store: Store,
    run: RunInfo,
    /// By cell of the plan.
    summaries: Vec<Option<CellSummary>>,
    progress: Progress,
    interrupted: &'a Arc<AtomicBool>,
    /// Fault sets of the next batch.
    batch: u64,
    workers: u64,
}

impl<'a> Leader<'a> {
    fn new(
        request: &Request,
        worker: Worker<'a>,
        reference: Option<Reference>,
        threads: usize,
        interrupted: &'a Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let plan = &worker.plan;
        let run = plan.run_info();
        let runtime = runtime(request, worker.team, "fault sets", threads);
        let path = plan.config().get_path("output.file").unwrap_or_else(|| default_output(&request.input));
        let cell_bytes = |place: &CellPlace| {
            let params = plan.studies[place.study].params();
            estimate_cell_bytes(params.columns.len(), params.sets as usize)
        };
        let (store, _) = Store::create_or_resume(&path, &run, &runtime, plan.cells.iter().map(cell_bytes).sum())?;
        let mut summaries = vec![None; plan.cells.len()];
        let mut resumed = 0;
        for (index, results) in store.fault_sets()? {
            let place = plan.cells.get(index);
            let fits = |p: &&CellPlace| results.len() == plan.studies[p.study].params().sets as usize;
            let place = place.filter(fits).ok_or_else(|| Error::io(&path, format!("cell {index} is not of this study")))?;
            let cell = &plan.studies[place.study].params().cells[place.cell as usize];
            summaries[index] = Some(CellSummary::of(cell, &results));
            resumed += 1;
        }
        let progress = Progress::new(progress_mode(plan.config()), Terms::HYPERCUBE, plan.cells.len(), resumed);
        let workers = (worker.team.size() * threads) as u64;
        Ok(Self { worker, reference, store, run, summaries, progress, interrupted, batch: workers, workers })
    }

    fn run(mut self) -> Result<FinishedCube, Error> {
        for index in 0..self.summaries.len() {
            if self.summaries[index].is_some() {
                continue;
            }
            match self.cell(index) {
                Err(Error::Interrupted) => return self.end(Some(Error::Interrupted)),
                result => result?,
            }
        }
        self.worker.team.broadcast(Batch::LAST.to_bytes())?;
        self.end(None)
    }

    /// Computes a cell and makes it durable.
    fn cell(&mut self, index: usize) -> Result<(), Error> {
        let started = Instant::now();
        let place = self.worker.plan.cells[index];
        let study = &self.worker.plan.studies[place.study];
        let sets = u64::from(study.params().sets);
        let cell = study.params().cells[place.cell as usize].clone();
        let first = u64::from(place.cell) * sets;
        self.progress.point(index, &self.worker.plan.label(place), sets);
        let (mut results, mut pairs) = (Vec::with_capacity(sets as usize), 0);
        while (results.len() as u64) < sets {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let done = results.len() as u64;
            let batch = Batch { study: place.study, first: first + done, end: first + sets.min(done + self.batch) };
            let begun = Instant::now();
            self.worker.team.broadcast(batch.to_bytes())?;
            let more = self.worker.compute(&batch)?;
            pairs += more.iter().map(|r| r.pairs).sum::<u64>();
            results.extend(more);
            self.progress.advance(index, results.len() as u64, pairs);
            self.choose_batch(begun.elapsed());
        }
        let summary = CellSummary::of(&cell, &results);
        let record = CellRecord {
            cell: index,
            first_point: place.first_point,
            coordinates: self.worker.plan.coordinates(place, &summary),
            summary,
            fault_sets: results,
            wall_seconds: started.elapsed().as_secs_f64(),
        };
        debug_assert!(record.coordinates.iter().all(|c| c.len() == self.run.axes.len()));
        self.store.add_cell(&record)?;
        self.progress.done(index);
        self.summaries[index] = Some(record.summary);
        Ok(())
    }

    /// The size of the next batch after one that took so long. No result depends on it.
    fn choose_batch(&mut self, took: Duration) {
        if took < BATCH / 2 {
            self.batch = (2 * self.batch).min(MAX_BATCH);
        } else if took > 2 * BATCH {
            self.batch = (self.batch / 2).max(self.workers);
        }
    }

    /// Writes the summary of what is finished, whatever ended the study.
    fn end(mut self, ended_by: Option<Error>) -> Result<FinishedCube, Error> {
        self.progress.finish();
        let results = self.store.path().to_path_buf();
        let summary = summary_path(&results);
        write_summary(&summary, &read_table(&results)?)?;
        Ok(FinishedCube { text: self.text(), results, summary, ended_by })
    }

    /// The tables of what is finished.
    fn text(&self) -> String {
        let plan = &self.worker.plan;
        let mut studies: Vec<ReportedStudy> =
            plan.studies.iter().map(|study| ReportedStudy { params: study.params().clone(), cells: Vec::new() }).collect();
        for (place, summary) in plan.cells.iter().zip(&self.summaries) {
            if let Some(summary) = summary {
                studies[place.study].cells.push((plan.label(*place), summary.clone()));
            }
        }
        let finished = self.summaries.iter().flatten().count();
        let mut text = report(&studies, self.reference.as_ref());
        if finished < self.summaries.len() {
            text.push_str(&format!("{finished} of {} cells finished\n", self.summaries.len()));
        }
        text
    }
}
