//! The processes that work on a study together: this one alone, or the ranks of an MPI job, each with its threads.

use std::sync::OnceLock;
use std::thread::ThreadId;

#[cfg(feature = "mpi")]
use crate::error::tell;
use crate::error::Error;
use crate::study::simulate::count;
#[cfg(feature = "mpi")]
use crate::study::simulate::end_partition;
#[cfg(feature = "mpi")]
use crate::study::{first_of, run_threads};
use crate::study::{Ended, Outcome, Point, Room, Watcher};
use crate::transport::Group;
#[cfg(feature = "mpi")]
use crate::transport::{Hub, Mpi, Transport, World};

/// Environment variables by which launchers tell a process how many there are.
const SIZE_VARIABLES: &[&str] =
    &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS", "PALS_NRANKS"];

/// This process and its peers.
pub struct Team {
    #[cfg(feature = "mpi")]
    world: Option<World>,
}

/// The number of processes a launcher says there are, with the variable that says so; `None` without a launcher.
fn launched(get: impl Fn(&str) -> Option<String>) -> Option<(&'static str, usize)> {
    SIZE_VARIABLES.iter().find_map(|&v| get(v)?.parse().ok().map(|n| (v, n)))
}

impl Team {
    /// Joins the job that this process was started in. Without a launcher MPI is not started at all.
    ///
    /// # Errors
    /// If the launcher started several processes but MPI sees one: each would do the whole study.
    pub fn join() -> Result<Self, Error> {
        let launched = launched(|v| std::env::var(v).ok());
        #[cfg(feature = "mpi")]
        let world = launched.is_some().then(World::join).transpose()?;
        #[cfg(feature = "mpi")]
        let team = Self { world };
        #[cfg(not(feature = "mpi"))]
        let team = Self {};
        match launched {
            Some((variable, n)) if n > 1 && team.size() == 1 => Err(Error::Usage(format!(
                "{variable} says that {n} processes were started, but MPI sees a world of 1, so each would do the whole study: {}; \
                 or give --alone if one process is meant",
                if cfg!(feature = "mpi") {
                    "start with the mpirun of the MPI library that sfpdes was built with (or srun with its plug-in, such as --mpi=pmix)"
                } else {
                    "this sfpdes was built without the cargo feature `mpi`; start one process, with --threads"
                }
            ))),
            _ => Ok(team),
        }
    }

    /// A team of this process alone.
    #[must_use]
    pub fn alone() -> Self {
        Self {
            #[cfg(feature = "mpi")]
            world: None,
        }
    }

    /// This process; 0 leads.
    #[must_use]
    pub fn rank(&self) -> usize {
        #[cfg(feature = "mpi")]
        return self.world.as_ref().map_or(0, World::rank);
        #[cfg(not(feature = "mpi"))]
        0
    }

    /// Number of processes.
    #[must_use]
    pub fn size(&self) -> usize {
        #[cfg(feature = "mpi")]
        return self.world.as_ref().map_or(1, World::size);
        #[cfg(not(feature = "mpi"))]
        1
    }

