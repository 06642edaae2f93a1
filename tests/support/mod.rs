//! The program as a user meets it: an input, a command line, an exit code, a results file.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use sfpdes::config::{Config, Study};
use sfpdes::error::exit;
use sfpdes::network::{Event, Flit, Recording};
use sfpdes::output::{compare, digest, read_table, PointTable};
use sfpdes::routing::{self, Choice, Head, Here, Routing};
use sfpdes::study::{schema, Outcome, Point, Prepared, Unwatched};
use sfpdes::topology::Graph;
use sfpdes::transport::Local;

/// Nothing in these tests takes longer than this unless it hangs, also on a crowded machine.
const HANGS: Duration = Duration::from_secs(180);

/// Variables by which launchers, this program and its loggers are told things: a test must not inherit them.
const FOREIGN: &[&str] =
    &["SLURM_NTASKS", "PMI_SIZE", "PMIX_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS", "PALS_NRANKS", "RUST_LOG"];

/// What Open MPI (4 by its own, 5 by PRRTE's variables) needs to be told in a container: that root may run it, and that there
/// may be more ranks than cores.
const MPIRUN: &[(&str, &str)] = &[
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
    // Ranks that share cores must not each sit on one and wait.
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("PRTE_MCA_hwloc_default_binding_policy", "none"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
];

/// A small network at three loads that it carries.
pub const THREE_LOADS: &str = "
[network]
topology = 'slim-fly'
q = 3
p = 2
[router]
num_vcs = 2
[measurement]
sample_period = 100
[sweep]
traffic.injection_rate = [0.1, 0.3, 0.5]
";

/// A folder that goes with the test, with an input in it.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// A folder with `toml` as `input.toml`.
    pub fn new(toml: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        place.write("input.toml", toml);
        place
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The input.
    pub fn input(&self) -> PathBuf {
        self.path("input.toml")
    }

    /// Writes a file; returns its path.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    /// Names in the folder less the input, hidden ones included, ascending.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "input.toml");
        names.sort();
        names
    }

    /// Runs the input to `name`.h5 with `sets`, on `ranks` ranks of `threads` threads; returns the results file.
    pub fn run(&self, name: &str, sets: &[&str], ranks: usize, threads: usize) -> PathBuf {
        let results = self.path(&format!("{name}.h5"));
        let end = finish(self.command(&results, sets, ranks, threads));
        assert!(end.status.success(), "{name}: {}\n{}", end.status, end.stderr);
        let counts = (ranks as u32, threads as u32);
        assert_eq!(session(&results), counts, "{name}: the program did not run as it was started");
        results
    }

    /// The command of [`Place::run`]; without mpirun for 1 rank.
    pub fn command(&self, results: &Path, sets: &[&str], ranks: usize, threads: usize) -> Command {
        let program = env!("CARGO_BIN_EXE_sfpdes");
        let mut command = if ranks == 1 { program_command(program) } else { mpirun(ranks, program) };
        command.arg(self.input()).arg("-o").arg(results).args(["--threads", &threads.to_string()]);
        sets.iter().for_each(|set| {
            command.args(["--set", set]);
        });
        command.current_dir(self.folder.path());
        command
    }
}

/// The program without arguments.
pub fn sfpdes() -> Command {
    program_command(env!("CARGO_BIN_EXE_sfpdes"))
}

/// Runs the program with `arguments`.
pub fn sfpdes_with(arguments: &[&str]) -> End {
    let mut command = sfpdes();
    command.args(arguments);
    finish(command)
}

fn program_command(program: &str) -> Command {
    let mut command = Command::new(program);
    FOREIGN.iter().for_each(|v| {
        command.env_remove(v);
    });
    command
}

/// `mpirun -n ranks program`.
pub fn mpirun(ranks: usize, program: &str) -> Command {
    let mut command = program_command("mpirun");
    command.args(["-n", &ranks.to_string(), program]).envs(MPIRUN.iter().copied());
    command
}

/// How a process ended.
#[derive(Debug)]
pub struct End {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl End {
    /// The exit code; a process that a signal ended has none.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }
}

/// `sfpdes run` on an input that must be refused; returns what it says, after checking that nothing was written.
pub fn refusal(toml: &str, sets: &[&str]) -> String {
    let place = Place::new(toml);
    let end = finish(place.command(&place.path("results.h5"), sets, 1, 1));
    assert_eq!(end.code(), Some(exit::INPUT), "{toml}\n{}", end.stderr);
    assert_eq!(end.stdout, "");
    assert!(place.names().is_empty(), "{:?}", place.names());
    assert!(!end.stderr.contains("panicked"), "{}", end.stderr);
    end.stderr
}

/// Starts a command with its output caught.
pub fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let program = command.get_program().to_string_lossy().into_owned();
    command.spawn().unwrap_or_else(|e| panic!("`{program}` must be there to test with: {e}"))
}

/// Runs a command to its end.
pub fn finish(command: Command) -> End {
    wait(start(command))
}

/// Waits for a process; one that hangs is killed and fails the test.
pub fn wait(child: Child) -> End {
    let started = Instant::now();
    let id = child.id().to_string();
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        let hangs = is_done.recv_timeout(HANGS).is_err();
        if hangs {
            // mpirun ends its ranks only if it is asked to.
            let _ = Command::new("kill").args(["-TERM", &id]).status();
            std::thread::sleep(Duration::from_secs(5));
            let _ = Command::new("kill").args(["-KILL", &id]).status();
        }
        hangs
    });
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let _ = done.send(());
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let end = End { status, stdout: text(stdout), stderr: text(stderr), took: started.elapsed() };
    assert!(!guard.join().unwrap(), "killed after {HANGS:?}: {end:?}");
    end
}

