//! Topologies and routings as an input reaches them: through their registries, from checked configurations.

use std::sync::Arc;

use sfpdes::config::{Applies, Config, Default, Key, Kind, Schema, Study};
use sfpdes::routing::deadlock::{verify, Evidence};
use sfpdes::routing::{deadlock, Routing, RoutingAlgorithm, Survey};
use sfpdes::topology::Graph;
use sfpdes::{routing, topology};

fn key(path: &'static str, kind: Kind, default: Default) -> Key {
    Key { path, kind, default, applies: Applies::Always, unit: "", doc: "For the test." }
}

/// The keys of both registries and those that they build on.
fn schema() -> Schema {
    let leak = |names: Vec<&'static str>| Kind::Choice(Vec::leak(names));
    let topologies = leak(topology::REGISTRY.iter().map(|e| e.name).collect());
    let algorithms = leak(routing::REGISTRY.iter().map(|e| e.name).collect());
    let own = [
        key("network.topology", topologies, Default::Required),
        key("router.num_vcs", Kind::Int { min: 1, max: 32 }, Default::Int(2)),
        key(routing::ALGORITHM, algorithms, Default::Text("min")),
        key("simulation.seed", Kind::Int { min: 0, max: i64::MAX }, Default::Int(1)),
        deadlock::KEY,
    ];
    let topology_keys = topology::REGISTRY.iter().flat_map(|e| e.keys);
    let routing_keys = routing::REGISTRY.iter().flat_map(|e| e.keys);
    Schema::new(own.iter().chain(topology_keys).chain(routing_keys).copied())
}

fn config(text: &str) -> Config {
    Study::parse("input.toml", text, &[], &schema()).unwrap_or_else(|e| panic!("{text}: {e}")).points.remove(0)
}

fn topology_entry(cfg: &Config) -> &'static topology::Entry {
    topology::REGISTRY.iter().find(|e| e.name == cfg.text("network.topology")).unwrap()
}

fn routing_entry(cfg: &Config) -> &'static routing::Entry {
    routing::REGISTRY.iter().find(|e| e.name == cfg.text(routing::ALGORITHM)).unwrap()
}

fn build(text: &str) -> (Config, Graph) {
    let cfg = config(text);
    let graph = (topology_entry(&cfg).build)(&cfg).unwrap_or_else(|e| panic!("{text}: {e}"));
    (cfg, graph)
}

fn fault(text: &str) -> String {
    let cfg = config(text);
    let fault = (topology_entry(&cfg).build)(&cfg).expect_err(text).to_string();
    assert_eq!((topology_entry(&cfg).sizes)(&cfg).expect_err(text).to_string(), fault, "told before anything is built");
    fault
}

#[test]
fn slim_fly_is_balanced_unless_told_otherwise() {
    let (cfg, graph) = build("network.topology = \"slim-fly\"\nnetwork.q = 19");
    assert_eq!((graph.n_routers(), graph.n_endpoints()), (722, 10_830));
    let rows = (topology_entry(&cfg).describe)(&cfg, &graph);
    let expected = [
        ("q", "19"),
        ("delta", "-1"),
        ("w", "5"),
        ("N_r", "722 routers"),
        ("k'", "29 network ports"),
        ("p", "15 endpoints per router"),
        ("k", "44 ports"),
        ("N", "10830 endpoints"),
        ("racks", "19"),
        ("diameter", "2 hops"),
    ];
    assert!(rows.iter().map(|(name, value)| (*name, value.as_str())).eq(expected), "{rows:?}");
    let (_, graph) = build("network.topology = \"slim-fly\"\nnetwork.q = 19\nnetwork.p = 18");
    assert_eq!(graph.n_endpoints(), 12_996);
}

#[test]
fn meshes_and_tori_have_one_endpoint_per_router_unless_told_otherwise() {
    let (cfg, graph) = build("network.topology = \"mesh\"\nnetwork.dims = [8, 8]");
    assert_eq!((graph.n_routers(), graph.n_endpoints(), graph.n_channels()), (64, 64, 224));
    let rows = (topology_entry(&cfg).describe)(&cfg, &graph);
    assert!(rows.contains(&("dims", "8 x 8".into())) && rows.contains(&("k'", "2..4 network ports".into())), "{rows:?}");
    assert!(rows.contains(&("diameter", "14 hops".into())), "{rows:?}");
    let (_, graph) = build("network.topology = \"torus\"\nnetwork.dims = [4, 4, 4]\nnetwork.p = 3");
    assert_eq!((graph.n_routers(), graph.n_endpoints(), graph.n_channels()), (64, 192, 384));
    let (_, graph) = build("network.topology = \"torus\"\nnetwork.dims = [1]");
    assert_eq!(graph.n_routers(), 1);
}

