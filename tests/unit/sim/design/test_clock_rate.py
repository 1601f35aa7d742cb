# SPDX-License-Identifier: Apache-2.0
"""Frequencies that designs name: the words and the numbers that people write, and what is none."""

from __future__ import annotations

import pytest

from plexor_sim.design.clock_rate import said_clock

NS = 1000


@pytest.mark.parametrize(
    ("declared", "period_ps"),
    [
        # Names and values as public cores for FPGAs write them.
        ("parameter CLK_HZ = 50_000_000", 20 * NS),
        ("parameter int unsigned ClkFreq = 100000000", 10 * NS),
        ("parameter CLK_FREQ_MHZ = 12", 83_333),
        ("parameter CLK_FREQ = 50", 20 * NS),
        ("parameter SYS_CLK_FREQ = 32'd25000000", 40 * NS),
        ("parameter real CLOCK_FREQ_HZ = 27e6", 37_037),
        ("parameter F_CLK = 48e6", 20_833),
        ("parameter CLK_MHZ = 12.5", 80 * NS),
        ("parameter WIDTH = 8, CLK_FREQUENCY = 10000000", 100 * NS),
        ("parameter CLK_KHZ = 32", 31_250 * NS),
        ("localparam SYSCLK_HZ = 125_000_000", 8 * NS),
        ("parameter CLK_DIV = 50", None),
        ("parameter BAUD_RATE = 115200", None),
        ("parameter SPI_CLK_FREQ = 1000000", None),
        ("parameter CLKS_PER_BIT = 217", None),
        ("parameter CLK_HZ = 2 * HALF", None),
        ("parameter CLK_HZ = 0", None),
        ("parameter CLK_HZ = 999_000_000_000", None),
        ("parameter WIDTH = 8", None),
    ],
)
def test_a_parameter_says_how_fast_the_clock_is(declared: str, period_ps: int | None) -> None:
    found = said_clock("top", [f"module top #({declared}) (input clk); endmodule"])
    assert (None if found is None else found.period_ps) == period_ps


def test_a_generic_says_it_too() -> None:
    text = """
    entity top is
      generic ( G_WIDTH : natural := 8;
                G_CLK_FREQ_HZ : positive := 40_000_000 );
      port ( clk : in std_logic );
    end;
    architecture a of top is
      constant OTHER_CLK_HZ : natural := 5_000_000;
    begin end;
    """
    found = said_clock("TOP", [text])
    assert found is not None
    assert (found.name, found.period_ps) == ("G_CLK_FREQ_HZ", 25 * NS)


def test_only_the_top_counts_and_what_is_given_replaces_it() -> None:
    texts = [
        "module part #(parameter CLK_HZ = 1_000_000) (input clk); endmodule",
        "module top (input clk);\n parameter CLK_HZ = 20_000_000;\n endmodule",
    ]
    found = said_clock("top", texts)
    assert found is not None
    assert found.period_ps == 50 * NS
    found = said_clock("top", texts, {"CLK_HZ": 40_000_000, "FREQ": 1_000_000})
    assert found is not None
    assert found.period_ps == 25 * NS
    assert said_clock("other", texts) is None


def test_two_names_that_differ_say_nothing() -> None:
    both = "parameter CLK_HZ = 20_000_000, CORE_FREQ = {}"
    text = f"module top #({both}) (input clk); endmodule"
    assert said_clock("top", [text.format(10_000_000)]) is None
    found = said_clock("top", [text.format(20_000_000)])
    assert found is not None
    assert found.name == "CLK_HZ"
