//! One panel: axes, curves, and what to do with values that would hide the others.

use plotters::prelude::*;

use super::canvas::{points, text_width, Anchor, Canvas, Drawn, GREY, WIDTH};
use super::curves::{Curve, Figure, Sample};
use super::marker;
use super::ticks::ticks;

/// The colour of the line of an ideal network.
pub(super) const IDEAL: RGBColor = RGBColor(170, 170, 170);

/// Size of the numbers at the axes, points.
const NUMBERS: i32 = 7;

/// Size of the titles of the axes, points.
const TITLES: i32 = 8;

/// Space for the titles left of a panel.
const TITLE_SPACE: i32 = points(23);

/// Length of a mark at an axis.
const MARK: i32 = points(3);

/// Space right of a panel: half of the last number may stand there.
const RIGHT: i32 = points(9);

/// Height of a panel.
const HEIGHT: i32 = points(118);

/// Space between the panels.
const BETWEEN: i32 = points(11);

/// Space for what stands below the lower panel.
const BOTTOM: i32 = points(29);

/// Height of the panels of `figure` with everything around them, less the legend.
pub(super) fn height(figure: &Figure) -> i32 {
    let n = 2 + i32::from(figure.has_undelivered());
    n * HEIGHT + (n - 1) * BETWEEN + BOTTOM
}

/// The value of a point on the vertical axis, and half the length of its error bar.
type Quantity = fn(&Sample) -> Option<(f64, f64)>;

/// A point as it is drawn.
struct Visible {
    x: f64,
    value: f64,
    /// Ends of the error bar.
    bar: Option<(f64, f64)>,
    steady: bool,
    /// Whether the value itself is within the panel, and not only shown at its top.
    inside: bool,
}

/// One panel.
pub(super) struct Panel {
    left: i32,
    top: i32,
    x: (f64, f64),
    /// From 0; nothing if no point has a value.
    y: Option<f64>,
    title: &'static str,
    unit: &'static str,
    /// The title and numbers of the horizontal axis, if they stand here.
    x_title: Option<String>,
    quantity: Quantity,
    /// The ideal line from corner to corner of these values, if there is one.
    ideal: Option<f64>,
    /// What to say if there is nothing to draw.
    empty: &'static str,
}

/// The panels of `figure`, below a legend of that height.
pub(super) fn panels(figure: &Figure, legend: i32) -> Vec<Panel> {
    let x = x_range(figure);
    let highest = |low: f64| figure.samples().map(|s| s.accepted).fold(low, f64::max);
    let accepted = if figure.against_load { highest(x.1 / 1.04) } else { highest(0.0) };
    let tops = [latency_limit(figure), figure.samples().next().map(|_| if accepted > 0.0 { accepted * 1.04 } else { 1.0 })];
    let share_top = figure.has_undelivered().then_some(1.04);
    // All panels start at the same place, with room for the longest number of any.
    let numbers = tops.iter().chain([&share_top]).flatten().flat_map(|top| labels(0.0, *top));
    let widest = numbers.map(|(_, text)| text_width(&text, NUMBERS)).max().unwrap_or(0);
    let left = TITLE_SPACE + widest + points(2) + MARK;
    let first = legend + if share_top.is_some() { HEIGHT + BETWEEN } else { 0 };
    let delivered = share_top.map(|top| Panel {
        left,
        top: legend,
        x,
        y: Some(top),
        title: "Delivered share",
        unit: "(of packets)",
        x_title: None,
        quantity: |s| s.delivered.map(|share| (share, 0.0)),
        ideal: None,
        empty: "no packet measured",
    });
    let both = [
        Panel {
            left,
            top: first,
            x,
            y: tops[0],
            title: "Packet latency",
            unit: "(cycles)",
            x_title: None,
            quantity: |s| s.latency,
            ideal: None,
            empty: "no packet measured",
        },
        Panel {
            left,
            top: first + HEIGHT + BETWEEN,
            x,
            y: tops[1],
            title: "Accepted load",
            unit: "(flits/cycle/endpoint)",
            x_title: Some(figure.x_title.clone()),
            quantity: |s| Some((s.accepted, 0.0)),
            ideal: figure.against_load.then_some(x.1),
            empty: "no point finished",
        },
    ];
    delivered.into_iter().chain(both).collect()
}

/// The values to mark between `low` and `high`, with their texts.
fn labels(low: f64, high: f64) -> impl Iterator<Item = (f64, String)> {
    let (values, decimals) = ticks(low, high);
    values.into_iter().map(move |v| (v, format!("{v:.decimals$}")))
}

/// The range of the horizontal axis.
fn x_range(figure: &Figure) -> (f64, f64) {
    let (low, high) = figure.samples().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s.x), h.max(s.x)));
    if !low.is_finite() {
        (0.0, 1.0)
    } else if figure.against_load {
        (0.0, if high > 0.0 { high * 1.04 } else { 1.0 })
    } else {
        let margin = if high > low { 0.06 * (high - low) } else { 0.5 * high.abs().max(1.0) };
        (low - margin, high + margin)
    }
}

