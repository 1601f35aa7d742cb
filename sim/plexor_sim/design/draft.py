# SPDX-License-Identifier: Apache-2.0
"""A manifest to begin with, from the ports of a design.

    python -m plexor_sim.design.draft TOP FILE... [--tables JSON]

prints it as JSON: `text`, and `ports` with what each was taken for. Which port is which is guessed
from its name, width and direction; the text says so. JSON has the tables [core], [variables],
[libraries] and [parameters] of the manifest, and `include`. Exit codes as of plexor_sim.serve.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plexor.protocol.frames import MAX_CHANNELS
from plexor_sim.build import BuildError
from plexor_sim.design.clock_rate import SaidClock, said_clock
from plexor_sim.design.manifest import Manifest, ManifestError, selection_of
from plexor_sim.design.sources import sources_of
from plexor_sim.design.text import without_comments
from plexor_sim.design.verilog import Ports, ports_of
from plexor_sim.entry import entered
from plexor_sim.packages import PackageMissing, default_cache

_CLOCK = re.compile(r"(?:\w*_)?[a-z]?(?:clk|clock)(?:_?i|_?in)?", re.IGNORECASE)
_RESET = re.compile(
    r"(?:\w*_)?(n?)[a-z]?(n?)(?:rst|reset|clr)(_?[nlb])?(?:_?i|_?in)?", re.IGNORECASE
)
_INTERRUPT = re.compile(r"irq|(?:^|_)int(?:errupt)?(?:_|s?$)|interrupt", re.IGNORECASE)
_STRIKE = re.compile(
    r"int(?:errupt)?(?:_|s?$)|trig|strike|start|req|event|pulse|stim|btn|button|key|rx|valid|gpio|"
    r"push|"
    r"^(?:i_)?(?:d|a|in|din|x)(?:_i)?$",
    re.IGNORECASE,
)
_SELDOM_STRUCK = re.compile(
    r"(?:^|_)(?:ack|acknowledge|rdy|ready|clr|clear|en|enable|sel|mode|test|testmode|scan|we|stall|flush)(?:_|$)",
    re.IGNORECASE,
)
"""What answers, permits or chooses."""
_HIGH = re.compile(
    r"(?:^|_)[a-z]*(?:ready|rdy)(?:_?i|_?in)?$"
    r"|(?:^|_)(?:en|ena|enable|ce|clk_?en|clock_?enable)(?:_?i|_?in)?$"
    r"|(?:^|_)(?:rxd?|sin|miso|scl|sda)(?:_?i|_?in)?$",
    re.IGNORECASE,
)
"""Inputs that rest high: who takes what a design gives, what permits it, and serial lines."""
_ACTIVE_LOW = re.compile(
    r"(\w+)_(?:n(?:_?i|_?in)?|bar)|(?-i:n(?=[A-Z]))(\w+)",
    re.IGNORECASE,
)
"""Inputs that rest the other way: `btn_n`, `irq_ni`, `nIRQ`."""
_PERIOD_PS = 10_000


@dataclass(frozen=True, slots=True)
class Reset:
    """What a port is taken for that resets."""

    port: str
    is_active_low: bool
    clock: str


@dataclass(frozen=True, slots=True)
class Guess:
    """What each port of a design is taken for."""

    clocks: tuple[str, ...]
    resets: tuple[Reset, ...]
    strikes: tuple[str, ...]
    responses: tuple[str, ...]
    constants: tuple[str, ...]
    """Inputs of which a bit is driven by nothing else."""
    inouts: tuple[str, ...]


def guess(ports: Ports) -> Guess:
    """Return what ports are taken for, by their names, widths and directions."""
    single = [name for name, (way, bits) in ports.items() if way == "in" and bits == 1]
    clocks = [name for name in single if _CLOCK.fullmatch(name)]
    matches = {name: match for name in single if (match := _RESET.fullmatch(name))}
    resets = [
        Reset(name, any(match.groups()), max(clocks, key=lambda clock: _alike(clock, name)))
        for name, match in matches.items()
        if clocks
    ]
    others = {*clocks, *(reset.port for reset in resets)}
    left = [name for name, (way, _) in ports.items() if way == "in" and name not in others]
    likely = [name for form in (_INTERRUPT, _STRIKE) for name in left if form.search(name)]
    strike = next(iter(likely), None)
    least_seldom = sorted(left, key=lambda name: bool(_SELDOM_STRUCK.search(name)))
    strike = strike or next((name for name in least_seldom if ports[name][1] == 1), None)
    outputs = [name for name, (way, _) in ports.items() if way == "out"]
    narrow = sorted(outputs, key=lambda name: ports[name][1] > 1)[:MAX_CHANNELS]
    return Guess(
        clocks=tuple(clocks),
        resets=tuple(resets),
        strikes=() if strike is None else (_pin(strike, ports),),
        responses=tuple(_pin(name, ports) for name in outputs if name in narrow),
        constants=tuple(name for name in left if name != strike or ports[name][1] > 1),
        inouts=tuple(name for name, (way, _) in ports.items() if way == "inout"),
    )


def _alike(clock: str, reset: str) -> int:
    """Return how many letters two names begin with in common."""
    same = [a == b for a, b in zip(clock, reset, strict=False)]
    return [*same, False].index(False)


def _pin(name: str, ports: Ports) -> str:
    return name if ports[name][1] == 1 else f"{name}[0]"


def draft(
    top: str,
    files: Sequence[str],
    ports: Ports,
    include: Sequence[str] = (),
    tables: Mapping[str, Mapping[str, Any]] | None = None,
    said: SaidClock | None = None,
) -> str:
    """Return the text of a manifest.

    `tables` are those that were given: [core], [variables], [libraries], [parameters]. `said` is
    what the design says of its clock, if it has but one.
    """
    taken = guess(ports)
    lines = [
        "# Which port is which was guessed from its name: look at each line marked with (?).",
        "# docs/lookup/manifest.md explains all keys.",
        f"sources = {_toml(list(files))}",
        *([f"include = {_toml(list(include))}"] if include else []),
        f"top = {_toml(top)}",
        "",
    ]
    for table, values in (tables or {}).items():
        lines += [f"[{table}]", *(f"{name} = {_toml(value)}" for name, value in values.items()), ""]
    clock_table = "[clock]" if len(taken.clocks) == 1 else "[[clock]]"
    for name in taken.clocks:
        lines += [clock_table, f'port = "{name}"  # (?)']
        if said is not None and len(taken.clocks) == 1:
            told = f"{10**6 / said.period_ps:g} MHz, as {said.name} says"
            lines += [f"period_ps = {said.period_ps:_}  # (?) {told}", ""]
        else:
            lines += [f"period_ps = {_PERIOD_PS:_}  # (?) 100 MHz", ""]
    for reset in taken.resets:
        lines += ["[reset]" if len(taken.resets) == 1 else "[[reset]]"]
        active = "low" if reset.is_active_low else "high"
        lines += [f'port = "{reset.port}"  # (?)', f'active = "{active}"  # (?)', "cycles = 4"]
        lines += [f'clock = "{reset.clock}"  # (?)'] if len(taken.clocks) > 1 else []
        lines += [""]
    lines += ["[ports]", f"strikes = {_toml(list(taken.strikes))}  # (?)"]
    resting = [pin for pin in taken.strikes if _rests_high(pin.partition("[")[0])]
    lines += [f"idle_high = {_toml(resting)}  # (?)"] if resting else []
    lines += [f"responses = {_toml(list(taken.responses))}  # (?)"]
    if not taken.strikes:
        lines += ["# no input is left to strike: name a module around it that has one"]
    if taken.constants:
        lines += ["", "[constants]  # inputs that never change"]
        for name in taken.constants:
            bits = ports[name][1]
            struck = ", without the one that is struck" if f"{name}[0]" in taken.strikes else ""
            is_high = _rests_high(name)
            told = [f"{bits} bits{struck}"] if bits > 1 else []
            told += ["(?) high, as it mostly rests"] if is_high else []
            value = (1 << bits) - 1 if is_high else 0
            lines.append(f"{name} = {value}" + (f"  # {', '.join(told)}" if told else ""))
    lines += [
        f"# {name} is an inout: name a module around it that has an input and an output"
        for name in taken.inouts
    ]
    return "\n".join(lines) + "\n"


def _rests_high(name: str) -> bool:
    """Return whether an input of this name mostly rests high."""
    low = _ACTIVE_LOW.fullmatch(name)
    if low is None:
        return bool(_HIGH.search(name))
    return not _HIGH.search(low[1] or low[2])


def _toml(value: Any) -> str:
    """Return a text or a list of texts as TOML has it."""
    return json.dumps(value, ensure_ascii=False)


def drafted(
    top: str,
    files: Sequence[str],
    cache: Path,
    tables: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, object]:
    """Return a manifest's text and what it takes each port for. Raises as `verilog_device`."""
    tables = dict(tables or {})
    include: Sequence[str] = list(tables.pop("include", ()))
    try:
        ports, said = _ports_of(top, files, include, cache, tables)
    except ManifestError:
        # What a design includes, and its other modules, mostly lie beside it.
        include = list(dict.fromkeys((*include, *(str(Path(name).parent) for name in files))))
        ports, said = _ports_of(top, files, include, cache, tables)
    return {
        "text": draft(top, files, ports, include, tables, said),
        "ports": [
            {"name": name, "direction": way, "bits": bits} for name, (way, bits) in ports.items()
        ],
    }


