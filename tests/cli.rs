//! The command line: what it says, where it says it, how it ends, and that nothing finished is lost.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use sfpdes::error::exit;
use sfpdes::output::digest;
use sfpdes::rng::{Purpose, Stream};
use support::{
    assert_same, finish, numbers, refusal, send, sfpdes, sfpdes_with, start, stop, table, wait, words, Place,
    THREE_LOADS as INPUT,
};

/// Twelve points of a fraction of a second each.
const LONG: &str = "
[network]
topology = 'slim-fly'
q = 5
p = 4
[router]
num_vcs = 2
[measurement]
sample_period = 500
confidence_width = 0.0
[sweep]
traffic.injection_rate = [0.1, 0.2, 0.3, 0.4]
simulation.seed = [1, 2, 3]
";

#[test]
fn help_teaches_and_goes_to_stdout() {
    for (arguments, teaches) in [
        (&["--help"][..], &["mpirun -n 64", "Exit codes", "check", "plot", "keys", "--set", "--threads"][..]),
        (&["run", "--help"], &["--set", "--threads", "--output", "--alone", "--plot"]),
        (&["check", "--help"], &["--ranks", "--set"]),
        (&["plot", "--help"], &["RESULTS", "--output"]),
        (&["reproduce", "--help"], &["[FIGURE]", "fig6a", "--side-by-side"]),
        (&["keys"], &["[network]", "`topology`", "`injection_rate`", "`num_vcs`", "`sample_period`", "--set"]),
        (&["--version"], &[env!("CARGO_PKG_VERSION")]),
    ] {
        let end = sfpdes_with(arguments);
        assert_eq!((end.code(), end.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        teaches.iter().for_each(|word| assert!(end.stdout.contains(word), "{arguments:?} lacks {word}:\n{}", end.stdout));
    }
    // Lines that are broken by hand and by the width come out ragged: an example that is too long would be continued as one.
    for arguments in [&["--help"][..], &["cube", "--help"]] {
        let help = sfpdes_with(arguments).stdout;
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        let lines: Vec<&str> = examples.lines().take_while(|line| !line.is_empty()).collect();
        assert!(lines.len() >= 5 && lines.iter().all(|l| l.starts_with("  sfpdes ") || l.starts_with("  mpirun ")), "{examples}");
    }
}

#[test]
fn a_wrong_command_line_is_bad_input() {
    let place = Place::new(INPUT);
    let input = place.input();
    let input = input.to_str().unwrap();
    for (arguments, says) in [
        (&[][..], "no input"),
        (&["--no-such-option"], "--no-such-option"),
        (&["no_such_file.toml"], "no such file"),
        (&[input, "--threads", "0"], "threads"),
        (&[input, "--threads", "two"], "two"),
        (&["check"], "no input"),
        (&["plot"], "RESULTS"),
        (&["reproduce"], "no figure: give one of fig6a, "),
        (&["chek", input], "there is no command and no file `chek`; did you mean `check`?"),
        (&["simulate", input], "there is no command and no file `simulate`"),
        // What would change nothing is not taken.
        (&["trace", input, "--threads", "2"], "--threads"),
        (&["layers", input, "--output", "x.h5"], "--output"),
    ] {
        let end = sfpdes_with(arguments);
        assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""), "{arguments:?}: {}", end.stderr);
        assert!(end.stderr.contains(says), "{arguments:?}: {}", end.stderr);
    }
}

