//! `sfpdes cube` as a user meets it: what it prints, writes and refuses, one answer on any number of ranks and threads, and
//! nothing finished is lost.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use sfpdes::error::exit;
use sfpdes::hypercube::{decide, explain, Code, Criterion, Cube, Faults, LinkPlacement, Mix, Model, Verdict};
use sfpdes::output::digest;
use support::{assert_same, finish, numbers, sfpdes, stop, table, words, End, Place};

const INPUT: &str = "
[cube]
n = 5
faults = [3, 6]
models = ['global', 'safety-level', 'safety-vector', 'esv2']
criterion = 'both'
link_faults = 'anywhere'
sets = 7
pairs = 300
";

/// The command on the input of `place`, on `ranks` ranks of `threads` threads.
fn cube(place: &Place, results: &Path, more: &[&str], ranks: usize, threads: usize) -> Command {
    let mut command = if ranks == 1 { sfpdes() } else { support::mpirun(ranks, env!("CARGO_BIN_EXE_sfpdes")) };
    command.arg("cube").arg(place.input()).arg("-o").arg(results).args(["--threads", &threads.to_string()]).args(more);
    command.current_dir(place.path(""));
    command
}

/// Runs the input of `place` to `name`.h5 without a figure.
fn run(place: &Place, name: &str, more: &[&str], ranks: usize, threads: usize) -> (PathBuf, End) {
    let results = place.path(&format!("{name}.h5"));
    let end = finish(cube(place, &results, &[&["--no-plot"], more].concat(), ranks, threads));
    assert_eq!(end.code(), Some(0), "{name}: {}", end.stderr);
    (results, end)
}

/// What is said of an input that must be refused, after checking that nothing was written.
fn refusal(toml: &str, more: &[&str]) -> String {
    let place = Place::new(toml);
    let end = finish(cube(&place, &place.path("results.h5"), more, 1, 1));
    assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""), "{toml}\n{}", end.stderr);
    assert!(place.names().is_empty() && !end.stderr.contains("panicked"), "{:?} {}", place.names(), end.stderr);
    end.stderr
}

fn explained(arguments: &str) -> End {
    let mut command = sfpdes();
    command.args(["cube", "explain"]).args(arguments.split(' '));
    finish(command)
}

#[test]
fn the_results_do_not_depend_on_ranks_and_threads() {
    let place = Place::new(INPUT);
    let (one, end) = run(&place, "one", &[], 1, 1);
    let more: &[(usize, usize)] =
        if cfg!(feature = "mpi") { &[(1, 3), (2, 1), (3, 2), (7, 1)] } else { &[(1, 2), (1, 3), (1, 16)] };
    for &(ranks, threads) in more {
        let (other, other_end) = run(&place, &format!("r{ranks}t{threads}"), &[], ranks, threads);
        assert_same(&one, &other);
        assert_eq!(end.stdout, other_end.stdout, "{ranks} ranks of {threads} threads");
    }
    // The negative control: another seed gives other counts.
    let (other, _) = run(&place, "seed", &["--set", "cube.seed=2"], 1, 1);
    assert_ne!(numbers(&table(&one), "optimal"), numbers(&table(&other), "optimal"));
}

