//! The panels of a hypercube figure: all with the same axes, in one column of a paper or, if there are many, across the page.

use plotters::prelude::*;

use super::canvas::{points, text_width, Anchor, Canvas, Drawn, WIDTH};
use super::cube::{CubeFigure, CubePanel, Mean};
use super::marker;
use super::nines::Axis;
use super::ticks::ticks;

/// Size of the numbers at the axes and of the legend, points.
const NUMBERS: i32 = 7;

/// Size of the titles, points.
const TITLES: i32 = 8;

/// Colour of the lines across a panel.
const GRID: RGBColor = RGBColor(225, 225, 225);

/// Length of a mark at an axis.
const MARK: i32 = points(3);

/// Space for the title of the vertical axis.
const TITLE_SPACE: i32 = points(14);

/// Space right of a panel.
const RIGHT: i32 = points(9);

/// Height of a panel.
const HEIGHT: i32 = points(104);

/// Space above a panel, for its title.
const ABOVE: i32 = points(15);

/// Space below the lowest panels.
const BOTTOM: i32 = points(29);

/// More panels than this stand side by side.
const STACKED: usize = 3;

/// Panels side by side, and the width of a figure across the page: 7.16 inches.
const COLUMNS: (usize, i32) = (3, 4296);

/// Height of a row of the legend.
const LEGEND_ROW: i32 = points(11);

/// Width of the sample of a line in the legend.
const SAMPLE: i32 = points(18);

/// An entry of the legend and its place.
type Sign = (usize, (i32, i32));

/// A laid-out figure.
pub(super) struct CubeLayout<'a> {
    figure: &'a CubeFigure,
    /// Size in dots.
    pub size: (i32, i32),
    columns: usize,
    left: i32,
    panel_width: i32,
    legend: Vec<Sign>,
    top: i32,
    x: (f64, f64),
    y: Axis,
}

