//! Coding and unicasting in faulty hypercubes against a second, plain implementation that follows the definitions word by word:
//! shortest paths by breadth-first search, codes node by node, all pairs of cubes of 3 to 8 dimensions.

use std::collections::HashSet;

use sfpdes::hypercube::{
    decide, distances, minimal_first_hops, route, AllPairs, Code, Components, Criterion, Cube, Faults, LinkPlacement, Mix, Model,
    PathSearch, Route, Verdict,
};

/// A faulty cube as sets, and its shortest paths.
struct Plain {
    n: u32,
    faulty: HashSet<u32>,
    bad_links: HashSet<(u32, u32)>,
    distance: Vec<Vec<Option<u32>>>,
}

impl Plain {
    fn new(cube: &Cube) -> Self {
        let bad_links = cube.faulty_links().iter().flat_map(|&(u, i)| [(u, i), (u ^ 1 << i, i)]).collect();
        let mut plain = Self { n: cube.n(), faulty: cube.faulty_nodes().collect(), bad_links, distance: Vec::new() };
        plain.distance = (0..1 << plain.n).map(|u| plain.search(u)).collect();
        plain
    }

    fn nodes(&self) -> impl Iterator<Item = u32> + '_ {
        (0..1 << self.n).filter(|u| !self.faulty.contains(u))
    }

    /// All neighbours with their dimension, faulty or not.
    fn neighbours(&self, u: u32) -> impl Iterator<Item = (u32, u32)> {
        (0..self.n).map(move |i| (i, u ^ 1 << i))
    }

    fn link_ok(&self, u: u32, i: u32) -> bool {
        !self.bad_links.contains(&(u, i))
    }

    fn is_link_end(&self, u: u32) -> bool {
        (0..self.n).any(|i| !self.link_ok(u, i))
    }

    fn open(&self, u: u32, i: u32) -> bool {
        self.link_ok(u, i) && !self.faulty.contains(&u) && !self.faulty.contains(&(u ^ 1 << i))
    }

    fn search(&self, source: u32) -> Vec<Option<u32>> {
        let mut distance = vec![None; 1 << self.n];
        if self.faulty.contains(&source) {
            return distance;
        }
        distance[source as usize] = Some(0);
        let mut queue = std::collections::VecDeque::from([source]);
        while let Some(u) = queue.pop_front() {
            for (i, v) in self.neighbours(u) {
                if self.open(u, i) && distance[v as usize].is_none() {
                    distance[v as usize] = distance[u as usize].map(|d| d + 1);
                    queue.push_back(v);
                }
            }
        }
        distance
    }

    fn dist(&self, u: u32, v: u32) -> Option<u32> {
        self.distance[u as usize][v as usize]
    }

    /// A path no longer than the Hamming distance exists.
    fn minimal(&self, u: u32, v: u32) -> bool {
        self.dist(u, v) == Some((u ^ v).count_ones())
    }

    /// The code by its definition: vectors as lists of bits, and the rounds.
    fn code(&self, model: Model) -> (Vec<Vec<bool>>, u32) {
        match model {
            Model::SafeUnsafe => self.safe_nodes(|_, bad| bad >= 2),
            Model::ExtendedSafe => self.safe_nodes(|faulty, bad| faulty >= 2 || bad >= 3),
            Model::SafetyLevel => self.levels(),
            Model::SafetyVector => (self.vectors(1), self.n - 1),
            Model::Extended(d) => (self.vectors(d), self.n - 1),
        }
    }

    /// `unsafe_if(faulty neighbours, unsafe or faulty neighbours)`; an end of a faulty link counts as faulty.
    fn safe_nodes(&self, unsafe_if: impl Fn(usize, usize) -> bool) -> (Vec<Vec<bool>>, u32) {
        let counts_as_faulty = |u: u32| self.faulty.contains(&u) || self.is_link_end(u);
        let mut safe: Vec<bool> = (0..1 << self.n).map(|u| !counts_as_faulty(u)).collect();
        let mut rounds = 0;
        loop {
            let next: Vec<bool> = (0..1 << self.n)
                .map(|u| {
                    let faulty = self.neighbours(u).filter(|&(_, v)| counts_as_faulty(v)).count();
                    let bad = self.neighbours(u).filter(|&(_, v)| !safe[v as usize]).count();
                    !counts_as_faulty(u) && !unsafe_if(faulty, bad)
                })
                .collect();
            if next == safe {
                break;
            }
            safe = next;
            rounds += 1;
        }
        let vector = |u: u32| (0..self.n).map(|k| safe[u as usize] || k == 0 && !counts_as_faulty(u)).collect();
        ((0..1 << self.n).map(vector).collect(), rounds)
    }

    fn levels(&self) -> (Vec<Vec<bool>>, u32) {
        let n = self.n;
        let zero = |u: u32| self.faulty.contains(&u) || self.is_link_end(u);
        let mut level: Vec<u32> = (0..1 << n).map(|u| if zero(u) { 0 } else { n }).collect();
        let mut rounds = 0;
        loop {
            let next: Vec<u32> = (0..1 << n)
                .map(|u| {
                    if zero(u) {
                        return 0;
                    }
                    let mut sorted: Vec<u32> = self.neighbours(u).map(|(_, v)| level[v as usize]).collect();
                    sorted.sort_unstable();
                    (0..n).find(|&k| sorted[k as usize] < k).unwrap_or(n)
                })
                .collect();
            if next == level {
                break;
            }
            level = next;
            rounds += 1;
        }
        let vector = |u: u32| (1..=n).map(|k| k <= level[u as usize]).collect();
        ((0..1 << n).map(vector).collect(), rounds)
    }

    fn vectors(&self, d: u32) -> Vec<Vec<bool>> {
        let n = self.n;
        let mut bits: Vec<Vec<bool>> = vec![Vec::new(); 1 << n];
        for k in 1..=n {
            let next: Vec<bool> = (0..1 << n)
                .map(|u| {
                    if self.faulty.contains(&u) {
                        return false;
                    }
                    if k == 1 {
                        return !self.is_link_end(u);
                    }
                    if k <= d {
                        return (0..1u32 << n).filter(|v| (u ^ v).count_ones() == k).all(|v| {
                            self.neighbours(v).any(|(i, w)| (u ^ v) >> i & 1 != 0 && self.minimal(u, w) && self.link_ok(w, i))
                        });
                    }
                    let sum = self.neighbours(u).filter(|&(i, v)| self.link_ok(u, i) && bits[v as usize][k as usize - 2]).count();
                    sum as u32 > n - k
                })
                .collect();
            for (u, bit) in next.into_iter().enumerate() {
                bits[u].push(bit);
            }
        }
        bits
    }
}