#[test]
fn the_results_file_holds_what_single_decisions_give() {
    let place = Place::new(
        "[cube]\nn = 4\nplacement = 'list'\nfaulty_nodes = [1, 6]\nfaulty_links = [[0, 3], [15, 0]]\npairs = 0\nsets = 1\n\
         models = ['safety-vector', 'esv3']\ncriterion = 'text'\n",
    );
    let (results, end) = run(&place, "list", &[], 1, 2);
    let cube = Cube::with_faults(4, &[1, 6], &[(0, 3), (15, 0)]).unwrap();
    let nodes: Vec<u32> = cube.nonfaulty_nodes().collect();
    let pairs: Vec<(u32, u32)> =
        nodes.iter().flat_map(|&u| nodes.iter().filter(move |&&v| v != u).map(move |&v| (u, v))).collect();
    let table = table(&results);
    assert_eq!(numbers(&table, "pairs"), [pairs.len() as f64; 2]);
    for (row, model) in [Model::SafetyVector, Model::Extended(3)].into_iter().enumerate() {
        let code = Code::new(&cube, model).unwrap();
        let verdict = |&&(u, v): &&(u32, u32)| decide(&cube, &code, u, v, Criterion::Text).unwrap().verdict == Verdict::Optimal;
        let percent = 100.0 * pairs.iter().filter(verdict).count() as f64 / pairs.len() as f64;
        assert!((numbers(&table, "optimal")[row] - percent).abs() < 1e-9);
        assert_eq!(numbers(&table, "rounds")[row], f64::from(code.cost().rounds));
    }
    let axis = |name: &str| table.axes.iter().find(|a| a.name == name).unwrap().values.text(0);
    assert_eq!(["n", "mix", "faults", "model", "criterion"].map(axis), ["4", "mixed", "4.0", "safety-vector", "text"]);
    assert!(end.stdout.contains("4-cube, 2 nodes and 2 links listed"), "{}", end.stdout);
    // A single fault set has no standard error: empty in the summary, a dash on stdout.
    let summary = std::fs::read_to_string(place.path("list.summary.csv")).unwrap();
    let names: Vec<&str> = summary.lines().next().unwrap().split(',').collect();
    let at = names.iter().position(|n| *n == "optimal_stderr").unwrap();
    assert_eq!(summary.lines().nth(1).unwrap().split(',').nth(at), Some(""));
}

#[test]
fn the_published_table_stands_beside_ours_and_the_marks_are_explained() {
    let place = Place::new(
        "[cube]\nfaults = [6, 22]\nmix = ['node']\nlink_faults = 'anywhere'\nsets = 20\npairs = 2000\n[output]\nreference = 'ref.csv'\n",
    );
    place.write(
        "ref.csv",
        "mix,faults,sets,op_n,sv_op,esv_op,misprint\nnode,6,100,50.00,99.99,99.99,\nnode,22,100,99.89,99.31,98.31,sv_op\n",
    );
    let (_, end) = run(&place, "marked", &[], 1, 1);
    for says in
        ["50.00*", "99.31m", "98.31 ", "*      more than 3 standard errors away", "1 of 6 values", "misprint of the paper", "+- "]
    {
        assert!(end.stdout.contains(says), "{says}\n{}", end.stdout);
    }
    assert!(end.stderr.contains("results: ") && end.stderr.contains("summary: "), "{}", end.stderr);
    // Without the file: ours alone, and the same results, since a reference changes none.
    let before = digest(&place.path("marked.h5")).unwrap();
    place.write("input.toml", "[cube]\nfaults = [6, 22]\nmix = ['node']\nlink_faults = 'anywhere'\nsets = 20\npairs = 2000\n");
    let (results, end) = run(&place, "marked", &[], 1, 1);
    assert!(!end.stdout.contains("paper"), "{}", end.stdout);
    assert_eq!(digest(&results).unwrap(), before);
}

#[test]
fn figures_are_drawn_of_what_was_counted() {
    let place = Place::new(INPUT);
    let end = finish(cube(&place, &place.path("drawn.h5"), &[], 1, 1));
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    for name in ["drawn", "drawn.failed", "drawn.detour"] {
        let svg = std::fs::read_to_string(place.path(&format!("{name}.svg"))).unwrap();
        for word in ["safety-level (text)", "safety-level (table)", "5-cube, half nodes, half links", "Number of faults"] {
            assert!(svg.contains(word), "{name}: {word}");
        }
        assert!(std::fs::read(place.path(&format!("{name}.png"))).unwrap().starts_with(b"\x89PNG"));
    }
    // `plot` draws the same again; a study without a sound criterion has one figure only.
    let first = std::fs::read(place.path("drawn.svg")).unwrap();
    let mut plot = sfpdes();
    plot.arg("plot").arg(place.path("drawn.h5"));
    assert_eq!(finish(plot).code(), Some(0));
    assert_eq!(std::fs::read(place.path("drawn.svg")).unwrap(), first);
    let more = ["--set", "cube.criterion=table", "--set", "cube.n=[4,5,6,7]", "--set", "cube.faults=[2,3]"];
    let end = finish(cube(&place, &place.path("wide.h5"), &more, 1, 1));
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    assert!(place.path("wide.png").exists() && !place.path("wide.failed.svg").exists());
    assert!(std::fs::read_to_string(place.path("wide.svg")).unwrap().contains("width=\"7.160in\""));
}

