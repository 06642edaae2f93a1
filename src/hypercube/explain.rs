//! A teaching tool: the code of every node under every model, and one unicast hop by hop with the reason for each choice.

use std::fmt::{self, Write as _};

use super::code::{Code, Model};
use super::connectivity::Components;
use super::cube::Cube;
use super::error::CubeError;
use super::search::distances;
use super::unicast::{decide, route, Criterion, Ground, Route, Verdict};

/// The largest cube whose nodes are all listed; of larger ones only the nodes met on the way.
const MAX_LISTED: u32 = 8;

/// Explains the unicast from `from` to `to` in `cube` under each of `models`.
///
/// # Errors
/// If an end does not exist or is faulty, or a model does not fit the cube.
pub fn explain(cube: &Cube, from: u32, to: u32, models: &[Model]) -> Result<String, CubeError> {
    let codes = models.iter().map(|&model| Code::new(cube, model)).collect::<Result<Vec<_>, _>>()?;
    let routes = codes.iter().map(|code| route(cube, code, from, to)).collect::<Result<Vec<_>, _>>()?;
    let mut out = String::new();
    write_all(&mut out, cube, from, to, &codes, &routes).expect("writing to a string cannot fail");
    Ok(out)
}

/// A node as the papers write it, highest dimension first.
struct Address(u32, u32);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address(node, n) = *self;
        write!(f, "{node:0width$b} ({node})", width = n as usize)
    }
}

fn write_all(out: &mut String, cube: &Cube, from: u32, to: u32, codes: &[Code], routes: &[Route]) -> fmt::Result {
    write_faults(out, cube)?;
    let listed: Vec<u32> = if cube.n() <= MAX_LISTED {
        (0..cube.n_nodes()).collect()
    } else {
        let mut met: Vec<u32> = routes.iter().flat_map(|r| r.hops.iter().map(|h| h.to())).chain([from, to]).collect();
        met.sort_unstable();
        met.dedup();
        met
    };
    write_codes(out, cube, codes, &listed)?;
    let h = (from ^ to).count_ones();
    write!(
        out,
        "\nfrom {} to {}: distance H = {h}, preferred dimensions {}\nglobal information: ",
        Address(from, cube.n()),
        Address(to, cube.n()),
        dims_text(from ^ to)
    )?;
    match distances(cube, from)[to as usize] {
        Some(hops) => writeln!(out, "a shortest healthy path has {hops} hops (H + {})", hops - h)?,
        None => writeln!(out, "no healthy path exists")?,
    }
    for (code, route) in codes.iter().zip(routes) {
        write_route(out, cube, code, route, from, to)?;
    }
    Ok(())
}

fn write_faults(out: &mut String, cube: &Cube) -> fmt::Result {
    let components = Components::new(cube);
    let nodes: Vec<String> = cube.faulty_nodes().map(|u| Address(u, cube.n()).to_string()).collect();
    let links: Vec<String> = cube.faulty_links().iter().map(|(u, i)| format!("({u}, {i})")).collect();
    writeln!(out, "{}-cube\nfaulty nodes: {}", cube.n(), list_text(&nodes))?;
    write!(out, "faulty links (node, dimension): {}", list_text(&links))?;
    let mut sizes = components.sizes().to_vec();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    if components.is_connected() {
        writeln!(out, "\nthe nonfaulty nodes are connected\n")
    } else {
        let parts: Vec<String> = sizes.iter().take(8).map(u32::to_string).collect();
        writeln!(out, "\nthe nonfaulty nodes fall into {} parts, the largest of {} nodes\n", sizes.len(), parts.join(", "))
    }
}

/// The first 32 items of a list.
fn list_text(items: &[String]) -> String {
    match items.len() {
        0 => "none".to_string(),
        n if n > 32 => format!("{} and {} more", items[..32].join(", "), n - 32),
        _ => items.join(", "),
    }
}

/// The code of `node` in the form its paper uses.
fn code_text(code: &Code, node: u32) -> String {
    match code.model() {
        Model::SafeUnsafe | Model::ExtendedSafe => if code.is_safe(node) { "safe" } else { "unsafe" }.to_string(),
        Model::SafetyLevel => code.level(node).to_string(),
        Model::SafetyVector | Model::Extended(_) => code.text(node),
    }
}