/// The top of the latency axis, if there is any latency: steady ones fill it. Those that grow for ever would flatten them.
fn latency_limit(figure: &Figure) -> Option<f64> {
    let range = |steady: bool| {
        let chosen = figure.samples().filter(|s| s.steady || !steady).filter_map(|s| s.latency);
        chosen.map(|(mean, ci)| (mean, mean + ci)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    };
    // Twice the lowest at least: small differences are not to look large.
    range(true).or_else(|| range(false)).map(|(low, high)| (high * 1.12).max(low * 2.0).max(1.0))
}

impl Panel {
    /// Draws the panel.
    pub(super) fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>, figure: &Figure) -> Drawn<B> {
        self.draw_axes(canvas)?;
        let Some(top) = self.y else {
            let middle = ((self.left + WIDTH - RIGHT) / 2, self.top + HEIGHT / 2);
            return canvas.text(self.empty, middle, TITLES, Anchor::Middle, GREY);
        };
        if let Some(end) = self.ideal {
            canvas.line(&[self.dot(0.0, 0.0), self.dot(end.min(top), end.min(top))], IDEAL, 6)?;
        }
        // Lines of all curves first, so that no line crosses a marker of another.
        for (index, curve) in figure.curves.iter().enumerate() {
            self.draw_lines(canvas, &self.visible(curve, top), marker::color(index))?;
        }
        for (index, curve) in figure.curves.iter().enumerate() {
            self.draw_markers(canvas, &self.visible(curve, top), index)?;
        }
        Ok(())
    }

    /// The points of a curve that are drawn. A value above the panel stands at its top if it is next to one inside, where it
    /// shows that the curve leaves the panel; its other neighbours say no more.
    fn visible(&self, curve: &Curve, top: f64) -> Vec<Visible> {
        let known: Vec<_> = curve.samples.iter().filter_map(|s| Some((s, (self.quantity)(s)?))).collect();
        let inside = |at: usize| known.get(at).is_some_and(|(_, (value, _))| *value <= top);
        let shown = (0..known.len()).filter(|&at| inside(at) || inside(at + 1) || (at > 0 && inside(at - 1)));
        shown
            .map(|at| {
                let (sample, (value, half)) = known[at];
                let bar = (value <= top && half > 0.0).then(|| ((value - half).max(0.0), (value + half).min(top)));
                Visible { x: sample.x, value: value.min(top), bar, steady: sample.steady, inside: value <= top }
            })
            .collect()
    }

    /// The dot of a value.
    fn dot(&self, x: f64, y: f64) -> (i32, i32) {
        let (low, high) = self.x;
        let right = f64::from(WIDTH - self.left - RIGHT) * (x - low) / (high - low);
        let up = f64::from(HEIGHT) * y / self.y.unwrap_or(1.0);
        (self.left + right.round() as i32, self.top + HEIGHT - up.round() as i32)
    }

    /// Frame, marks, numbers and titles.
    fn draw_axes<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B> {
        let (left, right, bottom) = (self.left, WIDTH - RIGHT, self.top + HEIGHT);
        for (value, number) in self.y.into_iter().flat_map(|top| labels(0.0, top)) {
            let (_, y) = self.dot(self.x.0, value);
            canvas.line(&[(left - MARK, y), (left, y)], BLACK, 6)?;
            canvas.text(&number, (left - MARK - points(2), y), NUMBERS, Anchor::End, BLACK)?;
        }
        for (value, number) in labels(self.x.0, self.x.1) {
            let (x, _) = self.dot(value, 0.0);
            canvas.line(&[(x, bottom), (x, bottom + MARK)], BLACK, 6)?;
            if self.x_title.is_some() {
                canvas.text(&number, (x, bottom + MARK + points(6)), NUMBERS, Anchor::Middle, BLACK)?;
            }
        }
        canvas.line(&[(left, self.top), (left, bottom), (right, bottom)], BLACK, 6)?;
        let middle = self.top + HEIGHT / 2;
        canvas.text(self.title, (points(6), middle), TITLES, Anchor::Upwards, BLACK)?;
        canvas.text(self.unit, (points(16), middle), NUMBERS, Anchor::Upwards, BLACK)?;
        if let Some(title) = &self.x_title {
            let at = ((left + right) / 2, bottom + MARK + points(17));
            canvas.text(title, at, TITLES, Anchor::Middle, BLACK)?;
        }
        Ok(())
    }

    /// The line of a curve: broken where it leads to or from a point without a steady latency.
    fn draw_lines<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>, points: &[Visible], color: RGBColor) -> Drawn<B> {
        for pair in points.windows(2).filter(|p| p[0].inside || p[1].inside) {
            let (start, end) = (self.dot(pair[0].x, pair[0].value), self.dot(pair[1].x, pair[1].value));
            if pair[0].steady && pair[1].steady {
                canvas.line(&[start, end], color, 10)?;
            } else {
                canvas.dashes(start, end, color, 9)?;
            }
        }
        Ok(())
    }

    /// Markers and error bars of a curve.
    fn draw_markers<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>, points: &[Visible], index: usize) -> Drawn<B> {
        const CAP: i32 = 14;
        let color = marker::color(index);
        for point in points {
            if let Some((low, high)) = point.bar {
                let ends = [self.dot(point.x, low), self.dot(point.x, high)];
                canvas.line(&ends, color, 7)?;
                for (x, y) in ends {
                    canvas.line(&[(x - CAP, y), (x + CAP, y)], color, 7)?;
                }
            }
            marker::draw(canvas, index, self.dot(point.x, point.value), color, point.steady)?;
        }
        Ok(())
    }
}
