//! The nearest valid name for one that is not known.

use super::schema::{Definition, Schema};

/// The name most like `typed`, if it is close: at most a third of the letters differ. Case and `-` count as typed
/// slips only, so `Slim-Fly` is `slim_fly`.
pub(super) fn closest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let n_letters = typed.chars().count();
    nearest(typed, names).filter(|&(distance, name)| 3 * distance <= n_letters.max(name.chars().count())).map(|(_, name)| name)
}

/// The name most like `typed`, and in how many letters it differs.
fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    let typed = plain(typed);
    let distances = names.into_iter().map(|name| (strsim::damerau_levenshtein(&typed, &plain(name)), name));
    distances.min_by_key(|&(distance, _)| distance)
}

/// `names`, the most similar to `typed` first.
pub(super) fn nearest_first<'a>(typed: &str, names: &[&'a str]) -> Vec<&'a str> {
    let typed = plain(typed);
    let mut sorted = names.to_vec();
    sorted.sort_by_key(|name| strsim::damerau_levenshtein(&typed, &plain(name)));
    sorted
}

fn plain(name: &str) -> String {
    // Only the start of a long text can be like a name, and the distance costs the product of the lengths.
    name.chars().take(100).map(|c| if c == '-' || c == ' ' { '_' } else { c.to_ascii_lowercase() }).collect()
}

impl Schema {
    /// What to say after "unknown key `path`": where its name belongs, or the nearest key; empty if nothing is close.
    pub(super) fn hint_for_key(&self, path: &str) -> String {
        let (table, leaf) = path.rsplit_once('.').unwrap_or(("", path));
        let homes: Vec<String> = self.keys.iter().filter(|k| k.leaf() == leaf).map(|k| header(k.table())).collect();
        if !homes.is_empty() {
            return format!("; `{leaf}` belongs {}", homes.join(" or "));
        }
        let same_table = self.keys.iter().filter(|k| k.table() == table);
        let near = closest_leaf(leaf, same_table)
            .or_else(|| self.closest_path(path, leaf))
            .or_else(|| closest_leaf(leaf, self.keys.iter()));
        near.map_or(String::new(), |near| format!("; did you mean `{near}`?"))
    }

    /// The key whose whole path is close to `path`, by the measure of its last name `leaf`: long tables make nothing alike.
    fn closest_path(&self, path: &str, leaf: &str) -> Option<&'static str> {
        let (distance, near) = nearest(path, self.keys.iter().map(|k| k.path))?;
        (3 * distance <= leaf.chars().count()).then_some(near)
    }

    /// What to say after "unknown table `path`", which holds the keys `leaves`: the nearest table, or the one that has
    /// such keys; `prefix` is `sweep.` for a table under `[sweep]`.
    pub(super) fn hint_for_table<'a>(&self, path: &str, leaves: impl Iterator<Item = &'a str>, prefix: &str) -> String {
        let mut tables = self.tables();
        tables.retain(|t| !t.is_empty());
        if prefix.is_empty() {
            tables.push("sweep");
        }
        let leaves: Vec<&str> = leaves.collect();
        let holder = || self.keys.iter().find(|k| !k.table().is_empty() && leaves.contains(&k.leaf())).map(Definition::table);
        let near = closest(path, tables.iter().copied()).or_else(holder);
        near.map_or(String::new(), |near| format!("; did you mean [{prefix}{near}]?"))
    }
}

/// The first of `keys` whose last name is closest to `leaf`.
fn closest_leaf<'k>(leaf: &str, keys: impl Iterator<Item = &'k Definition> + Clone) -> Option<&'static str> {
    let near = closest(leaf, keys.clone().map(Definition::leaf))?;
    keys.into_iter().find(|k| k.leaf() == near).map(|k| k.path)
}

fn header(table: &str) -> String {
    if table.is_empty() {
        "at the top, above all tables".to_string()
    } else {
        format!("under [{table}]")
    }
}
