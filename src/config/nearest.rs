//! The nearest valid name for one that is not known.

use super::schema::{Definition, Schema};

/// The name most like `typed`, if it is close: at most a third of the letters differ. Case and `-` count as typed
/// slips only, so `Slim-Fly` is `slim_fly`.
pub(crate) fn closest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let n_letters = letters(typed);
    nearest(typed, names).filter(|&(distance, name)| 3 * distance <= n_letters.max(letters(name))).map(|(_, name)| name)
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

fn letters(name: &str) -> usize {
    plain(name).chars().count()
}

/// A name as far as it counts. Only the start of a long text, since the distance costs the product of the lengths.
fn plain(name: &str) -> String {
    name.chars().take(100).map(|c| if c == '-' || c == ' ' { '_' } else { c.to_ascii_lowercase() }).collect()
}

impl Schema {
    /// What to say of an unknown key in the file: in which table its name belongs, or the nearest key; empty if nothing is
    /// close. `prefix` is `sweep.` for a key under `[sweep]`.
    pub(super) fn hint_for_key(&self, path: &str, prefix: &str) -> String {
        let (_, leaf) = split(path);
        let homes: Vec<String> = self.with_leaf(leaf).map(|k| header(k.table(), prefix)).collect();
        if homes.is_empty() {
            return self.hint_for_path(path);
        }
        format!("; `{leaf}` belongs {}", homes.join(" or "))
    }

    /// What to say of an unknown key that has to be written with its whole path: the nearest; empty if nothing is close.
    pub(super) fn hint_for_path(&self, path: &str) -> String {
        match &self.meant_by(path)[..] {
            [] => String::new(),
            meant => format!("; did you mean {}?", meant.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ")),
        }
    }

    /// The keys that the unknown `path` may have been meant for: those of its last name, else the nearest; none if nothing is
    /// close.
    pub(super) fn meant_by(&self, path: &str) -> Vec<&'static str> {
        let (table, leaf) = split(path);
        let homes: Vec<&str> = self.with_leaf(leaf).map(|k| k.path).collect();
        if !homes.is_empty() {
            return homes;
        }
        let same_table = self.keys.iter().filter(|k| k.table() == table);
        let near = closest_leaf(leaf, same_table)
            .or_else(|| self.closest_path(path, leaf))
            .or_else(|| closest_leaf(leaf, self.keys.iter()));
        near.into_iter().collect()
    }

    fn with_leaf<'s>(&'s self, leaf: &'s str) -> impl Iterator<Item = &'s Definition> {
        self.keys.iter().filter(move |k| k.leaf() == leaf)
    }

    /// The key whose whole path is close to `path`, by the measure of its last name `leaf`: long tables make nothing alike.
    fn closest_path(&self, path: &str, leaf: &str) -> Option<&'static str> {
        let (distance, near) = nearest(path, self.keys.iter().map(|k| k.path))?;
        (3 * distance <= letters(leaf)).then_some(near)
    }

    /// The table that the unknown `path`, which holds the keys `leaves`, may have been meant for: the nearest, or the one that has
    /// such keys; `prefix` is `sweep.` for a table under `[sweep]`.
    pub(super) fn table_meant_by<'a>(
        &self,
        path: &str,
        leaves: impl Iterator<Item = &'a str>,
        prefix: &str,
    ) -> Option<&'static str> {
        let mut tables = self.tables();
        tables.retain(|t| !t.is_empty());
        if prefix.is_empty() {
            tables.push("sweep");
        }
        let leaves: Vec<&str> = leaves.collect();
        let holder = || self.keys.iter().find(|k| !k.table().is_empty() && leaves.contains(&k.leaf())).map(Definition::table);
        closest(path, tables.iter().copied()).or_else(holder)
    }
}

/// The first of `keys` whose last name is closest to `leaf`.
fn closest_leaf<'k>(leaf: &str, keys: impl Iterator<Item = &'k Definition> + Clone) -> Option<&'static str> {
    let near = closest(leaf, keys.clone().map(Definition::leaf))?;
    keys.into_iter().find(|k| k.leaf() == near).map(|k| k.path)
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}

/// Where a key of `table` has to stand.
fn header(table: &str, prefix: &str) -> String {
    match (table.is_empty(), prefix.is_empty()) {
        (true, true) => "at the top, above all tables".to_string(),
        (true, false) => "directly under [sweep]".to_string(),
        (false, _) => format!("under [{prefix}{table}]"),
    }
}
