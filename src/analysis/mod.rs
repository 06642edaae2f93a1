//! What can be told of a network without simulating it.

mod bound;
mod channel_load;
mod demand;
mod legs;

pub use bound::{Bound, Busiest};
pub use channel_load::ChannelLoads;
pub use demand::Demand;
