# SPDX-License-Identifier: Apache-2.0
"""The numbers of a sweep are read, and put where they go."""

from pathlib import Path

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.bound import Bound
from plexor_lab.bound.swept import BoundSweep, at_n, swept_ns

from .createthread import EXAMPLES, MEASURED_NS, platform_file


def test_each_number_is_taken_once_and_in_order():
    assert swept_ns("N=0,13, 50,13") == (0, 13, 50)
    assert swept_ns("N=7") == (7,)


@pytest.mark.parametrize("text", ["", "13", "n=1", "N", "N=", "N=1,", "N=-1", "N=1.5", "N=1;2"])
def test_what_is_no_list_of_numbers_is_refused(text):
    with pytest.raises(UsageError, match=r"must be such as N=0,1,13,50"):
        swept_ns(text)


def test_n_goes_wherever_it_is_left_room_for():
    assert at_n("freertos:blocks={N},seed={N}", 13) == "freertos:blocks=13,seed=13"


def swept(*maxima):
    """Return checks of the study's CreateThread on platform 2: 9,372 + 370 N ns, by (N, ns)."""
    bound = Bound(EXAMPLES / "createthread.toml", platform_file(2))
    return BoundSweep(
        tuple(bound.check_value(f"{ns}ns", n=n) for n, ns in maxima),
        tuple(Path(f"/kept/n{n}") for n, _ in maxima),
    )


def test_each_n_has_a_row_with_its_estimate_what_was_measured_and_the_verdict():
    text = swept((0, 9371), (13, MEASURED_NS[2]), (2000, 749_472)).text()
    rows = [line.split() for line in text.splitlines() if line[:1].isdigit()]
    assert rows == [
        ["0", "9,372", "9,371", "1", "0.011", "%", "0", "SAFE"],
        ["13", "14,182", "14,137", "45", "0.318", "%", "0", "SAFE"],
        ["2,000", "749,372", "749,472", "-100", "-0.013", "%", "0", "UNSAFE"],
    ]
    assert "UNSAFE: what was measured exceeds the estimate" in text


def test_one_unsafe_n_makes_a_sweep_unsafe():
    safe, unsafe = swept((0, 9372), (13, 14_182)), swept((0, 9372), (13, 14_183))
    assert (safe.exit_code(), safe.document()["outcome"]) == (0, "pass")
    assert (unsafe.exit_code(), unsafe.document()["outcome"]) == (1, "fail")
    assert unsafe.document()["exit_code"] == 1


def test_the_file_for_a_fit_names_its_files_from_where_it_lies():
    found = swept((0, 9372), (13, 14_182))
    text = found.measured_csv([Path("/m/model.toml"), Path("/kept/p.toml"), None], Path("/kept"))
    assert text.splitlines() == [
        "model,platform,map,n,measured,channel,of",
        "../m/model.toml,p.toml,,0,n0,,latency",
        "../m/model.toml,p.toml,,13,n13,,latency",
    ]
