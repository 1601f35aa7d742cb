# SPDX-License-Identifier: Apache-2.0
"""Each source file says under which licence it is, in the words that SPDX has for it."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASKS = "# amaranth: UnusedElaboratable=no"
LICENCE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {
    **dict.fromkeys((".py", ""), "# {}"),
    **dict.fromkeys((".c", ".cpp", ".h", ".js", ".S", ".sv", ".v"), "// {}"),
    **dict.fromkeys((".css", ".ld"), "/* {} */"),
}
SOURCES = (".ci/run", "docs", "hdl", "host", "sim", "soc", "tests", "tools")
OTHERS = ("sim/plexor_sim/examples/", "tests/fuzz/corpus/", "tests/unit/host/base/documents_1/")
"""Files that people copy, and files that tests read."""
TOOLS = ("#!", "# amaranth: ")
"""What the system, and Amaranth's linter, read in a first line and nowhere else."""


def sources() -> list[Path]:
    listed = subprocess.check_output(["git", "ls-files", "-z", *SOURCES], cwd=ROOT, text=True)
    names = [name for name in listed.split("\0") if name and not name.startswith(OTHERS)]
    of_tests = [name for name in names if name.startswith("tests/") and not name.endswith(".py")]
    found = [ROOT / name for name in names if name not in of_tests]
    return [path for path in found if path.suffix in COMMENTS and path.is_file()]


def says(text: str, comment: str) -> bool:
    """Return whether the first line is the licence's, behind one that tools read there alone."""
    first, *rest = text.split("\n", 2)
    line = rest[0] if first.startswith(TOOLS) and rest else first
    return line == comment.format(LICENCE)


def test_each_source_file_begins_with_its_licence():
    files = sources()
    assert len(files) > 1000
    silent = [path for path in files if not says(path.read_text(), COMMENTS[path.suffix])]
    assert silent == []


@pytest.mark.parametrize("text", ["", "x = 1\n", "\n# SPDX-License-Identifier: Apache-2.0\n"])
def test_a_file_without_it_is_found(text):
    assert not says(text, COMMENTS[".py"])
    assert says(f"# {LICENCE}\n{text}", COMMENTS[".py"])
    for line in ("#!/bin/sh", ASKS):
        assert says(f"{line}\n# {LICENCE}\n{text}", COMMENTS[".py"])


def test_what_amaranths_linter_reads_stands_where_it_looks():
    asking = [path for path in sources() if path.suffix == ".py" and ASKS in path.read_text()]
    assert [path for path in asking if not path.read_text().startswith(ASKS)] == [Path(__file__)]
