//! Round numbers for an axis.

/// Values to mark on an axis from `low` to `high`, at most seven of them, and the decimals to write them with.
pub(super) fn ticks(low: f64, high: f64) -> (Vec<f64>, usize) {
    const MOST_STEPS: f64 = 6.5;
    let rough = (high - low) / MOST_STEPS;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|m| m * power).find(|s| *s >= rough).unwrap_or(10.0 * power);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    // Whole multiples of the step, so that no sum of rounding errors shows; "-0" is 0.
    ((first..=last).map(|i| i as f64 * step + 0.0).collect(), decimals)
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 1.0), (vec![0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0], 1));
        assert_eq!(ticks(0.0, 43.0), (vec![0.0, 10.0, 20.0, 30.0, 40.0], 0));
        assert_eq!(ticks(4.5, 25.5), (vec![5.0, 10.0, 15.0, 20.0, 25.0], 0));
        assert_eq!(ticks(-1.0, 1.0).0, vec![-1.0, -0.5, 0.0, 0.5, 1.0]);
    }
}
