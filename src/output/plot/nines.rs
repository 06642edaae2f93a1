//! The vertical axis of a hypercube figure. Percentages close to 100 are told apart by what is missing: 90, 99 and 99.9 per cent
//! are a decade each, and 100 itself stands at the top.

use super::cube::{CubeFigure, Scale};
use super::ticks::ticks;

/// Least space between two numbers, in dots.
const SPACE: f64 = 75.0;

/// The axis: what it marks, and where values are.
pub(super) struct Axis {
    scale: Scale,
    /// Ends, in decades for `Scale::Nines`.
    low: f64,
    high: f64,
    /// Values to mark, with their texts.
    pub marks: Vec<(f64, String)>,
}

/// Decades of a percentage: 0 for 0, 1 for 90, 2 for 99 per cent; infinite for 100.
fn decades(percent: f64) -> f64 {
    -(1.0 - percent.clamp(0.0, 100.0) / 100.0).log10()
}

impl Axis {
    /// The axis that shows every value of `figure` on `height` dots.
    pub(super) fn new(figure: &CubeFigure, height: i32) -> Self {
        match figure.scale {
            Scale::Nines => Self::nines(figure.means().map(|m| m.value), height),
            Scale::Linear => {
                let highest = figure.means().map(|m| m.value + m.stderr).fold(0.0, f64::max);
                let high = if highest > 0.0 { 1.06 * highest } else { 1.0 };
                let (values, decimals) = ticks(0.0, high);
                let marks = values.into_iter().map(|v| (v, format!("{v:.decimals$}"))).collect();
                Self { scale: Scale::Linear, low: 0.0, high, marks }
            }
        }
    }

    fn nines(percents: impl Iterator<Item = f64>, height: i32) -> Self {
        let all: Vec<f64> = percents.map(decades).collect();
        let finite = || all.iter().copied().filter(|d| d.is_finite());
        let (lowest, highest) = (finite().fold(f64::INFINITY, f64::min), finite().fold(0.0, f64::max));
        // A round value below all, and room above all for 100.
        let below = |d: f64| steps(&[1, 2, 5], d + 1.0).into_iter().map(|(v, _)| decades(v)).rfind(|v| *v <= d + 1e-9);
        let low = if lowest.is_finite() { below(lowest).unwrap_or(0.0) } else { 0.0 };
        let high = highest.max(low + 0.5) + 0.12 * (highest.max(low + 0.5) - low);
        let mut axis = Self { scale: Scale::Nines, low, high, marks: Vec::new() };
        let gap = |marks: &[(f64, String)]| {
            let places: Vec<f64> = marks.iter().map(|(v, _)| f64::from(height) * axis.place(*v)).collect();
            places.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min)
        };
        let sets = [&[1, 2, 5][..], &[1]].map(|parts| {
            let mut marks: Vec<_> = steps(parts, high).into_iter().filter(|(v, _)| decades(*v) >= low - 1e-9).collect();
            let lowest = 100.0 * (1.0 - 10f64.powf(-low));
            if marks.first().is_none_or(|(v, _)| *v > lowest + 1e-9) {
                marks.insert(0, (lowest, format!("{lowest:.0}")));
            }
            if marks.len() > 1 && gap(&marks[..2]) < SPACE {
                marks.remove(1);
            }
            marks.push((100.0, "100".to_string()));
            // Too close to the top to be read beside the 100 there.
            while marks.len() > 1 && gap(&marks[marks.len() - 2..]) < SPACE {
                marks.remove(marks.len() - 2);
            }
            marks
        });
        let [fine, coarse] = sets;
        axis.marks = if gap(&fine) >= SPACE { fine } else { coarse };
        axis
    }

    /// Where a value stands: 0 at the bottom, 1 at the top.
    pub(super) fn place(&self, value: f64) -> f64 {
        let at = match self.scale {
            Scale::Nines => decades(value).min(self.high),
            Scale::Linear => value,
        };
        ((at - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// Round percentages below `decades`, ascending, with their texts: what is missing to 100 is one of `parts` times a power of ten.
fn steps(parts: &[u32], most: f64) -> Vec<(f64, String)> {
    let mut values = vec![(0.0, "0".to_string())];
    // No study has so many pairs that its percentages have more digits.
    for decade in 1..=12i32 {
        let missing = |part: u32| f64::from(part) * 10f64.powi(2 - decade);
        for &part in parts.iter().rev() {
            let value = 100.0 - missing(part);
            if decades(value) <= most {
                let decimals = (decade - 2).max(0) as usize;
                values.push((value, format!("{value:.decimals$}")));
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(percents: &[f64], height: i32) -> Vec<String> {
        Axis::nines(percents.iter().copied(), height).marks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn marks_are_round_ascend_and_end_with_100() {
        assert_eq!(texts(&[52.8, 99.5], 900), ["50", "80", "90", "95", "98", "99", "99.5", "100"]);
        assert_eq!(texts(&[40.0, 99.9995], 500), ["0", "90", "99", "99.9", "99.99", "99.999", "100"]);
        assert_eq!(texts(&[100.0], 900).last().unwrap(), "100");
        assert_eq!(texts(&[], 900).first().unwrap(), "0");
    }

    #[test]
    fn places_ascend_and_100_is_at_the_top() {
        let axis = Axis::nines([60.0, 99.0, 100.0].into_iter(), 900);
        let places = [60.0, 90.0, 99.0, 100.0].map(|v| axis.place(v));
        assert!(places[0] >= 0.0 && places.windows(2).all(|w| w[0] < w[1]), "{places:?}");
        assert_eq!((places[3], axis.place(0.0)), (1.0, 0.0));
    }
}
