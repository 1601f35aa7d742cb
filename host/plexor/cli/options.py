# SPDX-License-Identifier: Apache-2.0
"""Options that only a command line has: what it shows, what it writes, what it is told of a device.

They are Specs as those of the library are; a command asks them beside those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from plexor.base.errors import UsageError
from plexor.base.shown import SHOWN
from plexor.library.drawing import check_converter
from plexor.library.files import is_direct
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.texts import Reaction, parse_action
from plexor.library.specs.values import each, flag, path_of

STRICT_KEYS = ("os", "board", "build", "driver", "test")
"""Keys without which a report does not say what was measured."""
_WHAT = {**{suffix: f"a {what}" for suffix, what in SHOWN.items()}, ".csv": "rows"}
"""What is written to a file with that suffix."""
Key = tuple[str, str]


def drawn(*suffixes: str) -> Callable[[str | Path], Path]:
    """Return the reader of a file whose suffix says what is written to it.

    A pipe or a device, such as /dev/stdout, may have any name and takes the first of them.
    """

    def converted(value: str | Path) -> Path:
        try:
            path = Path(value)
            writable = path.suffix.lower() in suffixes or is_direct(path)
        except (OSError, ValueError):  # a name that no file can have
            writable = False
        if not writable:
            kinds = ((_listed(own), what) for what, own in _by_kind(suffixes).items())
            known = ", or ".join(f"{own} for {what}" for own, what in kinds)
            raise ValueError(f"{value}: its suffix must be {known}")
        check_converter(Path(value))
        return Path(value)

    return converted


def _by_kind(suffixes: Iterable[str]) -> dict[str, list[str]]:
    """Return what can be written, and by which of these suffixes."""
    kinds: dict[str, list[str]] = {}
    for suffix in suffixes:
        kinds.setdefault(_WHAT[suffix], []).append(suffix)
    return kinds


def _listed(words: list[str]) -> str:
    """Return `.svg, .png or .pdf`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _help(*suffixes: str) -> str:
    """Return `Write a page to FILE.html, or a picture to FILE.svg, .png or .pdf.`"""
    kinds = _by_kind(suffixes).items()
    return f"Write {', or '.join(f'{what} to FILE{_listed(own)}' for what, own in kinds)}."


def parse_key(text: str) -> Key:
    """Return (`os`, `FreeRTOS`) of `os=FreeRTOS`; raise ValueError."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise ValueError(f"description: {text!r}; must be NAME=TEXT, such as os=FreeRTOS")
    return name.strip(), value.strip()


def parse_keys(value: str | Sequence[str | Key]) -> tuple[Key, ...]:
    """Return the entries of a description, each once read; raise ValueError."""
    entries = [value] if isinstance(value, str) else value
    return tuple(parse_key(entry) if isinstance(entry, str) else entry for entry in entries)


def paths(value: str | Path | Sequence[str | Path]) -> tuple[Path, ...]:
    """Return one path or several; raise UsageError as `path_of`."""
    return tuple(map(path_of, [value] if isinstance(value, str | Path) else value))


class AsJson(Spec, topic="Results"):
    """How a result is shown."""

    as_json: bool = option(
        first=True, converter=flag, default=False, flag="--json", help="Print only a JSON document."
    )


class Paged(Spec, topic="Results"):
    """A file with a page or a picture."""

    page: Path | None = option(
        first=True, converter=maybe(drawn(*SHOWN)), default=None, metavar="FILE", help=_help(*SHOWN)
    )


class HtmlPaged(Spec, topic="Results"):
    """A file with a page."""

    page: Path | None = option(
        first=True,
        converter=maybe(drawn(".html")),
        default=None,
        metavar="FILE",
        help=_help(".html"),
    )


class Shown(AsJson, Paged):
    """How a result is shown that has a page and a picture."""


class HtmlShown(AsJson, HtmlPaged):
    """How a result is shown that has a page."""


class Live(Spec, topic="Course of the run"):
    """What is shown meanwhile."""

    live: bool = option(
        converter=flag, default=False, help="Show results while the run is under way."
    )


class Acting(Spec, topic="Course of the run"):
    """What is started while a run is under way."""

    actions: tuple[Reaction, ...] = option(
        converter=each(Reaction, parse_action),
        default=(),
        many=True,
        is_command=True,
        flag="--on",
        metavar="CONDITION:COMMAND",
        help="Start COMMAND on latency>50us or missed, once a second at most and again when it has "
        "ended. Results are looked at twice a second, and after the run. Its output is dropped; "
        "PLEXOR_CONDITION, PLEXOR_CHANNEL and PLEXOR_COUNT are in its environment.",
    )


class Written(Spec, topic="Results"):
    """Files of other tools."""

    files: tuple[Path, ...] = option(
        converter=paths,
        default=(),
        many=True,
        flag="--to",
        metavar="FILE",
        help="Write FILE, whose suffix names its format. Repeat it for each file.",
    )


class Budgeted(Spec, topic="Results"):
    """Limits for a run."""

    budget: str | None = option(
        first=True,
        converter=maybe(str),
        default=None,
        metavar="FILE",
        help="Limits by which the run is judged: a TOML file.",
    )


class Keyed(Spec, topic="Description of the device"):
    """The description of a device. Raises UsageError for labels that --strict misses."""

    keys: tuple[Key, ...] = option(
        converter=parse_keys,
        default=(),
        many=True,
        flag="--label",
        metavar="NAME=TEXT",
        help="A description of the device, such as os=FreeRTOS. Repeat it for each entry.",
    )
    strict: bool = option(
        converter=flag,
        default=False,
        help=f"Refuse to start without these labels: {', '.join(STRICT_KEYS)}.",
    )

    def __post_init__(self) -> None:
        told = {name for name, text in self.keys if text.strip()}
        missing = [name for name in STRICT_KEYS if name not in told]
        if self.strict and missing:
            raise UsageError(
                f"{', '.join(missing)}: missing; --strict needs --label NAME=TEXT for each of "
                f"{', '.join(STRICT_KEYS)}"
            )

    @property
    def device(self) -> dict[str, str]:
        """The description, by its names."""
        return dict(self.keys)
