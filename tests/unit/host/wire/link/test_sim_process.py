# SPDX-License-Identifier: Apache-2.0
"""The process behind a simulated instrument: its lines, its last words, its end."""

import queue
import sys
import textwrap
import time
from io import StringIO
from types import SimpleNamespace

import pytest

from plexor.wire.link import sim_process
from plexor.wire.link.sim_process import SimProcess


@pytest.fixture
def process():
    """Return a function that starts some Python as a simulator; it is ended at the end."""
    begun = []

    def start(source):
        begun.append(SimProcess([sys.executable, "-c", textwrap.dedent(source)]))
        return begun[-1]

    yield start
    for each in begun:
        each.end()


def soon():
    return time.monotonic() + 60


def test_its_lines_come_in_turn_and_none_at_its_end(process):
    found = process("print('one'); print('two')")
    assert [found.line(soon()) for _ in range(3)] == ["one\n", "two\n", None]


def test_a_line_that_does_not_come_is_not_waited_for_beyond_the_deadline(process):
    found = process("input()")
    assert found.code is None
    with pytest.raises(queue.Empty):
        found.line(time.monotonic() - 1)


def test_its_last_words_are_the_last_line_that_is_not_empty(process):
    # A bar of progress writes over itself.
    found = process("""
        import sys
        sys.stderr.write("first\\n 10 %\\r 20 %\\r no room \\n\\n")
        sys.exit(3)
    """)
    assert found.line(soon()) is None
    assert found.ended() == (3, "no room")


def test_the_words_of_one_that_writes_much_are_its_last(process):
    found = process("import sys; sys.stderr.write('x' * 100_000 + '\\nend\\n'); sys.exit(1)")
    assert found.line(soon()) is None
    assert found.ended() == (1, "end")


def test_one_that_says_nothing_has_no_last_words(process):
    found = process("pass")
    assert found.line(soon()) is None
    assert found.ended() == (0, "")


@pytest.mark.parametrize("is_terminal", [False, True])
def test_the_first_lines_of_a_design_are_kept(process, monkeypatch, is_terminal):
    shown = StringIO()
    shown.isatty = lambda: is_terminal
    monkeypatch.setattr(sim_process.sys, "stderr", shown)
    found = process("""
        import sys
        sys.stderr.write("10 % \\r" + "design: nothing drives d\\n")
        for n in range(25):
            sys.stderr.write(f"design at {n}.5 us: q becomes {n}\\nbuilding\\n")
    """)
    assert found.line(soon()) is None
    found.ended()
    assert found.said == [f"{n}.5 us: q becomes {n}" for n in range(20)]
    assert shown.getvalue().count("design at ") == 25


def test_what_a_starter_is_asked_is_one_line_of_json(process):
    found = process("""
        import json
        print(json.loads(input()))
        print(json.loads(input()))
    """)
    found.ask(["--dut", "ä b"])
    found.ask(())
    assert [found.line(soon()) for _ in range(2)] == ["['--dut', 'ä b']\n", "[]\n"]


def test_one_that_has_ended_can_be_asked_and_ended_again(process):
    found = process("pass")
    assert found.line(soon()) is None
    found.ended()
    found.ask(["--dut"])
    found.end()
    found.end()
    assert found.code == 0


def test_its_end_is_the_end_of_one_that_waits(process):
    found = process("import time; print('up', flush=True); time.sleep(600)")
    assert found.line(soon()) == "up\n"
    found.end()
    # The guard asks by SIGTERM, and says so as a shell does.
    assert found.code == 128 + 15


def test_what_the_simulator_says_is_shown_at_once(monkeypatch):
    shown = []
    stream = SimpleNamespace(write=shown.append, flush=lambda: shown.append("flushed"))
    monkeypatch.setattr(sim_process.sys, "stderr", stream)
    sim_process._show(b"building 3 of 9 \xff")
    assert shown == ["building 3 of 9 \N{REPLACEMENT CHARACTER}", "flushed"]
    sim_process._show(b"")
    assert len(shown) == 2


@pytest.mark.parametrize(
    ("is_terminal", "said"),
    [(True, "building 1 of 2\ndesign: up\n"), (False, "design: up\n")],
)
def test_progress_is_for_a_terminal_alone_and_what_a_design_says_for_all(
    process, monkeypatch, is_terminal, said
):
    shown = []
    stream = SimpleNamespace(write=shown.append, flush=lambda: None, isatty=lambda: is_terminal)
    monkeypatch.setattr(sim_process.sys, "stderr", stream)
    found = process("import os; os.write(2, b'building 1 of 2\\ndesign: up\\n')")
    assert found.line(soon()) is None
    assert found.ended() == (0, "design: up")
    assert "".join(shown) == said


@pytest.mark.parametrize("is_terminal", [False, True])
@pytest.mark.parametrize(
    "begins", ["twin: the gateware takes this run: ", "twin: the gateware takes this: "]
)
def test_that_the_twin_hands_over_is_told_as_what_it_means(
    process, monkeypatch, is_terminal, begins
):
    shown = StringIO()
    shown.isatty = lambda: is_terminal
    monkeypatch.setattr(sim_process.sys, "stderr", shown)
    found = process(f"import os; os.write(2, b'{begins}its option pace needs it\\n')")
    assert found.line(soon()) is None
    found.ended()
    assert shown.getvalue() == (
        "plexor: the gateware itself is simulated, which is slower: its option pace needs it\n"
    )
