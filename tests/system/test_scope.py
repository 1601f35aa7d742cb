# SPDX-License-Identifier: Apache-2.0
"""`plexor scope`: a simulated instrument measured from its page, and the report of what was kept.

With its script a report has one stack of pictures with cursors, without it the still ones.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from bench import SMALL, simulator
from scope_page import LivePage

from plexor.base.units import format_rate, format_seconds
from plexor.files.store.run_folder import load
from plexor.library.run import Run
from plexor.model.results import Kind

STRIKES = 160
DEVICE = "synthetic:seed=5,latency=uniform:1500ns:2200ns,width=300ns,ch1.latency=1us,ch1.drop=0.02"
PROGRAM = Path(sys.executable).with_name("plexor")
STACK = ("persistence", "histogram", "tail", "waterfall")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def program(folder):
    """Return the program, once it has said where it listens; ended by Ctrl-C."""
    command = [PROGRAM, "scope", "--no-open", "--out", folder, "--link"]
    with (
        simulator(DEVICE, SMALL) as server,
        subprocess.Popen(
            [*command, f"tcp://127.0.0.1:{server.port}"], stdout=subprocess.PIPE, text=True
        ) as found,
    ):
        try:
            assert found.stdout is not None
            found.address = found.stdout.readline().removeprefix("listening ").strip()
            yield found
            found.send_signal(signal.SIGINT)
            assert found.wait(30) == 0
            assert found.stdout.read() == ""
        finally:
            found.kill()


@pytest.fixture(scope="module")
def live(chromium, program, folder):
    """Return what the page had at the end of a run that it kept."""
    chromium.screen(1400, 900)
    page = LivePage(chromium, program, None)
    page.load()
    page.run_to_end(rate="200k", width="500ns", count=str(STRIKES), deadline="1800ns")
    page.click("keep")
    page.until("document.getElementById('notice').textContent.startsWith('kept in ')")
    page.until("!document.getElementById('outliers').hidden")
    found = page.js(
        "({frame: plexor.feed.frame, light: document.getElementById('light').className,"
        "source: document.getElementById('source').textContent,"
        "drawn: plexor.feed.channels.map((channel) => channel.rise.total),"
        "outliers: document.querySelectorAll('#outliers li').length,"
        "around: (() => { const c = document.querySelector('.around');"
        "const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);"
        "return new Set(new Uint32Array(data.buffer)).size; })()})"
    )
    assert chromium.errors() == []
    chromium.driver.get("about:blank")
    return found


@pytest.fixture(scope="module")
def run(live, folder):
    (kept,) = folder.iterdir()
    return Run(load(kept))


def test_a_simulated_instrument_is_measured_from_the_page(live):
    assert live["source"] == "simulated"
    assert live["light"] == "good"
    assert live["frame"]["strikes"] == STRIKES
    assert live["frame"]["elapsed_s"] == pytest.approx(STRIKES / 200e3, rel=0.05)


def test_the_run_that_was_kept_has_what_was_asked_for_and_what_was_drawn(live, run):
    assert run.valid
    assert run.result.strikes == STRIKES
    writes = {(w.block, w.copy, w.name): w.value for w in run.result.registers}
    tick_s = run.tick_fs / 1e15
    assert writes["stimulus", 0, "interval_ticks"] * tick_s == pytest.approx(5e-6, rel=1e-3)
    assert writes["stimulus", 0, "width_ticks"] * tick_s == pytest.approx(500e-9, rel=0.02)
    assert writes["channel", 0, "deadline_ticks"] * tick_s == pytest.approx(1.8e-6, rel=0.01)
    kept = [channel.measurement(Kind.RISE) for channel in run.result.channels]
    assert live["drawn"] == [entry.statistics.count for entry in kept]
    assert run["ch1"].missed > 0


def test_the_latest_responses_are_listed_with_the_events_around_them(live):
    assert live["outliers"] >= 2
    assert live["around"] > 8


@pytest.fixture(scope="module")
def latencies(run):
    """Return the latencies of the first channel in ticks: each answers the strike before it."""
    events = run.events
    times, rises = events["time_ticks"].astype(np.int64), events["polarity"] == 1
    strikes = times[rises & (events["source"] == 8)]
    answers = times[rises & (events["source"] == 0)]
    return answers - strikes[np.searchsorted(strikes, answers) - 1]


@pytest.fixture(scope="module")
def path(run, folder):
    found = folder / "report.html"
    found.write_text(run.page())
    return found


@pytest.fixture
def report(chromium, path):
    chromium.screen(1400, 900)
    chromium.driver.get(f"file://{path}")
    chromium.until("return globalThis.plexor?.stack.painted > 0")
    yield chromium
    assert chromium.errors() == []
    chromium.driver.get("about:blank")


def colours(report, name):
    return report.run(
        "const b = plexor.stack.boxes[arguments[0]];"
        "const c = plexor.stack[arguments[0] === 'persistence' ? 'traces' : 'base'];"
        "const { data } = c.getContext('2d').getImageData(b.x, b.y, b.w, b.h);"
        "return new Set(new Uint32Array(data.buffer)).size",
        name,
    )


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (400, True)])
def test_the_stack_takes_the_place_of_the_still_pictures(report, width, dark):
    report.screen(width, 900, dark=dark)
    report.until("return !plexor.stack.waiting")
    for name in STACK:
        assert colours(report, name) > 4, name
    assert report.run("return getComputedStyle(document.querySelector('.still')).display") == "none"
    assert report.run("return document.documentElement.scrollWidth") <= width


def test_the_stack_holds_every_response_of_the_run(report, latencies):
    low, counts = report.run(
        "const { rise } = plexor.run.channels[0]; return [[...rise.low], [...rise.counts]]"
    )
    expected, times = np.unique(latencies, return_counts=True)
    assert low == expected.tolist()
    assert counts == times.tolist()
    rows = report.run(
        "return plexor.run.waterfall.rows.reduce((n, row) => n + (row.parts.get(0)?.total ?? 0), 0)"
    )
    assert rows == len(latencies) == STRIKES


def test_cursors_tell_their_difference_and_the_share_between_them(report, run, latencies):
    report.run("plexor.view.set({cursors: {a: arguments[0], b: arguments[1]}})", 3000, 4140)
    text = report.until("return document.querySelector('.readout').textContent")
    assert f"Δ {format_seconds(1140 * run.tick_fs / 1e15, 5)}" in text
    share = np.count_nonzero((latencies >= 3000) & (latencies < 4140)) / len(latencies)
    assert f"ch0 {share * 100:.3g} %" in text


def test_the_wheel_scrolls_the_page_until_the_pictures_have_the_focus(report):
    wheel = (
        "plexor.stack.over.dispatchEvent(new WheelEvent('wheel', {deltaY: -200, clientX: 600,"
        "clientY: 300, bubbles: true, cancelable: true})); return plexor.view.domain"
    )
    assert report.run(wheel) is None
    report.run("plexor.stack.over.focus()")
    low, high = report.run(wheel)
    assert low < high


def test_without_a_script_the_still_pictures_are_there(report, path):
    report.tell("Emulation.setScriptExecutionDisabled", value=True)
    try:
        report.driver.get(f"file://{path}")
        report.tell("Emulation.setScriptExecutionDisabled", value=False)
        shown = report.run(
            "return [...document.querySelectorAll('.still svg')]"
            ".filter((each) => each.getBoundingClientRect().width).length"
        )
        assert shown == 3
        assert report.run("return document.getElementById('plexor-figure').hidden")
    finally:
        report.tell("Emulation.setScriptExecutionDisabled", value=False)


def test_on_paper_the_still_pictures_are_there(report):
    report.tell("Emulation.setEmulatedMedia", media="print")
    try:
        still = "return getComputedStyle(document.querySelector('.still')).display"
        assert report.run(still) != "none"
        figure = "return getComputedStyle(document.getElementById('plexor-figure')).display"
        assert report.run(figure) == "none"
    finally:
        report.tell("Emulation.setEmulatedMedia", media="")


def test_a_still_picture_has_cursors_with_their_difference(report):
    report.run(
        "globalThis.still = [...document.querySelectorAll('svg[data-axes]')]"
        ".find((each) => each.getBoundingClientRect().width);"
        "still.scrollIntoView({block: 'center'})"
    )
    low, high, start, end, log, top, bottom, _ = report.run(
        "return JSON.parse(still.dataset.axes)[0]"
    )
    left, above, width, wide, first = report.run(
        "const b = still.getBoundingClientRect(), v = still.viewBox.baseVal;"
        "return [b.left, b.top, b.width, v.width, v.y]"
    )
    assert not log
    unit = width / wide
    places = [round(left + (start + part * (end - start)) * unit) for part in (0.25, 0.75)]
    for x in places:
        report.run(
            "still.dispatchEvent(new MouseEvent('click', {clientX: arguments[0],"
            " clientY: arguments[1], bubbles: true}))",
            x,
            above + ((top + bottom) / 2 - first) * unit,
        )
    told = report.run("return document.querySelector('.tip').textContent")
    difference = (places[1] - places[0]) / unit / (end - start) * (high - low)
    assert f"Δ {format_seconds(difference, 5)}" in told
    assert f"1/Δ {format_rate(1 / difference)}" in told
    lines = report.run(
        "return [...still.parentNode.querySelectorAll('.cursor')].map((e) => e.offsetLeft)"
    )
    assert lines[1] - lines[0] == pytest.approx(places[1] - places[0], abs=1.5)
