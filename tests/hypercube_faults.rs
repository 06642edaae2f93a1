//! Placing faults: what is refused and how, what is drawn, and cubes at the edges of what is possible.

use sfpdes::hypercube::{
    decide, explain, route, AllPairs, Code, Components, Criterion, Cube, CubeError, Faults, LinkPlacement, Mix, Model,
    PathSearch, Verdict, MAX_DIMENSION,
};

fn drawn(n: u32, faults: u32, mix: Mix, set: u64) -> Result<Cube, CubeError> {
    Faults::count(faults, mix).place(n, 1, set)
}

#[test]
fn wrong_lists_are_refused_with_the_reason() {
    let refused = |n, nodes: &[u32], links: &[(u32, u32)]| Cube::with_faults(n, nodes, links).unwrap_err();
    assert_eq!(refused(0, &[], &[]), CubeError::Dimension { n: 0 });
    assert_eq!(refused(MAX_DIMENSION + 1, &[], &[]), CubeError::Dimension { n: 21 });
    assert_eq!(refused(3, &[8], &[]), CubeError::Node { node: 8, n: 3 });
    assert_eq!(refused(3, &[1, 5, 1], &[]), CubeError::DuplicateNode { node: 1 });
    assert_eq!(refused(3, &[], &[(9, 0)]), CubeError::Node { node: 9, n: 3 });
    assert_eq!(refused(3, &[], &[(1, 3)]), CubeError::Dim { node: 1, dim: 3, n: 3 });
    assert_eq!(refused(3, &[], &[(0, 1), (2, 1)]), CubeError::DuplicateLink { node: 2, dim: 1 });
    assert_eq!(refused(3, &[8], &[]).to_string(), "node 8 is not in the 3-cube: its nodes are 0 to 7");
}

#[test]
fn more_faults_than_there_is_to_break_are_refused() {
    assert_eq!(drawn(3, 9, Mix::Node, 0).unwrap_err(), CubeError::TooManyNodes { asked: 9, nodes: 8, n: 3 });
    assert_eq!(drawn(3, 13, Mix::Link, 0).unwrap_err(), CubeError::TooManyLinks { asked: 13, links: 12, n: 3 });
    // One faulty node of a 1-cube takes the only link with it.
    assert_eq!(drawn(1, 2, Mix::Half, 0).unwrap_err(), CubeError::TooManyLinks { asked: 1, links: 0, n: 1 });
    assert_eq!(Faults::Rate { node: 1.5, link: 0.0 }.place(3, 1, 0).unwrap_err(), CubeError::Rate { rate: 1.5 });
    assert!(matches!(Faults::Rate { node: 0.0, link: f64::NAN }.place(3, 1, 0), Err(CubeError::Rate { .. })));
    assert_eq!(drawn(0, 1, Mix::Node, 0).unwrap_err(), CubeError::Dimension { n: 0 });
}

#[test]
fn draws_have_the_number_and_mix_asked_for() {
    for (mix, nodes, links) in [(Mix::Node, 15, 0), (Mix::Half, 8, 7), (Mix::Link, 0, 15)] {
        for set in 0..20 {
            let cube = drawn(6, 15, mix, set).unwrap();
            assert_eq!((cube.n_faulty_nodes(), cube.faulty_links().len()), (nodes, links));
            assert_eq!(cube.faulty_nodes().count() as u32, nodes);
            assert!(cube.faulty_links().iter().all(|&(u, i)| !cube.is_faulty(u) && !cube.is_faulty(u ^ 1 << i)));
            let listed = Cube::with_faults(6, &cube.faulty_nodes().collect::<Vec<_>>(), cube.faulty_links()).unwrap();
            assert_eq!(listed, cube, "a drawn cube can be listed");
        }
    }
}

#[test]
fn a_faulty_link_at_a_faulty_node_breaks_no_path_but_marks_its_other_end() {
    let node = Cube::with_faults(4, &[2], &[]).unwrap();
    let both = Cube::with_faults(4, &[2], &[(2, 1)]).unwrap();
    assert_eq!(both.n_open_links(), node.n_open_links());
    assert!(node.nonfaulty_nodes().all(|u| both.open_dims(u) == node.open_dims(u)));
    for model in [Model::SafetyVector, Model::Extended(2)] {
        assert!(Code::new(&node, model).unwrap().bit(0, 1));
        assert!(!Code::new(&both, model).unwrap().bit(0, 1));
    }
    assert_eq!(Code::new(&both, Model::SafetyLevel).unwrap().level(0), 0);
    // Drawn anywhere, all links can fail even if all nodes do.
    let all = Faults::Count { faults: 16, mix: Mix::Half, links: LinkPlacement::Anywhere };
    assert_eq!(all.place(3, 1, 0).unwrap().faulty_links().len(), 8);
}

