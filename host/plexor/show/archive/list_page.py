# SPDX-License-Identifier: Apache-2.0
"""The first page of an archive in a browser: its runs, what they are chosen by, and their trends.

Choices are links, and runs are compared by a form: the page needs no script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from plexor.base.counts import counted
from plexor.files.archive.query import ArchivedRun
from plexor.files.archive.trend import GroupedBy
from plexor.show.archive import words
from plexor.show.html import PageHeading, html_box, html_details, html_page
from plexor.show.pictures.scale import grouped
from plexor.show.tiles import ChannelTiles, Tile, html_tiles

MOST_COMPARED = 8
"""Runs that one page compares: as many as there are colours."""
_FIRST = ("branch", "commit", "board", "os", "dut", "load", "rate")
"""What runs are chosen by before all else."""
_MOST_CHOICES = 12
_STYLE = """<style>.choice{display:flex;flex-wrap:wrap;gap:4px 14px;margin:4px 0;font-size:14px}
.choice b{min-width:70px;color:var(--muted);font-weight:600}
.choice a{min-width:0;overflow-wrap:anywhere}
.choice a[aria-current]{font-weight:700;color:var(--ink);text-decoration:none}
td input{width:18px;height:18px;margin:0;vertical-align:middle}form p{margin:16px 0 0}
tr.bad td{color:var(--bad)}</style>"""


@dataclass(frozen=True, slots=True)
class ListedRuns:
    """Runs of an archive, newest first, and how they were chosen."""

    folder: str
    runs: Sequence[ArchivedRun]
    total: int
    """The number of all that were chosen."""
    where: Sequence[str]
    """Such as `branch=main`."""
    keys: Mapping[str, set[str]]
    """What runs can be chosen by: each entry of their configurations, with its values."""
    channels: Sequence[str]


def list_page(listed: ListedRuns) -> str:
    """Return the page's text in UTF-8. Its links are `?`, `run?`, `trend?` and `compare?`."""
    count = counted(listed.total, "run")
    lead = (
        count if listed.total == len(listed.runs) else f"The newest {len(listed.runs)} of {count}"
    )
    if listed.where:
        lead += f" with {', '.join(listed.where)}"
    source = words.source(listed.runs)
    body = f"{_STYLE}<h2>Choose</h2>{_choices(listed)}"
    if listed.channels:
        body += f"<h2>Trends</h2>{_trends(listed)}"
    body += f"<h2>Runs</h2>{_runs(listed)}" if listed.runs else ""
    if listed.runs:
        banner = html_tiles([_tiles(listed)])
    else:
        banner = html_box("doubt", "No run", "the archive has none of this kind")
    title = Path(listed.folder).resolve().name
    return html_page(PageHeading(title, source or "empty", f"{lead}.", banner), body)


def _tiles(listed: ListedRuns) -> ChannelTiles:
    """Return how many runs there are, the newest, and how many of the listed prove nothing."""
    newest = listed.runs[0]
    bad = sum(not run.valid or run.interrupted for run in listed.runs)
    commits = len({run.origin.commit for run in listed.runs if run.origin.commit})
    return ChannelTiles(
        "Runs",
        "that were kept",
        0,
        (
            Tile("runs", grouped(listed.total), f"of {counted(commits, 'commit')}"),
            Tile("newest", words.started_text(newest.started), f"UTC, {words.state(newest)}"),
            Tile(
                "invalid or interrupted",
                grouped(bad),
                f"of {grouped(len(listed.runs))} listed, in no trend",
                "doubt" if bad else "",
            ),
        ),
    )


def link(page: str, *pairs: tuple[str, str]) -> str:
    """Return a link to a page with its questions, as it stands in an attribute."""
    return escape(f"{page}?{urlencode(pairs)}" if pairs else page or "./")


