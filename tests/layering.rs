//! Who may know what, read from the source itself: without this test the layers would be a wish.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the bottom up: each may import only what stands before it.
const ORDER: &[&str] = &[
    "ids",
    "rng",
    "config",
    "error",
    "hypercube",
    "topology",
    "partition",
    "routing",
    "traffic",
    "analysis",
    "economics",
    "stats",
    "engine",
    "transport",
    "network",
    "output",
    "study",
    "cli",
];

/// Modules that may import less than what stands before them.
const NARROW: &[(&str, &[&str])] = &[
    // A loop over an opaque model: it must not learn what is simulated.
    ("engine", &["ids", "rng", "error"]),
    // It carries bytes.
    ("transport", &["ids", "error", "engine"]),
    // It is fed with plain data.
    ("output", &["error", "stats", "topology", "hypercube"]),
    ("stats", &["ids", "rng", "config"]),
];

/// A source file: its path below src/, its text, and its code: the text less comments, the contents of strings, and tests.
struct Source {
    path: PathBuf,
    text: String,
    code: String,
}

impl Source {
    /// The top-level module it belongs to; empty for lib.rs and main.rs.
    fn module(&self) -> &str {
        let first = self.path.components().next().unwrap().as_os_str().to_str().unwrap();
        match first.trim_end_matches(".rs") {
            "lib" | "main" => "",
            module => module,
        }
    }

    fn is(&self, path: &str) -> bool {
        self.path == Path::new(path)
    }

    /// Identifiers of the code.
    fn identifiers(&self) -> impl Iterator<Item = &str> {
        self.code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
    }

    /// The words that its identifiers are made of, lower case: `n_vcs` and `NVcs` are n and vcs.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for identifier in self.identifiers() {
            let mut word = String::new();
            for c in identifier.chars() {
                if (c == '_' || c.is_uppercase()) && !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                if c != '_' {
                    word.extend(c.to_lowercase());
                }
            }
            words.push(word);
        }
        words
    }

    /// Modules named after `crate::`, in braces too.
    fn imports(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (at, _) in self.code.match_indices("crate::") {
            let rest = &self.code[at + "crate::".len()..];
            if let Some(list) = rest.strip_prefix('{') {
                let mut depth = 0;
                let mut name = String::new();
                for c in list.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => names.push(std::mem::take(&mut name)),
                        c if depth == 0 => name.push(c),
                        _ => {}
                    }
                }
                names.push(name);
            } else {
                names.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
            }
        }
        let first = |name: &String| name.trim().split("::").next().unwrap_or_default().to_string();
        names.iter().map(first).filter(|name| !name.is_empty()).collect()
    }
}

/// Rust source less comments and the contents of strings and characters.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let raw = rest.strip_prefix('r').map(|r| r.len() - r.trim_start_matches('#').len());
        let previous_is_word = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let (Some(hashes), false) = (raw.filter(|&n| rest[1 + n..].starts_with('"')), previous_is_word) {
            let close = format!("\"{}", "#".repeat(hashes));
            2 + hashes + rest[2 + hashes..].find(&close).unwrap() + close.len()
        } else if c == '"' {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|&(_, c)| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.unwrap().0 + 1
        } else if c == '\'' && (rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'')) {
            // A character; a lifetime has no second quote.
            let from = if rest[1..].starts_with('\\') { 3 } else { 1 + rest[1..].chars().next().unwrap().len_utf8() };
            from + rest[from..].find('\'').unwrap() + 1
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[skip..];
    }
    code
}

/// Every source file less those that hold only tests.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("tests") {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
                let code = code_of(&text[..tests]);
                sources.push(Source { path: path.strip_prefix(&root).unwrap().to_path_buf(), text, code });
            }
        }
    }
    assert!(sources.len() > 50, "{} files", sources.len());
    sources
}

/// Fails with every file in which one of `words` is part of an identifier.
fn never_says(module: &str, words: &[&str]) {
    for source in sources().iter().filter(|s| s.module() == module) {
        let said: Vec<String> = source.words().into_iter().filter(|w| words.contains(&w.as_str())).collect();
        assert!(said.is_empty(), "{} says {said:?}", source.path.display());
    }
}

