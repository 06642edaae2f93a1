//! Endpoints on a grid: the coordinates of endpoint e are the digits of its id, the first dimension varying fastest.

use crate::config::{Config, ConfigErrors};
use crate::topology::grid::Grid;
use crate::topology::Graph;

const KEY: &str = "traffic.grid";

/// The grid that `traffic.grid` gives; else that of a mesh or torus, the endpoints of a router being a first dimension; else
/// `otherwise` of the number of endpoints.
pub(super) fn grid(config: &Config, graph: &Graph, otherwise: fn(u32) -> Vec<u32>) -> Result<Grid, ConfigErrors> {
    let n = graph.n_endpoints();
    let Some(given) = config.get_ints(KEY) else {
        let p = graph.endpoints(0).len() as u32;
        let dims = match config.get_ints("network.dims") {
            Some(dims) => std::iter::once(p).filter(|&p| p > 1).chain(dims.iter().map(|&d| d as u32)).collect(),
            None => otherwise(n),
        };
        return Ok(Grid::new(&dims));
    };
    let places = given.iter().fold(1i64, |product, &d| product.saturating_mul(d));
    if places > i64::from(n) {
        let fault = format!("the grid has {places} places, but the network has {n} endpoints");
        return Err(config.fault(KEY, fault).into());
    }
    let dims: Vec<u32> = given.iter().map(|&d| d as u32).collect();
    Ok(Grid::new(&dims))
}

/// The three dimensions of `n` places that are most alike: those with the least surface.
pub(super) fn cube(n: u32) -> Vec<u32> {
    let divides = |n: u32| (1..).take_while(move |d| d * d <= n).filter(move |d| n % d == 0);
    let surface = |[a, b, c]: [u64; 3]| a * b + b * c + a * c;
    let shapes = (1..).take_while(|a| a * a * a <= u64::from(n)).filter(|a| u64::from(n) % a == 0).flat_map(|a| {
        let rest = n / a as u32;
        divides(rest).map(move |b| [a, u64::from(b), u64::from(rest / b)])
    });
    shapes.min_by_key(|&shape| surface(shape)).map_or(vec![1], |shape| shape.map(|d| d as u32).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_is_as_even_as_the_number_allows() {
        assert_eq!(cube(64), [4, 4, 4]);
        assert_eq!(cube(10_830), [19, 19, 30]);
        assert_eq!(cube(13), [1, 1, 13]);
        assert_eq!(cube(1), [1, 1, 1]);
        for n in 1..300 {
            assert_eq!(cube(n).iter().product::<u32>(), n);
        }
    }
}
