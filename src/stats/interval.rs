//! How far the mean of samples can be trusted.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Mean and half width of its 95 % confidence interval (Student's t); half width 0 for fewer than 2 values.
#[must_use]
pub fn interval(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, 0.0);
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let t = StudentsT::new(0.0, 1.0, n - 1.0).expect("positive degrees of freedom").inverse_cdf(0.975);
    (mean, t * (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_matches_a_worked_example() {
        // 1, 2, 3: mean 2, s = 1, t(0.975, 2) = 4.3027.
        let (mean, half) = interval(&[1.0, 2.0, 3.0]);
        assert!((mean - 2.0).abs() < 1e-12 && (half - 4.302_652_7 / 3f64.sqrt()).abs() < 1e-6);
    }
}
