//! Which nonfaulty nodes can reach each other at all over healthy links.

use super::cube::Cube;

/// The connected components of the nonfaulty nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Component of each node; `NONE` for faulty nodes.
    label: Vec<u32>,
    /// Nodes of each component, in the order of their smallest node.
    size: Vec<u32>,
}

/// The label of a faulty node.
const NONE: u32 = u32::MAX;

impl Components {
    /// Finds the components of `cube`; O(n 2^n).
    #[must_use]
    pub fn new(cube: &Cube) -> Self {
        let mut label = vec![NONE; cube.n_nodes() as usize];
        let mut size = Vec::new();
        let mut queue = Vec::new();
        for root in cube.nonfaulty_nodes() {
            if label[root as usize] != NONE {
                continue;
            }
            let component = size.len() as u32;
            let mut members = 0;
            label[root as usize] = component;
            queue.push(root);
            while let Some(u) = queue.pop() {
                members += 1;
                let mut dims = cube.open_dims(u);
                while dims != 0 {
                    let v = u ^ (dims & dims.wrapping_neg());
                    dims &= dims - 1;
                    if label[v as usize] == NONE {
                        label[v as usize] = component;
                        queue.push(v);
                    }
                }
            }
            size.push(members);
        }
        Self { label, size }
    }

    /// Number of components; 0 if every node is faulty.
    #[must_use]
    pub fn len(&self) -> usize {
        self.size.len()
    }

    /// Whether there is no nonfaulty node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size.is_empty()
    }

    /// Nodes of each component.
    #[must_use]
    pub fn sizes(&self) -> &[u32] {
        &self.size
    }

    /// Whether every nonfaulty node reaches every other.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.size.len() <= 1
    }

    /// Whether `u` and `v` are nonfaulty and reach each other.
    #[inline]
    #[must_use]
    pub fn joins(&self, u: u32, v: u32) -> bool {
        self.label[u as usize] != NONE && self.label[u as usize] == self.label[v as usize]
    }
}