#[test]
fn check_tells_everything_and_writes_nothing() {
    let place = Place::new(INPUT);
    let check = |more: &[&str]| {
        let mut command = sfpdes();
        command.arg("check").arg(place.input()).args(more).current_dir(place.path(""));
        let end = finish(command);
        assert_eq!((end.code(), end.stderr.as_str()), (Some(0), ""));
        end.stdout
    };
    let value = |text: &str, name: &str| {
        let line = text.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("no {name} in\n{text}"));
        line[name.len()..].trim().to_string()
    };
    let text = check(&[]);
    assert!(text.contains("vc_buf_size = 16"), "defaults are shown: {text}");
    assert!(value(&text, "lookahead").starts_with("unlimited"));
    assert_eq!(value(&text, "VCs required"), "2 (num_vcs = 2)");
    assert_eq!(value(&text, "points"), "3");
    assert!(value(&text, "time for all points").ends_with(", if no point saturates"));
    let list = sfpdes_with(&["check", "inputs/messages.toml"]).stdout;
    assert!(value(&list, "time for all points").ends_with(" on 1 core"), "a list of messages does not saturate: {list}");
    assert!(value(&text, "deadlock").starts_with("deadlock-free"));
    for name in ["topology", "longest path", "memory", "cycles", "time for all points", "routing"] {
        value(&text, name);
    }
    // 18 routers on 2 ranks of 3 threads; st_final_delay 1 and channel latency 3 give 4 cycles of lookahead.
    let text = check(&["-n", "2", "--threads", "3", "--set", "network.channel_latency=3"]);
    assert_eq!(value(&text, "lookahead"), "4 cycles");
    assert!(value(&text, "partitions").starts_with("6 (2 ranks x 3 threads)"));
    assert_eq!(value(&text, "routers per partition"), "3");
    assert!(place.names().is_empty(), "{:?}", place.names());
}

#[test]
fn a_network_that_no_memory_holds_is_refused_at_once() {
    let end_of = |command: &str, input: &str, more: &[&str]| {
        let place = Place::new(input);
        let started = std::time::Instant::now();
        let mut sfpdes = sfpdes();
        sfpdes.arg(command).arg(place.input()).args(more).current_dir(place.path(""));
        let end = finish(sfpdes);
        assert!(started.elapsed().as_secs() < 20, "nothing is built");
        assert!(place.names().is_empty(), "{:?}", place.names());
        end
    };
    // 2^28 routers: graph 20 GB, rows of tables that not even addresses suffice for.
    let absurd = "[network]\ntopology = \"torus\"\ndims = [16384, 16384]\n\n[sweep]\ntraffic.injection_rate = [0.1, 0.5]\n";
    for command in ["run", "check", "trace"] {
        let more: &[&str] = if command == "trace" { &["--set", "traffic.injection_rate=0.1"] } else { &[] };
        let end = end_of(command, absurd, more);
        assert_eq!(end.code(), Some(2), "{command}: {}", end.stderr);
        assert_eq!(end.stdout, "");
        for says in [
            "268435456 routers",
            "dims = [16384, 16384]",
            ":3:8",
            "of memory in each process",
            "a smaller network.dims",
            "1 fault",
        ] {
            assert!(end.stderr.contains(says), "{command}, {says}: {}", end.stderr);
        }
    }
    // A search asks no other way, and no number of points side by side overflows.
    let search = ["--set", "study.kind=saturation", "--side-by-side", "64"];
    let end = end_of("run", "[network]\ntopology = \"torus\"\ndims = [16384, 16384]\n", &search);
    assert!(end.code() == Some(2) && end.stderr.contains("fewer points side by side"), "{}", end.stderr);
    // Nor does an input that has other faults build it for the sake of further ones.
    let end = end_of("run", absurd, &["--set", "router.num_vcs=99"]);
    assert!(end.code() == Some(2) && end.stderr.contains("num_vcs"), "{}", end.stderr);
    for (size, says) in
        [("network.dims=[1000000000, 1000000000]", "out of range"), ("network.dims=[65536, 65536, 65536, 65536]", "at most")]
    {
        let end = end_of("check", absurd, &["--set", size]);
        assert!(end.code() == Some(2) && end.stderr.contains(says), "{size}: {}", end.stderr);
    }
    let slim_fly = "[network]\ntopology = \"slim-fly\"\nq = 1000000000\n";
    assert!(end_of("check", slim_fly, &[]).stderr.contains("network.q"));
}

#[test]
fn check_outlines_what_another_machine_could_hold() {
    // Tables for half a million routers take a terabyte, and addresses suffice for them.
    let input =
        "[network]\ntopology = \"slim-fly\"\nq = 509\np = 1\n\n[router]\nnum_vcs = 4\n\n[routing]\nalgorithm = \"ugal-g\"\n";
    let place = Place::new(input);
    let command = |name: &str, more: &[&str]| {
        let mut command = sfpdes();
        command.arg(name).arg(place.input()).args(more).args(["--set", "traffic.injection_rate=0.1"]).current_dir(place.path(""));
        finish(command)
    };
    let end = command("check", &[]);
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    for says in ["518162 routers", "518162 endpoints", "395357606 between routers", "GiB per rank"] {
        assert!(end.stdout.contains(says), "{says}: {}", end.stdout);
    }
    assert!(end.stderr.contains("nothing more of it was examined") && end.stderr.contains(":3:5"), "{}", end.stderr);
    assert!(!end.stdout.contains("time for all points") && !end.stdout.contains("deadlock-free"), "{}", end.stdout);
    let end = command("run", &[]);
    assert_eq!(end.code(), Some(2), "{}", end.stderr);
    assert!(end.stderr.contains("more machines that share it as ranks"), "{}", end.stderr);
    assert!(place.names().is_empty(), "{:?}", place.names());
}

