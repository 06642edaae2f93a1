//! `sfpdes cube explain`: one faulty cube and one message, as a lesson.

use std::io::Write as _;

use clap::Args;

use crate::error::Error;
use crate::hypercube::{explain as explain_text, Cube, CubeError, Model, MAX_DIMENSION};

const NOTES: &str = "\
Examples:
  sfpdes cube explain --n 4 --faulty-nodes 1,6 --from 0 --to 15
  sfpdes cube explain --n 3 --faulty-links 0b000:1,5:0 --from 0b000 --to 0b111 --models safety-vector,esv2

Nodes are numbers from 0 to 2^n - 1, written in decimal or, with 0b in front, in binary; neighbours differ in one bit.
A link is NODE:DIMENSION, from either of its ends. Of cubes with more than 8 dimensions only the nodes on the way are
listed. A destination that cannot be reached is an answer: each model says whether it knows. A faulty source or
destination is a mistake in the question: exit code 2.";

/// Arguments of `cube explain`.
#[derive(Args)]
#[command(after_help = NOTES)]
pub struct ExplainArgs {
    /// Dimension of the cube: 2^n nodes
    #[arg(long, short = 'n', value_name = "N")]
    n: u32,
    /// Faulty nodes
    #[arg(long, value_name = "NODES", value_delimiter = ',', value_parser = node)]
    faulty_nodes: Vec<u32>,
    /// Faulty links
    #[arg(long, value_name = "NODE:DIM,...", value_delimiter = ',', value_parser = link)]
    faulty_links: Vec<(u32, u32)>,
    /// Source of the message
    #[arg(long, value_name = "NODE", value_parser = node)]
    from: u32,
    /// Its destination
    #[arg(long, value_name = "NODE", value_parser = node)]
    to: u32,
    /// Coding methods to show, of safe-unsafe, extended-safe, safety-level, safety-vector, esv1 to esv<n>; by default all
    /// with esv2 and esv3
    #[arg(long, value_name = "MODELS", value_delimiter = ',', value_parser = model)]
    models: Vec<Model>,
}

/// A node in decimal, or in binary after `0b`.
fn node(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0b") {
        Some(binary) => u32::from_str_radix(binary, 2),
        None => text.parse(),
    };
    parsed.map_err(|_| "a node is a number such as 6 or 0b0110".to_string())
}

/// A link as `NODE:DIM`.
fn link(text: &str) -> Result<(u32, u32), String> {
    let rule = || "a link is NODE:DIMENSION, such as 6:0 or 0b0110:0".to_string();
    let (from, dim) = text.split_once(':').ok_or_else(rule)?;
    Ok((node(from).map_err(|_| rule())?, dim.parse().map_err(|_| rule())?))
}

/// A coding method by its name.
fn model(text: &str) -> Result<Model, String> {
    Model::from_name(text).ok_or_else(|| {
        let names: Vec<String> = Model::FIXED.iter().map(|m| m.name()).collect();
        format!("there are {}, and esv<d> such as esv2", names.join(", "))
    })
}

/// Prints the explanation.
pub fn explain(args: &ExplainArgs) -> Result<(), Error> {
    let n = args.n;
    if !(1..=MAX_DIMENSION).contains(&n) {
        return Err(Error::Usage(CubeError::Dimension { n }.to_string()));
    }
    let models = if args.models.is_empty() {
        let extended = (2..=n.min(3)).map(Model::Extended);
        Model::FIXED.into_iter().chain(extended).collect()
    } else {
        args.models.clone()
    };
    let cube = Cube::with_faults(n, &args.faulty_nodes, &args.faulty_links);
    let mut faults = Cube::list_errors(n, &args.faulty_nodes, &args.faulty_links);
    faults.extend(models.iter().filter_map(|model| model.check(n).err()));
    for (role, end) in [("source", args.from), ("destination", args.to)] {
        if end >> n != 0 {
            faults.push(CubeError::Node { node: end.into(), n });
        } else if args.faulty_nodes.contains(&end) {
            faults.push(CubeError::FaultyEnd { role, node: end });
        }
    }
    let all = |faults: &[CubeError]| Error::Usage(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    if !faults.is_empty() {
        return Err(all(&faults));
    }
    let text = cube.and_then(|cube| explain_text(&cube, args.from, args.to, &models)).map_err(|e| all(&[e]))?;
    // A reader that has gone away is no error.
    let _ = write!(std::io::stdout(), "{text}");
    Ok(())
}
