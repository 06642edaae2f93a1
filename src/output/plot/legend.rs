//! The legend, above the panels: as many rows as its entries need.

use plotters::prelude::*;

use super::canvas::{points, text_width, Anchor, Canvas, Drawn, GREY, WIDTH};
use super::curves::Figure;
use super::marker;

/// Size of the text, points.
const TEXT: i32 = 7;

/// Height of a row.
const ROW: i32 = points(11);

/// Width of the sample of a line.
const SAMPLE: i32 = points(18);

/// Space between the sample and its text.
const SPACE: i32 = points(3);

/// Space between two entries.
const BETWEEN: i32 = points(10);

/// Space left and right of all entries.
const MARGIN: i32 = points(6);

/// What an entry explains.
#[derive(Clone, Copy)]
enum Sign {
    /// The curve of that index.
    Curve(usize),
    /// Points without a steady latency.
    Unsteady,
    /// The line on which all that is offered is accepted.
    Ideal,
}

/// Entries with their places.
pub(super) struct Legend {
    entries: Vec<(Sign, String, (i32, i32))>,
    rows: i32,
}

impl Legend {
    /// The legend of `figure`, laid out.
    pub(super) fn new(figure: &Figure) -> Self {
        let named = figure.curves.iter().enumerate().filter(|(_, c)| !c.label.is_empty());
        let mut entries: Vec<_> = named.map(|(i, c)| (Sign::Curve(i), c.label.clone())).collect();
        if !figure.unsteady.is_empty() {
            entries.push((Sign::Unsteady, format!("{} (latency not steady)", figure.unsteady.join(", "))));
        }
        if figure.against_load {
            entries.push((Sign::Ideal, "accepted = offered".into()));
        }
        let (mut x, mut row) = (MARGIN, 0);
        let placed = entries.into_iter().map(|(sign, text)| {
            let width = SAMPLE + SPACE + text_width(&text, TEXT);
            if x > MARGIN && x + width > WIDTH - MARGIN {
                (x, row) = (MARGIN, row + 1);
            }
            let at = (x, points(4) + row * ROW + ROW / 2);
            x += width + BETWEEN;
            (sign, text, at)
        });
        let entries: Vec<_> = placed.collect();
        let rows = if entries.is_empty() { 0 } else { row + 1 };
        Self { entries, rows }
    }

    /// Height that it takes.
    pub(super) fn height(&self) -> i32 {
        points(9) + self.rows * ROW
    }

    /// Draws it at the top.
    pub(super) fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B> {
        for (sign, text, (x, y)) in &self.entries {
            let (from, to, middle) = ((*x, *y), (x + SAMPLE, *y), (x + SAMPLE / 2, *y));
            match sign {
                Sign::Curve(index) => {
                    let color = marker::color(*index);
                    canvas.line(&[from, to], color, 10)?;
                    marker::draw(canvas, *index, middle, color, true)?;
                }
                Sign::Unsteady => {
                    canvas.dashes(from, to, GREY, 9)?;
                    marker::draw(canvas, 0, middle, GREY, false)?;
                }
                Sign::Ideal => canvas.line(&[from, to], super::panel::IDEAL, 6)?,
            }
            canvas.text(text, (to.0 + SPACE, *y), TEXT, Anchor::Start, BLACK)?;
        }
        Ok(())
    }
}
