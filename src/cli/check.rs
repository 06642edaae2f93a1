//! `sfpdes check INPUT`: everything that can be told of a study without running it.

use std::fmt::Write as _;
use std::io::Write as _;

use clap::Args;

use crate::cli::NetworkArgs;
use crate::config::{Config, ConfigError, ConfigErrors, Study};
use crate::error::Error;
use crate::output::readable_bytes;
use crate::stats::Goal;
use crate::study::{
    partitioner_of, routing_of, scenario_of, schema, share_of, static_bound, static_ceiling, topology_of, Estimate, Footprint,
    Plan, Point, Prepared, Room, Share, VOLATILE_TABLES,
};
use crate::traffic;

/// Arguments of `check`.
#[derive(Args)]
pub struct CheckArgs {
    #[command(flatten)]
    input: NetworkArgs,
    /// Ranks to reckon with
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    ranks: u32,
}

/// The bound takes a step per pair of routers; beyond this many they would take minutes.
const BOUND_MAX_ROUTERS: u32 = 4096;

/// Checks the input and tells what it would take.
pub fn check(args: &CheckArgs) -> Result<(), Error> {
    let plan = Plan::examined(Study::examine_file(&args.input.input()?, &args.input.sets(), schema()))?;
    let study = plan.study();
    let mut faults = plan.faults();
    let share = share_of(&plan, args.ranks).map_err(|e| faults.add_new(e.into())).unwrap_or(Share::ALONE);
    let anywhere = Prepared::within(None, Some(share));
    let mut here = Prepared::within(Room::here(), None);
    let mut unexamined = ConfigErrors::default();
    let mut text = String::new();
    let mut seconds = 0.0;
    let mut is_steady = false;
    let samples = plan.samples();
    let points_per_sample = plan.n_points() as f64 / samples.len() as f64;
    for (index, config) in samples.iter().enumerate() {
        if let Err(too_large) = anywhere.fits(config) {
            faults.add_first(too_large);
            continue;
        }
        let described = match here.fits(config) {
            Ok(()) => describe(config, share, &mut here),
            Err(too_large) => {
                unexamined.add_first(too_large);
                outline(config, share).map(|outline| (outline, Time { seconds: 0.0, goal: Goal::Steady }))
            }
        };
        match described {
            Ok((description, Time { seconds: estimate, goal })) => {
                seconds += estimate * points_per_sample;
                is_steady |= goal == Goal::Steady;
                // Points differ in what is swept; the first stands for the others.
                if index == 0 {
                    text.push_str(&description);
                }
            }
            Err(e) => faults.add_new(e),
        }
    }
    if !faults.0.is_empty() {
        return Err(faults.into());
    }
    let points = plan.n_points();
    let mut head = format!("# Effective configuration\n\n{}\n", study.to_toml(VOLATILE_TABLES));
    let _ = writeln!(head, "# Derived{}\n", if points > 1 { ", for the first point" } else { "" });
    let side_by_side = study.points[0].int("runtime.side_by_side");
    seconds /= side_by_side as f64;
    let cores = share.ranks * share.threads * side_by_side as u32;
    let most = if plan.search().is_some() { "at most " } else { "" };
    let _ = writeln!(text, "\n{:<28}{most}{points}", "points");
    if unexamined.0.is_empty() {
        let time = duration(seconds);
        let cores = counted(cores, "core");
        let proviso = if is_steady { ", if no point saturates" } else { "" };
        let _ = writeln!(text, "{:<28}about {time} on {cores}{proviso}", "time for all points");
    }
    for ConfigError { place, message, .. } in unexamined.0 {
        log::warn!("{place}: {message}; nothing more of it was examined");
    }
    // A reader that has gone away is no error.
    let _ = write!(std::io::stdout(), "{head}{text}");
    Ok(())
}

/// What can be told of a point without building its network.
fn outline(config: &Config, share: Share) -> Result<String, ConfigErrors> {
    let (topology, routing) = (topology_of(config), routing_of(config));
    let sizes = (topology.sizes)(config)?;
    let bytes = Footprint::new(config, &sizes).of_process(share);
    let rows = [
        ("topology", format!("{}: {}", topology.name, topology.summary)),
        ("N_r", format!("{} routers", sizes.n_routers)),
        ("N", format!("{} endpoints", sizes.n_endpoints)),
        ("diameter", format!("{} hops", sizes.diameter)),
        ("channels", channels(sizes.n_channels)),
        ("routing", format!("{}: {}", routing.name, routing.summary)),
        ("memory", memory(bytes)),
    ];
    Ok(rows.iter().map(|(name, value)| format!("{name:<28}{value}\n")).collect())
}

fn channels(n: u64) -> String {
    format!("{n} between routers (directed), {} cables", n / 2)
}

fn memory(bytes: f64) -> String {
    format!("about {} per rank", readable_bytes(bytes))
}

/// What a point takes, roughly.
struct Time {
    seconds: f64,
    /// What it is simulated for.
    goal: Goal,
}

