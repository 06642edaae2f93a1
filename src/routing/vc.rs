//! Which virtual channels a packet may take on each hop: the policy that decides whether a routing can deadlock.

use crate::config::{Applies, Config, ConfigErrors, Default, Key, Kind};

/// The VC sets of successive hops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VcClasses {
    /// Bit v of entry i: VC v may be taken by a packet that has crossed i channels; the last entry serves all further hops.
    sets: Vec<u32>,
    /// Whether no two hops of a packet share a VC.
    ascending: bool,
}

impl VcClasses {
    /// All of `num_vcs` VCs on every hop: BookSim2's rule. On a Slim Fly this is not free of deadlock under minimal routing.
    #[must_use]
    pub fn any(num_vcs: u32) -> Self {
        Self { sets: split(num_vcs, 1), ascending: false }
    }

    /// `num_vcs` VCs divided over `max_hops` hops as evenly as possible, earlier hops getting what is left over. With
    /// as many VCs as hops, hop i is on VC i (Besta and Hoefler, SC14, section IV-D; Gopal, "Prevention of
    /// store-and-forward deadlock in computer networks", 1985). With fewer the last hops share the last VC.
    #[must_use]
    pub fn by_hop(num_vcs: u32, max_hops: u32) -> Self {
        Self { sets: split(num_vcs, max_hops.max(1)), ascending: num_vcs >= max_hops }
    }

    /// As `routing.vc_policy` and `router.num_vcs` say; `max_hops` is asked for only where it matters.
    ///
    /// # Errors
    /// If the policy is `layers`, which is not for the algorithm that asks.
    pub fn from_config(cfg: &Config, max_hops: impl FnOnce() -> u32) -> Result<Self, ConfigErrors> {
        let num_vcs = cfg.int("router.num_vcs") as u32;
        match cfg.text(POLICY) {
            "hop" => Ok(Self::by_hop(num_vcs, max_hops())),
            "any" => Ok(Self::any(num_vcs)),
            _ => {
                let algorithm = cfg.text(super::ALGORITHM);
                let text = format!(
                    "layers need one path per pair of routers: `layers` is for {} = \"min\", not \"{algorithm}\"",
                    super::ALGORITHM
                );
                Err(cfg.fault(POLICY, text).into())
            }
        }
    }

    /// The VCs for a packet that has crossed `hops` channels.
    #[inline]
    #[must_use]
    pub fn allowed(&self, hops: u8) -> u32 {
        self.sets[usize::from(hops).min(self.sets.len() - 1)]
    }

    /// Whether `allowed` depends on the hops.
    #[must_use]
    pub fn reads_hops(&self) -> bool {
        self.sets.len() > 1
    }

    /// Why no routing can deadlock under these classes, if that is so.
    #[must_use]
    pub fn argument(&self) -> Option<&'static str> {
        self.ascending.then_some("every hop of a packet uses higher VCs than the hop before, so no channel can wait for itself")
    }
}

/// The VCs that an algorithm needs whose packets cross up to `max_hops` channels: one per hop under the policy `hop`. Under
/// `any` the dependency graph alone can tell, and one may do.
pub fn required(cfg: &Config, max_hops: impl FnOnce() -> u32) -> u32 {
    match cfg.text(POLICY) {
        "hop" => max_hops().max(1),
        _ => 1,
    }
}

/// Divides VCs `0..num_vcs` into `parts` consecutive sets, as evenly as possible, earlier ones getting what is left over.
/// If there are fewer VCs than parts, the parts without one of their own share the last VC.
#[must_use]
pub fn split(num_vcs: u32, parts: u32) -> Vec<u32> {
    assert!((1..=32).contains(&num_vcs) && parts > 0, "1 to 32 VCs in at least one part");
    let (base, extra) = (num_vcs / parts, num_vcs % parts);
    let mut first = 0;
    (0..parts)
        .map(|part| {
            let size = base + u32::from(part < extra);
            if size == 0 {
                return 1 << (num_vcs - 1);
            }
            let set = (u32::MAX >> (32 - size)) << first;
            first += size;
            set
        })
        .collect()
}

/// The path of the policy key.
pub const POLICY: &str = "routing.vc_policy";

/// `routing.vc_policy` for the algorithms named in `values`.
pub const fn policy_key(values: &'static [&'static str]) -> Key {
    Key {
        path: POLICY,
        kind: Kind::Choice(&["hop", "any", "layers"]),
        default: Default::Text("hop"),
        applies: Applies::When { key: super::ALGORITHM, values },
        unit: "",
        doc: "Which VCs a packet may take: hop = the VCs are divided over the hops of a packet, hop i on VC i if there are \
              as many as hops, free of deadlock on any network (Besta and Hoefler, SC14); any = all VCs on every hop \
              (BookSim2), which is checked for cycles; layers = min only, with tie = lowest_id or random: all packets \
              between two routers stay in one of as many sets of VCs as it takes to make each free of cycles (DFSSSP, \
              Domke, Hoefler and Nagel, IPDPS 2011).",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vcs_are_split_evenly_with_the_rest_to_the_first() {
        assert_eq!(split(2, 2), [0b1, 0b10]);
        assert_eq!(split(3, 2), [0b11, 0b100]);
        assert_eq!(split(7, 3), [0b111, 0b11000, 0b110_0000]);
        assert_eq!(split(32, 1), [u32::MAX]);
        assert_eq!(split(32, 2), [0xffff, 0xffff_0000]);
        assert_eq!(split(1, 2), [1, 1]);
        assert_eq!(split(2, 4), [1, 2, 2, 2]);
    }

    #[test]
    fn every_split_covers_all_vcs_and_is_disjoint_if_it_can_be() {
        for num_vcs in 1..=32 {
            for parts in 1..=40 {
                let sets = split(num_vcs, parts);
                assert_eq!(sets.len() as u32, parts);
                assert!(sets.iter().all(|&s| s != 0));
                assert_eq!(sets.iter().fold(0, |all, s| all | s), u32::MAX >> (32 - num_vcs));
                if parts <= num_vcs {
                    assert_eq!(sets.iter().map(|s| s.count_ones()).sum::<u32>(), num_vcs);
                    let sizes = sets.iter().map(|s| s.count_ones());
                    assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
                }
            }
        }
    }

    #[test]
    fn hop_i_is_on_vc_i_and_further_hops_stay_on_the_last() {
        let classes = VcClasses::by_hop(2, 2);
        assert_eq!([0, 1, 2, 255].map(|hops| classes.allowed(hops)), [1, 2, 2, 2]);
        assert!(classes.argument().is_some() && classes.reads_hops());
        assert!(VcClasses::by_hop(1, 2).argument().is_none());
        // A network of one router has no hops at all.
        assert_eq!(VcClasses::by_hop(3, 0).allowed(0), 0b111);
    }

    #[test]
    fn any_allows_everything_and_proves_nothing() {
        let classes = VcClasses::any(3);
        assert_eq!([0, 1, 200].map(|hops| classes.allowed(hops)), [0b111; 3]);
        assert!(classes.argument().is_none() && !classes.reads_hops());
    }
}