#[test]
fn values_that_mean_nothing_are_refused_by_name() {
    let rates = ["nan", "-nan", "inf", "-inf", "-0.1", "1.5", "1e400", "'fast'", "[]"];
    for (key, values) in [
        ("traffic.injection_rate", &rates[..]),
        ("network.q", &["0", "1", "6", "-5", "2.5", "99999999999", "99999999999999999999"]),
        ("network.p", &["0", "-1", "65535", "1e3"]),
        ("router.num_vcs", &["0", "33", "-2"]),
        ("router.vc_buf_size", &["0", "65536"]),
        ("router.internal_speedup", &["0", "0.5", "nan", "inf"]),
        ("traffic.packet_size", &["0", "256"]),
        ("measurement.sample_period", &["0", "-1", "1e9", "100000001"]),
        ("measurement.confidence_width", &["nan", "-0.1"]),
        ("measurement.min_samples", &["11"]),
        ("simulation.seed", &["-1", "9223372036854775808"]),
        ("runtime.threads", &["0", "4096"]),
        ("network.topology", &["'slimfly'", "3"]),
    ] {
        for value in values {
            let text = refusal(INPUT, &[&format!("{key}={value}")]);
            let name = key.split('.').next_back().unwrap();
            // The rule that min_samples breaks is that of max_samples, and is told there.
            let name = if name == "min_samples" { "max_samples" } else { name };
            assert!(text.contains(name), "{key} = {value}: {text}");
        }
    }
    for dims in ["[]", "[0]", "[4, -1]", "[4, 2.5]", "7", "[65536, 65536, 65536]"] {
        let grid = INPUT.replace("topology = 'slim-fly'\nq = 3", &format!("topology = 'torus'\ndims = {dims}"));
        let grid = grid.replace("[measurement]", "[routing]\nalgorithm = 'dimension-order'\n[measurement]");
        let text = refusal(&grid, &[]);
        assert!(text.contains("dims"), "{dims}: {text}");
    }
}

#[test]
fn what_is_no_input_is_refused_readably() {
    let place = Place::new(INPUT);
    fs::create_dir(place.path("folder.toml")).unwrap();
    place.write("empty.toml", "");
    place.write("comment.toml", "# nothing\n");
    place.write("broken.toml", "[network\nq = 3\n");
    fs::write(place.path("binary.toml"), [0x89, b'H', b'D', b'F', 0xff, 0]).unwrap();
    for (name, says) in [
        ("folder.toml", "folder"),
        ("empty.toml", "empty"),
        ("comment.toml", "network.topology"),
        ("broken.toml", "broken.toml:1"),
        ("binary.toml", "UTF-8"),
        ("missing.toml", "no such file"),
    ] {
        for command in ["run", "check"] {
            let end = sfpdes_with(&[command, place.path(name).to_str().unwrap()]);
            assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""), "{name}: {}", end.stderr);
            assert!(end.stderr.contains(says) && end.stderr.contains(name), "{name}: {}", end.stderr);
        }
    }
}

#[test]
fn a_table_that_a_spreadsheet_saved_is_read_and_what_is_no_text_has_its_place() {
    let place =
        Place::new("[network]\ntopology = 'slim-fly'\nq = 3\n[traffic]\npattern = 'messages'\nmessage_file = 'list.csv'\n");
    let check = |bytes: &[u8]| {
        fs::write(place.path("list.csv"), bytes).unwrap();
        sfpdes_with(&["check", place.input().to_str().unwrap()])
    };
    let end = check("\u{feff}time,source,destination,size\r\n0,0,1,5\r\n".as_bytes());
    assert_eq!((end.code(), end.stdout.contains("1 messages, 5 flits")), (Some(0), true), "{}", end.stderr);
    let end = check(b"time,source,destination,size\n0,\xff,1,5\n");
    assert_eq!(end.code(), Some(exit::INPUT), "{}", end.stderr);
    assert!(end.stderr.contains("list.csv:2:3: not UTF-8 text: byte 0xff; a CSV file is text"), "{}", end.stderr);
}

