//! Partitions as threads of MPI ranks; the only file that names MPI. Threads of one rank exchange through a [`Hub`], those of
//! different ranks by one non-blocking message per batch, found by matched probe so that no size is exchanged before.

use std::sync::Arc;
use std::time::Duration;

use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::request::{self, LocalScope, Request};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::Equivalence;
use mpi::Threading;

use crate::engine::{Batch, Exchange};
use crate::error::Error;
use crate::ids::PartitionId;
use crate::transport::{Group, Hub, Transport};

/// How long a rank sleeps between two looks for a message that may take the time of a whole point to come.
const PATIENCE: Duration = Duration::from_millis(2);

/// The ranks of this job; dropping it ends MPI.
pub struct World {
    universe: Universe,
    threading: Threading,
}

impl World {
    /// Joins the job this process was started in; a process that no launcher started is a world of one.
    ///
    /// # Errors
    /// If MPI was started before.
    pub fn join() -> Result<Self, Error> {
        let (universe, threading) =
            mpi::initialize_with_threading(Threading::Multiple).ok_or_else(|| Error::Internal("MPI was started twice".into()))?;
        Ok(Self { universe, threading })
    }

    /// This rank.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.universe.world().rank() as usize
    }

    /// Number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.universe.world().size() as usize
    }

    /// Ends all ranks at once with this exit code. Unwinding instead would leave the others waiting for ever.
    pub fn abort(code: i32) -> ! {
        SimpleCommunicator::world().abort(code)
    }

    /// This rank's end of the transport with one partition for each rank of its `group`, for talk outside a simulation.
    #[must_use]
    pub fn ranks(&self, group: Group) -> Mpi {
        Mpi::new(group, 0, 1, Hub::new(1))
    }

    /// Sends `bytes` to `rank`, which is of another group; returns when they are on their way.
    pub fn send(&self, rank: usize, bytes: &[u8]) {
        self.universe.world().process_at_rank(rank as i32).send(bytes);
    }

    /// What `rank`, which is of another group, sends next, or nothing as soon as `stop` says so. The wait takes no core.
    pub fn receive(&self, rank: usize, stop: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        let world = self.universe.world();
        let mut bytes = Vec::new();
        while !try_receive(&world, rank, 0, &mut bytes) {
            if stop() {
                return None;
            }
            std::thread::sleep(PATIENCE);
        }
        Some(bytes)
    }

    /// Checks that the MPI library lets several threads of a rank communicate: each of `threads` does, and on rank 0 one for
    /// each of the points `side_by_side`.
    ///
    /// # Errors
    /// If it does not and one of them is more than 1.
    pub fn check_threads(&self, threads: usize, side_by_side: usize) -> Result<(), Error> {
        if self.size() == 1 || self.threading == Threading::Multiple {
            return Ok(());
        }
        let (asked, instead) = match (threads, side_by_side) {
            (1, 1) => return Ok(()),
            (1, n) => (format!("--side-by-side {n}"), format!("start {n} jobs, each with its part of the sweep,")),
            (n, _) => (format!("--threads {n}"), format!("start {n} times as many ranks")),
        };
        Err(Error::Usage(format!(
            "{asked} with several ranks needs an MPI library with MPI_THREAD_MULTIPLE; this one offers {:?}: {instead} instead",
            self.threading
        )))
    }
}

/// Takes over the next message of `rank` with `tag`, if it is there.
fn try_receive(world: &SimpleCommunicator, rank: usize, tag: i32, into: &mut Vec<u8>) -> bool {
    let Some((message, status)) = world.process_at_rank(rank as i32).immediate_matched_probe_with_tag(tag) else { return false };
    let n = usize::try_from(status.count(u8::equivalent_datatype())).expect("a byte count is not negative");
    // What is there is written over, whatever it is: only what is new has to be cleared.
    into.resize(n, 0);
    message.matched_receive_into(&mut into[..]);
    true
}

/// One partition's end: thread `thread` of `threads` of this rank, in a simulation by the ranks of a group.
pub struct Mpi {
    world: SimpleCommunicator,
    group: Group,
    thread: usize,
    threads: usize,
    hub: Arc<Hub>,
    /// By peer, what goes to it as bytes, if it is in another rank.
    outgoing: Vec<Vec<u8>>,
    /// What came from it as bytes.
    incoming: Vec<Vec<u8>>,
    /// Memory for lists that come.
    spare: Vec<Vec<u32>>,
}

