//! How large a network will be, by formula. Nothing is built for it, so it tells of networks that no machine could hold.

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Routers, N_r.
    pub n_routers: u64,
    /// Endpoints, N.
    pub n_endpoints: u64,
    /// Directed channels between routers, twice the cables.
    pub n_channels: u64,
    /// The longest shortest path between two routers, in hops.
    pub diameter: u32,
}
