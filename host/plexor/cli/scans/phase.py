# SPDX-License-Identifier: Apache-2.0
"""`plexor phase`: latency over the phase of a device's tick, a code, or another output."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from plexor.cli.conclude import conclude_scan
from plexor.cli.interrupts import stop_on_signals
from plexor.cli.options import Keyed, Shown
from plexor.cli.output import check_outputs
from plexor.cli.parameters import option_name, usage
from plexor.cli.progress import ProgressLine
from plexor.library.instrument import Instrument
from plexor.library.keep import check_new
from plexor.library.scans.phase_spec import PhaseSpec
from plexor.library.specs.options import Target


def phase(target: Target, asked: PhaseSpec, described: Keyed, shown: Shown) -> int:
    """Strike at each phase, print what is masked and return the exit code."""
    with usage():
        if asked.out is not None:
            check_new(asked.out, option_name("out"))
    check_outputs(shown.page, folder=asked.out)
    with (
        Instrument(target.link, dut=target.dut, calibration="none", load=asked.load) as instrument,
        closing(ProgressLine()) as line,
        stop_on_signals() as stop,
    ):
        asked = replace(asked, on_progress=line, stop=stop, device=described.device)
        found = instrument.phase(**asked.keywords())
    return conclude_scan(found, shown)