#[test]
fn sizes_by_formula_are_those_of_the_graph() {
    let slim_flies = [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 32].map(|q| format!("slim-fly\"\nnetwork.q = {q}"));
    let hypercubes = (1..=10).map(|n| format!("hypercube\"\nnetwork.n = {n}"));
    let dims = ["[1]", "[2]", "[3]", "[1, 1]", "[9]", "[2, 2]", "[1, 7]", "[4, 3]", "[5, 2, 1, 3]", "[2, 2, 2, 2]", "[3, 4, 5]"];
    let grids = ["mesh", "torus"].iter().flat_map(|t| dims.iter().map(move |d| format!("{t}\"\nnetwork.dims = {d}")));
    for network in slim_flies.into_iter().chain(hypercubes).chain(grids) {
        for p in ["", "\nnetwork.p = 1", "\nnetwork.p = 6"] {
            let text = format!("network.topology = \"{network}{p}");
            let (cfg, graph) = build(&text);
            let sizes = (topology_entry(&cfg).sizes)(&cfg).unwrap();
            let built = (graph.n_routers().into(), graph.n_endpoints().into(), graph.n_channels() as u64);
            assert_eq!((sizes.n_routers, sizes.n_endpoints, sizes.n_channels), built, "{text}");
            // On a Slim Fly of any q, and on the others, some two routers are as far apart as the formula says.
            assert_eq!(sfpdes::topology::Distances::of(&graph).diameter(), Some(sizes.diameter), "{text}");
            let key = topology_entry(&cfg).size_key;
            assert!(cfg.given(key), "{text}: {key}");
        }
    }
    let names: Vec<_> = topology::REGISTRY.iter().map(|e| e.name).collect();
    assert_eq!(names, ["slim-fly", "mesh", "torus", "hypercube"], "each topology is tried above");
}

#[test]
fn the_largest_tables_are_reckoned_without_overflow() {
    let sizes = topology::Sizes { n_routers: u32::MAX.into(), n_endpoints: 1, n_channels: u32::MAX.into(), diameter: 60_000 };
    for algorithm in routing::REGISTRY.iter().filter(|e| e.topologies.is_empty()) {
        let cfg =
            config(&format!("network.topology = \"mesh\"\nnetwork.dims = [2]\n{} = \"{}\"", routing::ALGORITHM, algorithm.name));
        let memory = (algorithm.memory)(&cfg, &sizes);
        assert!(memory.per_row >= u64::from(u32::MAX), "{}: {memory:?}", algorithm.name);
    }
}

#[test]
fn impossible_networks_are_refused_where_they_are_asked_for() {
    let text = fault("network.topology = \"slim-fly\"\nnetwork.q = 6");
    assert_eq!(text, "input.toml:2:13: error: q = 6 is no prime power; the nearest are 5 and 7");
    let text = fault("network.topology = \"slim-fly\"\nnetwork.q = 512\nnetwork.p = 65535");
    assert!(text.starts_with("input.toml:3:13: error: ") && text.contains("ports; at most 65535 are possible"), "{text}");
    let text = fault("network.topology = \"mesh\"\nnetwork.dims = [65536, 65536]");
    assert!(text.starts_with("input.toml:2:16: error: ") && text.contains("at most"), "{text}");
    let text = fault(&format!("network.topology = \"torus\"\nnetwork.dims = [{}]", "2, ".repeat(17)));
    assert!(text.contains("17 dimensions; at most 16 are possible"), "{text}");
}

/// What `verify` says of an input.
fn verified(text: &str) -> Result<Evidence, String> {
    let (cfg, graph) = build(text);
    verify(&cfg, &Survey::new(Arc::new(graph)), routing_entry(&cfg), || Ok(())).map_err(|e| e.to_string())
}

