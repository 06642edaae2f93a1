//! The Cartesian product of the swept lists.

use std::sync::Arc;

use super::draft::{Draft, Slot};
use super::effective::{Config, Input};

/// More points than anyone waits for: a slip in a list, better said than started.
pub(super) const MAX_POINTS: u128 = 100_000;

/// Every combination of one index per axis, the last axis varying fastest; one empty combination for no axes.
pub(super) fn combinations(lengths: &[usize]) -> impl Iterator<Item = Box<[u32]>> + '_ {
    let n_points: usize = lengths.iter().product();
    (0..n_points).map(move |point| {
        let mut rest = point;
        let mut at: Box<[u32]> = vec![0; lengths.len()].into();
        for (axis, &length) in lengths.iter().enumerate().rev() {
            at[axis] = (rest % length) as u32;
            rest /= length;
        }
        at
    })
}

/// The number of values of each axis.
pub(super) fn lengths(slots: &[Option<Slot>], axes: &[usize]) -> Vec<usize> {
    axes.iter().map(|&axis| slots[axis].as_ref().map_or(0, |slot| slot.values.len())).collect()
}

/// Every point of the study.
pub(super) fn points(input: &Arc<Input>) -> Vec<Config> {
    let lengths = lengths(&input.slots, &input.axes);
    combinations(&lengths).map(|point| Config { input: Arc::clone(input), point }).collect()
}

/// Refuses a sweep of too many points; whether there are few enough.
pub(super) fn check_size(draft: &mut Draft) -> bool {
    let lengths = lengths(&draft.slots, &draft.axes);
    let n_points = lengths.iter().fold(1u128, |product, &length| product.saturating_mul(length as u128));
    let first = draft.axes.first().and_then(|&axis| draft.slots[axis].as_ref());
    if let Some(first) = first.filter(|_| n_points > MAX_POINTS) {
        let factors: Vec<String> = lengths.iter().map(usize::to_string).collect();
        let message = format!("the sweep has {} = {n_points} points, more than {MAX_POINTS}", factors.join(" x "));
        draft.faults.add(&first.place, message);
        return false;
    }
    true
}