#[test]
fn swept_keys_become_points_with_their_columns() {
    let place = Place::new(
        "[cube]\nplacement = 'rate'\nsets = 3\npairs = 50\ncriterion = 'text'\n[sweep]\ncube.n = [3, 13]\ncube.node_fault_rate = [0.0, 0.1]\n",
    );
    let (results, end) = run(&place, "swept", &[], 1, 2);
    let table = table(&results);
    assert_eq!(table.points, (0..16).collect::<Vec<u64>>());
    let rates = table.axes.iter().find(|a| a.name == "cube.node_fault_rate").unwrap();
    assert_eq!((rates.values.text(0), rates.values.text(15)), ("0.0".into(), "0.1".into()));
    assert_eq!(numbers(&table, "optimal")[..4], [100.0; 4]);
    assert_eq!(numbers(&table, "detour")[..4], [0.0; 4]);
    assert!(end.stdout.contains("13-cube, node rate 0.1, link rate 0"), "{}", end.stdout);
    assert_eq!(words(&table, "sets_counted"), vec!["3"; 16]);
}

#[test]
fn rates_that_leave_no_pair_give_empty_cells() {
    let toml = "[cube]\nn = 1\nplacement = 'rate'\nnode_fault_rate = 0.999999\nsets = 4\npairs = 9\n";
    let place = Place::new(toml);
    let (results, end) = run(&place, "none", &[], 1, 1);
    assert_eq!(numbers(&table(&results), "sets_counted"), [0.0; 2], "global and safety-vector: esv2 does not fit a 1-cube");
    assert!(end.stdout.contains("- +--"), "{}", end.stdout);
    let summary = std::fs::read_to_string(place.path("none.summary.csv")).unwrap();
    assert!(summary.lines().nth(1).unwrap().contains(",,"), "{summary}");
    assert_eq!(finish(cube(&place, &results, &[], 1, 1)).code(), Some(0), "its figure has no point to draw");
}

#[test]
fn all_faults_of_an_input_are_told_at_once_with_their_places() {
    let toml = "[cube]\nn = 4\nplacement = 'list'\nfaulty_nodes = [1, 1, 16]\nfaulty_links = [[0, 4], [3, 0], [2, 0]]\n\
                models = ['esv9']\n[output]\nreference = 'no.csv'\n";
    let text = refusal(toml, &[]);
    for says in [
        "faulty node 1 is listed twice",
        "node 16 is not in the 4-cube",
        "link (0, 4) is not in the 4-cube",
        "faulty link (2, 0) is listed twice",
        "takes d from 1 to 4, not 9",
        "no.csv: no such file",
        "6 faults",
        "input.toml:4:",
        "input.toml:5:",
    ] {
        assert!(text.contains(says), "{says}\n{text}");
    }
    let typed = "[cube]\nfaults = [3]\nmix = ['nod', 'link', 'link']\nmodels = 'esv2'\npairs = -1\nset = 4\n";
    let text = refusal(typed, &[]);
    for says in ["did you mean \"node\"", "write [\"esv2\"]", "-1 is out of range", "did you mean `cube.sets`"] {
        assert!(text.contains(says), "{says}\n{text}");
    }
    // An unknown key does not hide what is wrong with the values of others, if it cannot be meant for one of them.
    let text = refusal("[cube]\nn = 4\nplacement = 'list'\nfaulty_nodes = [1, 16]\nwombats = 1\n", &[]);
    assert!(text.contains("wombats") && text.contains("node 16 is not in") && text.contains("2 faults"), "{text}");
    let pairs = "[cube]\nplacement = 'list'\nfaulty_links = [[1], [2, 3, 4], 5, [6, 20], ['a', 1]]\n";
    let text = refusal(pairs, &[]);
    for says in ["[1] is no pair", "[2, 3, 4] is no pair", "5 is no pair", "20 is out of range", "is no integer"] {
        assert!(text.contains(says), "{says}\n{text}");
    }
}

