# SPDX-License-Identifier: Apache-2.0
"""Random faults: which ones a source has, which are drawn, and when one counts as caught."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tools.mutants import gateware, host
from tools.mutants.edits import Edit, edits
from tools.mutants.forks import Forks
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
    return min(a, b) if a else b is not None, zip(a, b, strict=True)
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
    assert {"figures", "wire", "experiments", "plexor", "mixed"} <= set(found)
    assert len(host.drawn(found["wire"], 4, seed=1)) == 4


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
        # Of whole commands it must pass without the fault.
        assert copy.outcome(fault, ["test_it.py"], patience=2).kind == kind
        (tmp_path / "test_bad.py").write_text("def test_bad():\n    assert not 'always'\n")
        assert copy.outcome(fault, ["test_bad.py"]).kind == "caught"
        assert copy.outcome(fault, ["test_bad.py"], patience=2).kind == "SURVIVES"
        # Tests that take too long tell nothing.
        with monkeypatch.context() as patch:
            patch.setattr(host, "TIMEOUT_SECONDS", 0.01)
            found = copy.outcome(fault, ["test_it.py"])
        assert (found.kind, found.by) == ("SURVIVES", "time-out")
        # The next one meets the file as it was.
        assert copy.outcome(fault, []).kind == "not reached"
        assert (copy._folder / "host" / fault.file).read_text() == source
    finally:
        copy.remove()


def test_tests_of_a_faults_own_file_come_first_and_then_those_that_reach_its_line():
    fault = Fault("plexor/experiments/sweep/search.py", Edit(53, "bisect", 0, "is", "is not"), "")
    assert host.own_tests(fault) == ["tests/unit/host/experiments/sweep/test_search.py"]
    far, near, own = (
        f"tests/unit/host/{name}"
        for name in (
            "cli/test_a.py::a",
            "experiments/sweep/test_z.py::z",
            "experiments/sweep/test_search.py::s",
        )
    )
    lines = {"53": [far, near, own], "54": [far], "": [far, near, own]}
    assert host.other_tests(fault, {fault.file: lines}) == [near, far]
    frames = Fault("plexor/protocol/frames.py", fault.edit, "")
    page = "tests/contract/test_document.py"
    assert host.own_tests(frames) == ["tests/contract/test_frames.py", page]
    bins = Fault("plexor/protocol/memory.py", fault.edit, "")
    assert host.own_tests(bins) == ["tests/unit/host/protocol/test_memory_places_of_bins.py", page]
    for file, own in (
        ("plexor/cli/__init__.py", "cli/test_cli.py"),
        ("plexor/__main__.py", "test_main.py"),
    ):
        assert host.own_tests(Fault(file, fault.edit, "")) == [f"tests/unit/host/{own}"]
    elsewhere = Fault("plexor_lab/mixed/run.py", fault.edit, "")
    assert host.own_tests(elsewhere) == ["tests/unit/host/lab/mixed/test_run.py"]
    assert host.other_tests(elsewhere, {fault.file: lines}) == []


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("plexor_lab/mixed/body.py", ["mixed"]),
        ("plexor_lab/bound/fitting.py", ["bound", "bound_sweep"]),
        ("plexor/cli/scans/burst.py", ["burst"]),
        ("plexor/show/html.py", []),
    ],
)
def test_tests_of_whole_commands_are_those_of_a_faults_file_or_folder(file, tests):
    found = host.system_tests(Fault(file, Edit(1, "", 0, "<", "<="), ""))
    assert found == [f"tests/system/test_{name}.py" for name in tests]


def test_lines_that_have_moved_keep_their_tests_and_new_ones_have_those_of_the_file(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(host, "ROOT", tmp_path)
    monkeypatch.setattr(host, "HOST", tmp_path / "host")
    monkeypatch.setattr(host, "_MAPS", tmp_path / "build")
    monkeypatch.setattr(host, "TESTS", ("tests",))
    runs = []

    def reached(tests, jobs):
        runs.append(sorted(tests))
        lines = {"1": ["tests/test_a.py::a"], "3": ["tests/test_a.py::b"]}
        return {name: {"one.py": lines} if "test_a" in name else {} for name in tests}

    monkeypatch.setattr(host, "_reached", reached)
    for folder in ("host", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "host" / "one.py").write_text("a = 1\nb = 2\nc = 3\n")
    for name in "ab":
        (tmp_path / "tests" / f"test_{name}.py").write_text("")
    first = host.reached_by_tests(1)["one.py"]
    both = ["tests/test_a.py::a", "tests/test_a.py::b"]
    assert first == {"1": both[:1], "3": both[1:], "": both}
    (tmp_path / "host" / "one.py").write_text("a = 1\nnew = 0\nb = 2\nc = 3\n")
    (tmp_path / "tests" / "test_b.py").write_text("# Changed.\n")
    assert host.reached_by_tests(1)["one.py"] == {"1": both[:1], "4": both[1:], "": both}
    assert host.reached_by_tests(1)["one.py"] == {"1": both[:1], "4": both[1:], "": both}
    assert runs == [["tests/test_a.py", "tests/test_b.py"], ["tests/test_b.py"]]


def test_what_one_rooms_tests_have_shown_is_kept_if_the_next_ones_do_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr(host, "ROOT", tmp_path)
    monkeypatch.setattr(host, "HOST", tmp_path / "host")
    monkeypatch.setattr(host, "_MAPS", tmp_path / "build")
    monkeypatch.setattr(host, "TESTS", ("tests/unit/host",))
    runs = []

    def reached(tests, jobs):
        runs.append(list(tests))
        if len(runs) == 2:
            raise SystemExit("mutants: the tests did not run")
        return {name: {"one.py": {"1": [f"{name}::a"]}} for name in tests}

    monkeypatch.setattr(host, "_reached", reached)
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "one.py").write_text("a = 1\n")
    names = [
        f"tests/unit/host/{name}.py" for name in ("base/disk/test_a", "base/test_b", "cli/test_c")
    ]
    for path in (tmp_path / name for name in names):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    with pytest.raises(SystemExit):
        host.reached_by_tests(1)
    assert host.reached_by_tests(1)["one.py"]["1"] == [f"{name}::a" for name in names]
    assert runs == [names[:2], names[2:], names[2:]]


def test_each_fault_that_is_listed_as_equivalent_is_one_of_the_host():
    files = {host.HOST / name.split(":")[0] for name in host.equivalent()}
    names = {fault.name for file in files for fault in host.every(file)}
    assert host.equivalent().keys() - names == set()


def test_tests_that_do_not_end_are_ended_with_all_that_they_have_started(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pathlib, subprocess, sys, time\n"
        "def test_it():\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'])\n"
        "    pathlib.Path('started').write_text(str(child.pid))\n"
        "    time.sleep(99)\n"
        "def test_quick():\n"
        "    pass\n"
    )
    forks = Forks(tmp_path, os.environ, tmp_path / "told")
    try:
        assert forks.pytest(["-q", "test_it.py::test_quick"], timeout_s=60) == 0
        assert forks.output().startswith(".")
        assert forks.pytest(["-q", "test_it.py::test_it"], timeout_s=5) is None
        started = int((tmp_path / "started").read_text())
        ends_s = time.monotonic() + 10
        while Path(f"/proc/{started}/stat").exists() and time.monotonic() < ends_s:
            if Path(f"/proc/{started}/stat").read_text().split()[2] == "Z":
                break
            time.sleep(0.05)
        else:
            assert not Path(f"/proc/{started}/stat").exists()
        # The next one is not disturbed.
        assert forks.pytest(["-q", "test_it.py::test_no_such"], timeout_s=60) == 4
    finally:
        forks.close()


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


def test_a_case_of_the_long_form_that_a_fault_names_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(gateware, "ROOT", tmp_path)
    (tmp_path / "test_a.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('n', [1, pytest.param(2, marks=pytest.mark.full)])\n"
        "def test_a(n): assert n == 1, 'caught'\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = full\n")
    assert gateware.run_test("test_a.py::test_a[2]", tmp_path).kind == "failed"
    assert gateware.run_test("test_a.py::test_a", tmp_path).kind == "passed"
