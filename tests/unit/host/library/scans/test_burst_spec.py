# SPDX-License-Identifier: Apache-2.0
"""What a burst scan is asked, as what it is to find out: exact, or refused."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.experiments.criterion import parse_criterion
from plexor.library.scans.burst_spec import BurstSpec, check, wanted_of
from plexor.library.specs.options import Target

US = Fraction(1, 10**6)


def asked(link="sim:", dut=None, **options):
    """Return the options of a scan from 2 to 40 µs every millisecond, read as they are given."""
    given = {"low": "2us", "high": 40e-6, "period": "1ms", **options}
    return BurstSpec.of(given), Target(link=link, dut=dut)


def test_what_is_wanted_is_exact_and_complete():
    found = wanted_of(
        *asked(
            dut="bare",
            points=5,
            most="1k",
            criterion="missed<2%@99%",
            width="1us",
            seed=3,
            load="cpu",
            channels="A=ch2",
        )
    )
    assert (found.link, found.dut) == ("sim:", "bare:load=cpu")
    assert (found.low_s, found.high_s, found.period_s) == (2 * US, 40 * US, 1000 * US)
    assert (found.points, found.most) == (5, 1000)
    assert found.criterion == parse_criterion("missed<2%@99%")
    strike = found.settings.strikes[0]
    assert (strike.period_s, strike.width_s, strike.seed) == (1000 * US, US, 3)
    assert (found.settings.load, found.settings.load_name) == (True, "cpu")
    assert [channel.label for channel in found.settings.channels] == ["A"]


def test_what_is_not_asked_for_has_its_default():
    found = wanted_of(*asked(dut="bare"))
    assert (found.points, found.most, found.criterion.text) == (9, 64, "missed<1%@95%")
    assert [channel.label for channel in found.settings.channels] == ["ISR"]
    assert not found.settings.load


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"low": "40us"}, "<low> and <high>: both must be above 0, and <high> above <low>"),
        ({"low": 0}, "<low> and <high>: both must be above 0, and <high> above <low>"),
        ({"period": "79us"}, "<high>: must be at most half of <period>, or no burst fits"),
        ({"criterion": "late<1%"}, "<criterion> late<1%@95%: must limit missed"),
        ({"link": "tcp://h:1"}, "channels: name the device's response pins, such as ISR=ch0"),
        (
            {"link": "tcp://h:1", "channels": "ch0", "dut": "bare"},
            "dut bare: is for sim: links; tcp://h:1 has a device of its own",
        ),
        (
            {"link": "tcp://h:1", "channels": "ch0", "executor": "local:2"},
            "<executor> applies only to simulated instruments (sim:)",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused_by_the_names_of_the_caller(options, message):
    with pytest.raises(UsageError) as refused:
        check(*asked(**options, naming=lambda name: f"<{name}>"))
    assert str(refused.value) == message


def test_the_longest_spacing_may_be_half_of_the_period():
    assert wanted_of(*asked(period="80us")).period_s == 80 * US
