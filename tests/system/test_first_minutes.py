# SPDX-License-Identifier: Apache-2.0
"""The first ten minutes, counted in commands: how many stand between a newcomer and what they want.

Five newcomers: with a board on the desk, in CI, with a report to send on, in a notebook, and out of
curiosity. The commands are typed as they stand here, in an empty folder.
"""

import re
import shlex

import matplotlib as mpl
import pytest
from test_documented import served

from plexor import cli

TO_A_FIGURE, TO_A_FAILING_BUILD, TO_A_PAGE_OF_TWO, TO_A_PLOT = 2, 3, 3, 2
"""Commands at most, or cells of a notebook."""
DESK = (
    "plexor board devices",
    "plexor measure --link LINK --rate 20k --count 400",
)
CURIOUS = ("plexor measure --rate 20k --count 400",)
CI = (
    "plexor examples",
    "plexor measure --dut plexor-examples/irq.toml:clock=20ns --rate 20k --count 400"
    " --dither 1024ns --channel entry=ch0 --channel handled[0]=ch1"
    " --budget plexor-examples/budget.toml",
)
CI_OF_CHANGES = (
    "plexor measure --dut bare --rate 20k --count 400 --out main",
    "plexor measure --dut freertos --rate 20k --count 400 --out branch",
    "plexor compare main branch --fail-on 'p50>+5%'",
)
REPORT = (
    "plexor measure --rate 5k --count 400 --out idle",
    "plexor measure --dut freertos:load=critical --rate 5k --count 400 --out loaded",
    "plexor show idle loaded --to both.html",
)
NOTEBOOK = (
    "import plexor; run = plexor.open('sim:').run(rate='20k', count=400)",
    "run.plot()",
)
FIGURE = re.compile(r"\bmax seen\b.*\n(?:.*\n)*?ISR .* \d[\d.]* µs")


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


def typed(commands, capsys, **filled):
    """Type commands, which may fail at the last one alone; return (exit code, what it printed)."""
    code, printed = 0, ""
    for command in commands:
        assert code == 0, f"ended with {code} before {command}"
        whole = command
        for name, text in filled.items():
            whole = whole.replace(name, text)
        program, *words = shlex.split(whole)
        assert program == "plexor"
        code = cli.main(words)
        printed = capsys.readouterr().out
    return code, printed


def test_out_of_curiosity_the_first_figure(capsys):
    assert len(CURIOUS) <= TO_A_FIGURE
    code, printed = typed(CURIOUS, capsys)
    assert code == 0
    assert FIGURE.search(printed)


def test_the_first_command_is_the_one_that_plexor_alone_names(capsys):
    assert cli.main([]) == 0
    assert CURIOUS[0].replace("--count 400", "--count 10k") in capsys.readouterr().out


def test_with_a_board_on_the_desk_the_first_figure(capsys):
    assert len(DESK) <= TO_A_FIGURE
    with served(["-m", "plexor_sim.serve", "--dut", "freertos"]) as (host, port):
        code, printed = typed(DESK, capsys, LINK=f"tcp://{host}:{port} --channel ISR=ch0")
    assert code == 0
    assert FIGURE.search(printed)


@pytest.mark.parametrize("commands", [CI, CI_OF_CHANGES], ids=["a budget", "a change"])
def test_in_ci_a_failing_build(commands, capsys):
    assert len(commands) <= TO_A_FAILING_BUILD
    code, printed = typed(commands, capsys)
    assert code == 1
    assert "FAIL" in printed


def test_for_a_report_a_page_of_two_runs(capsys, tmp_path):
    assert len(REPORT) <= TO_A_PAGE_OF_TWO
    assert typed(REPORT, capsys)[0] == 0
    page = (tmp_path / "both.html").read_text()
    assert re.search(r'<p class="lead">TASK: loaded is [\d.]+ times idle at p99', page)
    assert "Persistence of all runs" in page


def test_in_a_notebook_a_plot():
    assert len(NOTEBOOK) <= TO_A_PLOT
    mpl.use("agg")
    names = {}
    *cells, last = NOTEBOOK
    for cell in cells:
        exec(cell, names)
    figure = eval(last, names)
    assert figure.axes
    assert {text.get_text() for text in figure.axes[0].get_legend().get_texts()} >= {"ISR", "TASK"}
