"""`plexor compare`: runs and sweeps of a device, and whether the later ones are worse."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plexor.commands.parameters import Parsed, json_option
from plexor.errors import ExitCode
from plexor.judge.gate import (
    By,
    FailOn,
    Judgement,
    Outcome,
    judge,
    needed,
    outcome_of,
    parse_fail_on,
)

if TYPE_CHECKING:
    from plexor.judge.compare import Difference

SCHEMA = "plexor.judge.compare/2"
_RUN = click.Path(exists=True, path_type=Path)
_CODES = {
    Outcome.KEPT: ExitCode.PASS,
    Outcome.BROKEN: ExitCode.BUDGET,
    Outcome.TOO_FEW: ExitCode.INVALID,
}


@click.command()
@click.argument("before", type=_RUN, metavar="A")
@click.argument("after", type=_RUN, metavar="B")
@click.option(
    "--fail-on",
    type=Parsed("condition", parse_fail_on),
    default=(),
    metavar="LIST",
    help="Changes that are too large, such as 'p99.9>+5%,mean>+10%,missed>+10%,saturation<-2%'.",
)
@click.option(
    "--judge",
    "by",
    type=click.Choice([entry.value for entry in By]),
    default=By.INTERVAL.value,
    show_default=True,
    help="What --fail-on judges: the interval of a change, or its estimate, however uncertain.",
)
@json_option
def compare(before: Path, after: Path, fail_on: tuple[FailOn, ...], by: str, as_json: bool) -> int:
    """Compare result B with the earlier result A.

    A and B are folders of `plexor measure --out` or of `plexor sweep --out`. They may also be
    folders that hold such folders: those with the same name are compared.

    The exit code is 1 if a figure has certainly changed by more than --fail-on allows, and 4 if
    there are too few samples to tell.
    """
    from plexor.commands.conclude import wants_colour  # noqa: PLC0415
    from plexor.commands.pairs import compared  # noqa: PLC0415
    from plexor.render.terminal.compare import compare_text  # noqa: PLC0415

    if by == By.ESTIMATE and not fail_on:
        raise click.UsageError("--judge says how --fail-on judges; give --fail-on too")
    found = compared(before, after, [condition.figure for condition in fail_on])
    skipped = _skipped(fail_on, found.differences)
    try:
        judgements = judge(found.differences, fail_on, By(by))
    except ValueError as error:
        raise click.UsageError(f"--fail-on {error}") from error
    code = _CODES[outcome_of(judgements)]
    if fail_on and found.invalid:
        code = ExitCode.INVALID
    for note in (*found.invalid, *found.notes):
        print(f"plexor: {note}", file=sys.stderr)
    for condition in skipped:
        print(
            f"plexor: --fail-on {condition.text}: skipped, because neither result has this figure",
            file=sys.stderr,
        )
    if as_json:
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "exit_code": int(code),
            "invalid_reasons": list(found.invalid),
            "differing_keys": list(found.keys),
            "differences": [_difference(entry) for entry in found.differences],
            "judged_by": by if fail_on else None,
            "outcome": outcome_of(judgements).value if fail_on else None,
            "conditions": [_judgement(entry) for entry in judgements],
            "skipped": [condition.text for condition in skipped],
        }
        print(json.dumps(document, indent=1, ensure_ascii=False))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        lines = compare_text(found.differences, judgements, width=width, colour=wants_colour())
        print(lines, end="")
    return code


def _skipped(conditions: Sequence[FailOn], found: Sequence[Difference]) -> tuple[FailOn, ...]:
    """Return the conditions whose figure neither result has; raise UsageError if all are such."""
    figures = {entry.figure for entry in found}
    skipped = tuple(entry for entry in conditions if entry.figure not in figures)
    if skipped and len(skipped) == len(conditions):
        names = ", ".join(entry.text for entry in skipped)
        raise click.UsageError(f"--fail-on {names}: neither result has this figure")
    return skipped


def _difference(entry: Difference) -> dict[str, Any]:
    interval = entry.interval
    return {
        "result": entry.result,
        "channel": entry.channel,
        "figure": entry.figure,
        "unit": entry.unit,
        "before": _number(entry.before),
        "after": _number(entry.after),
        "least": _number(interval.least),
        "most": _number(interval.most),
    }


def _judgement(entry: Judgement) -> dict[str, Any]:
    lacking = needed(entry) if entry.outcome == Outcome.TOO_FEW else None
    return {
        "condition": entry.condition.text,
        "result": entry.difference.result,
        "channel": entry.difference.channel,
        "figure": entry.condition.figure,
        "limit": float(entry.condition.part),
        "outcome": entry.outcome.value,
        "change": _number(entry.difference.change),
        "least": entry.least,
        "most": entry.most,
        "needed": None if lacking is None else lacking.count,
        "at_least": lacking is not None and lacking.at_least,
        "reason": entry.reason,
    }


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