impl Mpi {
    /// The end of a thread of a rank of `group`; `hub` is shared by the threads of this rank. Call it on the thread that will use
    /// it.
    #[must_use]
    pub fn new(group: Group, thread: usize, threads: usize, hub: Arc<Hub>) -> Self {
        let world = SimpleCommunicator::world();
        Self { world, group, thread, threads, hub, outgoing: Vec::new(), incoming: Vec::new(), spare: Vec::new() }
    }

    fn my_rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// (rank, thread) of a partition.
    fn place(&self, partition: PartitionId) -> (usize, usize) {
        (self.group.first + partition as usize / self.threads, partition as usize % self.threads)
    }

    /// Receives from every remote peer in the order of arrival, then waits for the sends.
    fn complete(&self, peers: &[PartitionId], mut sends: Vec<Send<'_, '_>>, incoming: &mut [Vec<u8>]) {
        let mut waiting: Vec<usize> = (0..peers.len()).filter(|&i| self.place(peers[i]).0 != self.my_rank()).collect();
        while !waiting.is_empty() || !sends.is_empty() {
            let before = waiting.len() + sends.len();
            waiting.retain(|&i| !self.try_receive(peers[i], &mut incoming[i]));
            sends = sends.into_iter().filter_map(|send| send.test().err()).collect();
            if waiting.len() + sends.len() == before {
                std::thread::yield_now();
            }
        }
    }

    fn try_receive(&self, peer: PartitionId, into: &mut Vec<u8>) -> bool {
        let (rank, thread) = self.place(peer);
        try_receive(&self.world, rank, (thread * self.threads + self.thread) as i32, into)
    }
}

type Send<'a, 'b> = Request<'a, [u8], &'b LocalScope<'a>>;

impl Exchange for Mpi {
    fn exchange(&mut self, peers: &[PartitionId], out: &mut [Batch], inbox: &mut [Batch]) -> Result<(), Error> {
        let me = self.my_rank();
        let [mut outgoing, mut incoming] = [&mut self.outgoing, &mut self.incoming].map(std::mem::take);
        for buffers in [&mut outgoing, &mut incoming] {
            buffers.resize_with(peers.len().max(buffers.len()), Vec::new);
        }
        for (i, &peer) in peers.iter().enumerate() {
            let (rank, thread) = self.place(peer);
            // The emptied inbox of the last window becomes the outbox of the next: nothing is allocated.
            let mut batch = std::mem::replace(&mut out[i], std::mem::take(&mut inbox[i]));
            if rank == me {
                self.hub.post(self.thread, thread, batch);
            } else {
                outgoing[i].clear();
                batch.encode(&mut outgoing[i]);
                // What was sent is copied, so that its memory can go back at once; that of what came before is for what comes.
                self.spare.extend(batch.used.drain(..).map(|list| list.words));
                std::mem::swap(&mut batch.lists, &mut batch.used);
                batch.used.iter_mut().for_each(|list| list.words.clear());
                inbox[i] = batch;
            }
        }
        request::scope(|scope| {
            let mut sends = Vec::with_capacity(peers.len());
            for (&peer, bytes) in peers.iter().zip(&outgoing) {
                let (rank, thread) = self.place(peer);
                if rank != me {
                    let tag = (self.thread * self.threads + thread) as i32;
                    sends.push(self.world.process_at_rank(rank as i32).immediate_send_with_tag(scope, &bytes[..], tag));
                }
            }
            self.complete(peers, sends, &mut incoming);
        });
        for (i, &peer) in peers.iter().enumerate() {
            let (rank, thread) = self.place(peer);
            if rank == me {
                inbox[i] = self.hub.take(thread, self.thread)?;
            } else {
                inbox[i].decode(&incoming[i], &mut self.spare)?;
            }
        }
        (self.outgoing, self.incoming) = (outgoing, incoming);
        Ok(())
    }
}

impl Transport for Mpi {
    fn partition(&self) -> PartitionId {
        ((self.my_rank() - self.group.first) * self.threads + self.thread) as PartitionId
    }

    fn n_partitions(&self) -> u32 {
        (self.group.size * self.threads) as u32
    }
}
