//! The names of things: ids are dense indices, numbered globally and independently of any partition.
//!
//! They are plain integers, not newtypes: nearly every use indexes an array, and the arrays say what they are indexed by.

/// A router of the whole network, `0..n_routers`.
pub type RouterId = u32;
/// An endpoint of the whole network, `0..n_endpoints`; those of one router are consecutive.
pub type EndpointId = u32;
/// A port of one router: network ports first, then one port per endpoint of the router.
pub type Port = u16;
/// A partition: the routers (with their endpoints) of one thread.
pub type PartitionId = u32;
/// Simulated time in cycles; a cycle is one flit on one channel.
pub type Cycle = u64;