def _choices(listed: ListedRuns) -> str:
    """Return a line of links for each thing that tells runs apart; the rest folds out."""
    known = dict(listed.keys)
    known["branch"] = {run.origin.branch for run in listed.runs if run.origin.branch}
    known["commit"] = {run.origin.commit for run in listed.runs if run.origin.commit}
    chosen: dict[str, str] = {}
    for text in listed.where:
        key, _, chosen[key] = text.partition("=")
    rest = sorted(key for key in known if key not in _FIRST)
    first = "".join(_choice(key, known.get(key, set()), chosen, listed) for key in _FIRST)
    more = "".join(_choice(key, known[key], chosen, listed) for key in rest)
    return first + (html_details("More to choose by", more) if more else "")


def _choice(key: str, values: set[str], chosen: Mapping[str, str], listed: ListedRuns) -> str:
    if len(values) < 2 and key not in chosen:
        return ""
    others = [text for text in listed.where if not text.startswith(f"{key}=")]
    entries = [("all", others, key not in chosen)]
    shown = sorted(values | ({chosen[key]} if key in chosen else set()))[:_MOST_CHOICES]
    entries += [(value, [*others, f"{key}={value}"], chosen.get(key) == value) for value in shown]
    short = {value: value[:9] for value in values} if key == "commit" else {}
    short |= words.short_devices(values) if key == words.DEVICE else {}
    links = "".join(
        f'<a href="{link("", *_where(texts))}"{" aria-current=true" if now else ""}>'
        f"{escape(short.get(value, value))}</a>"
        for value, texts, now in entries
    )
    more = len(values) - len(shown)
    rest = f"and {more} more" if more > 0 else ""
    return f'<p class="choice"><b>{escape(words.key_word(key))}</b>{links}{rest}</p>'


def _where(texts: Sequence[str]) -> list[tuple[str, str]]:
    return [("where", text) for text in texts]


def _trends(listed: ListedRuns) -> str:
    """Return for each channel links to its trends, of the runs that are chosen."""
    rows = ""
    for channel in listed.channels:
        links = "".join(
            f'<a href="{link("trend", ("channel", channel), ("by", by), *_where(listed.where))}">'
            f"by {by}</a>"
            for by in GroupedBy
        )
        rows += f'<p class="choice"><b>{escape(channel)}</b>{links}</p>'
    return rows


def _runs(listed: ListedRuns) -> str:
    """Return the runs as a form: each opens, and those that are ticked are compared."""
    heads, rows = words.log_rows(list(listed.runs))
    cells = "".join(f"<th>{escape(head)}</th>" for head in ("compare", *heads))
    body = "".join(
        _row(run, [text for text, _ in row]) for run, row in zip(listed.runs, rows, strict=True)
    )
    return (
        f'<form action="compare"><div class="scroll" tabindex="0"><table><thead><tr>{cells}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
        '<p><button class="button">Compare the ticked runs</button> '
        f"<small>two to {MOST_COMPARED}; the earliest is A</small></p></form>"
    )


def _row(run: ArchivedRun, texts: Sequence[str]) -> str:
    began, name, *others = texts
    shown = "".join(f"<td>{escape(text)}</td>" for text in others)
    opens = link("run", ("run", run.run))
    tick = f'<input type="checkbox" name="run" value="{escape(run.run)}" aria-label="{name}">'
    style = "" if run.valid else ' class="bad"'
    return (
        f'<tr{style}><td>{tick}</td><td>{escape(began)}</td><td><a href="{opens}">{escape(name)}'
        f"</a></td>{shown}</tr>"
    )


def with_way_back(page: str, where: Sequence[str] = ()) -> str:
    """Return a page with a link to the list of runs on its top."""
    back = f'<p class="back"><a href="{link("./", *_where(where))}">All runs</a></p>'
    return page.replace("<main>", f"<main>{back}", 1)


def refused_page(text: str) -> str:
    """Return the page that tells why there is none."""
    heading = PageHeading("Nothing to show", "archive", "", html_box("bad", "Refused", text))
    return with_way_back(html_page(heading, ""))
