# SPDX-License-Identifier: Apache-2.0
"""What was done, in the document: exact texts."""

from fractions import Fraction

from plexor.files.store.done import settings_part
from plexor.files.store.figure_types import RoundedPart
from plexor.model.results import AppliedSetting
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.registers import Stream

US = Fraction(1, 10**6)


def test_strikes_channels_and_limits_are_exact_texts(run_of):
    stimulus = Stimulus(period_s=Fraction(1, 3), width_s=2 * US, dither_s=8192 * US / 1000, seed=7)
    settings = Settings(
        strikes=(stimulus,),
        channels=(Channel(0, "ISR", deadline_s=50 * US),),
        timeout_s=60 * US,
        count=500,
        stream=Stream.OFF,
    )
    echo = (
        AppliedSetting("width", 2 * US, 2 * US),
        AppliedSetting("timeout", US / 3, 333 * US / 1000),
    )
    found = settings_part(run_of([[1000]], settings=settings, registers=(), echo=echo))
    (strikes,) = found.strikes
    assert (strikes.rate_hz, strikes.period_s) == ("3", "1/3")
    assert (strikes.width_s, strikes.dither_s, strikes.seed) == ("0.000002", "0.000008192", 7)
    assert found.channels[0].deadline_s == "0.00005"
    assert (found.timeout_s, found.count, found.mode) == ("0.00006", 500, "dump")
    assert found.rounded == (RoundedPart("timeout", "1/3000000", "0.000000333"),)
