"""`plexor mixed`: a schedule on one time base, run by the device, the host, or both."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from plexor.commands.parameters import (
    COUNT,
    Drawn,
    Parsed,
    command_line,
    json_option,
    key_option,
    option_name,
    time_option,
    usage,
)
from plexor.commands.specs import one_of
from plexor.library.mixed.asked import (
    IDS,
    MODES,
    MOST_IDS,
    ORDERS,
    TIMECODES,
    MixedAsked,
    check,
    parse_distances,
    parse_rate,
    parse_spikes,
)
from plexor.library.specs.options import Target

_PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(MixedAsked):
    """The options of `plexor mixed`, by the names of their parameters."""

    keys: tuple[tuple[str, str], ...]
    csv: Path | None
    out: Path | None
    rows: bool
    live: bool
    as_json: bool


@click.command()
@one_of(Target, "link")
@one_of(Target, "dut")
@click.option(
    "--device-serial",
    metavar="URI",
    help="Link to the device's own serial line, such as serial:/dev/ttyUSB1?baud=9600. That of a "
    "simulated device is known.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default="all",
    show_default=True,
    help="verify: the device schedules its own responses. normal: the host answers, without a "
    "device. mixed: the host schedules, the device answers.",
)
@click.option(
    "--distance",
    type=Parsed("steps", parse_distances),
    default="0,1,2",
    show_default=True,
    metavar="N,...",
    help="Steps of the timecode from issue to due, in mode mixed. There is a run for each.",
)
@click.option(
    "--rate",
    type=Parsed("rate", parse_rate),
    default="1",
    show_default=True,
    metavar="STEPS|TIME",
    help="From one entry to the next: steps of the timecode, or a time, which is rounded to steps.",
)
@click.option(
    "--ids", type=click.Choice(ORDERS), default=ORDERS[0], show_default=True, help="Order of ids."
)
@click.option(
    "--id-count",
    type=click.IntRange(1, MOST_IDS),
    default=IDS,
    show_default=True,
    metavar="N",
    help="Number of ids, from 0 up.",
)
@click.option(
    "--seed",
    type=click.IntRange(1, 1 << 63),
    default=1,
    metavar="N",
    help="Seed of random ids.",
)
@click.option(
    "--count",
    type=COUNT,
    default="100",
    show_default=True,
    metavar="N",
    help="Number of entries in each run.",
)
@time_option(
    "--limit",
    default="1ms",
    show_default=True,
    help="Greatest lateness of a response that is done in time.",
)
@time_option(
    "--timeout",
    help="Greatest lateness of a response that belongs to an entry. Default: half the time until "
    "its id comes again; with random ids, as --rate.",
)
@time_option(
    "--early",
    help="Greatest time before its due time of a response that belongs to an entry. Default: half "
    "of --rate.",
)
@click.option(
    "--spikes",
    type=Parsed("number", parse_spikes),
    default="3",
    show_default=True,
    metavar="K",
    help="A spike exceeds the mean by more than this many standard deviations.",
)
@click.option(
    "--timecode",
    type=click.Choice(TIMECODES),
    help="Preset: seed8751 has 8 bits and 14.0625 steps a second, and is the default.",
)
@click.option(
    "--timecode-bits",
    type=click.IntRange(1, 16),
    metavar="N",
    help="Bits of the timecode that the device reads.",
)
@time_option("--period", help="Time of a step of the timecode.")
@click.option("--gray", is_flag=True, help="Send the timecode as a Gray code.")
@click.option("--rows", is_flag=True, help="Print the list of every run.")
@click.option("--live", is_flag=True, help="Show lamps, schedule and results during the run.")
@key_option
@json_option
@click.option(
    "--csv", type=Drawn(".csv"), metavar="FILE", help="Write the lists of all runs to FILE.csv."
)
@click.option(
    "--out", type=_PATH, metavar="DIR", help="Keep result, lists and runs in a new folder."
)
def mixed(**given: Any) -> int:
    """Run a schedule on one time base with a device, and show what was done, late, early or missed.

    The instrument shows a timecode on pins. At each step the host issues the entries that are due
    --distance steps later: to the device over its serial line, and to the instrument, which times
    the codes that the device fires.

    The exit code is 1 if an entry of mode verify is not done, or if no distance is safe.

    \b
      plexor mixed --distance 1,2 --count 4
      plexor mixed --mode mixed --rate 2 --ids random --seed 7 --count 4 --csv rows.csv
      plexor mixed --link serial:/dev/ttyUSB1 --device-serial 'serial:/dev/ttyUSB2?baud=9600'
    """
    options = Options(**given)
    with usage():
        check(options, option_name)
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import conclude_mixed  # noqa: PLC0415
    from plexor.commands.interrupts import stop_on_signals  # noqa: PLC0415
    from plexor.commands.mixed.watch import Watch  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.library.instrument import Instrument  # noqa: PLC0415
    from plexor.library.keep import check_new  # noqa: PLC0415
    from plexor.library.mixed.place import place_of  # noqa: PLC0415

    with usage():
        if options.out is not None:
            check_new(options.out, option_name("out"))
    check_outputs(options.csv, folder=options.out)
    link, dut = place_of(options)
    with (
        Instrument(link, dut=dut, calibration="none") as instrument,
        closing(Watch(options, live=options.live)) as watch,
        stop_on_signals() as stop,
    ):
        found = instrument.mixed(
            options,
            device=dict(options.keys),
            line=options.device_serial,
            told=watch.told,
            stop=stop,
            out=options.out,
            command=command_line(),
        )
    return conclude_mixed(found, options.as_json, options.csv, rows=options.rows)
