"""Pictures, page and terminal text of a sweep: what they say, and that it fits."""

import dataclasses
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.protocol.memory import ResponseClass
from plexor.render.html import WIDTHS
from plexor.render.pictures.frame import WIDTH
from plexor.render.pictures.sweep import channels_of, frontier
from plexor.render.sweep_page import sweep_page, sweep_svg
from plexor.render.terminal.sweep import sweep_text
from plexor.sweep.decide import Verdict
from plexor.sweep.model import REST, Bracket

from ..pictures import SVG, assert_no_texts_touch, assert_texts_lie_within, places, texts_of_page
from ..sweeps import RATES, figures, knee, result, step, swept

LOADS = {
    "none": 100_000,
    "polygons": 80_000,
    "critical sections and more": 40_000,
    "<storm & co>": 10_000,
    "cpu": 300_000,
    "memory": 81_000,
    "queue": 82_000,
    "all of the loads together and for long": 25_000,
}
SWEEPS = {
    "one load": swept({"none": 100_000}),
    "two loads": swept({"none": 100_000, "polygons": 80_000}),
    "eight loads": swept(LOADS, ("an interrupt with a long name", "APP")),
    "nine loads": swept(LOADS | {"ninth": 25_000}),
    "up and down": swept({"none": 100_000, "polygons": 80_000}, ("IST",), ("up", "down")),
    "no answer": result(
        [step("none", rate, figures("IST", missed=1000)) for rate in RATES],
        [knee("none", "IST", None, 20_000)],
    ),
    "interrupted": result(
        [step("none", 20_000, figures("IST"))], [knee("none", "IST", None, None)], interrupted=True
    ),
    "several limits": dataclasses.replace(
        swept({"none": 100_000}),
        criteria=("missed<0.1%@95%", "latency<=50 µs:0.1%@95%", "jitter<=10 µs:0.1%@95%"),
    ),
    "not monotonic": result(
        [step("none", rate, figures("IST", missed=900 * (rate == 40_000))) for rate in RATES],
        [knee("none", "IST", 25_000, 40_000, passing_above_hz=(80_000,))],
    ),
}


@pytest.mark.parametrize("width", WIDTHS.values())
@pytest.mark.parametrize("kind", SWEEPS)
def test_every_picture_holds_its_texts_apart(kind, width):
    for channel in channels_of(SWEEPS[kind]):
        canvas = frontier(SWEEPS[kind], channel, width)
        assert_texts_lie_within(canvas, heading=width == WIDTH)
        assert_no_texts_touch(canvas, heading=width == WIDTH)


def drawn(sweep, width=WIDTH):
    return ET.fromstring(frontier(sweep, "IST", width).render(style=False))


def marks(svg):
    """Return (class, x, y of the middle, shape) of the marks, those of the legend left out."""
    found = []
    for path in svg.iter(f"{SVG}path"):
        style = path.get("class").split()
        if path.get("stroke-width") == "1.4" and len(style) == 2 and style[1] != "average":
            start = re.match(r"M(\S+) (\S+?)([al])(\S+)", path.get("d"))
            dot = start[3] == "a"
            half = 3.2 if dot else 3.5 * (1 if start[4][0] != "-" else -1)
            middle = float(start[1]) + half, float(start[2]) + (0 if dot else 4)
            found.append((path.get("class"), *middle, start[3] + start[4]))
    return found


@pytest.mark.parametrize("width", WIDTHS.values())
def test_a_bracket_lies_where_its_rates_are(width):
    svg = drawn(SWEEPS["two loads"], width)
    bands = [r for r in svg.iter(f"{SVG}rect") if r.get("fill-opacity") == "0.28"]
    start, end = 72 + 12, width - 24 - 12
    assert len(bands) == 4  # of two loads, over two panels
    for band, (low, high) in zip(bands[::2], [(100_000, 160_000), (80_000, 100_000)], strict=True):
        x, x2 = (start + (end - start) * math.log10(rate / 20_000) for rate in (low, high))
        assert float(band.get("x")) == pytest.approx(x, abs=0.06)
        assert float(band.get("width")) == pytest.approx(x2 - x, abs=0.06)
    texts = [content for content, *_ in places(svg)]
    assert "none: 100 kHz to 160 kHz" in texts
    assert "polygons: 80 kHz to 100 kHz" in texts


def test_marks_are_full_where_a_rate_is_sustained():
    found = [style for style, *_ in marks(drawn(SWEEPS["two loads"]))]
    # Of seven rates five pass idle and four under load, each marked in both panels.
    assert {style: found.count(style) for style in found} == {
        "f0 s0": 10,
        "paper s0": 4,
        "f1 s1": 8,
        "paper s1": 6,
    }


