//! Rules between keys: a key that is given must apply somewhere in the study, and one that is required must be given
//! wherever it applies. Only choice keys decide that, so points are told apart by the swept choice keys alone.

use std::sync::Arc;

use super::effective::{Config, Input};
use super::error::{Faults, Place};
use super::schema::{Condition, Definition};
use super::sweep::{combinations, lengths, MAX_POINTS};
use super::Default;

/// What is known of an input besides its values.
pub(super) struct Context<'a> {
    /// By key: given without a legal value, so nothing that depends on it is known.
    pub suspect: &'a [bool],
    /// The input as a whole.
    pub file: Place,
    /// Whether the file gives no key at all.
    pub empty: bool,
}

/// Checks the keys of `input` against each other.
pub(super) fn check(input: &Arc<Input>, context: &Context, faults: &mut Faults) {
    let Some(points) = deciding_points(input) else { return };
    let keys = &input.schema.keys;
    let known = |&index: &usize| !context.suspect[index] && !doubtful(input, context.suspect, index);
    let mut missing = Vec::new();
    for index in (0..keys.len()).filter(known) {
        if let Some(slot) = &input.slots[index] {
            if !points.iter().any(|point| point.applies_to(index)) {
                faults.add(&slot.place, not_applying(&keys[index], &points));
            }
        } else if keys[index].default == Default::Required {
            missing.extend(points.iter().filter(|point| point.applies_to(index)).map(|point| (index, point)));
        }
    }
    if context.empty && !missing.is_empty() {
        faults.add(&context.file, format!("the input is empty; it has to give {}", names(input, &missing)));
        return;
    }
    for (index, point) in missing {
        let (place, message) = missing_in(point, index, &context.file);
        faults.add_once(&place, message);
    }
}

/// One point for each combination of the choice keys that decide what applies, at the first value of all other axes;
/// `None` if even these are too many.
fn deciding_points(input: &Arc<Input>) -> Option<Vec<Config>> {
    let decides = |axis: usize| {
        let path = input.schema.keys[axis].path;
        input.schema.keys.iter().any(|key| key.applies.iter().flat_map(Condition::parts).any(|c| c.key == path))
    };
    let mut lengths = lengths(&input.slots, &input.axes);
    for (length, &axis) in lengths.iter_mut().zip(&input.axes) {
        if !decides(axis) {
            *length = 1;
        }
    }
    lengths.iter().try_fold(1, |n: u128, &length| Some(n * length as u128).filter(|&n| n <= MAX_POINTS))?;
    Some(combinations(&lengths).map(|point| Config { input: Arc::clone(input), point }).collect())
}

/// Whether it hangs on a suspect key if key `index` applies.
fn doubtful(input: &Input, suspect: &[bool], index: usize) -> bool {
    input.schema.keys[index].applies.iter().flat_map(Condition::parts).any(|condition| {
        let controller = input.schema.index(condition.key).expect("the schema verified its conditions");
        suspect[controller] || doubtful(input, suspect, controller)
    })
}

fn not_applying(key: &Definition, points: &[Config]) -> String {
    let mut with: Vec<String> = Vec::new();
    for condition in key.applies.iter().flat_map(Condition::parts) {
        let mut values: Vec<String> = Vec::new();
        for point in points {
            let value = shown(point, condition.key);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        with.push(format!("{} = {}", condition.key, values.join(", ")));
    }
    let applies = match key.applies.as_slice() {
        [only] if only.also.is_some() => only.to_string(),
        [only] if only.unless => format!("to any other than {}", only.values.join(", ")),
        [only] => format!("to {}", only.values.join(", ")),
        several => several.iter().map(Condition::to_string).collect::<Vec<_>>().join(" or "),
    };
    format!("`{}` means nothing with {}; it applies {applies}", key.path, with.join(" and "))
}

/// The value of the choice key `path` as an input would give it.
fn shown(point: &Config, path: &str) -> String {
    let default = if point.given(path) { "" } else { " (default)" };
    point.value(path).map_or("nothing".to_string(), |value| format!("{value}{default}"))
}

fn missing_in(point: &Config, index: usize, file: &Place) -> (Place, String) {
    let key = &point.input.schema.keys[index];
    let cause = key.applies.iter().find(|condition| point.holds(condition)).map(|condition| condition.key);
    let with = cause.map_or(String::new(), |controller| format!(" with {controller} = {}", shown(point, controller)));
    let place = cause
        .and_then(|controller| point.input.schema.index(controller))
        .and_then(|controller| point.given_to(controller))
        .map_or(file.clone(), |given| given.place.clone());
    (place, format!("`{}` is required{with}: {}", key.path, key.kind.describe()))
}

/// The missing keys, each once, with what they take.
fn names(input: &Input, missing: &[(usize, &Config)]) -> String {
    let mut indices: Vec<usize> = missing.iter().map(|&(index, _)| index).collect();
    indices.dedup();
    let wanted = |&index: &usize| {
        let key = &input.schema.keys[index];
        format!("`{}` ({})", key.path, key.kind.describe())
    };
    indices.iter().map(wanted).collect::<Vec<_>>().join(", ")
}
