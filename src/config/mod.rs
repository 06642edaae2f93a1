//! The input: TOML as typed, then checked against one definition per key. Every fault is reported at once, with its
//! place, the rule and the nearest valid name. Knows nothing of networks; modules above contribute their keys.
//!
//! The way of an input: `parse` (the file) and `set` (the command line) fill a `draft`, whose values `value` holds against
//! the `schema`; `check` holds the keys against each other, and `sweep` makes the points.

mod check;
mod draft;
mod effective;
mod error;
mod files;
mod key;
mod nearest;
mod parse;
mod reference;
mod schema;
mod set;
mod study;
mod sweep;
mod value;
mod write;

pub(crate) use self::nearest::closest;
pub use effective::Config;
pub use error::{ConfigError, ConfigErrors};
pub use files::TextFile;
pub use key::{Applies, Default, Key, Kind};
pub use schema::{Condition, Definition, Schema};
pub use study::{Flawed, Study};
pub use value::Value;

#[cfg(test)]
mod tests;
