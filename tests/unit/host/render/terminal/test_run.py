"""Terminal text, pictures and the page: what they say, and that it fits."""

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import numpy as np
import pytest

from plexor.analyse.analyse import analyse
from plexor.judge.budget import judge
from plexor.judge.budget_file import parse
from plexor.model.results import Identity
from plexor.model.settings import RegisterWrite, Stimulus
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import StopReason, Trigger
from plexor.render.facts import summary
from plexor.render.html import WIDTHS
from plexor.render.page import page
from plexor.render.pictures.frame import WIDTH
from plexor.render.pictures.latency import course, histogram, shares, tail
from plexor.render.pictures.picture import picture
from plexor.render.pictures.scope import scope
from plexor.render.pictures.trace import trace
from plexor.render.terminal.run import text
from plexor.units import format_ticks

from ...pictures import SVG, assert_no_texts_touch, assert_texts_lie_within, places, texts_of_page

BUDGET = parse(
    'title = "motor <control>"\n[all]\nmax = "4 us"\np99 = "9 us"\nmean = { goal = "1 us" }', "b"
)


def stopped(run, index, kept=512, why=StopReason.LATENCY):
    """Return a run that an event stopped, with so many events around it."""
    return dataclasses.replace(
        run,
        settings=dataclasses.replace(run.settings, latency_over_s=Fraction(9, 10**6)),
        stop_reason=why,
        trace=run.events[max(index - kept // 2, 0) : index + kept // 2],
        trigger_index=index,
        trigger_ticks=int(run.events["time_ticks"][index]),
    )


def two_strikes(run):
    """Return a run whose second channel answers a second output."""
    follows = Stimulus(1, trigger=Trigger.STRIKE, trigger_source=0)
    first, second = run.channels
    return dataclasses.replace(
        run,
        settings=dataclasses.replace(run.settings, strikes=(*run.settings.strikes, follows)),
        channels=(first, dataclasses.replace(second, reference="strike1")),
        events=None,
    )


@pytest.fixture(scope="module")
def runs(run_of):
    """Return runs of every kind that must be drawn."""
    random = np.random.default_rng(11)
    isr = (2000 + random.geometric(0.02, 900)).tolist()
    task = (9000 + random.lognormal(6, 1, 900)).astype(int).tolist()
    usual = run_of([isr, [None if n % 100 == 7 else v for n, v in enumerate(task)]])
    lost = dataclasses.replace(
        usual.accounting, received=usual.accounting.received - 3, lost_on_link=2
    )
    board = Geometry(features=ALL_FEATURES & ~Feature.SIMULATED, board="ulx3s")
    return {
        "usual": usual,
        "bins": run_of([isr, task], keep_events=False),
        "wide": run_of([[20, 4_000_000, 70_000] * 30], period=9_000_000),
        "one": run_of([[1234]]),
        "equal": run_of([[1000] * 500]),
        "zero": run_of([[0, 0, 0]]),
        "early": run_of([[-300, 200, 400]]),
        "none": run_of([[None, None]]),
        "no channel": run_of([]),
        "eight": run_of([isr] * 8, names=[f"channel number {n} <&>" for n in range(8)]),
        "board": dataclasses.replace(usual, identity=Identity(board, 7)),
        "trace": stopped(usual, 3000),
        "trace at the start": stopped(usual, 2),
        "short trace": stopped(usual, 4000, 16),
        "trace of eight": stopped(run_of([isr] * 8, names=list("abcdefgh")), 90),
        "trace of a missed strike": stopped(usual, 700, why=StopReason.MISSED),
        "two strikes": two_strikes(run_of([isr, task])),
        "invalid": dataclasses.replace(usual, accounting=lost, invalid_reasons=("books & pens",)),
    }


TRACES = (
    "trace",
    "trace at the start",
    "short trace",
    "trace of eight",
    "trace of a missed strike",
)
KINDS = (
    "usual",
    "bins",
    "wide",
    "one",
    "equal",
    "zero",
    "early",
    "none",
    "no channel",
    "eight",
    "board",
    "two strikes",
    *TRACES,
    "invalid",
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", WIDTHS.values())
@pytest.mark.parametrize("draw", [scope, histogram, tail, shares, course, trace])
def test_every_picture_is_well_formed_and_holds_its_texts(runs, kind, width, draw):
    canvas = draw(analyse(runs[kind]), width=width)
    # Elsewhere than on a page pictures are wide, and have a heading.
    if canvas is not None and (canvas.parts or width == WIDTH):
        assert_texts_lie_within(canvas, heading=width == WIDTH)


@pytest.mark.parametrize(
    "kind", ["usual", "bins", "wide", "one", "early", "board", "two strikes", *TRACES]
)
@pytest.mark.parametrize("width", WIDTHS.values())
@pytest.mark.parametrize("draw", [scope, histogram, tail, shares, course, trace])
def test_no_two_texts_of_a_picture_touch(runs, kind, width, draw):
    canvas = draw(analyse(runs[kind]), width=width)
    if canvas is not None:
        assert_no_texts_touch(canvas, heading=width == WIDTH)


@pytest.mark.parametrize("draw", [scope, histogram, tail, shares, course])
def test_every_picture_says_where_its_figures_come_from(runs, draw):
    assert ">simulated<" in draw(analyse(runs["usual"])).render(style=True)
    assert ">measured on ulx3s<" in draw(analyse(runs["board"])).render(style=True)
    assert "simulated" not in draw(analyse(runs["board"])).render(style=False)


def test_the_events_around_the_trigger_are_drawn_and_it_is_marked(runs):
    drawn = trace(analyse(runs["trace"])).render(style=True)
    own = runs["trace"].trigger_ticks - runs["trace"].start_ticks
    name = {0: "ISR", 1: "TASK", 8: "strike0"}[int(runs["trace"].events["source"][3000])]
    assert f">{name} at {format_ticks(own, 10**6)}<" in drawn
    assert "A latency above 9 µs ended the run; the instrument kept 512 events" in drawn
    assert drawn.count('class="worst"') == 2  # in all that was kept, and in detail
    assert trace(analyse(runs["short trace"])).render(style=True).count('class="worst"') == 1
    assert "A missed strike ended" in page(analyse(runs["trace of a missed strike"]))


def test_levels_before_the_first_edge_of_a_trace_are_its_opposite(runs):
    run = runs["short trace"]
    canvas = trace(analyse(run))
    paths = [ET.fromstring(part) for part in canvas.parts if part.startswith("<path")]
    pins = [path for path in paths if path.get("stroke-width") == "1.8"]
    for path, source in zip(pins, (8, 0, 1), strict=True):
        own = run.trace[run.trace["source"] == source]
        start, first = re.match(r"M\S+ (\S+?)H[\d.]+V([\d.]+)", path.get("d")).groups()
        assert (float(first) < float(start)) == bool(own["polarity"][0])
        assert path.get("d").count("V") == len(own)


def test_a_run_that_nothing_stopped_has_no_trace(runs):
    assert trace(analyse(runs["usual"])) is None
    assert "Around the trigger" not in page(analyse(runs["usual"]))


def test_several_outputs_are_told_apart(runs):
    report = analyse(runs["two strikes"])
    assert "strikes · strike0 20 kHz · strike1 on each strike0 · " in summary(report)
    drawn = scope(report).render(style=True)
    assert ">strike1<" in drawn
    assert ">time after each channel's own strike<" in drawn
    assert ">strike0<" not in scope(analyse(runs["usual"])).render(style=True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_whole_and_fetches_nothing(runs, kind):
    report = analyse(runs[kind])
    content = page(report, judge(report, BUDGET))
    texts = texts_of_page(content)
    assert "motor <control>" in "".join(texts)


def test_the_page_tells_figures_books_and_verdict(runs):
    report = analyse(runs["usual"])
    content = page(report, judge(report, BUDGET))
    generated = runs["usual"].accounting.generated
    assert f"generated {generated:,} = received {generated:,}" in content
    assert "Over budget: motor &lt;control&gt;" in content
    assert "FreeRTOS 11.2.0 on VexRiscv 50 MHz" in content
    assert "prefers-color-scheme" in content


def test_an_invalid_run_says_so_before_anything_else(runs):
    report = analyse(runs["invalid"])
    content = page(report, judge(report, BUDGET))
    assert "these figures prove nothing" in content
    assert "books &amp; pens" in content
    assert "Within budget" not in content
    assert " ≠ received" in content
    assert "INVALID RUN: books & pens" in text(report)
    assert "INVALID RUN" in picture(report)
    assert "INVALID" not in picture(analyse(runs["usual"]))


def test_a_picture_of_two_runs_draws_them_on_the_same_axes(runs):
    usual = analyse(runs["usual"])
    loaded = dataclasses.replace(
        runs["wide"], settings=dataclasses.replace(runs["wide"].settings, load=True)
    )
    both = ET.fromstring(picture(usual, analyse(loaded)))
    texts = [content for content, *_ in places(both)]
    assert "Idle, latency" in texts
    assert "Under load, latency" in texts
    rows = {}
    for content, left, _, baseline, _ in places(both):
        rows.setdefault(baseline, set()).add((content, left))
    axes = [row for row in rows.values() if len(row) > 3]
    assert any(one == other for one, other in itertools.combinations(axes, 2))


@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_is_one_file_for_light_and_dark(runs, kind):
    svg = ET.fromstring(picture(analyse(runs[kind])))
    assert "prefers-color-scheme:dark" in svg.find(f"{SVG}style").text


GOLDEN = """\
FreeRTOS 11.2.0 on VexRiscv 50 MHz
4 strikes · 20 kHz · 300 µs · idle · simulated

channel       n  missed  late  duplicate  spurious   min      p50        p99
ISR           3       1     0          0         0  1 µs  too few    too few
from strike0                                              needs 6  needs 368

channel             p99.9  max = back wall
ISR               too few             3 µs
from strike0  needs 3,688        at 103 µs

channel  mean  peak-to-peak       RMS       jitter128  first  peaks  on-width  period
ISR      2 µs          2 µs  816.5 ns            2 µs   1 µs      -    100 ns   51 µs
                                       only 3 samples
"""


def test_the_terminal_s_table_reads_as_written_here(run_of):
    report = analyse(run_of([[1000, 2000, 3000, None]]))
    assert text(report, width=86).startswith(GOLDEN)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [40, 57, 80, 200])
def test_text_is_never_wider_than_the_terminal(runs, kind, width):
    report = analyse(runs[kind])
    for line in text(report, judge(report, BUDGET), width=width).splitlines():
        assert len(line) <= width


def test_text_without_colour_says_all_that_colour_says(runs):
    report = analyse(runs["usual"])
    verdict = judge(report, BUDGET)
    plain, bright = text(report, verdict), text(report, verdict, colour=True)
    assert "\x1b[" not in plain
    assert re.sub(r"\x1b\[\d+m", "", bright) == plain
    assert "BROKEN" in plain
    assert "simulated" in plain


def test_one_sample_among_many_is_seen_in_the_terminal(run_of):
    lines = text(analyse(run_of([[1000] * 100_0 + [3000]])), width=80).splitlines()
    row = next(line for line in lines if line.lstrip().startswith("1 "))
    assert row.rstrip()[-1] == "▁"


@pytest.mark.parametrize(
    ("reference", "width_ticks", "falls"),
    [("strike1", 900, True), ("strike1", 10**9, False), ("strike0", 900, False)],
)
def test_the_strike_is_as_long_as_it_was_where_all_channels_have_the_same(
    run_of, reference, width_ticks, falls
):
    run = run_of([[2000] * 20, [5000] * 20])
    channels = [dataclasses.replace(channel, reference=reference) for channel in run.channels]
    run = dataclasses.replace(
        run,
        channels=tuple(channels),
        registers=(*run.registers, RegisterWrite("stimulus", 1, "width_ticks", width_ticks)),
    )
    drawn = re.search(
        r'<path class="rule" fill="none" d="([^"]*)"', scope(analyse(run)).render(style=True)
    )[1]
    assert drawn.count("V") == 1 + falls
    if falls:
        rise_x, fall_x = (float(x) for x in re.findall(r"H([\d.]+)V", drawn))
        p50 = re.search(r'<text[^>]* x="([\d.]+)"[^>]*>p50 2 µs', scope(analyse(run)).render(True))
        assert (fall_x - rise_x) / (float(p50[1]) - rise_x) == pytest.approx(
            width_ticks / 2000, 0.02
        )


@pytest.mark.parametrize(("channels", "said"), [(2, 2), (8, 0)])
def test_labels_are_written_out_where_there_is_room(run_of, channels, said):
    run = run_of([[2000, 2010]] * channels, names=[f"pin number {n}" for n in range(channels)])
    assert histogram(analyse(run)).render(style=True).count(" back wall ") == said