def test_a_share_at_the_limit_is_drawn_on_the_limit():
    planted = [step("none", r, figures("IST", missed=10)) for r in (20_000, 200_000)]
    svg = drawn(result(planted, [knee("none", "IST", 200_000, None)]))
    limit = next(p for p in svg.iter(f"{SVG}path") if p.get("stroke-dasharray") == "4 3")
    y = float(limit.get("d").split("L")[0].split()[1])
    assert sorted({at for _, _, at, _ in marks(svg)})[-1] == pytest.approx(y, abs=0.06)


def test_latency_rises_by_its_logarithm():
    latencies = (1000, 10_000, 100_000)
    planted = [
        step("none", rate, figures("IST", latency=ticks))
        for rate, ticks in zip((20_000, 60_000, 200_000), latencies, strict=True)
    ]
    svg = drawn(result(planted, [knee("none", "IST", 200_000, None)]))
    first, second, third = [y for _, _, y, _ in marks(svg)][:3]
    assert first > second > third
    assert first - second == pytest.approx(second - third, abs=0.11)


def test_both_ways_of_a_scan_are_told_apart():
    found = marks(drawn(SWEEPS["up and down"]))
    rising = [shape for *_, shape in found if shape.startswith("l7.5")]
    falling = [shape for *_, shape in found if shape.startswith("l-7.5")]
    assert len(rising) == len(falling) == 2 * 2 * len(RATES)
    texts = [content for content, *_ in places(drawn(SWEEPS["up and down"]))]
    assert {"rate rises", "rate falls"} <= set(texts)
    assert "rate rises" not in [c for c, *_ in places(drawn(SWEEPS["two loads"]))]


def test_the_picture_says_where_its_figures_come_from():
    board = dataclasses.replace(SWEEPS["two loads"], simulated=False)
    assert "simulated" not in sweep_svg(board)
    assert ">measured<" in sweep_svg(board)
    assert ">simulated<" in sweep_svg(SWEEPS["two loads"])


@pytest.mark.parametrize("kind", SWEEPS)
def test_the_page_is_whole_and_tells_each_bracket(kind):
    texts = texts_of_page(sweep_page(SWEEPS[kind]))
    for entry in SWEEPS[kind].knees:
        assert entry.load in texts
        assert entry.channel in texts
    assert ("Interrupted: these are the results up to that point" in texts) == (
        kind == "interrupted"
    )


def test_a_load_s_name_is_text():
    assert "<storm" not in sweep_page(SWEEPS["eight loads"])
    ET.fromstring(sweep_svg(SWEEPS["eight loads"]))


@pytest.mark.parametrize("width", [40, 57, 100, 200])
@pytest.mark.parametrize("kind", SWEEPS)
def test_text_is_never_wider_than_the_terminal(kind, width):
    for line in sweep_text(SWEEPS[kind], width=width).splitlines():
        assert len(line) <= width


def test_bars_stand_in_the_columns_of_their_rates():
    lines = sweep_text(SWEEPS["two loads"], width=108).splitlines()
    top = lines.index("none, IST")
    # 100 columns behind a margin of 8 for a decade: 20 kHz is the first, 200 kHz the last of them.
    columns = [8 + min(int(100 * math.log10(rate / 20_000)), 99) for rate in RATES]
    marked = dict(zip(columns, "+++++xx", strict=True))
    assert {n: c for n, c in enumerate(lines[top + 5]) if c in "+x?" and n >= 8} == marked
    foot, missed = lines[top + 3], lines[top + 4]
    assert all(foot[n] != " " for n in columns)
    assert [n for n, c in enumerate(missed) if c != " " and n >= 8] == columns[5:]
    assert foot.startswith(" 2.5 µs ")
    assert lines[top + 1].startswith("  30 µs ")


def test_scans_have_bars_of_their_own_where_they_do_not_agree_with_the_search():
    planted = SWEEPS["up and down"]
    titles = {
        f"{load}, IST, rate {way}" for load in ("none", "polygons") for way in ("rises", "falls")
    }
    assert titles < set(sweep_text(planted).splitlines())
    agreeing = tuple(replace(k, up=k.bracket, down=k.bracket) for k in planted.knees)
    lines = sweep_text(replace(planted, knees=agreeing)).splitlines()
    assert not titles & set(lines)
    assert (
        "none, IST: scan up 100 kHz to 160 kHz, down 100 kHz to 160 kHz: agree with the search"
        in lines
    )


