# SPDX-License-Identifier: Apache-2.0
"""Register values of a run: what was set, else the reset value, and nothing out of range."""

from __future__ import annotations

import pytest

from plexor.protocol.registers import BLOCKS, STIMULUS, register
from plexor_sim.golden.settings import Settings


def test_what_was_set_is_told_of_its_copy_alone() -> None:
    settings = Settings.of(
        stimulus={0: {"interval_ticks": 70}, 1: {"interval_ticks": 9, "width_ticks": 3}},
        matcher={"timeout_ticks": 123},
    )
    assert settings.get("stimulus", "interval_ticks") == 70
    assert settings.get("stimulus", "interval_ticks", 1) == 9
    assert settings.get("stimulus", "width_ticks", 1) == 3
    assert settings.get("matcher", "timeout_ticks") == 123
    width = register("stimulus", "width_ticks").reset
    assert settings.get("stimulus", "width_ticks") == width


def test_what_was_not_set_has_the_reset_value_of_the_contract() -> None:
    settings = Settings.of()
    for block in BLOCKS:
        for entry in block.registers:
            assert settings.get(block.name, entry.name, block.count - 1) == entry.reset


@pytest.mark.parametrize(
    ("blocks", "error", "text"),
    [
        ({"matcher": {"timeout": 1}}, KeyError, "timeout"),
        ({"mother": {"timeout_ticks": 1}}, KeyError, "mother"),
        ({"matcher": {"timeout_ticks": 1 << 31}}, ValueError, "timeout_ticks"),
        ({"matcher": {"timeout_ticks": -1}}, ValueError, "timeout_ticks"),
        ({"stimulus": {STIMULUS.count: {"width_ticks": 1}}}, ValueError, r"stimulus\[8\]"),
        ({"stimulus": {-1: {"width_ticks": 1}}}, ValueError, r"stimulus\[-1\]"),
    ],
)
def test_unknown_registers_and_values_out_of_range_are_refused(blocks, error, text) -> None:
    with pytest.raises(error, match=text):
        Settings.of(**blocks)


def test_a_register_that_is_not_there_has_no_value() -> None:
    with pytest.raises(KeyError, match="nothing"):
        Settings.of().get("matcher", "nothing")
