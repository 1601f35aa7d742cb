# SPDX-License-Identifier: Apache-2.0
"""What an archive and a comparison are asked is exact; without a question it needs no arrays."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from plexor.base.errors import UsageError
from plexor.figures.judge.gate import FailOn
from plexor.files.archive.query import RunFilter
from plexor.library.specs.archive_spec import (
    AddSpec,
    Alike,
    Archiving,
    GateSpec,
    LogSpec,
    TrendSpec,
)


def test_an_archive_has_a_folder_if_none_is_named():
    assert Archiving().folder == Path("archive")
    assert Archiving(archive="nightly").folder == Path("nightly")
    assert Archiving.options()["archive"].help.endswith("Default: archive.")


def test_texts_and_objects_mean_the_same():
    asked = Alike(where=["branch=main", RunFilter("load", "on")], across="gateware")
    assert asked.where == (RunFilter("branch", "main"), RunFilter("load", "on"))
    assert asked.across == ("gateware",)
    assert Alike(**asked.keywords()) == asked
    (condition,) = GateSpec(fail_on="p99>+5%").fail_on
    assert condition == FailOn("p99", True, Fraction(1, 20))
    assert GateSpec(fail_on=condition) == GateSpec(fail_on=[condition])
    assert [each.name for each in TrendSpec(figures=["max", "p99.90"]).figures] == ["max", "p99.9"]


@pytest.mark.parametrize(
    ("spec", "given", "said"),
    [
        (LogSpec, {"where": "x"}, "where: 'x'; must be KEY=VALUE"),
        (LogSpec, {"last": 0}, "last: 0; must be a whole number from 1 to 1000000"),
        (TrendSpec, {"figures": "median"}, "figures: figure: 'median'; must be one of min"),
        (TrendSpec, {"kind": "up"}, "kind: 'up'; must be one of rise, fall, width, period"),
        (GateSpec, {"fail_on": "p99"}, "fail_on: condition: 'p99'; did you mean p99>"),
        (AddSpec, {"tag": "x"}, "tag: no such option; must be one of commit, branch"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_keyword(spec, given, said):
    with pytest.raises(UsageError, match=f"^{said}"):
        spec.of(given)


def test_the_help_of_these_commands_needs_no_arrays():
    code = "import sys, plexor.cli.declared.archive; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pyarrow"} & set(done.stdout.split())
