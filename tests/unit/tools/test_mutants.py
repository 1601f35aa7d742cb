# SPDX-License-Identifier: Apache-2.0
"""Random faults: which ones a source has, which are drawn, and when one counts as caught."""

import subprocess
import sys

import pytest
from tools.mutants import host
from tools.mutants.edits import Edit, edits
from tools.mutants.host import Fault

SOURCE = '''\
"""Not touched: 1 < 2."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import a
LIMIT: int = 3

@decorated(4)
def größer(a: "1", b=5):
    """Not touched either: 1 < 2."""
    # A comment with < and 1.
    if a < b and not b:
        raise ValueError(f"{a + 1}", 6)
    for each in a:
        each.add("ü", 7); continue
    return min(a, b) if a else b is not None
'''


def faults(source):
    return {(edit.line, edit.old, edit.new) for edit in edits(source)}


def test_the_faults_of_a_source_are_those_of_a_slip_and_of_nothing_that_no_claim_depends_on():
    condition = "a < b and not b"
    assert faults(SOURCE) == {
        (5, "3", "4"),
        (8, "5", "6"),
        (11, condition, f"not ({condition})"),
        (11, "<", "<="),
        (11, "and", "or"),
        (11, "not b", "b"),
        (14, 'each.add("ü", 7)', "pass"),
        (14, "7", "8"),
        (14, "continue", "break"),
        (15, "min", "max"),
        (15, "a", "not (a)"),
        (15, "is not", "is"),
    }


def test_each_fault_changes_its_own_line_and_names_its_function():
    before = SOURCE.splitlines()
    for edit in edits(SOURCE):
        after = edit.applied(SOURCE).splitlines()
        changed = [
            n for n, (one, two) in enumerate(zip(before, after, strict=True), 1) if one != two
        ]
        assert changed == [edit.line]
        assert edit.compiles(SOURCE)
        assert edit.function == ("" if edit.line < 9 else "größer")


def test_the_same_faults_are_drawn_until_their_function_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(host, "HOST", tmp_path)
    one = "def one(a):\n    return a + 1\n"
    two = "def two(a):\n    return a < 2 or a > 7\n"
    (tmp_path / "one.py").write_text(one + two)
    first = host.drawn([tmp_path / "one.py"], 9, seed=1)
    # One in a function.
    assert sorted(fault.edit.function for fault in first) == ["one", "two"]
    (tmp_path / "one.py").write_text("# A new line.\n" + one.replace("1", "3") + two)
    second = host.drawn([tmp_path / "one.py"], 9, seed=1)
    assert second[1].name == first[1].name
    assert second[1].edit.line == first[1].edit.line + 1
    seeds = {host.drawn([tmp_path / "one.py"], 9, seed)[1].name for seed in range(20)}
    assert len(seeds) > 1


def test_every_room_of_the_host_has_faults():
    found = host.rooms()
    assert {"analyse", "decode", "sweep", "plexor"} <= set(found)
    assert len(host.drawn(found["decode"], 4, seed=1)) == 4


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        pytest.param("== 0", "!= 0", "caught", marks=pytest.mark.full),
        ("1 <", "1 <=", "SURVIVES"),
    ],
)
def test_a_fault_is_caught_if_a_test_that_reaches_it_fails(tmp_path, monkeypatch, old, new, kind):
    """A package of one function, with a test that does not look at its second limit."""
    package = tmp_path / "host" / "planted_for_mutants"
    package.mkdir(parents=True)
    source = "def f(a):\n    return a == 0 or 1 < a\n"
    (package / "__init__.py").write_text(source)
    (tmp_path / "test_it.py").write_text(
        "from planted_for_mutants import f\n"
        "def test_it():\n    assert f(0) and f(9) and not f(-1)\n"
    )
    monkeypatch.setattr(host, "HOST", tmp_path / "host")
    monkeypatch.setattr(host, "ROOT", tmp_path)
    copy = host._Copy()
    try:
        edit = Edit(2, "f", source.index(old), old, new)
        fault = Fault("planted_for_mutants/__init__.py", edit, "")
        assert copy.outcome(fault, ["test_it.py"]).kind == kind
        # The next one meets the file as it was.
        assert copy.outcome(fault, []).kind == "not reached"
        assert (copy._folder / "host" / fault.file).read_text() == source
    finally:
        copy.remove()


def test_a_name_that_is_no_room_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "tools.mutants", "host", "decod"],
        cwd=host.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("no such room: decod")