const SLIM_FLY: &str = "network.topology = \"slim-fly\"\nnetwork.q = 5\n";
const TORUS: &str = "network.topology = \"torus\"\nnetwork.dims = [8, 8]\nrouting.algorithm = \"dimension-order\"\n";

#[test]
fn safe_inputs_are_verified() {
    assert!(matches!(verified(SLIM_FLY), Ok(Evidence::Acyclic { .. })));
    assert!(matches!(verified(TORUS), Ok(Evidence::Acyclic { .. })));
    // On a large network the argument stands in for the graph.
    let large =
        verified("network.topology = \"torus\"\nnetwork.dims = [64, 64]\nrouting.algorithm = \"dimension-order\"\n").unwrap();
    assert!(large.to_string().starts_with("deadlock-free by argument: dimensions are crossed in order"), "{large}");
    // Lowest-id minimal routing on a mesh crosses dimensions in order: any VC will do, which only the graph can show.
    let mesh = "network.topology = \"mesh\"\nnetwork.dims = [6, 6]\nrouting.vc_policy = \"any\"\n";
    assert!(matches!(verified(mesh), Ok(Evidence::Acyclic { .. })));
}

#[test]
fn inputs_that_can_deadlock_are_refused_with_what_they_need_unless_allowed() {
    let any = format!("{SLIM_FLY}routing.vc_policy = \"any\"\nrouter.num_vcs = 3\n");
    let text = verified(&any).unwrap_err();
    let begin = "input.toml:4:18: error: routing `min` on topology `slim-fly` can deadlock with router.num_vcs = 3; it needs \
                 routing.vc_policy = \"hop\" with router.num_vcs >= 2 (routing.allow_deadlock = true runs it all the same). One \
                 cycle of channels: ";
    assert!(text.starts_with(begin), "{text}");
    let allowed = verified(&format!("{any}routing.allow_deadlock = true\n"));
    assert!(matches!(allowed, Ok(Evidence::Waived(_))), "{allowed:?}");

    let text = verified(&format!("{SLIM_FLY}router.num_vcs = 1\n")).unwrap_err();
    assert!(
        text.contains("can deadlock with router.num_vcs = 1; it needs routing.vc_policy = \"hop\" with router.num_vcs >= 2"),
        "{text}"
    );
    let text = verified(&format!("{TORUS}router.num_vcs = 1\n")).unwrap_err();
    assert!(
        text.contains("routing `dimension-order` on topology `torus`") && text.contains("needs router.num_vcs >= 2"),
        "{text}"
    );
}

#[test]
fn the_vcs_required_follow_the_policy_and_the_network() {
    let required = |text: &str| {
        let (cfg, graph) = build(text);
        let (entry, survey) = (routing_entry(&cfg), Survey::new(Arc::new(graph)));
        ((entry.max_hops)(&cfg, &survey), (entry.vcs_required)(&cfg, &survey))
    };
    assert_eq!(required(SLIM_FLY), (2, 2));
    assert_eq!(required(&format!("{SLIM_FLY}routing.vc_policy = \"any\"")), (2, 1));
    assert_eq!(required(TORUS), (8, 2));
    assert_eq!(required("network.topology = \"mesh\"\nnetwork.dims = [8, 8]\nrouting.algorithm = \"dimension-order\""), (14, 1));
    assert_eq!(required("network.topology = \"mesh\"\nnetwork.dims = [1]"), (0, 1));
}

#[test]
fn random_ties_follow_the_seed() {
    let build = |seed: u32| {
        let text = "network.topology = \"slim-fly\"\nnetwork.q = 7\nrouting.tie = \"random\"\nsimulation.seed = ";
        let (cfg, graph) = build(&format!("{text}{seed}"));
        let routers: Vec<u32> = (0..graph.n_routers()).collect();
        (routing_entry(&cfg).build)(&cfg, &Survey::new(Arc::new(graph)), &routers).unwrap()
    };
    let same = |a: Routing, b: Routing| match (a, b) {
        (Routing::Min(a), Routing::Min(b)) => a == b,
        _ => panic!("both are min"),
    };
    assert!(same(build(1), build(1)));
    assert!(!same(build(1), build(2)));
    assert!(build(1).argument().is_some());
}