#[test]
fn faults_that_do_not_fit_are_refused() {
    for (faults, says) in [
        ("faults = [33]\nmix = ['link']", "33 faulty links asked for, but only 32 links of the 4-cube can fail"),
        ("faults = [17]\nmix = ['node']", "17 faulty nodes asked for"),
        ("faults = [16]\nmix = ['node']", "leave no node of the 4-cube nonfaulty"),
        ("faults = [15]\nmix = ['node']", "leave one node of the 4-cube nonfaulty"),
        ("faults = [16]\nmix = ['half']", "links of the 4-cube can fail"),
        ("faults = [3, 3]", "3 stands twice"),
        ("faults = []", "the list is empty"),
        ("", "`cube.faults` is required"),
        ("placement = 'rate'\nnode_fault_rate = 1.0", "fails every node"),
        ("placement = 'rate'\nlink_fault_rate = 1.5", "out of range"),
        ("placement = 'rate'\nfaults = [3]", "means nothing with"),
        ("placement = 'list'\nfaulty_nodes = [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]", "leave no node"),
        ("faults = [3]\npairs = 0\nn = 13", "at most 12 dimensions, not 13"),
        ("faults = [3]\nn = 21", "out of range"),
        (
            "faults = [3]\nn = 20\nmodels = ['esv20']",
            "esv20 of a 20-cube takes minutes to hours for each fault set; at most esv7",
        ),
        ("faults = [3]\nsets = 0", "out of range"),
        ("faults = [3]\n[output]\nreference = '.'", "this is a folder"),
        ("faults = [3]\n[sweep]\nruntime.threads = [1, 2]", "cannot be swept"),
    ] {
        let n = if faults.contains("n = ") { "" } else { "n = 4\n" };
        let text = refusal(&format!("[cube]\n{n}{faults}\n"), &[]);
        assert!(text.contains(says), "{faults}: {text}");
    }
    let place = Place::new("[cube]\nfaults = [3]\n[output]\nreference = 'bad.csv'\n");
    place.write("bad.csv", "mix,faults,op_n\nnode,3,101\nnods,3,99\n");
    let end = finish(cube(&place, &place.path("results.h5"), &[], 1, 1));
    assert_eq!(end.code(), Some(exit::INPUT));
    assert!(end.stderr.contains("bad.csv:2: ") && end.stderr.contains("bad.csv:3: "), "{}", end.stderr);
}

#[test]
fn an_input_of_the_other_command_is_told_so() {
    let text = refusal("[network]\ntopology = 'slim-fly'\nq = 3\n[runtime]\nthreads = 1\n", &[]);
    assert!(
        text.contains("[network] makes this an input of another command; run: sfpdes run ") && text.contains("1 fault;"),
        "{text}"
    );
    let place = Place::new(&format!("{INPUT}[output]\nreference = 'x.csv'\n"));
    for arguments in [&["run"][..], &[], &["check"]] {
        let mut command = sfpdes();
        command.args(arguments).arg(place.input());
        let end = finish(command);
        assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""));
        let says = "[cube] makes this an input of another command; run: sfpdes cube ";
        assert!(end.stderr.contains(says) && end.stderr.contains("1 fault;"), "{arguments:?} {}", end.stderr);
    }
    // Both kinds of tables in one file, and keys after --set.
    let text = refusal(&format!("{INPUT}[router]\nnum_vcs = 2\n"), &["--set", "network.q=3"]);
    assert!(text.contains("[router] belongs to inputs of `sfpdes run`, not to this one"), "{text}");
    assert!(text.contains("`network.q` is a key of inputs of `sfpdes run`"), "{text}");
}

