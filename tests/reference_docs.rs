//! The documentation says what the program does: the reference of keys, the commands of README.md, the names of columns.

use std::path::{Path, PathBuf};
use std::process::Command;

use sfpdes::stats::COLUMNS;
use sfpdes::study::reference;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn the_reference_of_keys_is_up_to_date() {
    let same = read("docs/config.md") == reference();
    assert!(same, "docs/config.md is out of date; write it anew: cargo run -- keys > docs/config.md");
}

#[test]
fn the_model_defines_every_column() {
    let model = read("docs/model.md");
    // A row may name a family: `accepted_load`, `_min`, `_max`, or `network_latency` and its kin.
    let families = [
        "accepted_load",
        "message_latency",
        "network_latency",
        "offered_load",
        "packet_latency",
        "channel_utilization",
        "vc_occupancy",
    ];
    let stem = |name: &'static str| families.into_iter().find(|family| name.starts_with(family)).unwrap_or(name);
    for column in COLUMNS {
        assert!(model.contains(&format!("`{}", stem(column.name))), "docs/model.md does not define the column {}", column.name);
    }
}

/// The commands in the blocks of README.md that are marked `sh`, and in batch scripts.
fn commands() -> Vec<String> {
    let text = read("README.md") + &read("docs/hypercube.md");
    let mut commands = Vec::new();
    for block in text.split("\n```").filter_map(|b| b.strip_prefix("sh\n").or_else(|| b.strip_prefix("bash\n"))) {
        commands.extend(block.lines().map(|line| line.split(" #").next().unwrap_or_default().trim().to_string()));
    }
    commands
}

#[test]
fn every_run_that_the_readme_shows_is_accepted() {
    let mut seen = 0;
    for command in commands() {
        let words: Vec<&str> = command.split_whitespace().take_while(|&w| w != "&&").collect();
        let program = match words.first() {
            Some(&("mpirun" | "srun" | "sfpdes")) => words.iter().position(|&w| w == "sfpdes").expect("a launcher of sfpdes"),
            Some(&"scripts/run") => 0,
            _ => continue,
        };
        // `check` finds whatever a run would refuse, and takes no time.
        let arguments: Vec<&str> = words[program + 1..].iter().copied().filter(|&w| w != "--plot" && w != "check").collect();
        if ["plot", "keys"].contains(&arguments[0]) {
            continue;
        }
        if arguments[0] == "cube" {
            run_cube(&command, &arguments);
            seen += 1;
            continue;
        }
        let output = Command::new(env!("CARGO_BIN_EXE_sfpdes")).arg("check").args(&arguments).current_dir(repository()).output();
        let output = output.unwrap_or_else(|e| panic!("{command}: {e}"));
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
        seen += 1;
    }
    assert!(seen >= 5, "only {seen} runs found in README.md");
}

/// Runs a command on hypercubes, scaled down where it is a study.
fn run_cube(command: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Command::new(env!("CARGO_BIN_EXE_sfpdes"));
    program.args(arguments).current_dir(repository());
    if arguments[1] != "explain" {
        program.args(["--no-plot", "--set", "cube.sets=2", "--set", "cube.pairs=20", "-o"]).arg(folder.path().join("cube.h5"));
    }
    let output = program.output().unwrap_or_else(|e| panic!("{command}: {e}"));
    assert!(output.status.success() && !output.stdout.is_empty(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_document_on_hypercubes_defines_every_column() {
    let text = read("docs/hypercube.md");
    for column in sfpdes::hypercube::COLUMNS {
        let name = column.name.trim_end_matches("_stderr");
        assert!(text.contains(&format!("`{name}`")), "docs/hypercube.md does not define the column {name}");
    }
}

#[test]
fn every_file_that_the_documents_link_to_exists() {
    for document in ["README.md", "ARCHITECTURE.md", "docs/model.md", "docs/hypercube.md"] {
        let folder: PathBuf = repository().join(document).parent().expect("a folder").into();
        let text = read(document);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.starts_with("http") {
                assert!(folder.join(file).exists(), "{document} links to {file}, which does not exist");
            }
        }
    }
}

#[test]
fn every_path_of_the_code_map_exists() {
    let text = read("ARCHITECTURE.md");
    for path in text.split('`').skip(1).step_by(2).filter(|p| p.ends_with(".rs") && p.contains('/') && !p.contains("NAME")) {
        assert!(repository().join("src").join(path).exists(), "ARCHITECTURE.md names {path}, which does not exist");
    }
}

#[test]
fn every_function_on_the_way_of_a_flit_exists() {
    let text = read("ARCHITECTURE.md");
    let sections = ["## Entry points", "## The way of one flit"].map(|title| text.split(title).nth(1).expect("a section"));
    let code = code_below(&repository().join("src"));
    for section in sections.map(|rest| rest.split("\n## ").next().unwrap_or_default()) {
        for name in section.split('`').skip(1).step_by(2).filter(|name| !name.contains(['.', '/'])) {
            let function = name.rsplit("::").next().unwrap_or(name);
            assert!(code.contains(&format!("fn {function}")), "ARCHITECTURE.md names {name}, which does not exist");
        }
    }
}

/// Every source file below `folder`, one after the other.
fn code_below(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let text = |path: PathBuf| if path.is_dir() { code_below(&path) } else { std::fs::read_to_string(path).expect("text") };
    entries.map(text).collect()
}
