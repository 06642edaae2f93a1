//! The evaluation of the Slim Fly paper (Besta and Hoefler, "Slim Fly: A Cost Effective Low-Diameter Network Topology", SC14,
//! Figures 6 and 8): the inputs, what the paper says of each figure, and how a result is held against it.

use crate::output::PointTable;
use crate::study::saturation;
use crate::study::search::{Bracket, Probe};

/// A figure of the paper.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Name, also that of its input.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The input, as TOML.
    pub input: &'static str,
    /// What the paper says of it.
    pub claims: &'static [Claim],
}

/// A statement of the paper.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// In words.
    pub says: &'static str,
    /// Holds a result against it.
    pub check: fn(&PointTable) -> Finding,
    /// Where our value differs: the reason, as found by varying parameters.
    pub reason: &'static str,
}

/// What a result says of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Our value, with its interval.
    pub ours: String,
    /// Whether it agrees; `None` if the result does not tell.
    pub agrees: Option<bool>,
}

macro_rules! figures {
    ($($name:literal $title:literal $claims:expr;)*) => {
        &[$(Figure {
            name: $name,
            title: $title,
            input: include_str!(concat!("../../inputs/paper/", $name, ".toml")),
            claims: $claims,
        }),*]
    };
}

/// Every figure.
pub const FIGURES: &[Figure] = figures! {
    "fig6a" "uniform traffic" &[
        Claim {
            says: "MIN and UGAL-G accept the most",
            check: |t| compare(t, &["min", "ugal-g"], &["valiant", "ugal-l"]),
            reason: "",
        },
        Claim { says: "VAL saturates below 50 %", check: |t| saturates(t, &[("routing.algorithm", "valiant")], 0.0, 0.5), reason: "" },
        Claim {
            says: "UGAL-L saturates at 80 %",
            check: |t| saturates(t, &[("routing.algorithm", "ugal-l")], 0.75, 0.85),
            reason: "",
        },
        Claim {
            says: "UGAL-L is about 5 % below the best at the highest load",
            check: |t| below_best(t, "ugal-l", 0.9),
            reason: "",
        },
    ];
    "fig6b" "bit reversal" &[];
    "fig6c" "shift" &[];
    "fig6d" "worst cases for minimal routing" &[
        Claim {
            says: "MIN accepts its bound, 1/(p + 1) = 6.3 %, under the worst case of the text",
            check: |t| accepts(t, &[("routing.algorithm", "min"), ("traffic.pattern", "worst-case-link")], 1.0 / 16.0, 0.1),
            reason: "",
        },
        Claim {
            says: "MIN accepts its bound, 1/(2 p) = 3.3 %, under the exchange of the authors' scripts",
            check: |t| accepts(t, &[("routing.algorithm", "min"), ("traffic.pattern", "worst-case-exchange")], 1.0 / 30.0, 0.1),
            reason: "",
        },
        Claim {
            says: "VAL saturates at 40 % (exchange)",
            check: |t| saturates(t, &[("routing.algorithm", "valiant"), ("traffic.pattern", "worst-case-exchange")], 0.35, 0.45),
            reason: "",
        },
        Claim {
            says: "UGAL-L saturates at 45 % (exchange)",
            check: |t| saturates(t, &[("routing.algorithm", "ugal-l"), ("traffic.pattern", "worst-case-exchange")], 0.4, 0.5),
            reason: "",
        },
    ];
    "fig8a" "size of buffers" &[
        Claim { says: "small buffers have the lower latency", check: |t| buffers(t, false), reason: "" },
        Claim { says: "large buffers have the higher throughput", check: |t| buffers(t, true), reason: "" },
    ];
    "fig8b" "16 endpoints per router" &[Claim {
        says: "p = 16 accepts 80 % (MIN)",
        check: |t| accepts(t, &[("routing.algorithm", "min")], 0.8, 0.035),
        reason: "",
    }];
    "fig8c" "18 endpoints per router" &[Claim {
        says: "p = 18 accepts 75 % (MIN)",
        check: |t| accepts(t, &[("routing.algorithm", "min")], 0.75, 0.035),
        reason: "no minimal routing can carry it: the busiest channel is full at 72.9 % (sfpdes check), and at 87.5 and 82.1 % for \
                 p = 15 and 16, so the paper's figures are rounded bounds rather than measurements; with 16 flits per VC and one \
                 iSLIP iteration the last 4 % below the bound are lost",
    }];
    "fig8d" "20 endpoints per router" &[];
    "fig8e" "21 endpoints per router" &[];
};

/// The figure of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|f| f.name == name)
}

/// The rows where every given axis has the given word.
fn rows(table: &PointTable, filter: &[(&str, &str)]) -> Vec<usize> {
    let matches = |row: usize| {
        filter.iter().all(|(name, word)| table.axes.iter().find(|a| a.name == *name).is_some_and(|a| a.values.text(row) == *word))
    };
    (0..table.points.len()).filter(|&row| matches(row)).collect()
}

fn number(table: &PointTable, name: &str, row: usize) -> f64 {
    let axis = table.axes.iter().find(|a| a.name == name).and_then(|a| a.values.number(row));
    axis.or_else(|| table.number(name, row)).unwrap_or(0.0)
}

/// The most that any of the rows accepted, with its interval.
fn most(table: &PointTable, rows: &[usize]) -> Option<(f64, f64)> {
    let best =
        rows.iter().copied().max_by(|&a, &b| number(table, "accepted_load", a).total_cmp(&number(table, "accepted_load", b)))?;
    Some((number(table, "accepted_load", best), number(table, "accepted_load_ci95", best)))
}

const NOTHING: &str = "no such point";

fn unknown() -> Finding {
    Finding { ours: NOTHING.into(), agrees: None }
}