#[test]
fn draws_depend_on_seed_and_set_alone() {
    let place = |seed, set| Faults::count(10, Mix::Half).place(8, seed, set).unwrap();
    assert_eq!(place(1, 5), place(1, 5));
    assert_ne!(place(1, 5), place(1, 6));
    assert_ne!(place(1, 5), place(2, 5));
}

#[test]
fn every_link_and_node_is_drawn_equally_often() {
    let mut by_link = [0u32; 12];
    let mut by_node = [0u32; 8];
    for set in 0..6_000 {
        let (u, i) = drawn(3, 1, Mix::Link, set).unwrap().faulty_links()[0];
        by_link[(i * 4 + (u >> (i + 1) << i | u & ((1 << i) - 1))) as usize] += 1;
        by_node[drawn(3, 1, Mix::Node, set).unwrap().faulty_nodes().next().unwrap() as usize] += 1;
    }
    let chi2 = |counts: &[u32]| {
        let mean = 6_000.0 / counts.len() as f64;
        counts.iter().map(|&c| (f64::from(c) - mean).powi(2) / mean).sum::<f64>()
    };
    // Probability 0.001 at 11 and 7 degrees of freedom.
    assert!(chi2(&by_link) < 31.3 && chi2(&by_node) < 24.3);
}

#[test]
fn rates_fail_what_they_say() {
    let cube = Faults::Rate { node: 0.1, link: 0.2 }.place(14, 3, 0).unwrap();
    let nodes = f64::from(cube.n_faulty_nodes()) / f64::from(cube.n_nodes());
    let alive = cube.n_open_links() + cube.faulty_links().len() as u64;
    let links = cube.faulty_links().len() as f64 / alive as f64;
    assert!((nodes - 0.1).abs() < 0.01 && (links - 0.2).abs() < 0.01, "{nodes} {links}");
    assert_eq!(Faults::Rate { node: 0.0, link: 0.0 }.place(5, 3, 0).unwrap(), Cube::healthy(5).unwrap());
    assert_eq!(Faults::Rate { node: 1.0, link: 1.0 }.place(5, 3, 0).unwrap().n_faulty_nodes(), 32);
    assert_eq!(Faults::Rate { node: 0.0, link: 1.0 }.place(5, 3, 0).unwrap().faulty_links().len(), 80);
}

fn models(n: u32) -> impl Iterator<Item = Model> {
    Model::FIXED.into_iter().chain((1..=n).map(Model::Extended))
}

#[test]
fn without_faults_every_node_is_safe_and_nothing_is_exchanged_in_vain() {
    for n in 1..=9 {
        let cube = Cube::healthy(n).unwrap();
        for model in models(n) {
            let code = Code::new(&cube, model).unwrap();
            assert!((0..cube.n_nodes()).all(|u| code.is_safe(u) && code.level(u) == n), "{} {n}", model.name());
        }
        assert_eq!(Code::new(&cube, Model::SafeUnsafe).unwrap().cost().messages, 0);
    }
}

#[test]
fn a_cube_of_one_dimension_works() {
    let cube = Cube::healthy(1).unwrap();
    let broken = Cube::with_faults(1, &[], &[(0, 0)]).unwrap();
    assert!(!Components::new(&broken).is_connected());
    for model in models(1) {
        let verdict = |cube: &Cube| {
            let code = Code::new(cube, model).unwrap();
            decide(cube, &code, 0, 1, Criterion::Text).unwrap().verdict
        };
        assert_eq!(verdict(&cube), Verdict::Optimal);
        assert_eq!(verdict(&broken), Verdict::Failure);
    }
}