fn write_codes(out: &mut String, cube: &Cube, codes: &[Code], listed: &[u32]) -> fmt::Result {
    let n = cube.n();
    let first = Address(cube.n_nodes() - 1, n).to_string().len().max("messages".len());
    let width = codes.iter().map(|c| c.model().name().len()).max().unwrap_or(0).max(n as usize) + 2;
    let line = |out: &mut String, head: &str, cells: &[String]| {
        let row = cells.iter().fold(format!("{head:<first$}"), |row, cell| format!("{row}  {cell:<width$}"));
        writeln!(out, "{}", row.trim_end())
    };
    line(out, "node", &codes.iter().map(|c| c.model().name()).collect::<Vec<_>>())?;
    for &u in listed {
        let cells: Vec<String> =
            codes.iter().map(|c| if cube.is_faulty(u) { "faulty".to_string() } else { code_text(c, u) }).collect();
        line(out, &Address(u, n).to_string(), &cells)?;
    }
    line(out, "rounds", &codes.iter().map(|c| c.cost().rounds.to_string()).collect::<Vec<_>>())?;
    line(out, "messages", &codes.iter().map(|c| c.cost().messages.to_string()).collect::<Vec<_>>())?;
    writeln!(out, "(vectors: bit 1 first; bit k is 1 if every nonfaulty node at distance k has a minimal healthy path)")
}

/// Dimensions of a mask: `{0, 3}`.
fn dims_text(mask: u32) -> String {
    let dims: Vec<String> = (0..32).filter(|i| mask >> i & 1 != 0).map(|i: u32| i.to_string()).collect();
    format!("{{{}}}", dims.join(", "))
}

fn write_route(out: &mut String, cube: &Cube, code: &Code, route: &Route, from: u32, to: u32) -> fmt::Result {
    let h = (from ^ to).count_ones();
    let verdict = match route.decision.verdict {
        Verdict::Optimal => format!("optimal, {h} hops"),
        Verdict::Suboptimal => format!("suboptimal, {} hops", h + 2),
        Verdict::Failure => format!(
            "failure, reported at the source: no preferred neighbour guarantees the remaining distance {}, no spare one {}",
            h.saturating_sub(1),
            h + 1
        ),
    };
    let counted = match decide(cube, code, from, to, Criterion::Table).map(|d| d.verdict) {
        Ok(Verdict::Optimal) => "optimal",
        Ok(Verdict::Suboptimal) => "suboptimal",
        _ => "failure",
    };
    writeln!(out, "\n{}: {verdict} (the published tables count it as {counted})", code.model().name())?;
    for hop in &route.hops {
        let remaining = (hop.from ^ to).count_ones();
        writeln!(
            out,
            "  {} -> {} along dimension {}: {}",
            Address(hop.from, cube.n()),
            Address(hop.to(), cube.n()),
            hop.dim,
            reason(code, hop.ground, remaining, hop.dims)
        )?;
    }
    Ok(())
}

/// Why a hop is taken with `k` hops remaining before it, out of the possible `dims`.
fn reason(code: &Code, ground: Ground, k: u32, dims: u32) -> String {
    let among = dims_text(dims);
    let own = match code.model() {
        Model::SafeUnsafe | Model::ExtendedSafe => "this node is safe".to_string(),
        Model::SafetyLevel => format!("this node has a level of at least {k}"),
        _ => format!("bit {k} of this node is 1"),
    };
    let theirs = |bit: u32| match code.model() {
        // A sound but unsafe neighbour is good for one more hop.
        Model::SafeUnsafe | Model::ExtendedSafe if bit == 1 => "are no end of a faulty link".to_string(),
        Model::SafeUnsafe | Model::ExtendedSafe => "are safe".to_string(),
        Model::SafetyLevel => format!("have level {bit} or more"),
        _ => format!("have bit {bit} set"),
    };
    match ground {
        Ground::ExactPath if k == 1 => "the destination is a neighbour over a healthy link".to_string(),
        Ground::ExactPath => {
            format!("all faults within distance {k} are known, and minimal healthy paths leave along {among}")
        }
        Ground::OwnBit => format!("{own}, so some preferred neighbours {}: along {among}", theirs(k - 1)),
        Ground::PreferredBit => format!("preferred neighbours {}: along {among}", theirs(k - 1)),
        Ground::SpareBit => format!("no preferred neighbour will do, but spare ones {}: along {among}", theirs(k + 1)),
        Ground::Here | Ground::Nothing => String::new(),
    }
}
