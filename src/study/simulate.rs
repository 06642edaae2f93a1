//! One point: a network, simulated by one partition per thread and rank, to its report.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use crate::config::{Config, ConfigErrors};
use crate::engine::{Batch, Windows};
use crate::error::Error;
use crate::ids::{Cycle, PartitionId, RouterId};
use crate::network::{Failure, Layout, Load, Network, Params, Wiring};
use crate::routing::{deadlock, Routing, Survey};
use crate::stats::{Period, Phases, PointReport, Rules, Status, Step, Totals};
use crate::study::{routing_of, Ended};
use crate::topology::Graph;
use crate::transport::{Hub, Local, Threads, Transport};

/// Flits that the ports of a partition can move between two looks at whether to stop.
const WINDOW_FLITS: u64 = 1 << 22;

/// The least number of cycles between two such looks: so many a partition takes through its caches at a time.
const MIN_WINDOW: Cycle = 16;

/// A point ready to be simulated; shared by the partitions of a process.
pub struct Point {
    /// The network.
    pub graph: Arc<Graph>,
    /// Routers and channels.
    pub params: Params,
    /// What is offered.
    pub load: Load,
    /// When to stop.
    pub rules: Rules,
    /// What fails during the run.
    pub failures: Vec<Failure>,
    /// Who simulates what.
    pub layout: Layout,
    /// Router of every endpoint.
    pub router_of: Arc<Vec<RouterId>>,
    /// The configuration, for building what each partition needs of its own.
    pub config: Config,
    /// What routing has found of the network so far; shared by the partitions.
    pub survey: Arc<Survey>,
}

impl Point {
    /// The routing with rows for `routers`, in that order.
    ///
    /// # Errors
    /// What the algorithm refuses.
    pub fn build_routing(&self, routers: &[RouterId]) -> Result<Routing, ConfigErrors> {
        (routing_of(&self.config).build)(&self.config, &self.survey, routers)
    }

    /// Cycles between two looks at whether to stop, the same in all partitions: about a second of work where every port is busy.
    fn longest_window(&self) -> Cycle {
        let graph = &self.graph;
        let parts = u64::from(self.layout.n_partitions.min(graph.n_routers()));
        let ports = (graph.n_channels() as u64 + u64::from(graph.n_endpoints())).max(1);
        (WINDOW_FLITS * parts / ports).max(MIN_WINDOW)
    }

    /// The network of `partition` at cycle 0, and the windows in which it runs.
    ///
    /// # Errors
    /// What the routing refuses.
    pub fn network(&self, partition: PartitionId) -> Result<(Network, Windows), ConfigErrors> {
        let wiring = Wiring::new(&self.graph, &self.params, &self.layout, partition);
        let routing = self.build_routing(&wiring.routers)?;
        // Without a cut there is nobody to wait for, but somebody may wait for an end.
        let lookahead = self.layout.lookahead.unwrap_or(Cycle::MAX).min(self.longest_window());
        let windows = Windows::new(wiring.neighbours.clone(), lookahead, self.layout.depth);
        let network = Network::new(
            &self.params,
            wiring,
            routing,
            self.load.clone(),
            self.router_of.clone(),
            self.rules.sample_period as u32,
        )
        .with_board(&self.graph, &self.layout)
        .with_failures(&self.failures);
        Ok((network, windows))
    }
}

/// What only partition 0 knows at the end.
#[derive(Debug)]
pub struct Outcome {
    /// The results.
    pub report: PointReport,
    /// After a stall, the packets that have waited longest.
    pub stuck: Vec<String>,
    /// After a stall, a cycle of channels whose packets wait for each other, if there is one.
    pub cycle: Option<deadlock::Cycle>,
    /// Windows exchanged by partition 0.
    pub windows: u64,
}

/// Follows a simulation from outside and may end it.
pub trait Watcher: Sync {
    /// Called by partition 0 after each sample: cycles simulated, and flits moved by all partitions in it. Returning
    /// false ends the run without a result.
    fn sampled(&self, cycle: Cycle, flit_hops: u64) -> bool;

    /// Called by every partition at the end of each window. Returning true in one of them ends the run without a result, in
    /// all of them.
    fn stops(&self) -> bool {
        false
    }
}

/// Watches nothing.
pub struct Unwatched;

impl Watcher for Unwatched {
    fn sampled(&self, _cycle: Cycle, _flit_hops: u64) -> bool {
        true
    }
}

