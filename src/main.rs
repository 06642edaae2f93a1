//! The command-line program.

fn main() {
    std::process::exit(sfpdes::cli::main());
}
