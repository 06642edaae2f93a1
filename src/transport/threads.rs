//! Partitions as threads of one process: a mailbox per ordered pair.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::engine::{Batch, Exchange};
use crate::error::Error;
use crate::ids::PartitionId;
use crate::transport::Transport;

/// How often a receiver yields its core before it sleeps: long enough for a peer in step, short on a crowded machine.
const YIELDS: u32 = 1000;

/// How often a sleeping receiver looks whether its peer still lives.
const LOOK_UP: Duration = Duration::from_millis(200);

#[derive(Debug, Default)]
struct Mailbox {
    /// A sender may be one batch ahead of a receiver that still waits for others.
    batches: Mutex<VecDeque<Batch>>,
    arrived: Condvar,
}

/// The mailboxes of `n` threads.
#[derive(Debug)]
pub struct Hub {
    n: usize,
    boxes: Vec<Mailbox>,
    closed: AtomicBool,
}

impl Hub {
    /// Mailboxes for threads `0..n`.
    #[must_use]
    pub fn new(n: usize) -> Arc<Self> {
        Arc::new(Self { n, boxes: (0..n * n).map(|_| Mailbox::default()).collect(), closed: AtomicBool::new(false) })
    }

    /// Puts a batch from `from` into the mailbox of `to`.
    pub(super) fn post(&self, from: usize, to: usize, batch: Batch) {
        let mailbox = &self.boxes[from * self.n + to];
        mailbox.batches.lock().unwrap_or_else(PoisonError::into_inner).push_back(batch);
        mailbox.arrived.notify_one();
    }

    /// The next batch from `from` to `to`, if it is there.
    pub(super) fn try_take(&self, from: usize, to: usize) -> Option<Batch> {
        self.boxes[from * self.n + to].batches.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Waits for the next batch from `from` to `to`.
    pub(super) fn take(&self, from: usize, to: usize) -> Result<Batch, Error> {
        for _ in 0..YIELDS {
            if let Some(batch) = self.try_take(from, to) {
                return Ok(batch);
            }
            std::thread::yield_now();
        }
        let mailbox = &self.boxes[from * self.n + to];
        let mut batches = mailbox.batches.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(batch) = batches.pop_front() {
                return Ok(batch);
            }
            if self.closed.load(Ordering::Relaxed) {
                return Err(Error::PeerLost);
            }
            batches = mailbox.arrived.wait_timeout(batches, LOOK_UP).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tells everybody who waits that a thread has ended and no batch will come.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }
}

/// One thread's end.
#[derive(Debug)]
pub struct Threads {
    partition: usize,
    hub: Arc<Hub>,
}

impl Threads {
    /// The end of thread `partition`.
    #[must_use]
    pub fn new(partition: usize, hub: Arc<Hub>) -> Self {
        Self { partition, hub }
    }
}

impl Exchange for Threads {
    fn exchange(&mut self, peers: &[PartitionId], out: &mut [Batch], inbox: &mut [Batch]) -> Result<(), Error> {
        for (i, &peer) in peers.iter().enumerate() {
            // The emptied inbox of the last window becomes the outbox of the next: nothing is allocated.
            let batch = std::mem::replace(&mut out[i], std::mem::take(&mut inbox[i]));
            self.hub.post(self.partition, peer as usize, batch);
        }
        for (i, &peer) in peers.iter().enumerate() {
            inbox[i] = self.hub.take(peer as usize, self.partition)?;
        }
        Ok(())
    }
}

impl Transport for Threads {
    fn partition(&self) -> PartitionId {
        self.partition as PartitionId
    }

    fn n_partitions(&self) -> u32 {
        self.hub.n as u32
    }
}
