//! Exact answers for one pair at a time, for cubes too large for tables of all pairs and for the last hops of a route.

use super::cube::Cube;

/// A depth-first search for a path of length H or H + 2. With few faults it walks straight to the destination, so an answer
/// costs O(n^2); the worst case, a destination walled in, costs O(n 2^H). Reusable: the marks are kept from pair to pair.
#[derive(Clone, Debug)]
pub struct PathSearch<'a> {
    cube: &'a Cube,
    /// Search that last saw (node, detour made): stamp at `2 * node + detour`.
    seen: Vec<u32>,
    stamp: u32,
    stack: Vec<(u32, bool)>,
}

impl<'a> PathSearch<'a> {
    /// A search on `cube`; takes 8 bytes per node.
    #[must_use]
    pub fn new(cube: &'a Cube) -> Self {
        Self { cube, seen: vec![0; 2 << cube.n()], stamp: 0, stack: Vec::new() }
    }

    /// Whether a path of length H over healthy nodes and links leads from `u` to `v`.
    pub fn minimal(&mut self, u: u32, v: u32) -> bool {
        self.search(u, v, false)
    }

    /// Whether a walk of length H + 2 does.
    pub fn plus_two(&mut self, u: u32, v: u32) -> bool {
        self.search(u, v, true)
    }

    fn search(&mut self, u: u32, v: u32, want_detour: bool) -> bool {
        if self.cube.is_faulty(u) || self.cube.is_faulty(v) {
            return false;
        }
        if self.stamp == u32::MAX {
            self.seen.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.stack.clear();
        self.stack.push((u, false));
        while let Some((at, detour)) = self.stack.pop() {
            if at == v && detour == want_detour {
                return true;
            }
            let preferred = at ^ v;
            for i in 0..self.cube.n() {
                let next = at ^ 1 << i;
                let spare = preferred >> i & 1 == 0;
                if spare && (detour || !want_detour) || self.cube.faulty_dims(at) >> i & 1 != 0 || self.cube.is_faulty(next) {
                    continue;
                }
                let seen = &mut self.seen[2 * next as usize + usize::from(detour || spare)];
                if *seen != self.stamp {
                    *seen = self.stamp;
                    self.stack.push((next, detour || spare));
                }
            }
        }
        false
    }
}

/// Length of a shortest path over healthy nodes and links from `source` to every node; `None` where there is none.
#[must_use]
pub fn distances(cube: &Cube, source: u32) -> Vec<Option<u32>> {
    let mut distance = vec![None; cube.n_nodes() as usize];
    if cube.is_faulty(source) {
        return distance;
    }
    distance[source as usize] = Some(0);
    let mut frontier = vec![source];
    let mut hops = 0;
    while !frontier.is_empty() {
        hops += 1;
        let mut next = Vec::new();
        for u in frontier {
            let open = cube.open_dims(u);
            for v in (0..cube.n()).filter(|i| open >> i & 1 != 0).map(|i| u ^ 1 << i) {
                if distance[v as usize].is_none() {
                    distance[v as usize] = Some(hops);
                    next.push(v);
                }
            }
        }
        frontier = next;
    }
    distance
}

/// Mask of the dimensions by which a minimal path over healthy nodes and links leaves `at` for `to`; 0 if there is none or the
/// two are the same. O(H 2^H), and looks no farther than the subcube the two span: what a node that knows all faults within
/// that distance can find out by itself.
#[must_use]
pub fn minimal_first_hops(cube: &Cube, at: u32, to: u32) -> u32 {
    if at == to || cube.is_faulty(at) || cube.is_faulty(to) {
        return 0;
    }
    if (at ^ to).is_power_of_two() {
        // The last hop of every route.
        return (at ^ to) & !cube.faulty_dims(at);
    }
    let dims: Vec<u32> = (0..cube.n()).filter(|i| (at ^ to) >> i & 1 != 0).collect();
    let n_subsets = 1usize << dims.len();
    // The nodes of the subcube in the order of the subset of `dims` in which they differ from `to`; `at` is the last.
    let mut node = vec![to; n_subsets];
    let mut reaches = vec![false; n_subsets];
    reaches[0] = true;
    for t in 1..n_subsets {
        let lowest = t.trailing_zeros() as usize;
        node[t] = node[t & (t - 1)] ^ 1 << dims[lowest];
        reaches[t] = !cube.is_faulty(node[t])
            && (0..dims.len()).any(|j| t >> j & 1 != 0 && reaches[t ^ 1 << j] && cube.faulty_dims(node[t]) >> dims[j] & 1 == 0);
    }
    let last = n_subsets - 1;
    (0..dims.len())
        .filter(|&j| reaches[last ^ 1 << j] && cube.faulty_dims(at) >> dims[j] & 1 == 0)
        .fold(0, |mask, j| mask | 1 << dims[j])
}