#[test]
fn a_load_that_nobody_offers_is_refused() {
    let place = Place::new(&INPUT.replace("topology = 'slim-fly'\nq = 3\np = 2", "topology = 'mesh'\ndims = [1]"));
    let run = |command: &str, sets: &[&str]| {
        let input = place.input();
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        sfpdes_with(&[command, input.to_str().unwrap()].into_iter().chain(sets).collect::<Vec<_>>())
    };
    for sets in [
        &[][..],
        &["traffic.pattern=shift"],
        &["traffic.pattern=transpose", "network.dims=[2]"],
        &["network.dims=[[4],[1]]", "traffic.injection_rate=[0,0.1]", "routing.algorithm=dimension-order"],
    ] {
        for command in ["run", "check"] {
            let end = run(command, sets);
            assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""), "{sets:?}: {}", end.stderr);
            assert!(end.stderr.contains("nobody sends") && end.stderr.contains("1 fault"), "{sets:?}: {}", end.stderr);
        }
    }
    assert!(!place.path("results").exists());
    let end = run("check", &["traffic.injection_rate=0"]);
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    let end = run("check", &["traffic.self_traffic=true"]);
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
}

#[test]
fn set_overrides_the_file_and_a_list_sweeps() {
    let place = Place::new(INPUT);
    let one = table(&place.run("one", &["traffic.injection_rate=0.25"], 1, 1));
    assert_eq!(one.points.len(), 1);
    assert!((numbers(&one, "offered_load")[0] - 0.25).abs() < 0.03);
    let last = table(&place.run("last", &["traffic.injection_rate=0.1", "traffic.injection_rate=0.25"], 1, 1));
    assert_eq!(numbers(&last, "offered_load"), numbers(&one, "offered_load"));
    let two = table(&place.run("two", &["traffic.injection_rate=0.2", "router.vc_buf_size=[4, 8]"], 1, 1));
    assert_eq!((two.points.len(), two.axes[0].name.as_str()), (2, "router.vc_buf_size"));
}

#[test]
fn results_go_where_they_are_wanted() {
    let place = Place::new(&format!("{INPUT}\n[output]\nfile = 'sub/beside.h5'\n"));
    let elsewhere = Place::new("");
    let run_in = |folder: &Place, more: &[&str]| {
        let mut command = sfpdes();
        command.arg(place.input()).args(more).current_dir(folder.path(""));
        let end = finish(command);
        assert_eq!(end.code(), Some(0), "{}", end.stderr);
        end.stderr
    };
    // A path in the input is relative to it, one on the command line to where the command is given.
    let told = run_in(&elsewhere, &[]);
    assert!(place.path("sub/beside.h5").exists() && told.contains("sub/beside.h5"), "{told}");
    run_in(&elsewhere, &["-o", "here.h5"]);
    assert!(elsewhere.path("here.h5").exists());
    let default = Place::new(INPUT);
    let mut command = sfpdes();
    command.arg("input.toml").current_dir(default.path(""));
    assert_eq!(finish(command).code(), Some(0));
    assert!(
        default.path("results/input.h5").exists() && default.path("results/input.summary.csv").exists(),
        "{:?}",
        default.names()
    );
}

