# SPDX-License-Identifier: Apache-2.0
"""Each component of hdl/ says in its docstring what it promises, and names each of its ports."""

import inspect
import re
from collections.abc import Collection
from functools import cache

import pytest
from amaranth.lib import data, wiring

from plexor.protocol.geometry import Geometry
from plexor_hdl import interfaces
from plexor_hdl.capture.edges import Edges
from plexor_hdl.front.board import Board

from . import designs
from . import test_netlists as netlists

LABELS = ("Latency", "Throughput", "Reset", "Wrap", "Full")
UNDONE = ()
"""Rooms and files of hdl/ that this does not hold for yet."""

GOOD = """Counts edges.

    It counts the edges of one source.

    Latency: 1 clock.
    Throughput: one word each clock.
    Reset: the count is 0.
    Wrap: after 2**16 edges: none
        is told.
    Full: never.

    Ports:
        word: W samples,
            oldest lowest.
        count: Edges since the reset.
    """
PLANTED = {
    "no label": ("    Wrap: after 2**16 edges: none\n        is told.\n", "", "Wrap"),
    "a label of no words": ("Reset: the count is 0.", "Reset:", "Reset"),
    "a label twice": ("    Full: never.\n", "    Full: never.\n    Full: never.\n", "Full"),
    "a label amid a line": ("Full: never.", "It is never Full: never.", "Full"),
    "labels in another order": ("Latency: 1 clock.", "Full: never.", "order"),
    "no ports": ("    Ports:\n", "", "Ports"),
    "a port that is missing": ("        count: Edges since the reset.\n", "", "count: no line"),
    "a port that is gone": (
        "        count:",
        "        amount: gone\n        count:",
        "amount: no such",
    ),
    "a port of another name": ("        count:", "        counts:", "counts: no such"),
    "a port twice": ("        count:", "        word: W bits.\n        count:", "word: twice"),
    "a port of no words": ("count: Edges since the reset.", "count:", "count: no words"),
    "a first line that goes on": ("Counts edges.\n", "Counts edges\n", "full stop"),
    "no contract": ("    It counts the edges of one source.\n\n", "", "contract"),
}


def faults(doc: str | None, ports: Collection[str]) -> list[str]:
    """Return what is wrong with the docstring of a component that has those ports."""
    lines = inspect.cleandoc(doc or "").split("\n")
    wrong = [] if lines[0].endswith(".") else ["first line: no full stop"]
    labels = [
        line.partition(":")[0] for line in lines if re.match(rf"(?:{'|'.join(LABELS)}):", line)
    ]
    wrong += [
        f"{label}: must be one line, with words"
        for label in LABELS
        if sum(bool(re.match(rf"{label}: \S", line)) for line in lines) != 1
    ]
    if labels != list(LABELS):
        wrong.append(f"order: {labels}")
    elif not "".join(
        lines[1 : lines.index(next(x for x in lines if x.startswith(LABELS[0])))]
    ).strip():
        wrong.append("contract: none")
    return wrong + _entries("Ports", lines, ports)


def _entries(title: str, lines: list[str], names: Collection[str]) -> list[str]:
    """Return what is wrong with the last section, which must have a line for each name."""
    if f"{title}:" not in lines:
        return [f"{title}: none"]
    section = lines[lines.index(f"{title}:") + 1 :]
    entries = [re.fullmatch(r" {4}(\w+):(.*)", line) for line in section]
    told = [entry[1] for entry in entries if entry]
    return [
        *(f"{name}: no line" for name in sorted(set(names) - set(told))),
        *(f"{name}: no such" for name in sorted(set(told) - set(names))),
        *(f"{name}: twice" for name in sorted(set(told)) if told.count(name) > 1),
        *(f"{entry[1]}: no words" for entry in entries if entry and not entry[2].strip()),
        *(
            f"{line!r}: neither a name nor what goes on"
            for line, entry in zip(section, entries, strict=True)
            if not entry and not line.startswith(" " * 8)
        ),
    ]


@cache
def on_boards() -> dict[type, set[str]]:
    """Return the ports of all that boards are made of, but for what is undone."""
    return {
        kind: ports
        for kind, ports in designs.on_boards().items()
        if kind.__module__.split(".")[1] not in UNDONE
    }