def _ports_of(
    top: str,
    files: Sequence[str],
    include: Sequence[str],
    cache: Path,
    tables: Mapping[str, Mapping[str, Any]] | None,
) -> tuple[Ports, SaidClock | None]:
    """Return the ports of a top, and what its sources say of its clock."""
    faults: list[str] = []
    core = (tables or {}).get("core")
    variables = (tables or {}).get("variables")
    libraries = (tables or {}).get("libraries")
    selection = selection_of(Path.cwd(), core, faults) if core else None
    if faults:
        raise ManifestError("; ".join(faults))
    try:
        sources = sources_of(
            Path.cwd(),
            files,
            include,
            selection=selection,
            top=top,
            variables=variables,
            libraries=libraries,
        )
    except ValueError as error:
        raise ManifestError(str(error)) from None
    manifest = Manifest(
        Path(f"{top}.toml"),
        sources=sources,
        top=top,
        strikes=(),
        responses=(),
        parameters=sources.parameters | dict((tables or {}).get("parameters", {})),
    )
    found = ports_of(manifest, cache)
    texts = [without_comments(_read(path)) for path in sources.verilog]
    texts += [re.sub("--.*", "", _read(path)) for path in sources.vhdl]
    return found, said_clock(top, texts, manifest.parameters)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def main(arguments: list[str]) -> int:
    """Print the draft of a manifest; return an exit code."""
    try:
        tables: dict[str, dict[str, Any]] = {}
        if arguments[-2:-1] == ["--tables"]:
            tables = json.loads(arguments[-1])
            arguments = arguments[:-2]
        top, *files = arguments
        json.dump(drafted(top, files, default_cache(), tables), sys.stdout)
    except (ValueError, ManifestError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (BuildError, PackageMissing, OSError, subprocess.SubprocessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(entered(lambda: main(sys.argv[1:])))
