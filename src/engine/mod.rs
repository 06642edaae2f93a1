//! The conservative window loop. It knows cycles, batches and partitions; it knows nothing of what is simulated, of the
//! transport behind [`Exchange`], or of how many partitions there are beyond its own neighbours.
//!
//! Invariant: all partitions of one connected component execute the same windows, so a batch sent in window k is
//! delivered before window k+1 anywhere, and nothing can arrive in a partition's past.

mod batch;
mod calendar;
pub mod prefetch;
mod wheel;

pub use batch::{Batch, List};
pub use calendar::Calendar;
pub use wheel::Wheel;

use crate::error::Error;
use crate::ids::{Cycle, PartitionId};

/// A time that never comes: no event.
pub const NEVER: Cycle = Cycle::MAX;

/// In the place of a time: some partition is told to stop. The earliest time of all is flooded through the partitions, so this
/// one, earlier than any, reaches all of them at once and costs nothing.
const STOP: Cycle = 0;

/// In the place of a time: none is known yet. Earlier than the end of any window, as good as no time, and later than [`STOP`].
const UNKNOWN: Cycle = 1;

/// What the loop drives: one partition of a simulated system.
pub trait Model {
    /// Executes the cycles of the window `from..end`. Windows follow each other in time; what lies between them has no event.
    fn run(&mut self, from: Cycle, end: Cycle);

    /// A lower bound on the first cycle at or after `from` in which `run` would do anything; [`NEVER`] if there is none.
    fn next_event(&self, from: Cycle) -> Cycle;

    /// Batches for the neighbours, in the order of [`Windows::neighbours`], with all that the windows so far have for them.
    fn outboxes(&mut self) -> &mut [Batch];

    /// The earliest cycle in which anything in the outboxes acts; [`NEVER`] if they are empty.
    fn earliest_sent(&self) -> Cycle;

    /// Takes over the messages of neighbour number `neighbour`, and leaves the batch empty but for the engine's times.
    ///
    /// # Errors
    /// If one of them acts before `window_end`: the lookahead was wrong.
    fn deliver(&mut self, neighbour: usize, batch: &mut Batch, window_end: Cycle) -> Result<(), Error>;
}

/// Carries one batch to each of `peers` and brings one from each; returns when all are there.
pub trait Exchange {
    /// `out[i]` goes to `peers[i]`, and the emptied `inbox[i]` takes its place; `inbox[i]` receives what `peers[i]` sent.
    ///
    /// # Errors
    /// If a peer is gone.
    fn exchange(&mut self, peers: &[PartitionId], out: &mut [Batch], inbox: &mut [Batch]) -> Result<(), Error>;
}

/// The window schedule of one partition.
#[derive(Debug)]
pub struct Windows {
    neighbours: Vec<PartitionId>,
    lookahead: Cycle,
    /// `flood[j]`: the earliest event known within j channels of here, as of j windows ago; shape `[depth]`.
    flood: Vec<Cycle>,
    inbox: Vec<Batch>,
    now: Cycle,
    windows: u64,
}

impl Windows {
    /// A schedule from cycle 0. `depth` is the largest distance between two partitions in the graph of partitions (at
    /// least 1): the number of windows after which every partition knows the earliest event of all.
    #[must_use]
    pub fn new(neighbours: Vec<PartitionId>, lookahead: Cycle, depth: usize) -> Self {
        assert!(lookahead > 0, "a window needs lookahead");
        let inbox = vec![Batch::default(); neighbours.len()];
        Self { neighbours, lookahead, flood: vec![0; depth.max(1)], inbox, now: 0, windows: 0 }
    }

    /// Partitions that share a channel with this one, ascending.
    #[must_use]
    pub fn neighbours(&self) -> &[PartitionId] {
        &self.neighbours
    }

    /// The first cycle not yet executed.
    #[must_use]
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// Windows exchanged.
    #[must_use]
    pub fn exchanged(&self) -> u64 {
        self.windows
    }

    /// Runs the model up to `until`, exclusive.
    ///
    /// # Errors
    /// If a peer is gone or a message arrives in the past.
    pub fn run(&mut self, model: &mut impl Model, exchange: &mut dyn Exchange, until: Cycle) -> Result<(), Error> {
        self.run_unless(model, exchange, until, &|| false)
    }

    /// The same, unless some partition of the component is told to stop: `stop` is asked once per window. All of them end in
    /// the same window then, which comes [`Windows::new`]'s depth windows later, or with the run if that has fewer left.
    ///
    /// # Errors
    /// As [`Windows::run`]; [`Error::Interrupted`] when stopped, with the model in the middle of the run.
    pub fn run_unless(
        &mut self,
        model: &mut impl Model,
        exchange: &mut dyn Exchange,
        until: Cycle,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        // Times of the last segment say nothing after the caller has acted on the model in between.
        self.flood.fill(UNKNOWN);
        while self.now < until {
            let end = until.min(self.now.saturating_add(self.lookahead));
            model.run(self.now, end);
            self.now = end;
            let idle_until = match (stop(), self.neighbours.is_empty()) {
                (true, true) => STOP,
                (false, true) => UNKNOWN,
                (stopped, false) => self.synchronize(model, exchange, stopped)?,
            };
            if idle_until == STOP {
                return Err(Error::Interrupted);
            }
            self.now = end.max(idle_until.min(until));
        }
        Ok(())
    }

    /// One exchange at the window end; returns a time before which no partition has any event, or [`STOP`].
    fn synchronize(&mut self, model: &mut impl Model, exchange: &mut dyn Exchange, stopped: bool) -> Result<Cycle, Error> {
        self.windows += 1;
        let depth = self.flood.len();
        // flood[0] is of this window; flood[j > 0] was computed j windows ago and now travels one channel further.
        self.flood[0] = if stopped { STOP } else { model.next_event(self.now).min(model.earliest_sent()) };
        for batch in model.outboxes() {
            batch.times.clone_from(&self.flood);
        }
        exchange.exchange(&self.neighbours, model.outboxes(), &mut self.inbox)?;
        for (neighbour, batch) in self.inbox.iter_mut().enumerate() {
            if batch.times.len() != depth {
                return Err(Error::Internal(format!("a batch with {} times, not {depth}", batch.times.len())));
            }
            for (value, &theirs) in self.flood.iter_mut().zip(&batch.times) {
                *value = (*value).min(theirs);
            }
            model.deliver(neighbour, batch, self.now)?;
        }
        let all_know = self.flood[depth - 1];
        self.flood.rotate_right(1);
        Ok(all_know)
    }
}
