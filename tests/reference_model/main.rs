//! The reference model against what is known without it: hand-derived timing and the curves of BookSim2.

#[allow(dead_code, reason = "the comparison with the simulator uses the rest")]
#[path = "../reference/mod.rs"]
mod reference;

mod curves;
mod timing;