#[test]
fn a_killed_run_goes_on_where_it_was_and_a_changed_input_is_refused() {
    let slow =
        INPUT.replace("n = 5", "n = 10").replace("pairs = 300", "pairs = 40000").replace("[3, 6]", "[3, 6, 9, 12, 15, 18]");
    let place = Place::new(&slow);
    let (whole, _) = run(&place, "whole", &[], 1, 1);
    let results = place.path("killed.h5");
    let ends = [("-KILL", None), ("-TERM", Some(exit::CHECKPOINT))];
    for (signal, code) in ends {
        let before = finished(&results);
        let end = stop(cube(&place, &results, &["--no-plot"], 1, 1), &results, signal, before + 1, 18 * 7);
        assert_eq!(end.code(), code, "{}", end.stderr);
        if signal == "-TERM" {
            assert!(end.stdout.contains("of 18 cells finished"), "{}", end.stdout);
        }
    }
    let end = finish(cube(&place, &results, &["--no-plot", "--set", "cube.pairs=7"], 1, 1));
    assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""));
    assert!(end.stderr.contains("- pairs = 40000") && end.stderr.contains("+ pairs = 7"), "{}", end.stderr);
    let (killed, end) = run(&place, "killed", &[], 1, 2);
    assert_same(&whole, &killed);
    // Again, with nothing left to do: the same table from the file alone.
    let (_, again) = run(&place, "killed", &[], 1, 1);
    assert_eq!(end.stdout, again.stdout);
}

/// Points in a results file that may not be there yet.
fn finished(results: &Path) -> usize {
    sfpdes::output::read_table(results).map_or(0, |t| t.points.len())
}

#[test]
fn results_of_a_simulation_and_of_a_cube_are_not_mixed_up() {
    let place = Place::new(INPUT);
    let (results, _) = run(&place, "cube", &[], 1, 1);
    place.write(
        "net.toml",
        "[network]\ntopology = 'slim-fly'\nq = 3\np = 1\n[traffic]\ninjection_rate = 0.1\n[router]\nnum_vcs = 2\n",
    );
    let before = std::fs::read(&results).unwrap();
    let mut command = sfpdes();
    command.arg(place.path("net.toml")).arg("-o").arg(&results);
    let end = finish(command);
    assert_eq!(end.code(), Some(exit::INPUT));
    assert!(end.stderr.contains("another kind of study"), "{}", end.stderr);
    assert_eq!(std::fs::read(&results).unwrap(), before);
    // A damaged file is refused as damaged.
    std::fs::write(&results, &before[..before.len() / 2]).unwrap();
    let end = finish(cube(&place, &results, &[], 1, 1));
    assert_eq!(end.code(), Some(exit::IO), "{}", end.stderr);
}

