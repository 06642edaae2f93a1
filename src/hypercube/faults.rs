//! Where faults come from: listed by hand, drawn by number and mix, or drawn by rate. What is drawn depends on
//! (seed, fault set) alone.

use super::cube::{Cube, MAX_DIMENSION};
use super::error::CubeError;
use super::planes;
use crate::rng::{Purpose, Stream};

/// What a number of faults consists of; the three mixes of the published tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mix {
    /// All faults are nodes.
    Node,
    /// Half are nodes (rounded up), half links.
    Half,
    /// All faults are links.
    Link,
}

impl Mix {
    /// All mixes, in the order of the tables.
    pub const ALL: [Mix; 3] = [Mix::Node, Mix::Half, Mix::Link];

    /// The name used in inputs and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mix::Node => "node",
            Mix::Half => "half",
            Mix::Link => "link",
        }
    }

    /// The mix of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// How many of `faults` faults are nodes and how many links.
    #[must_use]
    pub fn split(self, faults: u32) -> (u32, u32) {
        match self {
            Mix::Node => (faults, 0),
            Mix::Half => (faults.div_ceil(2), faults / 2),
            Mix::Link => (0, faults),
        }
    }
}

/// Which links a drawn link fault may hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkPlacement {
    /// Links between nonfaulty nodes: every fault breaks something.
    Apart,
    /// All links. One at a faulty node breaks no path, but makes its other end an end of a faulty link. The published tables were
    /// counted so: their rows of mixed faults lie up to four standard errors above what `Apart` gives, and agree with this.
    Anywhere,
}

/// A way of placing faults in a cube.
#[derive(Clone, Debug, PartialEq)]
pub enum Faults {
    /// These nodes and links; a link is (node at either end, dimension).
    List {
        /// Faulty nodes.
        nodes: Vec<u32>,
        /// Faulty links.
        links: Vec<(u32, u32)>,
    },
    /// This many, drawn uniformly without repetition.
    Count {
        /// Number of faults.
        faults: u32,
        /// What they are.
        mix: Mix,
        /// Where link faults may be; matters for mixed faults only.
        links: LinkPlacement,
    },
    /// Each node fails with one probability, then each link between nonfaulty nodes with another, independently.
    Rate {
        /// Probability of a node fault.
        node: f64,
        /// Probability of a link fault.
        link: f64,
    },
}

impl Faults {
    /// `faults` faults of this mix, with link faults between nonfaulty nodes only.
    #[must_use]
    pub fn count(faults: u32, mix: Mix) -> Self {
        Faults::Count { faults, mix, links: LinkPlacement::Apart }
    }

    /// The n-cube with these faults. Lists ignore `seed` and `set`; draws use the stream of (`seed`, faults, `set`).
    ///
    /// # Errors
    /// If a list is wrong, there are more faults than nodes or links, or a rate is no probability.
    pub fn place(&self, n: u32, seed: u64, set: u64) -> Result<Cube, CubeError> {
        if !(1..=MAX_DIMENSION).contains(&n) {
            return Err(CubeError::Dimension { n });
        }
        let mut stream = Stream::new(seed, Purpose::Faults, set);
        match self {
            Faults::List { nodes, links } => Cube::with_faults(n, nodes, links),
            Faults::Count { faults, mix, links: placement } => {
                let (n_nodes, n_links) = mix.split(*faults);
                let nodes = draw_nodes(n, n_nodes, &mut stream)?;
                let links = draw_links(n, &nodes, n_links, *placement, &mut stream)?;
                Cube::with_faults(n, &nodes, &links)
            }
            Faults::Rate { node, link } => {
                for &rate in [node, link] {
                    if !(0.0..=1.0).contains(&rate) {
                        return Err(CubeError::Rate { rate });
                    }
                }
                let nodes: Vec<u32> = (0..1 << n).filter(|_| stream.open01() <= *node).collect();
                let healthy = Cube::with_faults(n, &nodes, &[])?;
                // Every link draws, at faulty nodes too, so that its fate does not depend on the fate of other nodes.
                let links: Vec<(u32, u32)> = (0..n)
                    .flat_map(|i| (0..1u32 << n).filter(move |u| u >> i & 1 == 0).map(move |u| (u, i)))
                    .filter(|_| stream.open01() <= *link)
                    .filter(|&(u, i)| !healthy.is_faulty(u) && !healthy.is_faulty(u ^ 1 << i))
                    .collect();
                Cube::with_faults(n, &nodes, &links)
            }
        }
    }

    /// A short description: `node 20`, `node rate 0.01, link rate 0`, `3 nodes and 1 links listed`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Faults::List { nodes, links } => format!("{} nodes and {} links listed", nodes.len(), links.len()),
            Faults::Count { faults, mix, .. } => format!("{} {faults}", mix.name()),
            Faults::Rate { node, link } => format!("node rate {node}, link rate {link}"),
        }
    }
}

/// Draws `count` distinct nodes.
fn draw_nodes(n: u32, count: u32, stream: &mut Stream) -> Result<Vec<u32>, CubeError> {
    if count > 1 << n {
        return Err(CubeError::TooManyNodes { asked: count.into(), nodes: 1 << n, n });
    }
    let mut taken = vec![0u64; planes::n_words(n)];
    let mut nodes = Vec::with_capacity(count as usize);
    // Rejection: at worst (all nodes) this draws 2^n ln 2^n times, typically hardly more than `count`.
    while nodes.len() < count as usize {
        let u = stream.below(1 << n);
        if !planes::get(&taken, u) {
            planes::set(&mut taken, u);
            nodes.push(u);
        }
    }
    Ok(nodes)
}

/// Draws `count` distinct links of those that `placement` admits beside the `faulty` nodes.
fn draw_links(
    n: u32,
    faulty: &[u32],
    count: u32,
    placement: LinkPlacement,
    stream: &mut Stream,
) -> Result<Vec<(u32, u32)>, CubeError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let cube = Cube::with_faults(n, faulty, &[])?;
    let available = match placement {
        LinkPlacement::Apart => cube.n_open_links(),
        LinkPlacement::Anywhere => cube.n_links().into(),
    };
    if u64::from(count) > available {
        return Err(CubeError::TooManyLinks { asked: count.into(), links: available, n });
    }
    let mut taken = vec![0u32; 1 << n];
    let mut links = Vec::with_capacity(count as usize);
    while links.len() < count as usize {
        let link = stream.below(cube.n_links());
        let i = link >> (n - 1);
        // The end with a 0 in dimension i: the other n - 1 bits of the number, with a gap at i.
        let rest = link & ((1 << (n - 1)) - 1);
        let low = rest & ((1 << i) - 1);
        let u = (rest ^ low) << 1 | low;
        let admitted = placement == LinkPlacement::Anywhere || !cube.is_faulty(u) && !cube.is_faulty(u ^ 1 << i);
        if admitted && taken[u as usize] >> i & 1 == 0 {
            taken[u as usize] |= 1 << i;
            links.push((u, i));
        }
    }
    Ok(links)
}