/// Whether saturation lies, as far as the sweep tells, between two loads.
fn saturates(table: &PointTable, filter: &[(&str, &str)], low: f64, high: f64) -> Finding {
    let rows = rows(table, filter);
    let Some((accepted, ci)) = most(table, &rows) else { return unknown() };
    let known = saturation::probes(table);
    let own: Vec<Probe> = rows.iter().map(|&row| known[&(table.points[row] as usize)]).collect();
    let Bracket { carried: from, refused: to } = Bracket::of(&own);
    let ours = match to {
        Some(to) => format!("between {from} and {to}; most accepted {accepted:.3} +- {ci:.3}"),
        None => format!("above {from}; most accepted {accepted:.3} +- {ci:.3}"),
    };
    // The bracket of the sweep and the range of the claim have a load in common.
    let agrees = to.map(|to| from <= high && to >= low);
    Finding { ours, agrees: agrees.or((from > high).then_some(false)) }
}

/// Whether the most accepted is `value`, within a share of it.
fn accepts(table: &PointTable, filter: &[(&str, &str)], value: f64, share: f64) -> Finding {
    let Some((accepted, ci)) = most(table, &rows(table, filter)) else { return unknown() };
    Finding { ours: format!("{accepted:.4} +- {ci:.4}"), agrees: Some((accepted - value).abs() <= share * value + ci) }
}

/// Whether each of `better` accepts at least as much as every of `worse`.
fn compare(table: &PointTable, better: &[&'static str], worse: &[&'static str]) -> Finding {
    let of = |name: &&'static str| most(table, &rows(table, &[("routing.algorithm", name)])).map(|(v, ci)| (*name, v, ci));
    let (Some(better), Some(worse)) =
        (better.iter().map(of).collect::<Option<Vec<_>>>(), worse.iter().map(of).collect::<Option<Vec<_>>>())
    else {
        return unknown();
    };
    let ours =
        better.iter().chain(&worse).map(|(name, v, ci)| format!("{name} {v:.3} +- {ci:.3}")).collect::<Vec<_>>().join(", ");
    let agrees = better.iter().all(|b| worse.iter().all(|w| b.1 + b.2 >= w.1 - w.2));
    Finding { ours, agrees: Some(agrees) }
}

/// Whether an algorithm accepts at least a share of the best at the highest load of the sweep.
fn below_best(table: &PointTable, name: &str, share: f64) -> Finding {
    let load = |row: usize| number(table, "traffic.injection_rate", row);
    let Some(highest) = (0..table.points.len()).map(load).max_by(f64::total_cmp) else { return unknown() };
    let at: Vec<usize> = (0..table.points.len()).filter(|&row| load(row) == highest).collect();
    let own: Vec<usize> = rows(table, &[("routing.algorithm", name)]).into_iter().filter(|r| at.contains(r)).collect();
    let (Some((own, _)), Some((best, _))) = (most(table, &own), most(table, &at)) else { return unknown() };
    let ours = format!("{own:.3} against {best:.3} at {highest}: {:.1} % below", 100.0 * (1.0 - own / best));
    Finding { ours, agrees: Some(own >= share * best) }
}

/// Whether the most accepted grows with the buffers (`throughput`), or the latency where it is highest among loads that every
/// size carries does.
fn buffers(table: &PointTable, throughput: bool) -> Finding {
    const SIZE: &str = "router.vc_buf_size";
    let mut sizes: Vec<f64> = (0..table.points.len()).map(|row| number(table, SIZE, row)).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let (Some(&smallest), Some(&largest)) = (sizes.first(), sizes.last()) else { return unknown() };
    let of = |size: f64| (0..table.points.len()).filter(|&row| number(table, SIZE, row) == size).collect::<Vec<_>>();
    let (small, large) = (of(smallest), of(largest));
    if throughput {
        let (Some((a, ci_a)), Some((b, ci_b))) = (most(table, &small), most(table, &large)) else { return unknown() };
        let ours = format!("{a:.3} +- {ci_a:.3} with {smallest} flits per VC, {b:.3} +- {ci_b:.3} with {largest}");
        return Finding { ours, agrees: Some(b - ci_b > a + ci_a) };
    }
    // A saturated network's latency is no steady value, but its delay inside the network is bounded by the buffers.
    let last = |rows: &[usize]| {
        let row = rows
            .iter()
            .copied()
            .max_by(|&a, &b| number(table, "traffic.injection_rate", a).total_cmp(&number(table, "traffic.injection_rate", b)));
        row.map(|r| (number(table, "traffic.injection_rate", r), number(table, "network_latency", r)))
    };
    let (Some((load, a)), Some((_, b))) = (last(&small), last(&large)) else { return unknown() };
    let ours = format!("network latency at {load}: {a:.1} cycles with {smallest} flits per VC, {b:.1} with {largest}");
    Finding { ours, agrees: Some(a < b) }
}

/// The table of claims as text; of several seeds the mean counts.
#[must_use]
pub fn render(figure: &Figure, table: &PointTable) -> String {
    let table = &table.over_seeds();
    let mut text = format!("Figure {}: {}. What the paper says, and what this result says:\n", &figure.name[3..], figure.title);
    for claim in figure.claims {
        let Finding { ours, agrees } = (claim.check)(table);
        let verdict = match agrees {
            Some(true) => "agrees",
            Some(false) => "DIFFERS",
            None => "open",
        };
        text.push_str(&format!("  {verdict:<8}paper: {}\n          ours:  {ours}\n", claim.says));
        if agrees == Some(false) && !claim.reason.is_empty() {
            text.push_str(&format!("          why:   {}\n", claim.reason));
        }
    }
    if figure.claims.is_empty() {
        text.push_str("  The paper's text states no number for this figure.\n");
    }
    text
}