fn models(n: u32) -> Vec<Model> {
    Model::FIXED.into_iter().chain((1..=n).map(Model::Extended)).collect()
}

/// Random cubes of `n` dimensions, from hardly any to very many faults of every mix, and by rate.
fn cubes(n: u32, per_load: u64) -> Vec<Cube> {
    let mut cubes = vec![Cube::healthy(n).unwrap()];
    for load in [1, 2, n - 1, n, n + 2, 2 * n, 3 * n, (1 << n) / 3] {
        for mix in Mix::ALL {
            for set in 0..per_load {
                // In small cubes the heaviest loads may find too few links between nonfaulty nodes.
                cubes.extend(Faults::count(load, mix).place(n, 11, set));
                cubes.extend(Faults::Count { faults: load, mix, links: LinkPlacement::Anywhere }.place(n, 13, set));
            }
        }
    }
    for (node, link) in [(0.05, 0.05), (0.2, 0.0), (0.0, 0.3), (0.5, 0.2)] {
        for set in 0..per_load {
            cubes.push(Faults::Rate { node, link }.place(n, 12, set).unwrap());
        }
    }
    cubes
}

/// How many cubes per load a dimension affords.
fn per_load(n: u32) -> u64 {
    let thorough = if cfg!(feature = "slow-tests") { 10 } else { 1 };
    thorough * [0, 0, 0, 30, 15, 6, 3, 1, 1][n as usize]
}

fn for_each_cube(check: impl Fn(&Cube, &Plain)) {
    for n in 3..=8 {
        for cube in cubes(n, per_load(n)) {
            check(&cube, &Plain::new(&cube));
        }
    }
}

fn context(cube: &Cube) -> String {
    format!("n {} nodes {:?} links {:?}", cube.n(), cube.faulty_nodes().collect::<Vec<_>>(), cube.faulty_links())
}

