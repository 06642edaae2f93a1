#!/usr/bin/env python3
"""Runs the Python snippets of README.md as a reader would, against a results file of inputs/quick.toml.

Usage: check_readme.py README.md RESULTS.h5

Exit code 0 if all run. RESULTS.summary.csv has to stand beside the results file.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 1
    readme, results = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    snippets = re.findall(r"^```python\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
    if not snippets:
        print(f"{readme}: no snippet", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        # Where the snippets look for them.
        place = Path(folder) / "results"
        place.mkdir()
        shutil.copy(results, place / "quick.h5")
        shutil.copy(results.with_suffix(".summary.csv"), place / "quick.summary.csv")
        for snippet in snippets:
            program = snippet.replace('"results/', f'"{place}/')
            exec(compile(program, str(readme), "exec"), {})
    print(f"{len(snippets)} snippets of {readme.name} run")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