#[test]
fn stdout_holds_the_table_and_nothing_else() {
    let place = Place::new(INPUT);
    let run = |name: &str, log: &str, sets: &[&str]| {
        let mut command = place.command(&place.path(name), sets, 1, 2);
        command.env("RUST_LOG", log);
        let end = finish(command);
        assert_eq!(end.code(), Some(0), "{}", end.stderr);
        end
    };
    let quiet = run("quiet.h5", "error", &["runtime.progress=off"]);
    let loud = run("loud.h5", "trace", &["runtime.progress=lines", "runtime.progress_seconds=1"]);
    assert_eq!(quiet.stdout, loud.stdout);
    assert!(loud.stderr.len() > quiet.stderr.len());
    assert!(quiet.stdout.lines().all(|l| l.is_empty() || l.starts_with(['+', '|', '('])), "{}", quiet.stdout);
    assert_eq!(quiet.stdout.matches("converged").count() + quiet.stdout.matches("max_time").count(), 3, "{}", quiet.stdout);
    // The summary has a line for each point below its header.
    let summary = fs::read_to_string(place.path("quiet.summary.csv")).unwrap();
    assert_eq!(summary.lines().filter(|l| !l.starts_with('#')).count(), 4, "{summary}");
    assert!(summary.contains("traffic.injection_rate") && summary.contains("packet_latency"), "{summary}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new(INPUT);
    let input = place.input();
    let input = input.to_str().unwrap();
    let results = place.path("results.h5");
    for arguments in [&["--help"][..], &["keys"], &["check", input], &[input, "-o", results.to_str().unwrap()]] {
        let mut command = sfpdes();
        command.args(arguments);
        let mut child = start(command);
        drop(child.stdout.take());
        let end = wait(child);
        assert_eq!(end.code(), Some(0), "{arguments:?}: {}", end.stderr);
        assert!(!end.stderr.contains("panicked"), "{}", end.stderr);
    }
    assert_eq!(table(&results).points.len(), 3);
}

#[test]
fn the_same_command_again_runs_nothing() {
    let place = Place::new(INPUT);
    let results = place.path("results.h5");
    let first = finish(place.command(&results, &[], 1, 1));
    let before = fs::read(&results).unwrap();
    let again = finish(place.command(&results, &[], 1, 1));
    assert_eq!((again.code(), &again.stdout), (Some(0), &first.stdout));
    assert_eq!(fs::read(&results).unwrap(), before);
    // Threads and progress change no result, so they may change.
    let other = finish(place.command(&results, &["runtime.progress=off", "runtime.partitioner=contiguous"], 1, 3));
    assert_eq!(other.code(), Some(0), "{}", other.stderr);
    assert_eq!(fs::read(&results).unwrap(), before);
}

#[test]
fn a_changed_configuration_is_refused_and_nothing_is_touched() {
    let place = Place::new(INPUT);
    let results = place.run("results", &[], 1, 1);
    let before = fs::read(&results).unwrap();
    for (set, says) in [("simulation.seed=7", "seed"), ("network.p=3", "p = 3"), ("traffic.injection_rate=[0.1, 0.2]", "0.2")] {
        let end = finish(place.command(&results, &[set], 1, 1));
        assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""), "{}", end.stderr);
        assert!(end.stderr.contains(says) && end.stderr.contains("another"), "{}", end.stderr);
        assert_eq!(fs::read(&results).unwrap(), before);
    }
}

#[test]
fn file_trouble_has_its_own_code() {
    let place = Place::new(INPUT);
    let run = |results: &Path| finish(place.command(results, &[], 1, 1));
    let below_a_file = run(&place.input().join("results.h5"));
    assert_eq!(below_a_file.code(), Some(exit::IO), "{}", below_a_file.stderr);
    let damaged = place.write("damaged.h5", "this is no HDF5 file");
    let end = run(&damaged);
    assert_eq!(end.code(), Some(exit::IO), "{}", end.stderr);
    assert!(end.stderr.contains("damaged.h5"));
    assert_eq!(fs::read_to_string(&damaged).unwrap(), "this is no HDF5 file");
    let whole = place.path("whole.h5");
    assert!(run(&whole).status.success());
    let mut bytes = fs::read(&whole).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(place.path("flipped.h5"), bytes).unwrap();
    fs::write(place.path("empty.h5"), "").unwrap();
    for (results, says) in [
        ("missing.h5", "missing.h5: no such file\n"),
        (".", "is a folder; name the results file in it\n"),
        ("damaged.h5", "not a readable HDF5 file, or damaged at its beginning\n"),
        ("empty.h5", "not a readable HDF5 file, or damaged at its beginning\n"),
        ("flipped.h5", "or of another format than 3: its bytes are not those that were written\n"),
    ] {
        let end = sfpdes_with(&["plot", place.path(results).to_str().unwrap()]);
        assert_eq!(end.code(), Some(exit::IO), "{}", end.stderr);
        assert!(end.stderr.ends_with(says) && end.stderr.lines().count() == 1, "{}", end.stderr);
    }
}