/// Ends a run when the flag is raised.
pub struct Stoppable<'a>(pub &'a AtomicBool);

impl Watcher for Stoppable<'_> {
    fn sampled(&self, _cycle: Cycle, _flit_hops: u64) -> bool {
        !self.stops()
    }

    fn stops(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Simulates `point` in this process alone, one partition per thread.
///
/// # Errors
/// A contract that does not hold, or the watcher's wish to end.
pub fn simulate(point: &Point, watcher: &dyn Watcher) -> Result<Outcome, Error> {
    count(point, watcher)?.outcome(point)
}

/// As [`simulate`], as far as the counts.
///
/// # Errors
/// As [`simulate`].
pub(super) fn count(point: &Point, watcher: &dyn Watcher) -> Result<Ended, Error> {
    let threads = point.layout.n_partitions as usize;
    let ended = if threads == 1 {
        end_partition(point, &mut Local, watcher)?
    } else {
        let hub = Hub::new(threads);
        first_of(run_threads(threads, &hub, |thread| end_partition(point, &mut Threads::new(thread, hub.clone()), watcher)))?
    };
    ended.ok_or_else(|| Error::Internal("partition 0 has no outcome".into()))
}

/// Runs `work` on threads `0..n`; when one fails, the others are released from waiting for it.
pub fn run_threads<T: Send>(n: usize, hub: &Hub, work: impl Fn(usize) -> Result<T, Error> + Sync) -> Vec<Result<T, Error>> {
    let guarded = |thread| {
        let guard = CloseOnDrop(hub, AtomicBool::new(true));
        let result = work(thread);
        guard.1.store(result.is_err(), Ordering::Relaxed);
        result
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (1..n).map(|thread| scope.spawn(move || guarded(thread))).collect();
        let mut ends = vec![guarded(0)];
        ends.extend(
            handles
                .into_iter()
                .map(|h| h.join().unwrap_or_else(|_| Err(Error::Internal("a thread of the simulation panicked".into())))),
        );
        ends
    })
}

/// Closes the hub when dropped armed: on an error, and on a panic.
struct CloseOnDrop<'a>(&'a Hub, AtomicBool);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        if self.1.load(Ordering::Relaxed) {
            self.0.close();
        }
    }
}

/// The result of thread 0, or the error that explains most: a thread that only lost its partner knows nothing.
pub fn first_of<T>(ends: Vec<Result<T, Error>>) -> Result<T, Error> {
    let mut lost = None;
    let mut first = None;
    for (thread, end) in ends.into_iter().enumerate() {
        match end {
            Ok(value) if thread == 0 => first = Some(value),
            Ok(_) => {}
            Err(e @ Error::PeerLost) => lost = Some(e),
            Err(e) => return Err(e),
        }
    }
    match lost {
        Some(e) => Err(e),
        None => Ok(first.expect("thread 0 ended")),
    }
}

/// Simulates one partition of `point` over `transport`. Partition 0 gets the outcome.
///
/// # Errors
/// As [`simulate`], and a peer that is gone.
pub fn run_partition(point: &Point, transport: &mut dyn Transport, watcher: &dyn Watcher) -> Result<Option<Outcome>, Error> {
    end_partition(point, transport, watcher)?.map(|ended| ended.outcome(point)).transpose()
}

/// As [`run_partition`], as far as the counts.
///
/// # Errors
/// As [`run_partition`].
pub(super) fn end_partition(point: &Point, transport: &mut dyn Transport, watcher: &dyn Watcher) -> Result<Option<Ended>, Error> {
    let mut run = PartitionRun::new(point, transport)?;
    run.simulate(transport, watcher)?;
    run.finish(transport)
}

struct PartitionRun<'a> {
    point: &'a Point,
    network: Network,
    windows: Windows,
    /// In partition 0 only.
    phases: Option<Phases>,
    totals: Totals,
    window_open: bool,
    halves_in: Vec<Batch>,
}

impl<'a> PartitionRun<'a> {
    fn new(point: &'a Point, transport: &dyn Transport) -> Result<Self, Error> {
        let own = transport.partition();
        let (network, windows) = point.network(own)?;
        let halves_in = vec![Batch::default(); windows.neighbours().len()];
        let phases = (own == 0).then(|| Phases::new(point.rules.clone()));
        Ok(Self { point, network, windows, phases, totals: Totals::default(), window_open: false, halves_in })
    }

