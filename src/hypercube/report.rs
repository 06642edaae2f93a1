//! All that a person sees of a study as text: published tables beside ours where there are any, and a table of everything that
//! was counted where those leave something out.

use super::faults::Faults;
use super::reference::Reference;
use super::study::StudyParams;
use super::summary::{CellSummary, ColumnSummary, Estimate, StudySummary};
use super::table::{number, Comparison};
use super::tally::Scheme;
use super::unicast::Criterion;

/// A study, as far as it is finished.
#[derive(Clone, Debug)]
pub struct ReportedStudy {
    /// What was computed.
    pub params: StudyParams,
    /// The finished cells, in order, each with what a person calls it.
    pub cells: Vec<(String, CellSummary)>,
}

/// The tables of `studies`, read against `reference`, with what their marks mean.
#[must_use]
pub fn report(studies: &[ReportedStudy], reference: Option<&Reference>) -> String {
    let mut text = String::new();
    let mut rest = Vec::new();
    for study in studies.iter().filter(|s| !s.cells.is_empty()) {
        let summary = StudySummary { params: study.params.clone(), cells: study.cells.iter().map(|(_, c)| c.clone()).collect() };
        let by_table = |c: &super::tally::Column| c.criterion == Criterion::Table && c.scheme != Scheme::Global;
        let by_count = study.params.cells.iter().all(|c| matches!(c.faults, Faults::Count { .. }));
        if !by_count || !study.params.columns.iter().any(by_table) {
            rest.push(study);
            continue;
        }
        let comparison = Comparison::new(&summary, reference);
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{}-cubes, {}\n\n", study.params.cells[0].n, pairs_text(&study.params)));
        text.push_str(&format!("{comparison}\n{}", comparison.legend(study.params.sets)));
        if !study.params.columns.iter().all(|c| comparison.shows(c)) {
            rest.push(study);
        }
    }
    if !rest.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&overview(&rest));
    }
    text
}

/// What the percentages are of.
fn pairs_text(params: &StudyParams) -> String {
    match params.pairs {
        super::tally::Pairs::All => format!("all pairs of each of {} fault sets per row", params.sets),
        super::tally::Pairs::Sample(pairs) => format!("{pairs} pairs of each of {} fault sets per row", params.sets),
    }
}

/// Everything that `studies` count, one line per cell and column, with what the columns mean.
fn overview(studies: &[&ReportedStudy]) -> String {
    let lines: Vec<[String; 9]> = studies.iter().flat_map(|study| lines(study)).collect();
    let heads = ["model", "rule", "optimal %", "suboptimal %", "failed %", "needlessly %", "detour", "rounds", "messages"];
    let width = |column: usize| lines.iter().map(|l| l[column].chars().count()).chain([heads[column].len()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |cells: &[String]| {
        let row = cells.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| match at {
            0 | 1 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        row.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    let mut text = line(&heads.map(str::to_string));
    let mut lines = lines.iter();
    for study in studies {
        for (label, cell) in &study.cells {
            text.push_str(&format!("{label}: {} % of the pairs connected\n", estimate(cell.connected)));
            lines.by_ref().take(cell.columns.len()).for_each(|cells| text.push_str(&line(cells)));
        }
    }
    text.push_str(
        "\noptimal      the source declares that the message arrives in H hops, H the Hamming distance\n\
         suboptimal   in H + 2 hops\n\
         failed       it declares a failure and sends nothing\n\
         needlessly   it does so although a healthy path exists\n\
         detour       hops beyond H, mean over what is declared optimal or suboptimal\n\
         rounds       of neighbour exchange until every node knows its code, and the messages of these\n\
         +-           standard error over the fault sets; a dash where there was nothing to count\n",
    );
    if studies.iter().any(|s| s.params.columns.iter().any(|c| c.scheme != Scheme::Global && c.criterion == Criterion::Table)) {
        text.push_str(
            "rule         text is sound: what is declared arrives; table counts as the published tables did, which is not\n",
        );
    }
    text
}

/// The lines of a study, cell by cell.
fn lines(study: &ReportedStudy) -> impl Iterator<Item = [String; 9]> + '_ {
    study.cells.iter().flat_map(|(_, cell)| {
        study.params.columns.iter().zip(&cell.columns).map(|(column, c)| {
            let rule = if column.scheme == Scheme::Global { "" } else { column.criterion.name() };
            line_of(format!("  {}", column.scheme.name()), rule, c)
        })
    })
}

fn line_of(model: String, rule: &str, c: &ColumnSummary) -> [String; 9] {
    [
        model,
        rule.to_string(),
        estimate(c.optimal),
        estimate(c.suboptimal),
        estimate(c.failed),
        estimate(c.failed_connected),
        number(c.detour.mean, 4),
        number(c.rounds, 1),
        number(c.messages, 0),
    ]
}

fn estimate(e: Estimate) -> String {
    format!("{} +-{}", number(e.mean, 3), number(e.stderr, 3))
}
