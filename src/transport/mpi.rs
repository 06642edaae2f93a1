//! Partitions as threads of MPI ranks; the only file that names MPI. Threads of one rank exchange through a [`Hub`], those of
//! different ranks by one non-blocking message per batch, found by matched probe so that no size is exchanged before.

use std::sync::Arc;

use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::request::{self, LocalScope, Request};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::Equivalence;
use mpi::Threading;

use crate::engine::Exchange;
use crate::error::Error;
use crate::ids::PartitionId;
use crate::transport::{Hub, Transport};

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

    /// This rank's end of the transport with one partition per rank, for talk outside a simulation.
    #[must_use]
    pub fn ranks(&self) -> Mpi {
        Mpi::new(0, 1, Hub::new(1))
    }

    /// Checks that the MPI library lets several threads of a rank communicate.
    ///
    /// # Errors
    /// If it does not and `threads` is more than 1.
    pub fn check_threads(&self, threads: usize) -> Result<(), Error> {
        if threads > 1 && self.size() > 1 && self.threading < Threading::Multiple {
            return Err(Error::Usage(format!(
                "--threads {threads} with several ranks needs an MPI library with MPI_THREAD_MULTIPLE; this one offers {:?}: \
                 start {threads} times as many ranks instead",
                self.threading
            )));
        }
        Ok(())
    }
}

/// One partition's end: thread `thread` of `threads` of this rank.
pub struct Mpi {
    world: SimpleCommunicator,
    thread: usize,
    threads: usize,
    hub: Arc<Hub>,
}

impl Mpi {
    /// The end of a thread; `hub` is shared by the threads of this rank. Call it on the thread that will use it.
    #[must_use]
    pub fn new(thread: usize, threads: usize, hub: Arc<Hub>) -> Self {
        Self { world: SimpleCommunicator::world(), thread, threads, hub }
    }

    fn my_rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// (rank, thread) of a partition.
    fn place(&self, partition: PartitionId) -> (usize, usize) {
        (partition as usize / self.threads, partition as usize % self.threads)
    }

    /// Receives from every remote peer in the order of arrival, then waits for the sends.
    fn complete(&self, peers: &[PartitionId], mut sends: Vec<Send<'_, '_>>, inbox: &mut [Vec<u8>]) {
        let mut waiting: Vec<usize> = (0..peers.len()).filter(|&i| self.place(peers[i]).0 != self.my_rank()).collect();
        while !waiting.is_empty() || !sends.is_empty() {
            let before = waiting.len() + sends.len();
            waiting.retain(|&i| !self.try_receive(peers[i], &mut inbox[i]));
            sends = sends.into_iter().filter_map(|send| send.test().err()).collect();
            if waiting.len() + sends.len() == before {
                std::thread::yield_now();
            }
        }
    }

    fn try_receive(&self, peer: PartitionId, into: &mut Vec<u8>) -> bool {
        let (rank, thread) = self.place(peer);
        let tag = (thread * self.threads + self.thread) as i32;
        match self.world.process_at_rank(rank as i32).immediate_matched_probe_with_tag(tag) {
            None => false,
            Some((message, status)) => {
                let n = usize::try_from(status.count(u8::equivalent_datatype())).expect("a byte count is not negative");
                into.clear();
                into.resize(n, 0);
                message.matched_receive_into(&mut into[..]);
                true
            }
        }
    }
}

type Send<'a, 'b> = Request<'a, [u8], &'b LocalScope<'a>>;

impl Exchange for Mpi {
    fn exchange(&mut self, peers: &[PartitionId], out: &mut [Vec<u8>], inbox: &mut [Vec<u8>]) -> Result<(), Error> {
        let me = self.my_rank();
        for (i, &peer) in peers.iter().enumerate() {
            let (rank, thread) = self.place(peer);
            if rank == me {
                self.hub.post(self.thread, thread, std::mem::replace(&mut out[i], std::mem::take(&mut inbox[i])));
            }
        }
        request::scope(|scope| {
            let mut sends = Vec::with_capacity(peers.len());
            for (&peer, batch) in peers.iter().zip(&*out) {
                let (rank, thread) = self.place(peer);
                if rank != me {
                    let tag = (self.thread * self.threads + thread) as i32;
                    sends.push(self.world.process_at_rank(rank as i32).immediate_send_with_tag(scope, &batch[..], tag));
                }
            }
            self.complete(peers, sends, inbox);
        });
        for (i, &peer) in peers.iter().enumerate() {
            let (rank, thread) = self.place(peer);
            if rank == me {
                inbox[i] = self.hub.take(thread, self.thread)?;
            }
        }
        Ok(())
    }
}

impl Transport for Mpi {
    fn partition(&self) -> PartitionId {
        (self.my_rank() * self.threads + self.thread) as PartitionId
    }

    fn n_partitions(&self) -> u32 {
        (self.world.size() as usize * self.threads) as u32
    }
}
