# SPDX-License-Identifier: Apache-2.0
"""`plexor phase`: latency over the phase of a device's tick, a code, or another output."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from plexor.commands.parameters import (
    json_option,
    key_option,
    option_name,
    page_option,
    usage,
)
from plexor.commands.specs import asks
from plexor.library.scans.phase_spec import PhaseSpec, check
from plexor.library.specs.options import Target


@click.command()
@asks(target=Target, asked=PhaseSpec)
@key_option
@json_option
@page_option
def phase(
    target: Target,
    asked: PhaseSpec,
    keys: tuple[tuple[str, str], ...],
    as_json: bool,
    page: Path | None,
) -> int:
    """Strike at each phase of a tick, a code or another output, and find those that are masked.

    A strike is masked if it is missed, or if its latency exceeds the base by more than --threshold.
    The base is the median of the fastest quarter of strikes. A window is a range of phases with so
    many masked strikes that chance makes one in at most 5 % of scans. A single strike is not
    enough; with --repeats 3, a single step is.

    \b
      plexor phase --dut freertos:critical_pin=2 --load critical --against ch2 --span 60us
             --step 1us --rate 5k --channel ISR=ch0
      plexor phase --link serial:/dev/ttyUSB1 --channel IRQ=ch0 --against ch2.fall --rate 2k
      plexor phase --dut bare --against strike1 --period 20us --points 200 --rate 10k
    """
    with usage():
        check(asked, target)
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import conclude_scan  # noqa: PLC0415
    from plexor.commands.interrupts import stop_on_signals  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.commands.progress import ProgressLine  # noqa: PLC0415
    from plexor.library.instrument import Instrument  # noqa: PLC0415
    from plexor.library.keep import check_new  # noqa: PLC0415

    with usage():
        if asked.out is not None:
            check_new(asked.out, option_name("out"))
    check_outputs(page, folder=asked.out)
    with (
        Instrument(target.link, dut=target.dut, calibration="none", load=asked.load) as instrument,
        closing(ProgressLine()) as line,
        stop_on_signals() as stop,
    ):
        asked = replace(asked, on_progress=line, stop=stop, device=dict(keys))
        found = instrument.phase(**asked.keywords())
    return conclude_scan(found, as_json, page)