def test_a_pin_that_moves_by_itself_is_said_to():
    restless = figures("IST")
    classes = {**restless.classes, ResponseClass.DUPLICATE: 60, ResponseClass.SPURIOUS: 41}
    for found, said in ((restless, False), (replace(restless, classes=classes), True)):
        planted = result([step("none", 80_000, found)], [knee("none", "IST", 80_000, 100_000)])
        text = " ".join(sweep_text(planted).split())
        assert ("101 responses to 1000 strikes at 80 kHz answer no strike" in text) == said


def test_hysteresis_and_recovery_are_said():
    low, high = (
        Bracket(Fraction(20_000), Fraction(40_000)),
        Bracket(Fraction(80_000), Fraction(100_000)),
    )
    sticky = replace(knee("none", "IST", 80_000, 100_000), up=high, down=low)
    rest = replace(step("none", 20_000, figures("IST"), direction=REST), recovery_s=0.0125)
    found = sweep_text(result([rest], [sticky]))
    assert "none, IST: scan up 80 kHz to 100 kHz, down 20 kHz to 40 kHz: hysteresis\n" in found
    assert (
        "none: after the highest rate it answers every strike at 20 kHz within 12.5 ms\n" in found
    )
    found = sweep_text(result([replace(rest, recovery_s=None)], [sticky]))
    assert "after the highest rate it never again answers every strike at 20 kHz\n" in found
    assert "never again answers" in sweep_page(result([replace(rest, recovery_s=None)], [sticky]))


def test_what_could_not_be_decided_is_marked_as_such():
    open_one = figures("IST", missed=9, verdict=Verdict.UNDECIDED)
    planted = [step("none", 20_000, figures("IST")), step("none", 200_000, open_one)]
    found = sweep_text(result(planted, [knee("none", "IST", 20_000, None)]))
    assert re.search(r"keeps \+ +\?\n", found)


def test_without_colour_there_are_no_escapes():
    assert "\x1b" not in sweep_text(SWEEPS["two loads"])
    plain = re.sub(r"\x1b\[\d+m", "", sweep_text(SWEEPS["two loads"], colour=True))
    assert plain == sweep_text(SWEEPS["two loads"])


def shown_everywhere(planted):
    """Return what the terminal, the page and the page's table say, each as one text."""
    return [" ".join(sweep_text(planted, width=4000).split()), sweep_page(planted)]


def test_what_draws_nothing_at_random_is_said_to_be_deterministic():
    base = SWEEPS["two loads"]
    for drawn in (True, None, False):
        steps = tuple(
            dataclasses.replace(each, drawn=drawn if each.load == "none" else True)
            for each in base.steps
        )
        for text in shown_everywhere(dataclasses.replace(base, steps=steps)):
            assert ("none: deterministic: neither the strikes nor" in text) == (drawn is False)


def test_answers_that_come_again_are_said_to_at_the_ends_of_a_bracket():
    cycles = {20_000: 3, 100_000: 1, 160_000: 25, 200_000: 7}
    steps = [
        step("none", rate, dataclasses.replace(figures("IST"), cycle=cycle))
        for rate, cycle in cycles.items()
    ]
    planted = result(steps, [knee("none", "IST", 100_000, 160_000)])
    text, page = shown_everywhere(planted)
    said = (
        "its answers repeat every strike at 100 kHz and every 25 strikes at 160 kHz: "
        "more strikes reveal nothing new there"
    )
    assert said in text
    assert said in page
    assert "every 7<" in page
    assert "answers repeat" not in shown_everywhere(SWEEPS["two loads"])[0]


def test_where_matches_may_be_shifted_no_latency_is_shown():
    unknown = dict.fromkeys(
        ["min_ticks", "max_ticks", "p50_ticks", "p99_ticks", "rms_ticks", "jitter128_ticks"]
    )
    kept = figures("IST", missed=3, latency=2222)
    steps = [
        step("none", 20_000, figures("IST", latency=1111)),
        step("none", 100_000, dataclasses.replace(kept, shifted=True, **unknown)),
        step("none", 200_000, dataclasses.replace(kept, shifted=True, **unknown)),
    ]
    planted = result(steps, [knee("none", "IST", 100_000, 200_000)])
    said = "2 of 3 steps without latencies: missed strikes were still open"
    for text in shown_everywhere(planted):
        assert said in text
    # The row of the bracket's passing rate has neither p99 nor max.
    (row,) = [line for line in sweep_text(planted, width=200).splitlines() if " to 200 kHz" in line]
    assert row.split()[-3:-1] == ["-", "-"]
    assert len([y for _, _, y, _ in marks(drawn(planted))]) == 1 + 3
    plain = result([step("none", 20_000, kept)], [knee("none", "IST", 20_000, None)])
    assert "without latencies" not in shown_everywhere(plain)[0]
