//! `sfpdes trace INPUT`: the way of single packets.

use std::io::Write as _;

use clap::Args;

use crate::cli::InputArgs;
use crate::config::Study;
use crate::error::Error;
use crate::study::{schema, trace as follow_packets, Plan, Prepared, Room, Share};
use crate::traffic::TrafficPattern;

/// Arguments of `trace`.
#[derive(Args)]
pub struct TraceArgs {
    #[command(flatten)]
    input: InputArgs,
    /// A packet: its source endpoint, a colon, its number there from 0 [repeatable]
    #[arg(long = "packet", value_name = "ENDPOINT:NUMBER", default_values_t = ["0:0".to_string()])]
    packets: Vec<String>,
    /// Give up at this cycle
    #[arg(long, value_name = "CYCLE", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=4_000_000_000))]
    until: u64,
}

/// Shows the way of the packets on stdout.
pub fn trace(args: &TraceArgs) -> Result<(), Error> {
    let packets = args.packets.iter().map(|text| packet(text)).collect::<Result<Vec<_>, _>>()?;
    let plan = Plan::examined(Study::examine_file(&args.input.input()?, &args.input.sets, schema()))?;
    let [config] = &plan.study().points[..] else {
        return Err(Error::Usage(format!(
            "a trace follows packets through one point, and this input has {}: fix the swept keys with --set",
            plan.study().points.len()
        )));
    };
    if plan.search().is_some() {
        return Err(Error::Usage("a trace follows packets at one load: give --set study.kind=sweep and a load".into()));
    }
    let (_, point) = Prepared::within(Room::here(), Some(Share::ALONE)).checked(config, 1)?;
    for (endpoint, _) in &packets {
        if *endpoint >= point.graph.n_endpoints() {
            return Err(Error::Usage(format!(
                "--packet: there is no endpoint {endpoint}, the network has {}",
                point.graph.n_endpoints()
            )));
        }
        if !point.load.pattern.active(*endpoint) {
            return Err(Error::Usage(format!("--packet: endpoint {endpoint} sends nothing under this traffic")));
        }
    }
    let mut out = std::io::stdout().lock();
    for (k, traced) in follow_packets(&point, &packets, args.until)?.iter().enumerate() {
        let gap = if k > 0 { "\n" } else { "" };
        // A reader that has gone away is no error.
        let _ = write!(out, "{gap}{}", traced.render(&point));
    }
    Ok(())
}

fn packet(text: &str) -> Result<(u32, u32), Error> {
    let parsed = text.split_once(':').and_then(|(endpoint, number)| Some((endpoint.parse().ok()?, number.parse().ok()?)));
    parsed.ok_or_else(|| Error::Usage(format!("--packet {text}: give an endpoint and a number, such as 5:0")))
}