/// Starts a study of `total` points and sends it `signal` once `finished` of them are in `results`: to the process, or of a job
/// to each rank, as a batch system does; mpirun by itself takes seconds to pass a signal on. What is left of the study has to be
/// longer than that, or there is nothing to stop: a study that was not stopped in the middle fails the test.
pub fn stop(command: Command, results: &Path, signal: &str, finished: usize, total: usize) -> End {
    let is_job = command.get_program() == "mpirun";
    let mut child = start(command);
    let count = || if results.exists() { table(results).points.len() } else { 0 };
    while count() < finished {
        if child.try_wait().unwrap().is_some() {
            panic!("it ended before {finished} points were finished: {:?}", wait(child));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let processes = if is_job { children(child.id()) } else { vec![child.id()] };
    processes.into_iter().for_each(|process| send(signal, process));
    let end = wait(child);
    let found = count();
    assert!((finished..total).contains(&found), "{found} of {total} points: not stopped in the middle: {end:?}");
    end
}

/// Sends a signal to a process, which has to be there.
pub fn send(signal: &str, process: u32) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
}

/// The processes that `parent` started, ascending.
pub fn children(parent: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).unwrap();
    let lists = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).unwrap());
    let mut children: Vec<u32> =
        lists.flat_map(|l| l.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect();
    children.sort_unstable();
    children
}

/// Ranks and threads of the last run that added to a results file, as it found itself.
fn session(results: &Path) -> (u32, u32) {
    let file = hdf5::File::open(results).unwrap();
    let sessions = file.group("runtime/sessions").unwrap();
    let last = sessions.member_names().unwrap().into_iter().max().expect("a run that added a point");
    let number = |name| sessions.group(&last).unwrap().attr(name).unwrap().read_scalar::<u32>().unwrap();
    (number("ranks"), number("threads"))
}

/// Fails with the names of what differs.
pub fn assert_same(a: &Path, b: &Path) {
    let differences = compare(a, b).unwrap();
    let shown = &differences[..differences.len().min(10)];
    assert!(differences.is_empty(), "{} and {} differ in {} places: {shown:?}", a.display(), b.display(), differences.len());
    assert_eq!(digest(a).unwrap(), digest(b).unwrap());
}

/// The columns of a results file.
pub fn table(results: &Path) -> PointTable {
    read_table(results).unwrap()
}

/// The column `name` as text.
pub fn words(table: &PointTable, name: &str) -> Vec<String> {
    let column = table.column(name).unwrap();
    (0..table.points.len()).map(|row| column.values.text(row)).collect()
}

/// The column `name` as numbers.
pub fn numbers(table: &PointTable, name: &str) -> Vec<f64> {
    (0..table.points.len()).map(|row| table.number(name, row).unwrap()).collect()
}

/// The points of an input.
pub fn points(toml: &str, sets: &[&str]) -> Vec<Config> {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    Study::parse("input.toml", toml, &sets, schema()).unwrap_or_else(|e| panic!("{e}\n{toml}")).points
}

/// The only point of an input, prepared for `n` partitions.
pub fn point(toml: &str, sets: &[&str], n: u32) -> Point {
    let configs = points(toml, sets);
    assert_eq!(configs.len(), 1, "one point");
    let mut prepared = Prepared::default();
    prepared.evidence(&configs[0]).unwrap();
    prepared.point(&configs[0], n).unwrap()
}

/// Simulates the only point of an input in this process.
pub fn simulate(toml: &str, sets: &[&str]) -> Outcome {
    sfpdes::study::simulate(&point(toml, sets, 1), &Unwatched).unwrap()
}

/// Every event of every flit of the only point of an input in its first `cycles` cycles, simulated by one partition.
pub fn trace(point: &Point, cycles: u64) -> Vec<(Event, Flit)> {
    let (mut network, mut windows) = point.network(0).unwrap();
    network.record(Recording::default());
    windows.run(&mut network, &mut Local, cycles).unwrap();
    network.recorded().to_vec()
}

/// The routing of `point` for all routers.
pub fn routing_of(point: &Point) -> Routing {
    let all: Vec<u32> = (0..point.graph.n_routers()).collect();
    let name = point.config.text(routing::ALGORITHM);
    let entry = routing::REGISTRY.iter().find(|e| e.name == name).unwrap();
    (entry.build)(&point.config, &point.survey, &all).unwrap()
}

/// Decisions with their probabilities, and the head as each leaves.
pub type Decisions = Vec<(f64, Choice, Head)>;

/// Adds to the `load` of each channel what `amount` of `head` puts there, from the source to the destination, another router:
/// every way by itself, by what `decide` says.
pub fn follow(graph: &Graph, decide: &impl Fn(Here, &Head) -> Decisions, head: Head, amount: f64, load: &mut [f64]) {
    let source = graph.router_of(head.src);
    follow_from(graph, decide, (source, graph.degree(source) as u16), head, amount, load);
}

fn follow_from(
    graph: &Graph,
    decide: &impl Fn(Here, &Head) -> Decisions,
    (router, in_port): (u32, u16),
    head: Head,
    amount: f64,
    load: &mut [f64],
) {
    let choices = decide(Here { router, row: router, in_port }, &head);
    let sum: f64 = choices.iter().map(|c| c.0).sum();
    assert!((sum - 1.0).abs() < 2e-9, "{choices:?}");
    let destination = graph.router_of(head.dst);
    for (probability, choice, mut next) in choices {
        let port = usize::from(choice.port);
        load[graph.channel(router) as usize + port] += amount * probability;
        let to = graph.peers(router)[port];
        if to == destination && next.target == destination {
            continue;
        }
        next.hops += 1;
        if to == next.target {
            next.target = destination;
        }
        follow_from(graph, decide, (to, graph.peer_ports(router)[port]), next, amount * probability, load);
    }
}
