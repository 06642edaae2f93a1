# shellcheck shell=bash
# What scripts/run and scripts/test share: saying what is done, and finding and installing what the build needs.
# Sourced, not run.

# The folder of the repository, wherever the script was called from.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What the cargo features of this build need; the callers' options change these.
WITH_MPI=yes
STATIC_HDF5=no

# What HDF5's sources ask for. Debian 12 and its contemporaries have older ones.
CMAKE_WANTED=3.26

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    BOLD=$'\e[1m' PLAIN=$'\e[0m'
else
    BOLD='' PLAIN=''
fi

# A heading for the next step.
step() {
    printf '%s==> %s%s\n' "$BOLD" "$*" "$PLAIN" >&2
}

# A line below a heading.
say() {
    printf '    %s\n' "$*" >&2
}

# Says why nothing more can be done, and ends with exit code 2: the input of this script is the machine.
fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 2
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# Whether a file matches one of the patterns.
any_file() {
    local file
    for file in "$@"; do
        [[ -e $file ]] && return 0
    done
    return 1
}

have_c_compiler() {
    have "${CC:-cc}"
}

have_hdf5() {
    [[ -n ${HDF5_DIR:-} ]] && return 0
    have pkg-config && pkg-config --exists hdf5 && return 0
    any_file /usr/include/hdf5/serial/hdf5.h /usr/include/hdf5.h /usr/local/include/hdf5.h /opt/homebrew/include/hdf5.h
}

# The library, and the headers that come with the compiler: bindgen needs both.
have_libclang() {
    [[ -n ${LIBCLANG_PATH:-} ]] && return 0
    local prefix=${CONDA_PREFIX:-/nonexistent}
    any_file /usr/lib/llvm-*/lib/libclang{,-*}.so* /usr/lib*/libclang.so* /usr/lib/*-linux-gnu*/libclang{,-*}.so* \
        /usr/local/lib/libclang.so* "$prefix"/lib/libclang.so* \
        /opt/homebrew/opt/llvm/lib/libclang.dylib /usr/local/opt/llvm/lib/libclang.dylib \
        /Library/Developer/CommandLineTools/usr/lib/libclang.dylib || return 1
    any_file /usr/lib/llvm-*/lib/clang/*/include/stddef.h /usr/lib*/clang/*/include/stddef.h \
        /usr/local/lib/clang/*/include/stddef.h "$prefix"/lib/clang/*/include/stddef.h \
        /opt/homebrew/opt/llvm/lib/clang/*/include/stddef.h /usr/local/opt/llvm/lib/clang/*/include/stddef.h \
        /Library/Developer/CommandLineTools/usr/lib/clang/*/include/stddef.h
}

have_venv() {
    have python3 && python3 -c 'import ensurepip, venv' 2>/dev/null
}

# Whether the CMake that cargo will find is new enough.
have_new_cmake() {
    have cmake && version_at_least "$(cmake --version | sed -n '1s/.* //p')" "$CMAKE_WANTED"
}

# Puts a CMake that is new enough first in the PATH, if HDF5 is to be built: from an environment of its own, which takes pip and
# a download of 30 MB once.
find_cmake() {
    [[ $STATIC_HDF5 == yes ]] || return 0
    local tools=$ROOT/target/cmake
    have_new_cmake && return 0
    PATH=$tools/bin:$PATH
    have_new_cmake && return 0
    step "Getting CMake $CMAKE_WANTED or later into $tools"
    # Later ones refuse to build what was written for the oldest.
    if ! python3 -m venv "$tools" || ! "$tools/bin/python" -m pip install --quiet "cmake>=$CMAKE_WANTED,<4"; then
        fail "no CMake: install version $CMAKE_WANTED or later from https://cmake.org, or build without --static-hdf5"
    fi
    hash -r
    have_new_cmake || fail "the CMake that pip installed does not run: $tools/bin/cmake"
}

# A Python that imports what scripts/check_results.py needs, if there is one already.
find_python() {
    local candidate
    for candidate in python3 "$ROOT/target/venv/bin/python"; do
        if "$candidate" -c 'import h5netcdf, h5py, numpy, pandas, xarray' 2>/dev/null; then
            # shellcheck disable=SC2034 # for the sourcing script
            PYTHON=$candidate
            return 0
        fi
    done
    return 1
}

# Fills MISSING with what is lacking, in words, and PACKAGES with the names under which Debian and Ubuntu have it. The
# argument is that of install_missing.
find_missing() {
    MISSING=() PACKAGES=()
    lack() {
        MISSING+=("$1")
        shift
        PACKAGES+=("$@")
    }
    have_c_compiler || lack 'a C compiler' build-essential
    have pkg-config || lack 'pkg-config' pkg-config
    if [[ $STATIC_HDF5 == yes ]]; then
        have_new_cmake || have_venv || lack "Python 3 with venv, to get CMake $CMAKE_WANTED for HDF5" python3 python3-venv
        have make || lack 'make, to build HDF5' build-essential
    else
        have_hdf5 || lack 'HDF5 with headers' libhdf5-dev
    fi
    if [[ $WITH_MPI == yes ]]; then
        have "${MPICC:-mpicc}" || lack 'MPI headers (mpicc)' libopenmpi-dev
        have mpirun || lack 'mpirun' openmpi-bin
        have_libclang || lack 'libclang' libclang-dev
    fi
    if [[ $1 == build-and-venv ]] && ! find_python; then
        have_venv || lack 'Python 3 with venv' python3 python3-venv
    fi
}

