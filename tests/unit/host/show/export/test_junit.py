# SPDX-License-Identifier: Apache-2.0
"""JUnit: what pytest writes is the form; counts add up, and nothing unproven passes."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.figures.judge.budget import Budget, Limit, Scope
from plexor.show.export.junit import write_junit

from . import planted

NS = Fraction(1, 10**9)
BUDGET = Budget(
    "motor",
    (
        Limit(Scope.ALL, "max", 250 * NS),
        Limit(Scope.ALL, "p50", 1000 * NS, q=Fraction(1, 2)),
        Limit(Scope.ALL, "missed", Fraction(0)),
        Limit(Scope.ALL, "mean", 1 * NS, goal=True),
    ),
)
A_TEST = """
import pytest
def test_pass(record_property, record_testsuite_property):
    record_testsuite_property("a", "b")
    print("x")
def test_fail(): assert 0
@pytest.fixture
def broken(): raise OSError
def test_error(broken): pass
@pytest.mark.{skip}
def test_skip(): pass
""".format(skip="skip")


def read(tmp_path, run, budget=BUDGET):
    return ET.parse(planted.written(write_junit, tmp_path / "a.xml", run, budget)).getroot()


def cases(root):
    """Return tag and message of each case, by its class and name."""
    found = {}
    for case in root.iter("testcase"):
        (child,) = case
        found[case.get("classname"), case.get("name")] = child.tag, child.get("message")
    return found


def test_checks_are_cases_with_the_worst_event_and_the_interval(tmp_path, run_of):
    found = cases(read(tmp_path, planted.run()))
    tag, message = found["plexor.ISR", "max seen ≤ 250 ns"]
    assert tag == "failure"
    assert message == (
        "ISR max seen is 300 ns, limit ≤ 250 ns, 1 beyond it, first: sample 1, event 10, "
        "worst 300 ns at 1.4 µs, event 10"
    )
    assert found["plexor.TASK", "missed ≤ 0"] == (
        "failure",
        "TASK missed is 1, limit ≤ 0",
    )
    assert found["plexor.TASK", "max seen ≤ 250 ns"] == (
        "error",
        "TASK max seen is -, limit ≤ 250 ns, its answers may be those of other strikes; "
        "strikes further apart would tell",
    )
    assert found["plexor.ISR", "goal: mean ≤ 1 ns"][0] == "system-out"
    many = cases(read(tmp_path, run_of([list(range(1, 401))])))
    assert many["plexor.ISR", "p50 ≤ 1 µs"][0] == "system-out"
    text = ET.tostring(read(tmp_path, run_of([list(range(1, 401))])), "unicode")
    assert "ISR p50 is 200 ns, limit ≤ 1 µs, 95 % interval 180 to 221 ns, worst 400 ns" in text


def test_what_cannot_be_decided_is_an_error(tmp_path):
    found = cases(read(tmp_path, planted.run()))
    tag, message = found["plexor.ISR", "p50 ≤ 1 µs"]
    assert tag == "error"
    assert "3 samples; p50 needs 6" in message


def test_counts_are_those_of_the_cases(tmp_path):
    for run in (planted.run(), planted.lost(planted.run())):
        root = read(tmp_path, run)
        (suite,) = root.iter("testsuite")
        tags = [tag for tag, _ in cases(root).values()]
        assert int(suite.get("tests")) == len(tags) == 9
        for attribute, tag in (
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ):
            assert int(suite.get(attribute)) == tags.count(tag)


def test_an_invalid_run_fails_and_no_check_of_it_passes(tmp_path):
    found = cases(read(tmp_path, planted.lost(planted.run())))
    assert found.pop(("plexor", "the run is valid")) == (
        "failure",
        "2 edges were dropped before they could be matched",
    )
    assert {tag for tag, _ in found.values()} == {"skipped"}


def test_properties_say_what_the_run_was(tmp_path):
    root = read(tmp_path, planted.run())
    texts = {entry.get("name"): entry.get("value") for entry in root.iter("property")}
    assert texts["simulated"] == "yes"
    assert texts["device.board"] == "a, “board”"


def test_elements_and_attributes_are_those_of_pytest(tmp_path):
    (tmp_path / "test_a.py").write_text(A_TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null"]
    options = ["--junitxml", tmp_path / "p.xml", "-o", "junit_logging=system-out"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    asked = [*command, *options, tmp_path / "test_a.py"]
    subprocess.run(asked, env=alone, capture_output=True, check=False)

    def form(root):
        found = {}
        for parent in root.iter():
            for child in parent:
                found.setdefault((parent.tag, child.tag), set()).update(child.attrib)
        return found

    theirs, ours = form(ET.parse(tmp_path / "p.xml").getroot()), form(read(tmp_path, planted.run()))
    invalid = form(read(tmp_path, planted.lost(planted.run())))
    assert len(theirs) >= 8
    for place, attributes in (*ours.items(), *invalid.items()):
        assert attributes <= theirs[place], place


def test_a_run_without_a_budget_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"a\.xml: holds the checks of a budget; give --budget"):
        read(tmp_path, planted.run(), None)


def test_a_text_that_xml_cannot_hold_is_held_anyway(tmp_path):
    run = replace(planted.run(), device={"os": "a\x00\x1b[31m<\ufffe>"})
    texts = [entry.get("value") for entry in read(tmp_path, run).iter("property")]
    assert "a??[31m<?>" in texts