    fn simulate(&mut self, transport: &mut dyn Transport, watcher: &dyn Watcher) -> Result<(), Error> {
        // A partition without routers has no neighbours to stop with: it waits for partition 0, like after every sample.
        let has_routers = self.point.layout.assignment.contains(&transport.partition());
        let mut step = self.phases.as_mut().map_or(Step::Continue, Phases::begin);
        loop {
            let order = transport.broadcast(vec![step.encode()])?;
            let decoded = order.first().copied().and_then(Step::decode);
            step = decoded.ok_or_else(|| Error::Internal(format!("no step is encoded as {order:?}")))?;
            match step {
                Step::Continue => {}
                Step::OpenWindow => {
                    self.network.open_window(self.windows.now());
                    self.window_open = true;
                }
                Step::CloseWindow => self.close_window(),
                Step::Stop => {
                    self.close_window();
                    return Ok(());
                }
                Step::Abandon => return Err(Error::Interrupted),
            }
            let until = self.windows.now() + self.point.rules.sample_period;
            self.windows.run_unless(&mut self.network, transport, until, &|| has_routers && watcher.stops())?;
            let period = self.audit(transport)?;
            if let Some(sum) = gather_periods(transport, period)? {
                let goes_on = watcher.sampled(until, sum.flit_hops);
                step = self.phases.as_mut().expect("partition 0 follows the phases").sample(sum);
                if !goes_on {
                    step = Step::Abandon;
                }
            }
        }
    }

    fn close_window(&mut self) {
        if std::mem::take(&mut self.window_open) {
            self.totals.window = self.network.close_window(self.windows.now());
        }
    }

    /// Contract 2, at the end of every sample.
    fn audit(&mut self, transport: &mut dyn Transport) -> Result<Period, Error> {
        let now = self.windows.now();
        let period = self.network.close_period(now)?;
        let mut halves: Vec<Batch> = self.network.check_credits(now)?.into_iter().map(Batch::of_bytes).collect();
        transport.exchange(self.windows.neighbours(), &mut halves, &mut self.halves_in)?;
        self.network.check_cut(now, self.halves_in.iter().map(|half| &half.bytes[..]))?;
        Ok(period)
    }

    fn finish(mut self, transport: &mut dyn Transport) -> Result<Option<Ended>, Error> {
        self.totals.measured = self.network.measured();
        self.totals.arrived = self.network.arrived();
        let own_stuck = self.network.oldest(10).into_iter().map(|(at, text)| format!("{at:>10}\t{text}")).collect::<Vec<_>>();
        let oldest = transport.gather(own_stuck.join("\n").into_bytes())?;
        let stalled = self.phases.as_ref().and_then(|phases| phases.outcome).is_some_and(|(status, _)| status == Status::Stalled);
        let stalled = transport.broadcast(vec![stalled.into()])? == [1];
        let waits = if stalled { bytemuck::cast_slice(&self.network.blocked()).to_vec() } else { Vec::new() };
        let waits = transport.gather(waits)?;
        // Counts of every VC and endpoint, in several copies on their way: they need not stand beside the network.
        drop(self.network);
        let Some(phases) = self.phases else {
            transport.gather(self.totals.encode())?;
            return Ok(None);
        };
        let mut totals = self.totals;
        for bytes in transport.gather(Vec::new())?.into_iter().skip(1) {
            totals.merge(Totals::decode(&bytes).ok_or_else(|| Error::Internal("totals are cut short".into()))?);
        }
        let windows = self.windows.exchanged();
        Ok(Some(Ended { phases, totals, oldest: oldest.join(&b'\n'), waits: waits.concat(), windows }))
    }
}

/// The sum over partitions, in partition 0; also checks that nothing was lost between partitions.
fn gather_periods(transport: &mut dyn Transport, period: Period) -> Result<Option<Period>, Error> {
    let all = transport.gather(bytemuck::bytes_of(&period).to_vec())?;
    if transport.partition() != 0 {
        return Ok(None);
    }
    let mut sum = Period::default();
    for bytes in &all {
        if bytes.len() != size_of::<Period>() {
            return Err(Error::Internal("the counts of a partition are cut short".into()));
        }
        sum.add(&bytemuck::pod_read_unaligned(bytes));
    }
    Ok(Some(sum))
}