#[test]
fn every_code_is_that_of_its_definition() {
    for n in 3..=7 {
        for cube in cubes(n, per_load(n)) {
            let plain = Plain::new(&cube);
            for model in models(n) {
                let code = Code::new(&cube, model).unwrap();
                let (expected, rounds) = plain.code(model);
                for u in 0..cube.n_nodes() {
                    let bits: Vec<bool> = (1..=n).map(|k| code.bit(u, k)).collect();
                    assert_eq!(bits, expected[u as usize], "{} of {u}, {}", model.name(), context(&cube));
                }
                assert_eq!(code.cost().rounds, rounds, "rounds of {}, {}", model.name(), context(&cube));
                assert_eq!(code.cost().messages, u64::from(rounds) * 2 * cube.n_open_links());
            }
        }
    }
}

#[test]
fn rounds_stay_within_the_stated_bounds() {
    for_each_cube(|cube, _| {
        let n = cube.n();
        let rounds = |model| Code::new(cube, model).unwrap().cost().rounds;
        assert!(rounds(Model::SafetyLevel) < n);
        assert_eq!(rounds(Model::SafetyVector), n - 1);
        assert_eq!(rounds(Model::Extended(2)), n - 1);
        assert!(rounds(Model::SafeUnsafe) <= n * n / 3, "{}", context(cube));
        assert!(rounds(Model::ExtendedSafe) <= n * n, "{}", context(cube));
    });
}

#[test]
fn extended_vectors_cover_safety_vectors_and_grow_with_d() {
    for_each_cube(|cube, _| {
        let mut smaller = Code::new(cube, Model::SafetyVector).unwrap();
        assert_eq!(Code::new(cube, Model::Extended(1)).unwrap().vectors(), smaller.vectors());
        for d in 2..=cube.n() {
            let larger = Code::new(cube, Model::Extended(d)).unwrap();
            for (s, l) in smaller.vectors().iter().zip(larger.vectors()) {
                assert_eq!(s & !l, 0, "d {d}, {}", context(cube));
            }
            smaller = larger;
        }
    });
}

#[test]
fn the_older_models_are_covered_by_the_newer() {
    for_each_cube(|cube, _| {
        let vector = Code::new(cube, Model::SafetyVector).unwrap();
        for model in [Model::SafeUnsafe, Model::SafetyLevel] {
            let code = Code::new(cube, model).unwrap();
            assert!(code.vectors().iter().zip(vector.vectors()).all(|(c, v)| c & !v == 0), "{}", context(cube));
        }
    });
}

#[test]
fn with_node_faults_only_the_extended_vector_of_two_is_the_safety_vector() {
    for_each_cube(|cube, _| {
        if cube.faulty_links().is_empty() {
            let (sv, esv) = (Code::new(cube, Model::SafetyVector).unwrap(), Code::new(cube, Model::Extended(2)).unwrap());
            assert_eq!(sv.vectors(), esv.vectors(), "{}", context(cube));
        }
    });
}

#[test]
fn a_bit_promises_a_minimal_path_to_every_node_at_its_distance() {
    for_each_cube(|cube, plain| {
        for model in models(cube.n()) {
            let code = Code::new(cube, model).unwrap();
            for u in plain.nodes() {
                for v in plain.nodes().filter(|&v| v != u) {
                    if code.bit(u, (u ^ v).count_ones()) {
                        assert!(plain.minimal(u, v), "{} {u} {v}, {}", model.name(), context(cube));
                    }
                }
            }
        }
    });
}

#[test]
fn global_information_is_the_extended_vector_of_n() {
    for_each_cube(|cube, plain| {
        let code = Code::new(cube, Model::Extended(cube.n())).unwrap();
        for (u, v) in plain.nodes().flat_map(|u| plain.nodes().map(move |v| (u, v))).filter(|(u, v)| u != v) {
            let optimal = decide(cube, &code, u, v, Criterion::Text).unwrap().verdict == Verdict::Optimal;
            assert_eq!(optimal, plain.minimal(u, v), "{u} {v}, {}", context(cube));
        }
    });
}

/// Follows a route over the plain cube and returns where it ends.
fn follow(plain: &Plain, source: u32, route: &Route) -> u32 {
    let mut at = source;
    for hop in &route.hops {
        assert_eq!(hop.from, at);
        assert!(hop.dims >> hop.dim & 1 != 0);
        assert!(plain.open(at, hop.dim), "hop over a fault");
        at = hop.to();
    }
    at
}

