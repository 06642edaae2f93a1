//! What can be told of a network without simulating it.

mod bound;
mod ceiling;
mod channel_load;
mod decisions;
mod demand;
mod legs;
mod paths;

pub use bound::{Bound, Busiest};
pub use ceiling::Ceiling;
pub use channel_load::ChannelLoads;
pub use demand::Demand;