#[test]
fn help_teaches() {
    for (arguments, teaches) in [
        (
            &["cube", "--help"][..],
            &["esv_table1.toml", "mpirun", "explain", "standard", "--set", "--threads", "docs/hypercube.md"][..],
        ),
        (&["cube", "explain", "--help"], &["--faulty-links", "NODE:DIM", "0b", "exit code 2", "esv2"]),
        (&["keys"], &["[cube]", "`faulty_links`", "Inputs of `sfpdes cube`"]),
    ] {
        let mut command = sfpdes();
        command.args(arguments);
        let end = finish(command);
        assert_eq!((end.code(), end.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        teaches.iter().for_each(|word| assert!(end.stdout.contains(word), "{arguments:?} lacks {word}:\n{}", end.stdout));
    }
}

#[test]
fn explain_shows_codes_and_the_way_with_reasons() {
    let end = explained("--n 4 --faulty-nodes 1,6 --from 0 --to 15");
    assert_eq!((end.code(), end.stderr.as_str()), (Some(0), ""));
    let cube = Cube::with_faults(4, &[1, 6], &[]).unwrap();
    let models: Vec<Model> = Model::FIXED.into_iter().chain([Model::Extended(2), Model::Extended(3)]).collect();
    assert_eq!(end.stdout, explain(&cube, 0, 15, &models).unwrap());
    for says in ["0001 (1)   faulty", "0000 (0) -> 0010 (2) along dimension 1", "a shortest healthy path has 4 hops", "rounds"] {
        assert!(end.stdout.contains(says), "{says}\n{}", end.stdout);
    }
    let binary = explained("--n 4 --faulty-nodes 0b0001,0b0110 --from 0b0000 --to 0b1111");
    assert_eq!(binary.stdout, end.stdout);
    let links = explained("--n 3 --faulty-links 0:1,0b101:0 --from 0 --to 7 --models safety-vector,esv1");
    assert!(links.stdout.contains("(0, 1), (4, 0)"), "{}", links.stdout);
    // A walled-in source, a source that is the destination, the smallest and the largest cube: answers all.
    let walled = explained("--n 3 --faulty-nodes 1,2,4 --from 0 --to 7");
    assert!(walled.stdout.contains("no healthy path exists") && walled.stdout.contains("fall into 2 parts"), "{}", walled.stdout);
    for arguments in ["--n 1 --from 0 --to 1", "--n 3 --from 5 --to 5", "--n 20 --faulty-nodes 3 --from 0 --to 1048575"] {
        let end = explained(arguments);
        assert_eq!((end.code(), end.stderr.as_str()), (Some(0), ""), "{arguments}");
        assert!(!end.stdout.contains("failure"), "{arguments}: {}", end.stdout);
    }
}

#[test]
fn explain_refuses_what_makes_no_sense_all_at_once() {
    let end = explained("--n 3 --faulty-nodes 1,2,9,1 --faulty-links 3:7,0:1,2:1 --from 1 --to 12 --models esv4");
    assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""));
    for says in [
        "node 9 is not in the 3-cube",
        "faulty node 1 is listed twice",
        "link (3, 7) is not in the 3-cube",
        "faulty link (2, 1) is listed twice",
        "takes d from 1 to 3, not 4",
        "the source 1 is faulty",
        "node 12 is not in the 3-cube",
    ] {
        assert!(end.stderr.contains(says), "{says}\n{}", end.stderr);
    }
    for (arguments, says) in [
        ("--n 2 --faulty-nodes 0,1,2,3 --from 0 --to 3", "the source 0 is faulty"),
        ("--n 2 --faulty-nodes 3 --from 0 --to 3", "the destination 3 is faulty"),
        ("--n 0 --from 0 --to 0", "1 to 20 dimensions, not 0"),
        ("--n 21 --from 0 --to 0", "1 to 20 dimensions, not 21"),
        ("--n 20 --from 0 --to 1 --models esv9", "at most esv7 is computed there"),
        ("--n 3 --from x --to 0", "a node is a number"),
        ("--n 3 --faulty-links 3 --from 0 --to 1", "a link is NODE:DIMENSION"),
        ("--n 3 --from 0 --to 1 --models sv", "there are safe-unsafe"),
        ("--n 3 --from 0", "--to"),
    ] {
        let end = explained(arguments);
        assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""), "{arguments}");
        assert!(end.stderr.contains(says), "{arguments}: {}", end.stderr);
    }
}

#[test]
fn the_papers_link_faults_are_those_that_may_hit_links_at_faulty_nodes() {
    // Of a cube in which nearly every link touches a faulty node, only `anywhere` finds enough links.
    let faults = |links| Faults::Count { faults: 14, mix: Mix::Half, links };
    assert!(faults(LinkPlacement::Anywhere).place(4, 1, 0).is_ok());
    let toml = "[cube]\nn = 4\nfaults = [16]\nmix = ['half']\nsets = 20\npairs = 10\n";
    assert!(refusal(toml, &[]).contains("can fail"));
    let place = Place::new(toml);
    run(&place, "anywhere", &["--set", "cube.link_faults=anywhere"], 1, 1);
}