#[test]
fn every_unicast_keeps_what_the_source_declares() {
    for_each_cube(|cube, plain| {
        // Exact knowledge of far distances is costly to route by and differs from near ones in nothing but the distance.
        let far = |model: &Model| cube.n() > 6 && model.exact_distance() > 3;
        for model in models(cube.n()).into_iter().filter(|model| !far(model)) {
            let code = Code::new(cube, model).unwrap();
            for u in plain.nodes() {
                for v in plain.nodes() {
                    let h = (u ^ v).count_ones();
                    let route = route(cube, &code, u, v).unwrap();
                    let hops = route.hops.len() as u32;
                    let what = || format!("{} {u} {v}, {}", model.name(), context(cube));
                    match route.decision.verdict {
                        Verdict::Optimal => assert_eq!((follow(plain, u, &route), hops), (v, h), "{}", what()),
                        Verdict::Suboptimal => assert_eq!((follow(plain, u, &route), hops), (v, h + 2), "{}", what()),
                        Verdict::Failure => assert_eq!(hops, 0, "{}", what()),
                    }
                }
            }
        }
    });
}

#[test]
fn any_of_the_offered_hops_keeps_the_promise() {
    // Not only the lowest dimension, which `route` takes: the simulator may choose among all that are offered.
    for n in 3..=5 {
        for cube in cubes(n, 2) {
            let plain = Plain::new(&cube);
            for model in models(n) {
                let code = Code::new(&cube, model).unwrap();
                for u in plain.nodes() {
                    for v in plain.nodes().filter(|&v| v != u) {
                        let decision = decide(&cube, &code, u, v, Criterion::Text).unwrap();
                        for i in (0..n).filter(|i| decision.dims >> i & 1 != 0) {
                            assert!(plain.open(u, i));
                            let next = decide(&cube, &code, u ^ 1 << i, v, Criterion::Text).unwrap();
                            assert_eq!(next.verdict, Verdict::Optimal, "{} {u} {v}, {}", model.name(), context(&cube));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn criterion_table_is_that_of_its_definition() {
    for n in 3..=6 {
        for cube in cubes(n, 2) {
            let plain = Plain::new(&cube);
            for model in models(n) {
                let code = Code::new(&cube, model).unwrap();
                let (bits, _) = plain.code(model);
                for (u, v) in plain.nodes().flat_map(|u| plain.nodes().map(move |v| (u, v))).filter(|(u, v)| u != v) {
                    let k = (u ^ v).count_ones() as usize;
                    let has = |w: u32| if k == 1 { !plain.faulty.contains(&w) } else { bits[w as usize][k - 2] };
                    let some = |preferred: bool| {
                        plain.neighbours(u).any(|(i, w)| ((u ^ v) >> i & 1 != 0) == preferred && plain.link_ok(u, i) && has(w))
                    };
                    let expected = match (some(true), some(false)) {
                        (true, _) => Verdict::Optimal,
                        (_, true) => Verdict::Suboptimal,
                        _ => Verdict::Failure,
                    };
                    let verdict = decide(&cube, &code, u, v, Criterion::Table).unwrap().verdict;
                    assert_eq!(verdict, expected, "{} {u} {v}, {}", model.name(), context(&cube));
                }
            }
        }
    }
}

#[test]
fn exact_answers_are_those_of_breadth_first_search() {
    for_each_cube(|cube, plain| {
        let table = AllPairs::new(cube).unwrap();
        let mut search = PathSearch::new(cube);
        let components = Components::new(cube);
        for u in 0..cube.n_nodes() {
            assert_eq!(distances(cube, u), plain.distance[u as usize]);
            for v in 0..cube.n_nodes() {
                let (h, distance) = ((u ^ v).count_ones(), plain.dist(u, v));
                let what = || format!("{u} {v}, {}", context(cube));
                assert_eq!(table.minimal(u, v), plain.minimal(u, v), "{}", what());
                assert_eq!(search.minimal(u, v), plain.minimal(u, v), "{}", what());
                assert_eq!(components.joins(u, v), distance.is_some(), "{}", what());
                let first = (0..cube.n())
                    .filter(|i| (u ^ v) >> i & 1 != 0 && plain.open(u, *i) && plain.minimal(u ^ 1 << i, v))
                    .fold(0, |mask, i| mask | 1 << i);
                assert_eq!(minimal_first_hops(cube, u, v), first, "{}", what());
                // A walk of H + 2 hops exists also where a path of H does, unless both ends have no other neighbour.
                if distance != Some(h) {
                    assert_eq!(table.plus_two(u, v), distance == Some(h + 2), "{}", what());
                    assert_eq!(search.plus_two(u, v), distance == Some(h + 2), "{}", what());
                }
            }
        }
    });
}
