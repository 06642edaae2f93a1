//! What a network may measure: ids and ports are dense integers of fixed width, and a topology that would not fit is
//! refused before it is built.

use crate::ids::{EndpointId, Port};

/// Whether a network of `n_routers` routers, each with at most `degree` network ports and `p` endpoints, fits the widths
/// of `ids`.
///
/// # Errors
/// The limit that is broken, with the value that breaks it, for a message to the user.
pub fn check(n_routers: u64, degree: u64, p: u64) -> Result<(), String> {
    let radix = degree.saturating_add(p);
    if radix > u64::from(Port::MAX) {
        return Err(format!("a router would have {radix} ports; at most {} are possible", Port::MAX));
    }
    let n_endpoints = n_routers.saturating_mul(p);
    if n_endpoints > u64::from(EndpointId::MAX) {
        return Err(format!("the network would have {n_endpoints} endpoints; at most {} are possible", EndpointId::MAX));
    }
    let n_channels = n_routers.saturating_mul(degree);
    if n_channels > u64::from(u32::MAX) {
        return Err(format!("the network would have {n_channels} channels; at most {} are possible", u32::MAX));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_named() {
        assert_eq!(check(15_842, 133, 67), Ok(()));
        assert!(check(2, 65_000, 1_000).unwrap_err().contains("66000 ports"));
        assert!(check(1 << 31, 4, 4).unwrap_err().contains("endpoints"));
        assert!(check(1 << 31, 4, 1).unwrap_err().contains("channels"));
        assert!(check(u64::MAX, 4, 4).is_err());
    }
}
