//! The command-line program: parse, run, turn errors into exit codes.

fn main() {}