#[test]
fn two_runs_of_one_file_do_not_mix() {
    let place = Place::new(LONG);
    let results = place.path("results.h5");
    let first = start(place.command(&results, &[], 1, 1));
    while !results.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // However slow the second is to start, the first is still there.
    send("-STOP", first.id());
    let second = finish(place.command(&results, &[], 1, 1));
    send("-CONT", first.id());
    assert_eq!(second.code(), Some(exit::IO), "{}", second.stderr);
    assert!(second.stderr.contains("another run"), "{}", second.stderr);
    assert_eq!(wait(first).code(), Some(0));
    assert_eq!(table(&results).points.len(), 12);
}

#[test]
fn a_stopped_run_says_so_and_goes_on_where_it_was() {
    let place = Place::new(LONG);
    let whole = place.run("whole", &[], 1, 1);
    for (name, threads) in [("-TERM", 1), ("-INT", 2)] {
        let results = place.path(&format!("stopped{name}.h5"));
        let end = stop(place.command(&results, &[], 1, threads), &results, name, 2, 12);
        assert_eq!(end.code(), Some(exit::CHECKPOINT), "{}", end.stderr);
        assert!(end.stderr.contains("same command again"), "{}", end.stderr);
        let finished = table(&results).points.len();
        assert!(end.stdout.contains(&format!("{finished} of 12 points finished")), "{}", end.stdout);
        let end = finish(place.command(&results, &[], 1, 1));
        assert_eq!(end.code(), Some(0), "{}", end.stderr);
        assert_same(&whole, &results);
    }
}

#[test]
fn a_killed_run_loses_no_finished_point_and_is_taken_up_again() {
    let place = Place::new(LONG);
    let whole = place.run("whole", &[], 1, 1);
    let results = place.path("results.h5");
    let mut stream = Stream::new(1, Purpose::Pairs, 0);
    let mut finished = 0;
    for _ in 0..5 {
        let child = start(place.command(&results, &[], 1, 2));
        std::thread::sleep(Duration::from_millis(u64::from(50 + stream.below(400))));
        // It may have ended by itself on a fast machine.
        let _ = Command::new("kill").args(["-KILL", &child.id().to_string()]).status();
        wait(child);
        let now = if results.exists() { table(&results).points.len() } else { 0 };
        assert!(now >= finished, "{now} points are left of {finished}");
        finished = now;
    }
    let end = finish(place.command(&results, &[], 1, 1));
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    assert_same(&whole, &results);
    assert_eq!(place.names(), ["results.h5", "results.summary.csv", "whole.h5", "whole.summary.csv"]);
}

#[test]
fn plot_draws_the_curves_of_a_run() {
    let place = Place::new(INPUT);
    let results = place.run("results", &["traffic.injection_rate=[0.1, 0.5, 0.99]"], 1, 1);
    let before = digest(&results).unwrap();
    let end = sfpdes_with(&["plot", results.to_str().unwrap()]);
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    let drawn = |stem: &str| {
        let svg = fs::read_to_string(place.path(&format!("{stem}.svg"))).unwrap();
        let png = fs::read(place.path(&format!("{stem}.png"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("atency"));
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000);
    };
    drawn("results");
    assert_eq!(digest(&results).unwrap(), before);
    let end = sfpdes_with(&["plot", results.to_str().unwrap(), "-o", place.path("other").to_str().unwrap()]);
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    drawn("other");
    // The ending of a figure is none to put another behind.
    let end = sfpdes_with(&["plot", results.to_str().unwrap(), "-o", place.path("figures/v1.5.png").to_str().unwrap()]);
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    drawn("figures/v1.5");
    let folder = format!("{}/", place.path("figures").display());
    let end = sfpdes_with(&["plot", results.to_str().unwrap(), "-o", &folder]);
    assert_eq!((end.code(), end.stderr.contains("name the figures in it")), (Some(exit::INPUT), true), "{}", end.stderr);
    let mut command = place.command(&place.path("with.h5"), &[], 1, 1);
    command.arg("--plot");
    assert_eq!(finish(command).code(), Some(0));
    drawn("with");
    assert_eq!(words(&table(&results), "status").len(), 3);
}