impl<'a> CubeLayout<'a> {
    /// Lays out `figure`.
    pub(super) fn new(figure: &'a CubeFigure) -> Self {
        let n_panels = figure.panels.len().max(1);
        let (columns, width) = if n_panels > STACKED { COLUMNS } else { (1, WIDTH) };
        let y = Axis::new(figure, HEIGHT);
        let widest = y.marks.iter().map(|(_, text)| text_width(text, NUMBERS)).max().unwrap_or(0);
        let left = TITLE_SPACE + widest + points(2) + MARK;
        let panel_width = (width - left) / columns as i32 - RIGHT;
        let (legend, rows) = legend(figure, width);
        let top = points(4) + rows * LEGEND_ROW;
        let panel_rows = n_panels.div_ceil(columns) as i32;
        let height = top + panel_rows * (ABOVE + HEIGHT) + BOTTOM;
        let (low, high) = figure.means().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), m| (l.min(m.x), h.max(m.x)));
        let x = match (low.is_finite(), high > low) {
            (false, _) => (0.0, 1.0),
            (true, false) => (low - 0.5 * low.abs().max(1.0), low + 0.5 * low.abs().max(1.0)),
            (true, true) => (low - 0.05 * (high - low), high + 0.05 * (high - low)),
        };
        Self { figure, size: (width, height), columns, left, panel_width, legend, top, x, y }
    }

    /// Draws the figure.
    pub(super) fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B> {
        for (entry, (x, y)) in &self.legend {
            let color = marker::color(*entry);
            draw_line(canvas, &[(*x, *y), (x + SAMPLE, *y)], *entry)?;
            marker::draw(canvas, *entry, (x + SAMPLE / 2, *y), color, true)?;
            let text = &self.figure.entries[*entry];
            canvas.text(text, (x + SAMPLE + points(3), *y), NUMBERS, Anchor::Start, BLACK)?;
        }
        let last = self.figure.panels.len().saturating_sub(self.columns);
        for (index, panel) in self.figure.panels.iter().enumerate() {
            self.draw_panel(canvas, panel, index, index >= last)?;
        }
        Ok(())
    }

    /// Left upper corner of a panel.
    fn corner(&self, index: usize) -> (i32, i32) {
        let (row, column) = ((index / self.columns) as i32, (index % self.columns) as i32);
        (self.left + column * (self.panel_width + RIGHT), self.top + ABOVE + row * (ABOVE + HEIGHT))
    }

    /// The dot of a value in a panel with that corner.
    fn dot(&self, (left, top): (i32, i32), x: f64, y: f64) -> (i32, i32) {
        let (low, high) = self.x;
        let right = f64::from(self.panel_width) * (x - low) / (high - low);
        (left + right.round() as i32, top + HEIGHT - (f64::from(HEIGHT) * self.y.place(y)).round() as i32)
    }

    fn draw_panel<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>, panel: &CubePanel, index: usize, is_last: bool) -> Drawn<B> {
        let corner = self.corner(index);
        let (left, top) = corner;
        let (right, bottom) = (left + self.panel_width, top + HEIGHT);
        for (value, text) in &self.y.marks {
            let (_, y) = self.dot(corner, self.x.0, *value);
            canvas.line(&[(left, y), (right, y)], GRID, 4)?;
            canvas.line(&[(left - MARK, y), (left, y)], BLACK, 6)?;
            if index % self.columns == 0 {
                canvas.text(text, (left - MARK - points(2), y), NUMBERS, Anchor::End, BLACK)?;
            }
        }
        let (values, decimals) = ticks(self.x.0, self.x.1);
        for value in values {
            let (x, _) = self.dot(corner, value, 0.0);
            canvas.line(&[(x, bottom), (x, bottom + MARK)], BLACK, 6)?;
            if is_last {
                let at = (x, bottom + MARK + points(6));
                canvas.text(&format!("{value:.decimals$}"), at, NUMBERS, Anchor::Middle, BLACK)?;
            }
        }
        canvas.line(&[(left, top), (left, bottom), (right, bottom)], BLACK, 6)?;
        canvas.text(&panel.title, (left, top - points(7)), NUMBERS, Anchor::Start, BLACK)?;
        if index % self.columns == 0 {
            canvas.text(self.figure.y_title, (points(6), (top + bottom) / 2), TITLES, Anchor::Upwards, BLACK)?;
        }
        if is_last {
            let at = ((left + right) / 2, bottom + MARK + points(17));
            canvas.text(self.figure.x_title, at, TITLES, Anchor::Middle, BLACK)?;
        }
        // Lines of all curves first, so that no line crosses a marker of another.
        for curve in &panel.curves {
            let path: Vec<_> = curve.means.iter().map(|m| self.dot(corner, m.x, m.value)).collect();
            draw_line(canvas, &path, curve.entry)?;
        }
        for curve in &panel.curves {
            for mean in &curve.means {
                self.draw_mean(canvas, corner, mean, curve.entry)?;
            }
        }
        Ok(())
    }

    /// A marker with a bar of one standard error to either side.
    fn draw_mean<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>, corner: (i32, i32), mean: &Mean, entry: usize) -> Drawn<B> {
        let color = marker::color(entry);
        if mean.stderr > 0.0 {
            let ends = [mean.value - mean.stderr, mean.value + mean.stderr].map(|v| self.dot(corner, mean.x, v));
            canvas.line(&ends, color, 7)?;
        }
        marker::draw(canvas, entry, self.dot(corner, mean.x, mean.value), color, true)
    }
}

/// The line of a curve: broken if another one has its colour.
fn draw_line<B: DrawingBackend>(canvas: &Canvas<'_, B>, path: &[(i32, i32)], entry: usize) -> Drawn<B> {
    let color = marker::color(entry);
    if !marker::is_repeated(entry) {
        return canvas.line(path, color, 10);
    }
    path.windows(2).filter(|p| p[0] != p[1]).try_for_each(|p| canvas.dashes(p[0], p[1], color, 10))
}

/// The entries of the legend with their places, and the rows that they take.
fn legend(figure: &CubeFigure, width: i32) -> (Vec<Sign>, i32) {
    const MARGIN: i32 = points(6);
    let (mut x, mut row) = (MARGIN, 0);
    let place = |(entry, text): (usize, &String)| {
        let own = SAMPLE + points(3) + text_width(text, NUMBERS);
        if x > MARGIN && x + own > width - MARGIN {
            (x, row) = (MARGIN, row + 1);
        }
        let at = (x, points(4) + row * LEGEND_ROW + LEGEND_ROW / 2);
        x += own + points(10);
        (entry, at)
    };
    let placed: Vec<_> = figure.entries.iter().enumerate().map(place).collect();
    let rows = if placed.is_empty() { 0 } else { row + 1 };
    (placed, rows)
}
