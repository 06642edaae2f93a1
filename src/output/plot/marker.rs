//! How curves are told apart: by a colour that the colour-blind can tell from the others, and by the shape of their markers.

use plotters::prelude::*;

use super::canvas::{Canvas, Drawn};

/// The palette of Okabe and Ito, less its yellow (too faint on paper), blue first.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Shapes by their corners, for a marker of radius 1. Six of them and seven colours: the first 42 curves all differ.
const SHAPES: [&[(f64, f64)]; 6] = [
    &[], // a circle
    &[(-0.87, -0.87), (0.87, -0.87), (0.87, 0.87), (-0.87, 0.87)],
    &[(0.0, -1.15), (1.05, 0.75), (-1.05, 0.75)],
    &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
    &[(0.0, 1.15), (1.05, -0.75), (-1.05, -0.75)],
    &[(0.0, -1.1), (1.05, -0.34), (0.65, 0.89), (-0.65, 0.89), (-1.05, -0.34)],
];

/// Colour of curve `index`.
pub(super) fn color(index: usize) -> RGBColor {
    COLORS[index % COLORS.len()]
}

/// Whether the colour of curve `index` is that of a curve before it, so that its line has to differ.
pub(super) fn is_repeated(index: usize) -> bool {
    index >= COLORS.len()
}

/// Radius of a marker, dots.
const RADIUS: f64 = 18.0;

/// Width of the rim of an open marker, dots.
const RIM: f64 = 6.0;

/// Draws the marker of curve `index` at `at`: full, or open with its rim in colour.
pub(super) fn draw<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    index: usize,
    at: (i32, i32),
    color: RGBColor,
    full: bool,
) -> Drawn<B> {
    canvas.polygon(corners(index, at, RADIUS), color)?;
    if !full {
        canvas.polygon(corners(index, at, RADIUS - RIM), WHITE)?;
    }
    Ok(())
}

/// Corners of the marker of curve `index`, centred on `at`, of the given radius in dots.
fn corners(index: usize, at: (i32, i32), radius: f64) -> Vec<(i32, i32)> {
    const CIRCLE_CORNERS: u32 = 28;
    let place = |(x, y): (f64, f64)| (at.0 + (x * radius).round() as i32, at.1 + (y * radius).round() as i32);
    let shape = SHAPES[index % SHAPES.len()];
    if shape.is_empty() {
        let angle = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(CIRCLE_CORNERS);
        (0..CIRCLE_CORNERS).map(|i| place((angle(i).cos(), angle(i).sin()))).collect()
    } else {
        shape.iter().copied().map(place).collect()
    }
}
