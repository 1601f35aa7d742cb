# SPDX-License-Identifier: Apache-2.0
"""Each source file says under which licence it is, in the words that SPDX has for it."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LICENCE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {
    **dict.fromkeys((".py", ""), "# {}"),
    **dict.fromkeys((".c", ".cpp", ".h", ".js", ".S", ".sv", ".v"), "// {}"),
    **dict.fromkeys((".css", ".ld"), "/* {} */"),
}
SOURCES = (".ci/run", "docs", "hdl", "host", "sim", "soc", "tests", "tools")
OTHERS = ("sim/plexor_sim/examples/", "tests/fuzz/corpus/", "tests/unit/host/documents_1/")
"""Files that people copy, and files that tests read."""


def sources() -> list[Path]:
    listed = subprocess.check_output(["git", "ls-files", "-z", *SOURCES], cwd=ROOT, text=True)
    names = [name for name in listed.split("\0") if name and not name.startswith(OTHERS)]
    of_tests = [name for name in names if name.startswith("tests/") and not name.endswith(".py")]
    found = [ROOT / name for name in names if name not in of_tests]
    return [path for path in found if path.suffix in COMMENTS and path.is_file()]


def says(text: str, comment: str) -> bool:
    """Return whether a file's first line, behind that of its interpreter, is the licence's."""
    first, *rest = text.split("\n", 2)
    line = rest[0] if first.startswith("#!") and rest else first
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
    assert says(f"#!/bin/sh\n# {LICENCE}\n{text}", COMMENTS[".py"])