    /// How partitions will talk, as a word.
    #[must_use]
    pub fn transport(&self, threads: usize) -> &'static str {
        match (self.size(), threads) {
            (1, 1) => "local",
            (1, _) => "threads",
            (_, 1) => "mpi",
            _ => "mpi+threads",
        }
    }

    /// Gives every process the `bytes` of rank 0.
    ///
    /// # Errors
    /// If a process is gone.
    pub fn broadcast(&self, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        self.broadcast_in(self.all(), bytes)
    }

    /// Gives every process of `group` the `bytes` of its first.
    ///
    /// # Errors
    /// If a process is gone.
    pub fn broadcast_in(&self, group: Group, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        #[cfg(feature = "mpi")]
        if let Some(world) = &self.world {
            return world.ranks(group).broadcast(bytes);
        }
        let _ = group;
        Ok(bytes)
    }

    /// All processes.
    #[must_use]
    pub fn all(&self) -> Group {
        Group { first: 0, size: self.size() }
    }

    /// Who simulates each of the points `side_by_side`: as many groups of equally many consecutive ranks, or, for each of them,
    /// this process where it is alone.
    #[must_use]
    pub fn groups(&self, side_by_side: usize) -> Vec<Group> {
        let size = (self.size() / side_by_side).max(1);
        (0..side_by_side).map(|g| Group { first: if self.size() == 1 { 0 } else { g * size }, size }).collect()
    }

    /// Sends `bytes` to `rank` of another group. A process alone has nobody to send to.
    pub fn send(&self, rank: usize, bytes: &[u8]) {
        #[cfg(feature = "mpi")]
        if let Some(world) = &self.world {
            world.send(rank, bytes);
        }
        let _ = (rank, bytes);
    }

    /// What `rank` of another group sends next, or nothing as soon as `stop` says so, and in a process alone.
    pub fn receive(&self, rank: usize, stop: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        #[cfg(feature = "mpi")]
        if let Some(world) = &self.world {
            return world.receive(rank, stop);
        }
        let _ = (rank, stop);
        None
    }

    /// Brings `bytes` of every process to rank 0, which gets them in order of rank; the others get nothing.
    ///
    /// # Errors
    /// If a process is gone.
    pub fn gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Error> {
        #[cfg(feature = "mpi")]
        if let Some(world) = &self.world {
            return world.ranks(self.all()).gather(bytes);
        }
        Ok(vec![bytes])
    }

    /// The memory that each process may take, if all can tell: on rank 0, and only if all processes ask.
    ///
    /// # Errors
    /// If a process is gone.
    pub fn room(&self) -> Result<Option<Room>, Error> {
        let rooms = self.gather(Room::encode(Room::here().as_ref()))?;
        Ok(Room::least(&rooms.iter().map(|bytes| Room::decode(bytes)).collect::<Vec<_>>()))
    }

    /// Returns when every process has come here: none may leave the job while another can still fail and end it, because
    /// launchers get confused by an abort among processes that are leaving (Open MPI's mpirun then crashes or hangs).
    ///
    /// # Errors
    /// If a process is gone.
    pub fn part(&self) -> Result<(), Error> {
        #[cfg(feature = "mpi")]
        if self.world.is_some() {
            self.gather(Vec::new())?;
            self.broadcast(Vec::new())?;
        }
        Ok(())
    }

    /// Checks that `threads` threads of each process can communicate, and those that wait for the points `side_by_side`.
    ///
    /// # Errors
    /// If the MPI library does not allow it.
    pub fn check_threads(&self, threads: usize, side_by_side: usize) -> Result<(), Error> {
        #[cfg(feature = "mpi")]
        if let Some(world) = &self.world {
            return world.check_threads(threads, side_by_side);
        }
        let _ = (threads, side_by_side);
        Ok(())
    }

    /// Simulates `point` with `threads` partitions in each process; rank 0 gets the outcome.
    ///
    /// # Errors
    /// As [`crate::study::simulate`].
    pub fn simulate(&self, point: &Point, threads: usize, watcher: &dyn Watcher) -> Result<Option<Outcome>, Error> {
        self.simulate_in(self.all(), point, threads, watcher)?.map(|ended| ended.outcome(point)).transpose()
    }

    /// The same by the processes of `group`, this one among them; its first gets the counts.
    ///
    /// # Errors
    /// As [`crate::study::simulate`].
    pub fn simulate_in(
        &self,
        group: Group,
        point: &Point,
        threads: usize,
        watcher: &dyn Watcher,
    ) -> Result<Option<Ended>, Error> {
        #[cfg(feature = "mpi")]
        if group.size > 1 {
            let hub = Hub::new(threads);
            let end = |thread| {
                let result = end_partition(point, &mut Mpi::new(group, thread, threads, hub.clone()), watcher);
                // The other threads of this rank may wait for ranks that wait for this thread: joining them would hang.
                if let (Err(e), true) = (&result, threads > 1) {
                    if !matches!(e, Error::Interrupted | Error::PeerLost) {
                        abort(self.size(), e.exit_code(), || tell(&format!("sfpdes: error on rank {}: {e}\n", self.rank())));
                    }
                }
                result
            };
            return first_of(run_threads(threads, &hub, end));
        }
        debug_assert_eq!(point.layout.n_partitions as usize, group.size * threads);
        count(point, watcher).map(Some)
    }
}

/// Ends all processes of the job with `code` after the `last_words`, also from a thread: a rank that merely returned would
/// leave the others waiting for it. Of several threads the first does it, whose fault the others may only have met: neither
/// MPI_Abort nor what is printed bears two at a time.
pub fn abort(team_size: usize, code: i32, last_words: impl FnOnce()) -> ! {
    static FIRST: OnceLock<ThreadId> = OnceLock::new();
    let this = std::thread::current().id();
    while *FIRST.get_or_init(|| this) != this {
        std::thread::park();
    }
    last_words();
    #[cfg(feature = "mpi")]
    if team_size > 1 {
        World::abort(code);
    }
    let _ = team_size;
    std::process::exit(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_is_known_by_the_number_of_processes_it_announces() {
        let env = |list: &'static [(&str, &str)]| {
            move |v: &str| list.iter().find(|(name, _)| *name == v).map(|(_, value)| (*value).to_string())
        };
        assert_eq!(launched(env(&[])), None);
        assert_eq!(launched(env(&[("SLURM_NTASKS", "4")])), Some(("SLURM_NTASKS", 4)));
        assert_eq!(launched(env(&[("PMI_SIZE", "3"), ("SLURM_NTASKS", "x")])), Some(("PMI_SIZE", 3)));
        assert_eq!(launched(env(&[("OMPI_COMM_WORLD_SIZE", "2")])), Some(("OMPI_COMM_WORLD_SIZE", 2)));
    }
}
