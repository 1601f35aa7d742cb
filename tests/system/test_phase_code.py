# SPDX-License-Identifier: Apache-2.0
"""A phase scan from a code: a kernel's critical section, from the code that begins it."""

import numpy as np
import pytest

import plexor
from plexor.base.errors import UsageError
from plexor.protocol.frames import SOURCE_STRIKE

BEGINS, ENDS = 0x80, 0x90
"""Codes of the function `critical`."""
US = 2000
"""Ticks of a microsecond."""
ASKED = {"rate": "12.5k", "span": "40us", "step": "1us", "repeats": 12, "width": "1us"}


@pytest.fixture(scope="module")
def instrument():
    with plexor.open("sim:", dut="freertos:codes=port,load=critical,phase=1234ps") as opened:
        yield opened


def test_a_critical_section_is_found_from_its_code_and_sized(instrument):
    scan = instrument.phase(
        against="code:function:critical",
        code_port="change",
        channels="ISR=ch0",
        threshold="6us",
        load="on",
        **ASKED,
    )
    (found,) = scan.channels
    result = scan.run.result
    times = result.codes["time_ticks"]
    begins, ends = (times[result.codes["code"] == code] for code in (BEGINS, ENDS))
    ends = ends[np.searchsorted(ends, begins[0]) :]
    events = result.events
    rises = (events["source"] == SOURCE_STRIKE) & (events["polarity"] == 1)
    strikes = events["time_ticks"][rises].astype(np.int64)
    own = np.searchsorted(begins, strikes, side="right") - 1
    inside = (own >= 0) & (own < len(ends))
    strikes, own = strikes[inside], own[inside]
    longest = int((ends[own] - strikes)[strikes < ends[own]].max())
    assert longest > 25 * US
    assert found.reference.name == "code:function:critical"
    window = found.windows[0]
    # Interrupts go off some cycles before the first code, and on some after the second.
    assert abs(window.delay_ticks - longest) <= US
    assert window.start_ticks <= US
    # A strike so late in the section that it waits for less than the threshold is not masked.
    assert abs(window.end_ticks - (longest - 6 * US)) <= US + window.end_error_ticks


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"against": "code:critical"}, "belong together; give both"),
        ({"against": "ch2", "code_port": "change"}, "belong together; give both"),
        ({"against": "code:critical", "code_port": "change"}, "several have this name"),
        ({"against": "code:nobody", "code_port": "change"}, "no code has this name; names are"),
    ],
)
def test_a_code_that_cannot_be_found_is_one_line_before_the_run(instrument, options, says):
    with pytest.raises(UsageError, match=says):
        instrument.phase(channels="ISR=ch0", **ASKED, **options)
