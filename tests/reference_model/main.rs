//! The reference model against what is known without it: timing derived by hand.

#[path = "../reference/mod.rs"]
mod reference;

mod timing;
