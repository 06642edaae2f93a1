//! The command line: one file per subcommand.

mod check;
mod cube;
mod explain;
mod keys;
mod layers;
mod plot;
mod reproduce;
mod run;
mod trace;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::config::closest;
use crate::error::{tell, Error};
use crate::study::{abort, Team};

const EXAMPLES: &str = "\
Examples:
  sfpdes inputs/quick.toml                       a small Slim Fly, latency against load
  sfpdes inputs/quick.toml --threads 2           the same on two threads, to the last bit
  mpirun -n 64 sfpdes inputs/slim_fly_q19.toml   10,830 endpoints on 64 ranks
  sfpdes check inputs/quick.toml                 sizes, lookahead, memory and time of a run
  sfpdes plot results/quick.h5                   draw the curves
  sfpdes cube inputs/paper/esv_table1.toml       fault-tolerant routing in hypercubes
  sfpdes inputs/quick.toml --set network.q=7 --set traffic.injection_rate=[0.1,0.5]

A run that was stopped goes on where it was when the same command is given again.

Exit codes: 0 ran (saturated points included), 1 internal error, 2 bad input, 3 file trouble, \
4 the network stalled (deadlock), 75 stopped by a signal with all finished points saved.";

/// Simulates interconnection networks: latency and accepted load of Slim Fly and its peers, the same on any number of ranks.
#[derive(Parser)]
#[command(name = "sfpdes", version, about, after_help = EXAMPLES, args_conflicts_with_subcommands = true, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::RunArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate every point of an input (the default when a file is given)
    Run(run::RunArgs),
    /// Check an input and tell what it would take, without running it
    Check(check::CheckArgs),
    /// Draw latency and accepted load against offered load, as SVG and PNG
    Plot(plot::PlotArgs),
    /// Study fault-tolerant routing in hypercubes, or explain one message of it
    Cube(cube::CubeArgs),
    /// Count the layers of VCs that make one path per pair of routers free of deadlock, as CSV
    Layers(layers::LayersArgs),
    /// Run a figure of the Slim Fly paper, and hold the result against what the paper says
    #[command(mut_arg("input", |input| input.value_name("FIGURE").help("The figure, by its name below")))]
    Reproduce(reproduce::ReproduceArgs),
    /// Follow single packets through the network, event by event
    Trace(trace::TraceArgs),
    /// Print the reference of every key of the input
    Keys,
}

/// The input and what changes it.
#[derive(Args, Clone)]
struct InputArgs {
    /// The input, a TOML file; `sfpdes keys` explains every key
    input: Option<PathBuf>,
    /// Set a key, as in the file; a list sweeps it [repeatable; the last setting of a key counts]
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

impl InputArgs {
    fn input(&self) -> Result<PathBuf, Error> {
        self.input.clone().ok_or_else(|| Error::Usage("no input: give a TOML file, or --help".into()))
    }
}

/// The input of a study and what changes it.
#[derive(Args, Clone)]
struct StudyArgs {
    #[command(flatten)]
    common: InputArgs,
    /// Threads per rank; each does its own part
    #[arg(long, short = 't', value_name = "N")]
    threads: Option<u32>,
    /// The results file
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
}

impl StudyArgs {
    fn input(&self) -> Result<PathBuf, Error> {
        self.common.input()
    }

    /// All settings of the command line as `key=value`.
    fn sets(&self) -> Vec<String> {
        let mut sets = self.common.sets.clone();
        sets.extend(self.threads.map(|n| format!("runtime.threads={n}")));
        sets.extend(self.output.as_ref().map(|file| format!("output.file={:?}", file.display().to_string())));
        sets
    }
}

/// The input of a simulation and what changes it.
#[derive(Args, Clone)]
struct NetworkArgs {
    #[command(flatten)]
    common: StudyArgs,
    /// Points simulated at the same time, each by its own threads
    #[arg(long, short = 's', value_name = "N")]
    side_by_side: Option<u32>,
}

impl NetworkArgs {
    fn input(&self) -> Result<PathBuf, Error> {
        self.common.input()
    }

