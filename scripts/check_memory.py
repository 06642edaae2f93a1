#!/usr/bin/env python3
"""Compares the memory that `sfpdes check` says a point takes with the peak of a process that simulates it.

Usage: check_memory.py SFPDES

Exit code 0 if all estimates are within a third of the peak, 1 with a line per estimate that is not.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

# Networks small and large, with few and many VCs, little and much load, one thread and several.
CASES = [
    ("slim-fly", "q = 5\np = 4", "min", 3, 0.5, 1),
    ("slim-fly", "q = 19\np = 15", "min", 3, 0.5, 1),
    ("slim-fly", "q = 19\np = 15", "ugal-g", 4, 0.3, 2),
    ("slim-fly", "q = 29\np = 2", "min", 8, 0.1, 1),
    ("slim-fly", "q = 29\np = 2", "min", 8, 0.1, 24),
    ("torus", "dims = [32, 32]\np = 8", "dimension-order", 2, 0.02, 1),
    ("hypercube", "n = 12", "min", 12, 0.2, 1),
]


def point(topology, sizes, algorithm, num_vcs, load, threads):
    return f"""
[network]
topology = "{topology}"
{sizes}
[router]
num_vcs = {num_vcs}
[routing]
algorithm = "{algorithm}"
[traffic]
injection_rate = {load}
[measurement]
sample_period = 40
warmup_periods = 2
max_samples = 4
confidence_width = 0
[runtime]
threads = {threads}
progress = "off"
"""


def estimate(sfpdes, path):
    told = subprocess.run([sfpdes, "check", path], check=True, capture_output=True, text=True).stdout
    value, unit = re.search(r"^memory\s+about ([\d.]+) (\w+)", told, re.MULTILINE).groups()
    return float(value) * UNITS[unit]


def peak(sfpdes, path):
    arguments = [sfpdes, path, "--output", str(Path(path).with_suffix(".h5"))]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return usage.ru_maxrss * 2**10


def main():
    (sfpdes,) = sys.argv[1:]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(CASES):
            path = Path(folder) / f"{number}.toml"
            path.write_text(point(*case))
            expected, found = (measure(sfpdes, str(path)) / 2**20 for measure in (estimate, peak))
            near = 2 / 3 < expected / found < 4 / 3
            faults += not near
            what = " ".join(str(part).replace("\n", ", ") for part in case)
            print(f"{'' if near else 'FAULT: '}{what}: estimated {expected:.0f} MiB, peak {found:.0f} MiB")
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
