//! The reference model against what is known without it: hand-derived timing and the curves of BookSim2.

#[path = "../reference/mod.rs"]
mod reference;

mod curves;
mod timing;