# Says what a person has to install, and what does without.
explain_missing() {
    local item
    {
        echo
        echo "Missing:"
        for item in "${MISSING[@]}"; do
            echo "  - $item"
        done
        echo "Install it and run the same command again:"
        echo "  Debian, Ubuntu   apt-get install ${PACKAGES[*]}"
        if [[ $STATIC_HDF5 == yes ]]; then
            echo "  Fedora, RHEL     dnf install gcc make cmake pkgconf openmpi-devel clang-devel; module load mpi/openmpi-x86_64"
            echo "  conda            conda install -c conda-forge compilers make cmake pkg-config openmpi libclang clang"
            echo "  Homebrew         brew install cmake pkg-config open-mpi llvm"
        else
            echo "  Fedora, RHEL     dnf install gcc pkgconf openmpi-devel hdf5-devel clang-devel; module load mpi/openmpi-x86_64"
            echo "  conda            conda install -c conda-forge compilers pkg-config openmpi hdf5 libclang clang; export HDF5_DIR=\$CONDA_PREFIX LIBCLANG_PATH=\$CONDA_PREFIX/lib"
            echo "  Homebrew         brew install pkg-config open-mpi hdf5 llvm; export HDF5_DIR=\$(brew --prefix hdf5)"
        fi
        echo "  A cluster        load the modules of its MPI, HDF5 (serial) and LLVM; set HDF5_DIR and LIBCLANG_PATH if they do not"
        if [[ $WITH_MPI == yes ]]; then
            echo "Without MPI and libclang it works too, on the threads of one machine: --no-mpi (cargo's --no-default-features)."
        fi
        if [[ $STATIC_HDF5 == no ]]; then
            echo "Without a system HDF5 it works too; HDF5 is then built from source with CMake: --static-hdf5 (cargo's --features hdf5-static)."
        fi
    } >&2
}

# How packages are installed here, as a command in APT; false if they cannot be.
find_apt() {
    have apt-get || return 1
    APT=(env DEBIAN_FRONTEND=noninteractive apt-get)
    [[ $EUID -eq 0 ]] && return 0
    have sudo && sudo -n true 2>/dev/null || return 1
    APT=(sudo -n "${APT[@]}")
}

# Installs what is missing, or says what is and ends with exit code 2. Calls nothing when nothing is missing. The argument
# "build" or "build-and-venv" says what for.
install_missing() {
    step "Looking for what the build needs"
    find_missing "$1"
    if [[ ${#MISSING[@]} -eq 0 ]]; then
        say "everything is there"
        return
    fi
    local item
    for item in "${MISSING[@]}"; do
        say "missing: $item"
    done
    if ! find_apt; then
        explain_missing
        fail "not installed: that takes apt-get, and root or sudo without a password"
    fi
    step "Installing ${PACKAGES[*]}"
    if ! "${APT[@]}" update -q </dev/null >&2 ||
        ! "${APT[@]}" install -q -y --no-install-recommends "${PACKAGES[@]}" </dev/null >&2; then
        explain_missing
        fail "apt-get failed; its own words are above"
    fi
    hash -r
    find_missing "$1"
    if [[ ${#MISSING[@]} -gt 0 ]]; then
        explain_missing
        fail "still missing after the installation: ${MISSING[*]}"
    fi
}

# Whether version $1 is at least $2.
version_at_least() {
    [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

# Rust is the one thing that is not installed here: it belongs to the person, not to the machine.
check_rust() {
    local wanted found
    # rustup puts it there, and tells only new shells.
    if ! have cargo && [[ -x ${CARGO_HOME:-$HOME/.cargo}/bin/cargo ]]; then
        PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
    fi
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml")
    if ! have cargo || ! have rustc; then
        fail "Rust is missing: install version $wanted or later from https://rustup.rs"
    fi
    found=$(cd "$ROOT" && rustc --version | cut -d ' ' -f 2)
    version_at_least "$found" "$wanted" ||
        fail "Rust $found is too old: sfpdes needs $wanted or later; \`rustup update\`, or install it from https://rustup.rs"
}

# The cargo options of this build, in FEATURES.
find_features() {
    FEATURES=()
    [[ $WITH_MPI == yes ]] || FEATURES+=(--no-default-features)
    [[ $STATIC_HDF5 == no ]] || FEATURES+=(--features hdf5-static)
}

# The subcommand of sfpdes that an input is for: one with a table [cube] is a hypercube study.
command_of() {
    if grep -Eq '^[[:space:]]*(\[cube\]|cube\.)' "$1"; then echo cube; else echo run; fi
}

# Where cargo builds: target/, unless a person's configuration says otherwise.
target_folder() {
    (cd "$ROOT" && cargo metadata --format-version 1 --no-deps --offline) | sed 's/.*"target_directory":"\([^"]*\)".*/\1/'
}
