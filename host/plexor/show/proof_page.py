# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a proof: what was proven, with which error, and what was not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from html import escape
from typing import Any

from plexor.base.counts import counted
from plexor.experiments.prove.model import Proof, ProofFigure, ProofStep, StepOutcome
from plexor.show.html import PageHeading, html_box, html_details, html_list, html_page
from plexor.show.page_files import page_files
from plexor.show.proof import HEAD, WORDS, figure_row, source, step_line, verdict
from plexor.show.table import Cell
from plexor.show.tiles import ChannelTiles, Tile, html_tiles

_FOOTER = (
    "An error is the most by which a figure can be off; bins count with three standard errors. A "
    "figure fails where it lies beyond its bounds by more than its error. The SHA-256 shows a "
    "change of the document; it is no signature."
)
_STRIP, _HIGH, _MARGIN = 180.0, 16.0, 8.0


def proof_page(proof: Proof, seal: str, document: Mapping[str, Any] | None = None) -> str:
    """Return the page's text in UTF-8; `seal` is the SHA-256 of the `document` that it carries."""
    style, head, text = verdict(proof)
    parts = "".join(_step(step) for step in proof.steps)
    entries = [
        ("instrument", f"{proof.serial} at {proof.link}"),
        ("board", proof.board or "unknown"),
        ("build id", f"{proof.build_id:016x}"),
        ("gateware", f"{proof.gateware_hash:016x}"),
        ("tick", f"{proof.tick_fs / 1e6:g} ns"),
        ("begun", proof.made),
        ("SHA-256 of the document", seal),
    ]
    body = f"""{parts}
{page_files("proof", document, _rows(proof))}
{html_details("What was done, and with what", html_list(entries))}
<footer>{escape(_FOOTER)}</footer>"""
    title = f"Proof of {proof.board or 'an instrument'}"
    lead = f"{proof.serial} · build {proof.placement:016x} · {_moment(proof.made)}"
    banner = html_box(style, head, text) + html_tiles([_tiles(proof)])
    return html_page(PageHeading(title, source(proof), lead, banner), body)


def _moment(text: str) -> str:
    """Return when a proof was made, to the minute; a text that is no time stays."""
    try:
        made = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{made.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _tiles(proof: Proof) -> ChannelTiles:
    """Return how many steps are proven, failed and left out."""
    counts = dict.fromkeys(StepOutcome, 0)
    for step in proof.steps:
        counts[step.outcome] += 1
    steps = f"of {counted(len(proof.steps), 'step')}"
    failed, missing = counts[StepOutcome.FAILED], counts[StepOutcome.LEFT_OUT]
    return ChannelTiles(
        proof.board or "instrument",
        proof.serial,
        0,
        (
            Tile("proven", str(counts[StepOutcome.PROVEN]), steps),
            Tile("failed", str(failed), steps, "bad" if failed else ""),
            Tile("left out", str(missing), steps, "doubt" if missing else ""),
        ),
    )


def _rows(proof: Proof) -> tuple[list[str], list[list[Cell]]]:
    """Return the figures of all steps."""
    rows: list[list[Cell]] = [
        [(step.name, ""), *((text, "") for text in figure_row(figure))]
        for step in proof.steps
        for figure in step.figures
    ]
    return ["step", *HEAD], rows


def _step(step: ProofStep) -> str:
    word, style = WORDS[step.outcome]
    findings = "".join(f'<p class="bad">{escape(text)}</p>' for text in step.findings)
    table = ""
    if step.figures:
        heads = "".join(f"<th>{escape(name)}</th>" for name in HEAD)
        rows = "".join(_row(figure) for figure in step.figures)
        table = (
            f'<div class="scroll" tabindex="0"><table><thead><tr>{heads}'
            '<th class="left">between its bounds</th></tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
        )
    return (
        f'<h2>{escape(step.name)} <span class="{style}">{word}</span></h2>'
        f'<p class="muted">{escape(step_line(step))}</p>{findings}{table}'
    )


def _row(figure: ProofFigure) -> str:
    name, *cells = figure_row(figure)
    style = "" if figure.holds else ' class="bad"'
    rest = "".join(f"<td><span{style}>{escape(cell)}</span></td>" for cell in cells)
    return (
        f'<tr><td class="name">{escape(name)}</td>{rest}<td class="left">{_strip(figure)}</td></tr>'
    )


def _strip(figure: ProofFigure) -> str:
    """Return where a value lies between its bounds, with its error, as a small drawing."""
    if figure.least is None or figure.most is None or figure.least == figure.most:
        return ""
    span = figure.most - figure.least

    def place(value: float) -> float:
        share = (value - figure.least) / span if figure.least is not None else 0.0
        return min(max(_MARGIN + share * (_STRIP - 2 * _MARGIN), 0.0), _STRIP)

    error = figure.error or 0.0
    low, at, high = (place(figure.value + off) for off in (-error, 0.0, error))
    colour = "var(--good)" if figure.holds else "var(--bad)"
    middle = _HIGH / 2
    return (
        f'<svg viewBox="0 0 {_STRIP:g} {_HIGH:g}" style="width:{_STRIP:g}px" role="img" '
        f'aria-label="{escape(figure.name)} within its bounds">'
        f'<rect x="{_MARGIN:g}" y="{middle - 3:g}" width="{_STRIP - 2 * _MARGIN:g}" height="6" '
        f'rx="3" fill="var(--grid)"/>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle:g}" y2="{middle:g}" stroke="{colour}" '
        f'stroke-width="2"/>'
        f'<circle cx="{at:.1f}" cy="{middle:g}" r="3.5" fill="{colour}"/></svg>'
    )