/// The derived sizes of one point, and its time.
fn describe(config: &Config, share: Share, prepared: &mut Prepared) -> Result<(String, Time), ConfigErrors> {
    let Share { ranks, threads, .. } = share;
    let (evidence, point) = prepared.checked(config, ranks * threads)?;
    let graph = &point.graph;
    let (topology, routing) = (topology_of(config), routing_of(config));
    let max_hops = (routing.max_hops)(config, &point.survey);
    let estimate = Estimate::new(&point, share, f64::from(max_hops));
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<28}{value}");
    };
    row("topology", format!("{}: {}", topology.name, topology.summary));
    for (name, value) in (topology.describe)(config, graph) {
        row(name, value);
    }
    row("channels", channels(graph.n_channels() as u64));
    row("routing", format!("{}: {}", routing.name, routing.summary));
    row("longest path", format!("{max_hops} router-to-router channels"));
    row("VCs required", format!("{} (num_vcs = {})", (routing.vcs_required)(config, &point.survey), point.params.num_vcs));
    row("deadlock", evidence.to_string());
    row("zero-load latency", format!("at most {} cycles, from end to end", point.rules.fill));
    row("traffic", traffic(&point));
    for (name, value) in load_bounds(&point)? {
        row(name, value);
    }
    row(
        "partitions",
        format!(
            "{} ({} x {}), by {}",
            ranks * threads,
            counted(ranks, "rank"),
            counted(threads, "thread"),
            partitioner_of(config, &point.params).name()
        ),
    );
    let sizes = sizes(&point.layout.assignment, ranks * threads);
    row("routers per partition", sizes);
    row("cut channels", format!("{} of {}", point.layout.cut_channels, graph.n_channels()));
    row("lookahead", point.layout.lookahead.map_or("unlimited: nothing is cut".into(), |l| format!("{l} cycles")));
    row("memory", memory(estimate.bytes_per_rank));
    if point.rules.goal == Goal::Steady {
        row("warm-up", warm_up(&point));
    }
    row("cycles", format!("at most {}", estimate.longest));
    let seconds = estimate.seconds(ranks * threads);
    row("time", format!("about {} on {}", duration(seconds), counted(ranks * threads, "core")));
    Ok((text, Time { seconds, goal: point.rules.goal }))
}

/// How long nothing is measured, and why if it is longer than asked for.
fn warm_up(point: &Point) -> String {
    let (periods, asked) = (point.rules.warmup_periods, point.config.int("measurement.warmup_periods") as u64);
    let why =
        if periods > asked { format!(", more than warmup_periods = {asked}: as long as a packet takes") } else { String::new() };
    format!("{} cycles ({periods} samples{why})", periods * point.rules.sample_period)
}

/// The pattern, and how many take part.
fn traffic(point: &Point) -> String {
    let name = point.config.text(traffic::PATTERN);
    let entry = traffic::find(name).expect("the schema lists the registry's names");
    let n = point.graph.n_endpoints();
    let active = point.load.pattern.parties(n).active.into_iter().filter(|&active| active).count();
    format!("{name}: {}; {active} of {n} endpoints send", entry.summary)
}

/// Up to which load the channels can carry what is offered, and the most they carry of more; or why that is not known.
fn load_bounds(point: &Point) -> Result<Vec<(&'static str, String)>, ConfigErrors> {
    let unknown = |why: String| Ok(vec![("load bound", why)]);
    let routing = routing_of(&point.config);
    if routing.adaptive {
        return unknown(format!("none: `{}` decides by the state of the network", routing.name));
    }
    if let Some(list) = point.load.pattern.messages() {
        return unknown(format!(
            "none: a list of messages has no load ({} messages, {} flits)",
            list.messages().len(),
            list.n_flits()
        ));
    }
    if scenario_of(&point.config)?.is_some() {
        return unknown("none: with faults a part of what is offered is refused".into());
    }
    let n = point.graph.n_routers();
    if n > BOUND_MAX_ROUTERS {
        return unknown(format!("not computed: {n} routers, more than {BOUND_MAX_ROUTERS}"));
    }
    let Some(bound) = static_bound(point)? else { return unknown("none: nobody sends".into()) };
    let load = if bound.load > 1.0 { "above 1".to_string() } else { flits(bound.load) };
    let ceiling = match static_ceiling(point, None)? {
        Some(ceiling) => format!("{}: beyond saturation, too, no more than that is accepted", flits(ceiling.load)),
        None => "not computed: too many paths to follow".into(),
    };
    let full = format!("{load}: {} is full then; {:.4} hops per packet on average", bound.busiest, bound.hops);
    Ok(vec![("load bound", full), ("load ceiling", ceiling)])
}

fn flits(load: f64) -> String {
    format!("{load:.4} flits/cycle/endpoint")
}

fn sizes(assignment: &[u32], n: u32) -> String {
    let mut count = vec![0u32; n as usize];
    assignment.iter().for_each(|&p| count[p as usize] += 1);
    let (min, max) = (count.iter().min().copied().unwrap_or(0), count.iter().max().copied().unwrap_or(0));
    if min == max {
        format!("{min}")
    } else {
        format!("{min} to {max}")
    }
}

/// So many of what `noun` names one of.
fn counted(n: u32, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second".into(),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
