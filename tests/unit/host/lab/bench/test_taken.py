# SPDX-License-Identifier: Apache-2.0
"""What a suite asks of the instrument and of a simulated device."""

from fractions import Fraction

import pytest

from plexor.library.specs.texts import parse_code_port
from plexor_lab.bench.spec import BenchSpec
from plexor_lab.bench.taken import device_of, settings_of


def asked(**options):
    return BenchSpec(**{"suite": "osbench", "iterations": 7, **options})


@pytest.mark.parametrize(
    ("options", "device"),
    [
        ({}, "freertos:program=osbench,iterations=7,codes=strobed"),
        ({"counts_itself": True}, "freertos:program=osbench,iterations=7,codes=strobed,self=1"),
        (
            {"dut": "freertos:codes=port,clock=8ns"},
            "freertos:codes=port,clock=8ns,program=osbench,iterations=7",
        ),
        ({"dut": "synthetic:codes=FILE"}, "synthetic:codes=FILE"),
        ({"dut": "mine.toml"}, "mine.toml"),
        ({"link": "tcp://host:1"}, None),
        ({"link": "sim:bare"}, None),
    ],
)
def test_the_simulated_freertos_gets_the_firmware_of_the_suite(options, device):
    assert device_of(asked(**options)) == device


def test_one_strike_begins_the_tests_and_their_last_code_ends_the_run():
    found = settings_of(asked(time=Fraction(3)), device_of(asked()))
    (strike,) = found.strikes
    assert strike.period_s is not None
    assert strike.period_s > 3
    assert strike.count == 0
    assert [channel.number for channel in found.channels] == [0]
    assert (strike.phase_s, strike.width_s) == (Fraction(10, 10**6), Fraction(1, 10**6))
    assert (found.stop_code, found.time_s) == (0xA2, 3)
    assert found.codes is not None
    assert found.codes.port is not None
    assert found.codes.port.strobe == 7


def test_a_device_without_a_strobe_shows_codes_by_change():
    found = settings_of(asked(link="tcp://host:1"), None)
    assert found.codes is not None
    assert found.codes.port is not None
    assert found.codes.port.strobe is None


def test_a_wider_port_ends_the_run_with_the_same_state():
    found = settings_of(asked(code_port=parse_code_port("change:10")), None)
    assert found.stop_code == 0xA << 6 | 2