def wrong_in(kinds: dict[type, set[str]]) -> dict[str, list[str]]:
    """Return what is wrong with the docstrings of those classes."""
    found = {f"{kind.__module__}:{kind.__qualname__}": kind for kind in kinds}
    wrong = {name: faults(vars(kind).get("__doc__"), kinds[kind]) for name, kind in found.items()}
    return {name: each for name, each in wrong.items() if each}


def test_each_component_says_its_clocks_its_limits_and_each_port_that_it_has():
    assert wrong_in(on_boards()) == {}


def test_no_stage_is_left_out():
    named = {f"{kind.__module__}:{kind.__qualname__}" for kind in on_boards()}
    stages = {stage for stage in netlists.STAGES if re.split("[.:]", stage)[1] not in UNDONE}
    assert named == stages


def test_what_is_undone_is_a_room_or_a_file_of_the_gateware():
    assert set(UNDONE) <= {name.split(".")[1] for name in netlists.FILES}


def test_a_right_docstring_has_no_fault():
    assert faults(GOOD, {"word", "count"}) == []


def test_a_component_without_a_docstring_has_every_fault():
    assert len(faults(None, {"word"})) > len(LABELS)


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault):
    old, new, told = PLANTED[fault]
    assert GOOD.count(old) == 1
    found = faults(GOOD.replace(old, new), {"word", "count"})
    assert any(told in each for each in found)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("    Reset: ", "    At reset ", "Reset"),
        ("        invert: ", "            ", "invert: no line"),
        ("        enable: ", "        stale: What is gone.\n        enable: ", "stale: no such"),
    ],
)
def test_a_fault_in_a_component_of_a_board_is_found(monkeypatch, old, new, told):
    assert old in Edges.__doc__
    monkeypatch.setattr(Edges, "__doc__", Edges.__doc__.replace(old, new))
    (found,) = wrong_in({Edges: on_boards()[Edges]}).values()
    assert any(told in each for each in found)


def test_a_port_that_only_some_builds_have_is_one_that_must_be_named():
    kinds = {kind.__name__: ports for kind, ports in on_boards().items()}
    assert {"limit_stb", "age_n"} <= kinds["Ages"]


def test_pins_of_what_is_no_component_are_ports_too():
    assert on_boards()[Board] == {
        *("codes", "timecode", "lamps", "low", "led", "gate", "uart_rx", "uart_tx", "uart_hold"),
    }


def payloads() -> dict[type, tuple[str, set[str]]]:
    """Return the layouts and signatures of interfaces.py: what their lines are, and of what."""
    found = {}
    for kind in vars(interfaces).values():
        if inspect.isclass(kind) and kind.__module__ == interfaces.__name__:
            if issubclass(kind, data.Struct):
                found[kind] = "Fields", set(data.Layout.cast(kind).members)
            elif issubclass(kind, data.StructLayout | wiring.Signature):
                needs = inspect.signature(kind).parameters
                one = kind(*[Geometry()] * ("geometry" in needs))
                title = "Fields" if isinstance(one, data.Layout) else "Ports"
                found[kind] = title, set(one.members)
    return found


@pytest.mark.parametrize("kind", payloads(), ids=lambda kind: kind.__name__)
def test_each_field_that_stages_hand_to_each_other_has_a_line(kind):
    title, names = payloads()[kind]
    lines = inspect.cleandoc(vars(kind)["__doc__"]).split("\n")
    assert _entries(title, lines, names) == []


def test_a_field_without_a_line_and_a_line_without_a_field_are_found():
    title, names = payloads()[interfaces.Beat]
    lines = inspect.cleandoc(interfaces.Beat.__doc__).split("\n")
    assert _entries(title, lines, {*names, "extra"}) == ["extra: no line"]
    assert _entries(title, lines, names - {"final"}) == ["final: no such"]


def test_a_line_of_a_field_that_is_ticks_or_a_time_says_so():
    for kind, (_, names) in payloads().items():
        for name in names:
            if name.endswith("_ticks"):
                line = re.search(rf"^ +{name}: (.*)", kind.__doc__, re.MULTILINE)[1]
                assert "ticks" in line, (kind.__name__, name)