    fn sets(&self) -> Vec<String> {
        let mut sets = self.common.sets();
        sets.extend(self.side_by_side.map(|n| format!("runtime.side_by_side={n}")));
        sets
    }
}

/// Parses the command line, does what it asks, and returns the exit code.
#[must_use]
pub fn main() -> i32 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            if let Some(message) = mistaken_command(std::env::args().nth(1)).filter(|_| e.use_stderr()) {
                eprintln!("sfpdes: error: {message}");
                return crate::error::exit::INPUT;
            }
            // Help and version are no errors; clap knows where each goes.
            let _ = e.print();
            return if e.use_stderr() { crate::error::exit::INPUT } else { 0 };
        }
    };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).format_timestamp(None).init();
    let result = match cli.command {
        Some(Command::Check(args)) => check::check(&args),
        Some(Command::Plot(args)) => plot::plot(&args),
        Some(Command::Layers(args)) => layers::layers(&args),
        Some(Command::Trace(args)) => trace::trace(&args),
        Some(Command::Keys) => keys::print(),
        Some(Command::Cube(args)) => match args.explain() {
            Some(args) => explain::explain(args),
            None => on_team(args.alone, |team| cube::run(&args, team)),
        },
        Some(Command::Reproduce(args)) => on_team(args.alone, |team| reproduce::run(&args, team)),
        Some(Command::Run(args)) => on_team(args.alone, |team| run::run(&args, team)),
        None => on_team(cli.run.alone, |team| run::run(&cli.run, team)),
    };
    match result {
        Ok(()) => 0,
        Err(e) => {
            report(&e);
            e.exit_code()
        }
    }
}

/// What to say of a `word` that stands where a command does and is none. It is taken for an input then, and what follows it for
/// one too many, of which nobody would guess what is wrong.
fn mistaken_command(word: Option<String>) -> Option<String> {
    let word = word.filter(|word| !word.starts_with('-') && !Path::new(word).exists())?;
    let command = Cli::command();
    if command.find_subcommand(&word).is_some() {
        return None;
    }
    let hint = closest(&word, command.get_subcommands().map(|c| c.get_name()));
    let hint = hint.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    Some(format!("there is no command and no file `{word}`{hint}"))
}

fn report(error: &Error) {
    use std::io::IsTerminal;
    match error {
        Error::Config(faults) => tell(&faults.render(std::io::stderr().is_terminal())),
        other => tell(&format!("sfpdes: error: {other}\n")),
    }
}

/// Size of the team, for the panic hook, which knows nothing else.
static TEAM_SIZE: AtomicUsize = AtomicUsize::new(1);

/// Runs with all ranks; whatever ends one of them ends all.
fn on_team(alone: bool, work: impl FnOnce(&Team) -> Result<(), Error>) -> Result<(), Error> {
    let team = if alone { Team::alone() } else { Team::join()? };
    together(&team, || work(&team))
}

/// A flag that the first signal to end raises, so that the run ends soon with everything saved; a second one ends it at once.
fn watch_signals() -> Result<Arc<AtomicBool>, Error> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        signal_hook::flag::register_conditional_default(signal, interrupted.clone())
            .and_then(|_| signal_hook::flag::register(signal, interrupted.clone()))
            .map_err(|e| Error::Internal(format!("cannot watch for signals: {e}")))?;
    }
    Ok(interrupted)
}

/// The command line, for the record.
fn command_line() -> String {
    std::env::args().collect::<Vec<_>>().join(" ")
}

/// Does this rank's part of what all ranks do. An error or a panic, of any thread, ends all ranks at once with an exit code
/// that tells it: a rank that merely returned would leave the others waiting for it.
///
/// # Errors
/// Those of `work`, on a team of one.
pub fn together(team: &Team, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    TEAM_SIZE.store(team.size(), Ordering::Relaxed);
    let rank = team.rank();
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        abort(TEAM_SIZE.load(Ordering::Relaxed), crate::error::exit::INTERNAL, || {
            default_hook(info);
            tell(&format!("sfpdes: internal error on rank {rank}: all ranks end\n"));
        });
    }));
    match work().and_then(|()| team.part()) {
        Err(e) if team.size() > 1 => {
            let everyone_knows = matches!(e, Error::Interrupted) || matches!(e, Error::Stall(_));
            abort(team.size(), e.exit_code(), || {
                if rank == 0 || !everyone_knows {
                    report(&e);
                }
            })
        }
        result => result,
    }
}
