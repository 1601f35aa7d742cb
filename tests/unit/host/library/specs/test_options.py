# SPDX-License-Identifier: Apache-2.0
"""Options that several Specs share."""

from fractions import Fraction
from pathlib import Path

import pytest

from plexor.base.errors import UsageError
from plexor.library.specs import options
from plexor.library.specs.options import Coded, Shape, Source, Stepwise, Target, check_kept
from plexor.library.specs.spec import Spec
from plexor.model.codes import Codes


def test_an_option_is_declared_once():
    declared = [
        (name, kind.__name__)
        for kind in vars(options).values()
        if isinstance(kind, type) and issubclass(kind, Spec) and kind is not Spec
        for name in kind.__annotations__
    ]
    names = [name for name, _ in declared]
    twice = {name for name in names if names.count(name) > 1}
    assert twice == set(), declared


def test_a_target_is_a_simulated_instrument_unless_it_is_named():
    assert (Target().link, Target().dut) == ("sim:", None)
    source = Source(link="file:run.bin", calibration="cal.json")
    assert (source.link, source.calibration, source.fallback) == (
        "file:run.bin",
        Path("cal.json"),
        False,
    )


def test_the_shape_of_strikes_is_exact():
    shape = Shape(width="3us", duty="20%", dither=1e-6)
    assert (shape.width, shape.duty) == (Fraction(3, 10**6), Fraction(1, 5))
    assert shape.dither == Fraction(1, 10**6)


def test_codes_are_read_or_taken_as_they_are():
    coded = Coded(code_port="change", code_wires="ch2:ch3")
    assert isinstance(coded.code_port, Codes)
    assert Coded(code_port=coded.code_port, code_wires=coded.code_wires) == coded


def test_what_is_kept_nowhere_replaces_nothing():
    check_kept(Stepwise(out="s1", force=True), str)
    with pytest.raises(UsageError, match=r"^<force> replaces the folder of <out>; give <out> too"):
        check_kept(Stepwise(force=True), lambda name: f"<{name}>")


def test_what_a_shared_option_is_for_is_said_in_each_command():
    assert Source.options()["link"].help.endswith("Or file:PATH, a recording.")