#[test]
fn comments_and_strings_are_no_code() {
    let text = "a /* b */ c // d\n\"e \\\" f\" r#\"g \" h\"# 'i' '\\'' <'j> \"k\" l";
    let code = code_of(text);
    let words: Vec<&str> = code.split_whitespace().collect();
    assert_eq!(words, ["a", "c", "<'j>", "l"]);
}

#[test]
fn imports_go_down_only() {
    for source in sources() {
        let module = source.module().to_string();
        if module.is_empty() {
            continue;
        }
        let place = |name: &str| {
            let found = ORDER.iter().position(|m| *m == name);
            found.unwrap_or_else(|| panic!("{}: `{name}` has no place in the order of this test", source.path.display()))
        };
        let narrow = NARROW.iter().find(|(m, _)| *m == module).map(|(_, imports)| *imports);
        for import in source.imports().iter().filter(|import| **import != module) {
            assert!(place(import) < place(&module), "{}: {module} may not import {import}", source.path.display());
            let allowed = narrow.is_none_or(|list| list.contains(&import.as_str()));
            assert!(allowed, "{}: {module} may import {narrow:?} only, not {import}", source.path.display());
        }
        // The other way up.
        let depth = source.path.components().count() - usize::from(source.path.ends_with("mod.rs"));
        let climbs = "super::".repeat(depth);
        assert!(!source.code.contains(&climbs), "{}: `{climbs}` leaves the module", source.path.display());
    }
}

#[test]
fn the_engine_does_not_know_what_it_simulates_or_on_what() {
    never_says("engine", &["flit", "flits", "vc", "vcs", "mpi", "rank", "ranks", "thread", "threads", "packet", "router"]);
}

#[test]
fn the_network_does_not_know_where_it_runs() {
    never_says("network", &["mpi", "rank", "ranks", "thread", "threads", "file", "files", "instant", "duration", "fs", "io"]);
    for source in sources().iter().filter(|s| s.module() == "network" || s.module() == "engine") {
        assert!(!source.code.contains("std::time"), "{} reads the clock", source.path.display());
    }
}

#[test]
fn mpi_and_hdf5_each_have_one_place() {
    for source in sources() {
        let says = |name: &str| source.identifiers().any(|word| word == name || word == format!("{name}_sys"));
        // The module line, and what it hands on.
        if source.is("transport/mod.rs") {
            let said: Vec<&str> = source.code.lines().filter(|l| l.contains("mpi")).map(str::trim).collect();
            assert_eq!(said.iter().filter(|l| !l.starts_with("#[cfg")).count(), 2, "{said:?}");
        } else if !source.is("transport/mpi.rs") {
            assert!(!says("mpi"), "{} names mpi", source.path.display());
        }
        assert!(!says("hdf5") || source.module() == "output", "{} names hdf5", source.path.display());
    }
}

#[test]
fn inside_the_cycle_there_are_no_hash_maps() {
    for source in sources().iter().filter(|s| ["network", "engine"].contains(&s.module()) && !s.is("network/audit.rs")) {
        let hashes = source.identifiers().any(|word| word == "HashMap" || word == "HashSet");
        assert!(!hashes, "{}", source.path.display());
    }
}

#[test]
fn nothing_is_left_over() {
    for source in sources() {
        let path = source.path.display();
        for mark in ["TODO", "FIXME", "XXX", "HACK"] {
            assert!(!source.text.contains(mark), "{path}: {mark}");
        }
        assert!(!source.code.contains("dbg!"), "{path}");
        let prints = ["println!", "print!"].iter().any(|p| source.code.contains(p) && !source.code.contains(&format!("e{p}")));
        assert!(source.module() == "cli" || !prints, "{path} prints");
        assert!(!source.code.contains(".unwrap()"), "{path}: say why it cannot fail");
        let is_unsafe = source.identifiers().any(|word| word == "unsafe");
        let may_be = ["output/hdf5/terminated.rs", "engine/prefetch.rs"].iter().any(|file| source.is(file));
        assert!(!is_unsafe || may_be, "{path} is unsafe");
    }
}