#[test]
fn a_cube_of_faulty_nodes_has_codes_and_no_unicast() {
    let all: Vec<u32> = (0..8).collect();
    let cube = Cube::with_faults(3, &all, &[]).unwrap();
    assert!(Components::new(&cube).is_empty());
    assert_eq!(cube.n_open_links(), 0);
    for model in models(3) {
        let code = Code::new(&cube, model).unwrap();
        assert!(code.vectors().iter().all(|&v| v == 0));
        let refused = CubeError::FaultyEnd { role: "source", node: 0 };
        assert_eq!(decide(&cube, &code, 0, 1, Criterion::Text).unwrap_err(), refused);
    }
    assert!(!AllPairs::new(&cube).unwrap().minimal(0, 0));
}

#[test]
fn faulty_or_missing_ends_are_refused_and_the_trivial_unicast_arrives() {
    let cube = Cube::with_faults(4, &[1, 6], &[]).unwrap();
    let code = Code::new(&cube, Model::SafetyVector).unwrap();
    assert_eq!(route(&cube, &code, 1, 0).unwrap_err(), CubeError::FaultyEnd { role: "source", node: 1 });
    assert_eq!(route(&cube, &code, 0, 6).unwrap_err(), CubeError::FaultyEnd { role: "destination", node: 6 });
    assert_eq!(route(&cube, &code, 0, 16).unwrap_err(), CubeError::Node { node: 16, n: 4 });
    let here = route(&cube, &code, 5, 5).unwrap();
    assert_eq!((here.decision.verdict, here.hops.len()), (Verdict::Optimal, 0));
    assert_eq!(Code::new(&cube, Model::Extended(0)).unwrap_err(), CubeError::Distance { d: 0, n: 4 });
    assert_eq!(Code::new(&cube, Model::Extended(5)).unwrap_err(), CubeError::Distance { d: 5, n: 4 });
}

#[test]
fn a_walled_in_destination_is_a_failure_at_the_source() {
    // All neighbours of node 15 are faulty.
    let cube = Cube::with_faults(4, &[14, 13, 11, 7], &[]).unwrap();
    let components = Components::new(&cube);
    assert_eq!(components.sizes(), [11, 1]);
    assert!(!components.joins(0, 15) && components.joins(0, 8));
    for model in models(4) {
        let code = Code::new(&cube, model).unwrap();
        let route = route(&cube, &code, 0, 15).unwrap();
        assert_eq!((route.decision.verdict, route.hops.len()), (Verdict::Failure, 0), "{}", model.name());
    }
}

#[test]
fn the_largest_cube_is_coded() {
    let cube = Faults::count(2_000, Mix::Half).place(MAX_DIMENSION, 1, 0).unwrap();
    let mut search = PathSearch::new(&cube);
    let nodes: Vec<u32> = cube.nonfaulty_nodes().step_by(99_991).collect();
    for model in Model::FIXED.into_iter().chain([Model::Extended(2)]) {
        let code = Code::new(&cube, model).unwrap();
        for (&u, &v) in nodes.iter().zip(nodes.iter().rev()).filter(|(u, v)| u != v) {
            let k = (u ^ v).count_ones();
            if code.bit(u, k) {
                assert!(search.minimal(u, v));
            }
            let hops = route(&cube, &code, u, v).unwrap().hops.len() as u32;
            assert!([0, k, k + 2].contains(&hops));
        }
    }
}

#[test]
fn explain_shows_codes_path_and_reasons() {
    let cube = Cube::with_faults(4, &[1, 6], &[]).unwrap();
    let models: Vec<Model> = Model::FIXED.into_iter().chain([Model::Extended(2)]).collect();
    let text = explain(&cube, 0, 15, &models).unwrap();
    for expected in [
        "4-cube\nfaulty nodes: 0001 (1), 0110 (6)\nfaulty links (node, dimension): none",
        "the nonfaulty nodes are connected",
        "from 0000 (0) to 1111 (15): distance H = 4, preferred dimensions {0, 1, 2, 3}",
        "a shortest healthy path has 4 hops (H + 0)",
        "safety-vector: optimal, 4 hops",
        "the destination is a neighbour over a healthy link",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    assert!(matches!(explain(&cube, 1, 15, &models), Err(CubeError::FaultyEnd { .. })));
    let walled = Cube::with_faults(4, &[14, 13, 11, 7], &[]).unwrap();
    let text = explain(&walled, 0, 15, &models).unwrap();
    assert!(text.contains("no healthy path exists") && text.contains("failure, reported at the source"), "{text}");
    assert!(text.contains("fall into 2 parts"), "{text}");
}
