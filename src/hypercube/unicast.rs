//! Unicasting by coded fault information: the decision at the source, and the hops in between.
//!
//! Let s be the source, d the destination, N = s xor d, k = |N|. The dimensions in N are *preferred*, the others *spare*; a
//! neighbour along an open dimension is nonfaulty and its link healthy. Nothing is ever lost on the way: a unicast that cannot
//! be guaranteed is reported as a failure at the source.

use super::code::Code;
use super::cube::Cube;
use super::error::CubeError;
use super::search::minimal_first_hops;

/// How the source decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// The sound one, by which unicasts are routed. Optimal if bit k of the source is 1, or a preferred open neighbour has bit k-1,
    /// or k is within the distance that the model knows exactly (1; d for the extended vector; the paper's is 2) and a
    /// healthy path of k hops exists. Else suboptimal if a spare open neighbour has bit k+1.
    Text,
    /// The one that reproduces the published tables. Optimal if a preferred open neighbour has bit k-1 (bit 0: it is nonfaulty); else
    /// suboptimal if a spare open neighbour has bit k-1, which guarantees no path. Only counts, never routes.
    Table,
}

impl Criterion {
    /// The name used in inputs and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Text => "text",
            Criterion::Table => "table",
        }
    }
}

/// What the source declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It will arrive in H hops.
    Optimal,
    /// It will arrive in H + 2 hops.
    Suboptimal,
    /// It is not sent.
    Failure,
}

/// Why a verdict or a hop is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Source and destination are the same.
    Here,
    /// Within the distance known exactly a minimal healthy path exists.
    ExactPath,
    /// The node's own bit for this distance is 1, so a preferred neighbour has the next lower bit.
    OwnBit,
    /// A preferred open neighbour has the bit for the distance that remains there.
    PreferredBit,
    /// A spare open neighbour has the bit that the criterion asks for.
    SpareBit,
    /// None of these.
    Nothing,
}

/// A decision at the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is declared.
    pub verdict: Verdict,
    /// Why.
    pub ground: Ground,
    /// Mask of the dimensions by which it may leave; 0 for a failure and at the destination.
    pub dims: u32,
}

/// One hop of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Where it leaves.
    pub from: u32,
    /// The dimension taken: the lowest of `dims`.
    pub dim: u32,
    /// Mask of the dimensions that could have been taken.
    pub dims: u32,
    /// Why they could.
    pub ground: Ground,
}

impl Hop {
    /// Where it arrives.
    #[must_use]
    pub fn to(&self) -> u32 {
        self.from ^ 1 << self.dim
    }
}

/// A unicast: what the source declares and the hops that follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The decision at the source.
    pub decision: Decision,
    /// The hops; empty for a failure.
    pub hops: Vec<Hop>,
}

/// Mask of the open dimensions among `dims` whose neighbour has bit `k`; bit 0 is "nonfaulty".
fn open_with_bit(cube: &Cube, code: &Code, at: u32, dims: u32, k: u32) -> u32 {
    if k > cube.n() {
        return 0;
    }
    let mut rest = dims & !cube.faulty_dims(at) & (cube.n_nodes() - 1);
    let mut found = 0;
    while rest != 0 {
        let dim = rest & rest.wrapping_neg();
        rest ^= dim;
        // A faulty neighbour has no bit, so only bit 0 needs a look at its state.
        let has_bit = if k == 0 { !cube.is_faulty(at ^ dim) } else { code.bit(at ^ dim, k) };
        if has_bit {
            found |= dim;
        }
    }
    found
}

/// Mask of the dimensions by which a minimal guaranteed path leaves the nonfaulty node `at` for the nonfaulty node `to`, and the
/// ground; 0 and `Nothing` if no minimal path is guaranteed. This is both the optimal case at the source and every hop in between.
#[must_use]
pub fn minimal_dims(cube: &Cube, code: &Code, at: u32, to: u32) -> (u32, Ground) {
    let preferred = at ^ to;
    let k = preferred.count_ones();
    let (dims, ground) = if k == 0 {
        (0, Ground::Here)
    } else if k <= code.model().exact_distance() {
        (minimal_first_hops(cube, at, to), Ground::ExactPath)
    } else {
        let ground = if code.bit(at, k) { Ground::OwnBit } else { Ground::PreferredBit };
        (open_with_bit(cube, code, at, preferred, k - 1), ground)
    };
    if dims == 0 && k > 0 {
        return (0, Ground::Nothing);
    }
    (dims, ground)
}

/// Decides at the source `s` of a unicast to `d`.
///
/// # Errors
/// If an end does not exist or is faulty.
pub fn decide(cube: &Cube, code: &Code, s: u32, d: u32, criterion: Criterion) -> Result<Decision, CubeError> {
    cube.check_end("source", s)?;
    cube.check_end("destination", d)?;
    let preferred = s ^ d;
    let k = preferred.count_ones();
    let (dims, ground) = match criterion {
        _ if k == 0 => (0, Ground::Here),
        Criterion::Text => minimal_dims(cube, code, s, d),
        Criterion::Table => (open_with_bit(cube, code, s, preferred, k - 1), Ground::PreferredBit),
    };
    if dims != 0 || k == 0 {
        return Ok(Decision { verdict: Verdict::Optimal, ground, dims });
    }
    let wanted = match criterion {
        Criterion::Text => k + 1,
        Criterion::Table => k - 1,
    };
    let dims = open_with_bit(cube, code, s, !preferred, wanted);
    Ok(if dims == 0 {
        Decision { verdict: Verdict::Failure, ground: Ground::Nothing, dims }
    } else {
        Decision { verdict: Verdict::Suboptimal, ground: Ground::SpareBit, dims }
    })
}

/// Sends a unicast from `s` to `d` by criterion `Text`, always along the lowest dimension of those possible.
///
/// # Errors
/// If an end does not exist or is faulty.
///
/// # Panics
/// If a node in between has no way on: the code promised one, so this is a defect.
pub fn route(cube: &Cube, code: &Code, s: u32, d: u32) -> Result<Route, CubeError> {
    let decision = decide(cube, code, s, d, Criterion::Text)?;
    let mut hops = Vec::new();
    let (mut at, mut dims, mut ground) = (s, decision.dims, decision.ground);
    while dims != 0 {
        let dim = dims.trailing_zeros();
        hops.push(Hop { from: at, dim, dims, ground });
        at ^= 1 << dim;
        (dims, ground) = minimal_dims(cube, code, at, d);
    }
    assert!(at == d || decision.verdict == Verdict::Failure, "{} of {at} promised a way to {d}", code.model().name());
    Ok(Route { decision, hops })
}
