# SPDX-License-Identifier: Apache-2.0
"""What sweeps and burst scans are asked alike is declared, and refused, in one place."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.scans.burst_spec import BurstSpec
from plexor.library.scans.scan_spec import ScanSpec, check_scan
from plexor.library.scans.sweep_spec import SweepSpec
from plexor.library.specs.options import Target


def test_the_steps_of_each_scan_are_told():
    assert ScanSpec().points == 9
    assert SweepSpec.options()["points"].help.endswith("They are rates, of the first scan.")
    assert BurstSpec.options()["points"].help.endswith("They are spacings.")
    for spec in (SweepSpec, BurstSpec):
        assert "points" not in spec.__annotations__


@pytest.mark.parametrize(
    ("target", "given", "said"),
    [
        (Target(link="tcp://h:1"), {}, "channels: name the device's response pins"),
        (Target(link="tcp://h:1", dut="bare"), {"channels": "ch0"}, "dut bare: is for sim: links"),
        (Target(link="file:x"), {"channels": "ch0"}, "is a recording"),
        (
            Target(link="tcp://h:1"),
            {"channels": "ch0", "executor": "local:2"},
            "<executor> applies only to simulated instruments",
        ),
        (Target(), {"force": True}, "<force> replaces the folder of <out>; give <out> too"),
    ],
)
def test_a_scan_that_cannot_be_is_refused_by_the_names_of_the_caller(target, given, said):
    with pytest.raises(UsageError, match=said):
        check_scan(ScanSpec(**given, naming=lambda name: f"<{name}>"), target)


def test_a_simulated_instrument_needs_no_pins():
    check_scan(ScanSpec(), Target(dut="bare"))
