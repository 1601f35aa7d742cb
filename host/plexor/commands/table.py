"""`plexor table`: systems side by side, idle and loaded, beside a published study."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from plexor.commands.parameters import json_option, time_option
from plexor.study.systems import Jitter


@click.command()
@click.argument(
    "runs", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True, metavar="RUN..."
)
@click.option(
    "--jitter",
    type=click.Choice([entry.value for entry in Jitter]),
    default=Jitter.SPAN_128.value,
    show_default=True,
    help="Measure of jitter: the span (maximum minus minimum) of the last 128 latencies or of all, "
    "or the standard deviation.",
)
@click.option(
    "--reference/--no-reference",
    default=True,
    show_default=True,
    help="Show separately what a published study says of Windows CE 3.0 and CE .NET.",
)
@time_option(
    "--interval", help="Show the study's advice for a system that must react at this interval."
)
@json_option
def table(
    runs: tuple[Path, ...], jitter: str, reference: bool, interval: Fraction | None, as_json: bool
) -> int:
    """Show systems side by side: latency, jitter and saturation frequency, idle and loaded.

    RUN is a folder of `plexor sweep --out` or of `plexor measure --out`. Latency and jitter come
    from the run, or from the lowest rate of the sweep if there is no run. The first pin is the
    interrupt's, the second the task's. A system has the name that was given with --key system=NAME,
    or else that of its device.

    \b
      plexor sweep --dut ce30 --load none,polygons --from 20k --to 200k --out s1
      plexor sweep --dut cenet --load none,polygons --from 20k --to 200k --out s2
      plexor table s1 s2
    """
    from plexor.analyse.analyse import analyse  # noqa: PLC0415
    from plexor.commands.conclude import wants_colour  # noqa: PLC0415
    from plexor.commands.stored import read_run  # noqa: PLC0415
    from plexor.render.terminal.systems import systems_text  # noqa: PLC0415
    from plexor.study.systems import Systems, changes, inequalities  # noqa: PLC0415
    from plexor.sweep.model import SweepResult  # noqa: PLC0415
    from plexor.sweep.store import is_sweep, load  # noqa: PLC0415

    if interval is not None and interval <= 0:
        raise click.UsageError("--interval: must be above 0")
    chosen = Jitter(jitter)
    systems = Systems(chosen)
    sweeps: list[tuple[str, SweepResult]] = []
    for path in runs:
        if is_sweep(path):
            sweeps.append((str(path), load(path)))
            systems.add_sweep(*sweeps[-1])
        else:
            systems.add_run(str(path), analyse(read_run(path)))
    rows = systems.rows()
    found = changes(rows), inequalities(rows)
    if as_json:
        document = _document(rows, *found, chosen, reference, interval)
        print(json.dumps(document, indent=1, ensure_ascii=False))
        return 0
    width = shutil.get_terminal_size((100, 24)).columns
    text = systems_text(
        rows,
        *found,
        sweeps,
        chosen,
        reference=reference,
        interval_s=interval,
        width=width,
        colour=wants_colour(),
    )
    print(text, end="")
    return 0


def _document(
    rows: Any, found: Any, checks: Any, jitter: Jitter, reference: bool, interval: Fraction | None
) -> dict[str, Any]:
    from plexor.jsonable import to_json  # noqa: PLC0415
    from plexor.study.reference import SOURCE, STATEMENTS  # noqa: PLC0415
    from plexor.study.systems import guideline  # noqa: PLC0415

    document: dict[str, Any] = {
        "schema": "plexor.table/1",
        "jitter": jitter.value,
        "rows": to_json(rows),
        "changes": to_json(found),
        "inequalities": [{**to_json(entry), "holds": entry.holds} for entry in checks],
    }
    if reference:
        document["reference"] = {"source": SOURCE, "statements": to_json(STATEMENTS)}
    if interval is not None:
        document["advice"] = guideline(interval)
    return document
