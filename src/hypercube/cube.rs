//! The n-cube with faulty nodes and links. Nodes are the n-bit numbers; node `u` and `u xor 2^i` are joined by a link
//! along dimension `i`. Pure data, immutable once built, so that every code and study of it sees the same faults.

use super::error::CubeError;
use super::planes;

/// The largest dimension: 1,048,576 nodes.
pub const MAX_DIMENSION: u32 = 20;

/// An n-cube with its faults. A faulty node takes its links with it. A link may moreover be faulty itself, also at a faulty
/// node: that breaks no further path, but its other end is then an end of a faulty link, which coding takes into account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cube {
    n: u32,
    /// Bit per node.
    faulty: Vec<u64>,
    n_faulty_nodes: u32,
    /// Mask of the faulty dimensions of each node. Empty if no link is faulty.
    link_mask: Vec<u32>,
    /// Each faulty link once, as (end with a 0 in the dimension, dimension), sorted.
    links: Vec<(u32, u32)>,
}

impl Cube {
    /// The n-cube without faults.
    ///
    /// # Errors
    /// If `n` is 0 or above `MAX_DIMENSION`.
    pub fn healthy(n: u32) -> Result<Self, CubeError> {
        Self::with_faults(n, &[], &[])
    }

    /// The n-cube with these faulty nodes and these faulty links, given as (node at either end, dimension).
    ///
    /// # Errors
    /// If something does not exist or is listed twice: the first such fault.
    pub fn with_faults(n: u32, nodes: &[u32], links: &[(u32, u32)]) -> Result<Self, CubeError> {
        Self::build(n, nodes, links, Err)
    }

    /// Everything that is wrong with these lists of faults; see `with_faults`.
    #[must_use]
    pub fn list_errors(n: u32, nodes: &[u32], links: &[(u32, u32)]) -> Vec<CubeError> {
        let mut errors = Vec::new();
        let note = |e| {
            errors.push(e);
            Ok(())
        };
        match Self::build(n, nodes, links, note) {
            // What `note` lets pass does not end the building, so this is about the cube as a whole.
            Err(e) => vec![e],
            Ok(_) => errors,
        }
    }

    /// Builds the cube. `on_error` is told of each item that cannot be used, which is then left out unless it ends the building.
    fn build(
        n: u32,
        nodes: &[u32],
        links: &[(u32, u32)],
        mut on_error: impl FnMut(CubeError) -> Result<(), CubeError>,
    ) -> Result<Self, CubeError> {
        if !(1..=MAX_DIMENSION).contains(&n) {
            return Err(CubeError::Dimension { n });
        }
        let outside = |node: u32| (node >> n != 0).then(|| CubeError::Node { node: node.into(), n });
        let (mut faulty, mut n_faulty_nodes) = (vec![0; planes::n_words(n)], 0);
        for &node in nodes {
            if let Some(e) = outside(node) {
                on_error(e)?;
            } else if planes::get(&faulty, node) {
                on_error(CubeError::DuplicateNode { node })?;
            } else {
                planes::set(&mut faulty, node);
                n_faulty_nodes += 1;
            }
        }
        let mut link_mask = if links.is_empty() { Vec::new() } else { vec![0u32; 1 << n] };
        let mut sorted = Vec::with_capacity(links.len());
        for &(node, dim) in links {
            if let Some(e) = outside(node) {
                on_error(e)?;
            } else if dim >= n {
                on_error(CubeError::Dim { node: node.into(), dim: dim.into(), n })?;
            } else if link_mask[node as usize] >> dim & 1 != 0 {
                on_error(CubeError::DuplicateLink { node, dim })?;
            } else {
                let other = node ^ 1 << dim;
                link_mask[node as usize] |= 1 << dim;
                link_mask[other as usize] |= 1 << dim;
                sorted.push((node.min(other), dim));
            }
        }
        sorted.sort_unstable();
        Ok(Self { n, faulty, n_faulty_nodes, link_mask, links: sorted })
    }

    /// Dimension.
    #[inline]
    #[must_use]
    pub fn n(&self) -> u32 {
        self.n
    }

    /// Nodes, faulty ones included: 2^n.
    #[inline]
    #[must_use]
    pub fn n_nodes(&self) -> u32 {
        1 << self.n
    }

    /// Links, faulty ones included: n 2^(n-1).
    #[must_use]
    pub fn n_links(&self) -> u32 {
        self.n << (self.n - 1)
    }

    /// Faulty nodes.
    #[must_use]
    pub fn n_faulty_nodes(&self) -> u32 {
        self.n_faulty_nodes
    }

    /// Whether `node` is faulty.
    #[inline]
    #[must_use]
    pub fn is_faulty(&self, node: u32) -> bool {
        planes::get(&self.faulty, node)
    }

    /// The nonfaulty nodes in ascending order.
    pub fn nonfaulty_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.n_nodes()).filter(|&u| !self.is_faulty(u))
    }

    /// The faulty nodes in ascending order.
    pub fn faulty_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.n_nodes()).filter(|&u| self.is_faulty(u))
    }

    /// Each faulty link once, as (end with a 0 in the dimension, dimension), sorted.
    #[must_use]
    pub fn faulty_links(&self) -> &[(u32, u32)] {
        &self.links
    }

    /// Mask of the dimensions along which the link of `node` is faulty. Links that are only
    /// useless, because they lead to a faulty node, are not among them.
    #[inline]
    #[must_use]
    pub fn faulty_dims(&self, node: u32) -> u32 {
        self.link_mask.get(node as usize).copied().unwrap_or(0)
    }

    /// Whether `node` is an end of a faulty link.
    #[inline]
    #[must_use]
    pub fn is_link_end(&self, node: u32) -> bool {
        self.faulty_dims(node) != 0
    }

    /// Mask of the dimensions along which `node` has a healthy link to a nonfaulty neighbour.
    #[inline]
    #[must_use]
    pub fn open_dims(&self, node: u32) -> u32 {
        let healthy_links = !self.faulty_dims(node) & ((1 << self.n) - 1);
        (0..self.n).filter(|&i| !self.is_faulty(node ^ 1 << i)).fold(0, |m, i| m | 1 << i) & healthy_links
    }

    /// Links that carry messages: healthy, between two nonfaulty nodes.
    #[must_use]
    pub fn n_open_links(&self) -> u64 {
        let all = planes::all_nodes(self.n);
        let healthy: Vec<u64> = all.iter().zip(&self.faulty).map(|(all, faulty)| all & !faulty).collect();
        let ends: u64 = (0..self.n)
            .flat_map(|i| (0..healthy.len()).map(move |w| (i, w)))
            .map(|(i, w)| u64::from((healthy[w] & planes::neighbour(&healthy, w, i)).count_ones()))
            .sum();
        let faulty = self.links.iter().filter(|&&(u, i)| !self.is_faulty(u) && !self.is_faulty(u ^ 1 << i)).count();
        ends / 2 - faulty as u64
    }

    /// Checks that `node` exists and is nonfaulty; `role` names it in the error.
    pub(super) fn check_end(&self, role: &'static str, node: u32) -> Result<(), CubeError> {
        if node >> self.n != 0 {
            return Err(CubeError::Node { node: node.into(), n: self.n });
        }
        if self.is_faulty(node) {
            return Err(CubeError::FaultyEnd { role, node });
        }
        Ok(())
    }

    /// Bit per node: the faulty ones.
    pub(super) fn faulty_plane(&self) -> &[u64] {
        &self.faulty
    }
}
