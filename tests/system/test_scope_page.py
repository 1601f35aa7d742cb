# SPDX-License-Identifier: Apache-2.0
"""The live page in a browser: every control is driven, and its effect seen at the instrument."""

from __future__ import annotations

import http.server
import threading
from fractions import Fraction

import pytest
from scope_page import live_page
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tools.scope_bench.planted import NAMES

import plexor
from plexor.scope.hub import Hub

US, NS = Fraction(1, 10**6), Fraction(1, 10**9)


@pytest.fixture(scope="module")
def page(chromium, tmp_path_factory):
    with live_page(chromium, tmp_path_factory.mktemp("kept")) as found:
        yield found


@pytest.fixture(autouse=True)
def fresh(page):
    """Let each test begin with a fresh page; none may leave an error in its console."""
    page.browser.screen(1400, 900)
    page.reset()
    yield
    assert page.browser.errors() == []


def test_strikes_are_those_that_were_typed(page):
    page.run_to_end(rate="50k", width="2us", dither="512ns", burst="2", spacing="6us", count="400")
    (strike,) = page.asked.strikes
    assert (1 / strike.period_s, strike.width_s, strike.dither_s) == (50_000, 2 * US, 512 * NS)
    assert (strike.burst, strike.spacing_s, strike.count) == (2, 6 * US, 400)
    assert page.js("document.querySelector('#now').textContent").count("400")


def test_a_time_ends_the_run_and_limits_are_those_that_were_typed(page):
    page.browser.driver.find_element(By.NAME, "stop_missed").click()
    page.enter(time="30ms", deadline="3us", stop_latency="80us", rate="20k", count="")
    page.enter(warmup="500", load="cpu", code_port="change")
    page.begin()
    assert page.asked.warm_up_s == Fraction(500, 20_000)
    assert (page.asked.load_name, page.asked.load) == ("cpu", True)
    assert page.asked.codes.port is not None
    assert page.asked.time_s == Fraction(3, 100)
    assert {channel.deadline_s for channel in page.asked.channels} == {3 * US}
    assert page.asked.latency_over_s == 80 * US
    assert page.asked.stop_on_missed


def test_channels_are_those_that_were_chosen_with_their_names_and_edges(page):
    page.browser.driver.find_element(By.NAME, "on1").click()
    page.run_to_end(name0="entry", edge2="ch0.fall,deadline=9us", rate="50k", count="100")
    first, second = page.asked.channels
    assert (first.number, first.label, first.reference) == (0, "entry", "strike0")
    assert (second.number, second.label, second.reference) == (2, NAMES[2], "ch0.fall")
    assert second.deadline_s == 9 * US


def test_return_in_a_field_runs(page):
    runs, before = len(page.bench.runs), page.js("plexor.now.state.run")
    page.enter(rate="40k", count="100")
    page.browser.driver.find_element(By.NAME, "rate").send_keys(Keys.RETURN)
    page.until("plexor.now.state.run > arguments[0]", before)
    page.until("plexor.feed.frame?.run === plexor.now.state.run")
    page.end()
    assert len(page.bench.runs) == runs + 1
    assert page.bench.runs[-1].rate_hz == 40_000
    assert page.js("document.activeElement === document.body")
    page.press("r")
    page.until("plexor.now.state.run > arguments[0] + 1", before)
    page.end()


def test_run_stop_clear_and_keep_do_what_they_say(page):
    page.enter(rate="20k", count="")
    page.begin()
    page.until("plexor.probe.taken > 2")
    assert page.js("document.getElementById('light').className") == "sofar"
    first = page.bench.runs[-1]
    page.begin("clear")
    assert page.bench.runs[-1] is not first
    page.click("stop")
    page.end()
    assert page.js("document.getElementById('light').className") == "good"
    kept = len(page.bench.kept)
    page.click("keep")
    page.until("document.getElementById('notice').textContent.startsWith('kept in ')")
    assert len(page.bench.kept) == kept + 1


def test_recorded_runs_open_beside_the_live_one(page):
    page.run_to_end(rate="20k", count="100")
    folder = page.served.conductor.kept.folder / "warm"
    with plexor.open("sim:?dut=synthetic:latency=uniform:1us:2us,seed=1") as instrument:
        for name in ("one", "two"):
            instrument.run(rate="20k", count=200, channels=["ISR=ch0"], out=folder / name)
    page.enter(session="warm")
    kept = len(page.bench.kept)
    page.click("keep")
    page.until("document.querySelectorAll('#kept li').length === 2")
    assert page.bench.kept[kept].parent.name == "warm"
    page.browser.run("document.querySelectorAll('#kept input[type=checkbox]').forEach((e) => {"
                     "e.click(); })")  # fmt: skip
    answers = page.browser.driver.execute_async_script(
        "const links = [...document.querySelectorAll('#kept a')];"
        "Promise.all(links.map((a) => fetch(a.href).then((r) => r.text()))).then(arguments[0])"
    )
    assert len(answers) == 3
    assert all(text.startswith("<!doctype html>") for text in answers)
    assert "Persistence of all runs" in answers[-1]
    page.until("plexor.feed.others.length === 2")
    found = page.js(
        "plexor.feed.others.map(({ name, rise, min, max }) => [name, rise.total, min, max])"
    )
    for (name, total, least, most), run in zip(found, ("two", "one"), strict=True):
        assert (name, total) == (f"warm/{run}: ISR", 200)
        kept_run = plexor.load(folder / run)["ISR"]
        assert (least, most) == (
            pytest.approx(1e9 * kept_run.min_s),
            pytest.approx(1e9 * kept_run.max_s),
        )
    assert page.js("plexor.stack.axis.low") < 1000
    samples = page.js(
        "[...document.querySelectorAll('#kept .sample')].map((each) => each.textContent)"
    )
    assert len(set(filter(None, samples))) == 2
    page.browser.run("document.querySelectorAll('#kept input:checked').forEach((e) => e.click())")
    page.until("plexor.feed.others.length === 0")
    page.enter(session="")


@pytest.mark.parametrize("dark", [False, True])
def test_axe_objects_to_nothing(page, dark):
    """After a run and a sweep, with recorded runs and an error, on screens of three widths."""
    page.run_to_end(rate="20k", count="100")
    page.enter(low="10k", high="160k", points="9", criteria="missed<1%")
    page.click("go")
    page.until("document.querySelectorAll('.knees span').length === 3")
    folder = page.served.conductor.kept.folder / "seen"
    if not folder.exists():
        with plexor.open("sim:?dut=synthetic") as instrument:
            instrument.run(rate="20k", count=20, channels=["ISR=ch0"], out=folder)
    page.click("keep")
    page.until("document.querySelectorAll('#kept li').length > 0")
    page.enter(rate="20 parsecs")
    page.click("run")
    page.until(WRONG)
    for width in (1400, 768, 400):
        page.browser.screen(width, 900, dark=dark)
        assert page.browser.violations() == []
        root = "document.documentElement"
        assert page.js(f"{root}.scrollWidth <= {root}.clientWidth")


def test_a_recorded_run_takes_a_note_in_the_page(page):
    folder = page.served.conductor.kept.folder / "noted"
    with plexor.open("sim:?dut=synthetic") as instrument:
        instrument.run(rate="20k", count=20, channels=["ISR=ch0"], out=folder)
    page.run_to_end(rate="20k", count="100")
    page.click("keep")
    line = "[...document.querySelectorAll('#kept li')].find((e) => /noted/.test(e.textContent))"
    page.until(line)
    page.browser.run(f"{line}.querySelector('button').click()")
    page.browser.driver.switch_to.active_element.send_keys("board was warm r", Keys.RETURN)
    page.until(f"{line}.querySelector('q')?.textContent === 'board was warm r'")
    assert [note.text for note in plexor.load(folder).notes] == ["board was warm r"]
    assert page.js("plexor.now.state.phase") == "idle"


def test_single_takes_one_strike(page):
    page.enter(rate="20k", count="")
    page.begin("single")
    page.end()
    assert page.bench.runs[-1].strikes == 1


def test_a_sweep_draws_itself_as_its_steps_come(page):
    page.enter(low="10k", high="160k", points="9", criteria="missed<1%", width="2us")
    page.click("go")
    page.until("document.querySelectorAll('.knees span').length === 3")
    asked = page.bench.swept[-1]
    assert (asked["low"], asked["high"], asked["points"]) == ("10k", "160k", "9")
    assert (asked["criteria"], asked["width"]) == (["missed<1%"], "2us")
    assert len(asked["channels"]) == 3
    assert "9 steps" in page.js("document.querySelector('#sweep h2').textContent")
    assert page.js(
        "(() => { const c = document.querySelector('#sweep canvas');"
        "const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);"
        "return new Set(new Uint32Array(data.buffer)).size; })()"
    ) > 8  # fmt: skip


WRONG = "document.querySelector('.wrong')"
BELOW = f"{WRONG}.previousElementSibling.querySelector('[aria-describedby=wrong]').name"


@pytest.mark.parametrize(
    ("texts", "field"),
    [
        ({"rate": "20 parsecs"}, "rate"),
        ({"burst": "3"}, "burst"),
        ({"stop_latency": "far"}, "stop_latency"),
        ({"code_port": "change", "code_wires": "ch2:ch3"}, "code_port"),
        ({"edge1": "ch1.up"}, None),
    ],
)
def test_an_error_is_beside_its_field_and_leaves_when_it_is_mended(page, texts, field):
    runs = len(page.bench.runs)
    page.enter(**texts)
    page.click("run")
    said = page.until(f"{WRONG}?.textContent")
    if field is not None:
        assert page.js(BELOW) == field
        assert page.js(f"{WRONG}.getBoundingClientRect().bottom <= innerHeight")
    assert page.js("document.getElementById('notice').hidden")
    assert all(text in said for text in texts.values()) or field in ("burst", "code_port")
    assert len(page.bench.runs) == runs
    typed = {"burst": "spacing", "code_port": "code_wires"}.get(field, next(iter(texts)))
    page.browser.run(
        "const e = document.querySelector(`[name=${arguments[0]}]`); e.value = arguments[1];"
        "e.dispatchEvent(new Event('change', {bubbles: true}))",
        typed,
        {"burst": "5us", "edge1": "ch0.fall", "rate": "20k"}.get(typed or "", "")
        or {"spacing": "5us"}.get(typed, ""),
    )
    page.until(f"!{WRONG} && !document.querySelector('[aria-invalid]')")


def test_an_error_stays_while_it_is_not_mended(page):
    page.enter(rate="x", width="2us")
    page.click("run")
    page.until(WRONG)
    page.enter(rate="y")
    page.browser.driver.find_element(By.NAME, "count").send_keys("7")
    page.until(f"{WRONG}?.textContent.includes(\"'y'\")")


def test_no_channel_at_all_is_refused_beside_the_channels(page):
    runs = len(page.bench.runs)
    for number in range(3):
        page.browser.driver.find_element(By.NAME, f"on{number}").click()
    for what in ("run", "single", "go"):
        page.js("document.getElementById(arguments[0]).click()", what)
        page.until(f"{WRONG}?.textContent.includes('none is chosen')")
        assert page.js(f"{WRONG}.closest('fieldset').textContent.startsWith('Channels')")
        page.browser.run("plexor.controls.mended()")
    assert len(page.bench.runs) == runs
    assert page.js("document.getElementById('light').className") != "bad"


def test_a_fresh_page_sweeps_with_the_limits_of_the_command_line(page):
    page.load()
    page.click("go")
    page.until("document.querySelectorAll('.knees span').length === 3")
    asked = page.bench.swept[-1]
    assert (asked["low"], asked["high"], asked["points"]) == ("1k", "200k", "9")
    assert asked["criteria"] == ["missed<0.1%@95%"]
    in_view = (
        "(({ top, bottom }) => top >= 0 && bottom <= 901)"
        "(document.querySelector('#sweep').getBoundingClientRect())"
    )
    page.until(in_view)
    # What is above may grow later: outliers, tables.
    grow = "document.getElementById('table').style.minHeight = arguments[0]"
    page.js(f"({grow}, document.body.offsetHeight)", "900px")
    page.until(in_view)
    # Whoever scrolls is left alone.
    page.press(Keys.HOME)
    page.until("scrollY === 0")
    page.js(f"({grow}, document.body.offsetHeight)", "1300px")
    page.until("document.querySelector('#table').offsetHeight >= 1300")
    assert page.js("scrollY") == 0


def test_the_keyboard_does_what_its_list_says(page):
    page.enter(rate="20k", count="")
    before = page.js("plexor.now.state.run")
    page.press("r")
    page.until("plexor.now.state.run > arguments[0] && plexor.feed.channels.length", before)
    page.press("2")
    page.until("plexor.view.hidden.has(1)")
    page.press("a")
    page.press("+b")
    page.until("plexor.view.cursors.a !== null && plexor.view.cursors.b !== null")
    zoomed = page.js("plexor.view.domain")
    page.press(Keys.ARROW_RIGHT)
    assert page.js("plexor.view.domain[0]") > zoomed[0]
    page.press("-l")
    page.until("plexor.view.log !== null")
    page.press("0x2")
    page.until("plexor.view.domain === null && plexor.view.cursors.a === null")
    dark = page.js("document.documentElement.dataset.theme ?? ''")
    page.press("d")
    page.until("document.documentElement.dataset.theme !== arguments[0]", dark)
    page.press("s")
    page.until("plexor.now.state.phase === 'idle'")
    page.press("?")
    listed = page.until("document.querySelector('dialog[open]')?.textContent")
    for key in ("r", "s", "space", "c", "k", "a", "b", "x", "+", "-", "0", "l", "d", "?"):
        assert key in listed
    page.press(Keys.ESCAPE)
    page.until("!document.querySelector('dialog[open]')")


def test_buttons_below_the_pictures_do_what_they_say(page):
    page.run_to_end(rate="50k", count="2k")
    tools = page.browser.driver.find_elements(By.CSS_SELECTOR, "#tools button")
    named = {button.text: button for button in tools}
    for name in ("A", "B", "+", "▸"):
        named[name].click()
    a, b, domain = page.js("[plexor.view.cursors.a, plexor.view.cursors.b, plexor.view.domain]")
    assert a < b
    assert domain[0] > 0
    named["fit"].click()
    assert page.js("plexor.view.domain") is None
    named["log"].click()
    assert page.js("plexor.view.log")
    for name in ("average", "last", "worst"):
        named[name].click()
    assert page.js("Object.values(plexor.view.overlay)") == [False] * 3
    named[NAMES[0]].click()
    assert page.js("[...plexor.view.hidden]") == [0]
    choice = page.browser.driver.find_element(By.ID, "decay")
    choice.find_element(By.XPATH, "option[3]").click()
    assert page.js("plexor.feed.decay") == 2


def test_figures_that_come_before_the_first_frame_are_shown_with_it(page, monkeypatch):
    def late(hub, number, data):
        hub._loop.call_later(0.5, show, hub, number, data)

    show = Hub._show_frame
    monkeypatch.setattr(Hub, "_show_frame", late)
    page.run_to_end(rate="50k", count="200")
    legend = page.js("[...document.querySelectorAll('.legend button')].map((b) => b.textContent)")
    assert legend == list(NAMES[:3])
    traces = page.js(
        "(({ feed }) => { const run = feed.frame.run + 1;"
        "feed.takeFigures({ run, rows: [], traces: { 0: 'trace' } });"
        "const before = feed.channels[0].last;"
        "feed.take({ ...feed.frame, run }, 0);"
        "return [before, feed.channels[0].last, feed.channels[1].last]; })(plexor)"
    )
    assert traces == [None, "trace", None]


def test_a_mouse_zooms_moves_and_drags_a_cursor(page):
    page.run_to_end(rate="50k", count="2k")
    over = page.browser.driver.find_element(By.CSS_SELECTOR, "#stack .over")
    low, high = page.js("[plexor.stack.axis.low, plexor.stack.axis.high]")
    page.js("plexor.stack.over.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX: 500,"
            "clientY: 200, bubbles: true, cancelable: true}))")  # fmt: skip
    zoomed = page.js("plexor.view.domain")
    assert low < zoomed[0] < zoomed[1] < high
    ActionChains(page.browser.driver).click_and_hold(over).move_by_offset(
        -90, 0
    ).release().perform()
    moved = page.js("plexor.view.domain")
    assert moved[0] > zoomed[0]
    assert moved[1] - moved[0] == pytest.approx(zoomed[1] - zoomed[0])
    middle = page.js("(plexor.stack.axis.low + plexor.stack.axis.high) / 2")
    page.js("plexor.view.set({cursors: {a: arguments[0], b: null}})", middle)
    place = page.js(
        "plexor.stack.axis.at(arguments[0]) - plexor.stack.over.clientWidth / 2", middle
    )
    actions = ActionChains(page.browser.driver).move_to_element_with_offset(over, round(place), 0)
    actions.click_and_hold().move_by_offset(60, 0).release().perform()
    assert page.js("plexor.view.cursors.a") > middle
    assert page.js("plexor.view.domain") == moved
    ActionChains(page.browser.driver).double_click(over).perform()
    assert page.js("plexor.view.domain") is None


def test_a_tooltip_tells_what_is_below_the_pointer(page):
    page.run_to_end(rate="50k", count="2k")
    over = page.browser.driver.find_element(By.CSS_SELECTOR, "#stack .over")
    left = page.js("plexor.stack.axis.at(plexor.feed.channels[0].max)"
                   " - plexor.stack.over.clientWidth / 2")  # fmt: skip
    for name, said in (("histogram", "bin of"), ("tail", "later"), ("persistence", "active"),
                       ("waterfall", "of the run")):  # fmt: skip
        top = page.js("plexor.stack.boxes[arguments[0]].y + plexor.stack.boxes[arguments[0]].h / 2"
                      " - plexor.stack.over.clientHeight / 2", name)  # fmt: skip
        ActionChains(page.browser.driver).move_to_element_with_offset(
            over, round(left), round(top)
        ).perform()
        page.until(f"document.querySelector('.tip:not([hidden])')?.textContent.includes('{said}')")


def test_a_link_to_a_view_shows_that_view(page):
    page.js(
        "plexor.view.set({domain: [1000, 9000], log: false, decay: 2, hidden: new Set([2]),"
        "cursors: {a: 2000, b: 4500}, overlay: {average: false, last: true, worst: true}})"
    )
    fragment = page.js("location.hash")
    page.load(fragment)
    page.until("plexor.view.domain !== null")
    assert page.js("plexor.view.domain") == pytest.approx([1000, 9000])
    assert page.js("[plexor.view.cursors.a, plexor.view.cursors.b]") == pytest.approx([2000, 4500])
    assert page.js("[...plexor.view.hidden]") == [2]
    assert page.js("[plexor.view.log, plexor.view.decay]") == [False, 2]
    assert page.js("plexor.view.overlay.average") is False


def test_one_page_steers_until_another_takes_over(page):
    driver, first = page.browser.driver, page.browser.driver.current_window_handle
    driver.switch_to.new_window("tab")
    second = driver.current_window_handle
    driver.get(page.served.address)
    page.until("plexor.now.seats.pages === 2")
    assert not page.js("plexor.now.seats.steers")
    assert not driver.find_element(By.ID, "run").is_enabled()
    assert not driver.find_element(By.NAME, "rate").is_enabled()
    page.click("steer")
    page.until("plexor.now.seats.steers")
    page.run_to_end(rate="30k", count="60")
    driver.switch_to.window(first)
    page.until("!plexor.now.seats.steers")
    page.until("document.querySelector('[name=rate]').value === '30k'")
    page.until("document.querySelectorAll('#table tbody tr').length === 3")
    page.click("steer")
    driver.switch_to.window(second)
    driver.close()
    driver.switch_to.window(first)
    page.until("plexor.now.seats.steers && plexor.now.seats.pages === 1")


def test_the_table_says_what_was_planted(page):
    page.run_to_end(rate="50k", count="2k")
    texts = page.js("[...document.querySelectorAll('#table tbody tr')].map((row) =>"
                    " [...row.cells].map((cell) => cell.textContent))")  # fmt: skip
    for channel, row in zip(page.bench.runs[-1].channels, texts, strict=True):
        assert row[0] == NAMES[channel.number]
        assert row[1] == f"{channel.count:,}"
        assert f"{channel.least / 1000:.4g} µs" in row
        assert f"{channel.most / 1000:.4g} µs" in row


def colours_in(page, name):
    """Return how many colours a picture has."""
    return page.js(
        "(() => { const b = plexor.stack.boxes[arguments[0]];"
        "const c = plexor.stack[arguments[0] === 'persistence' ? 'traces' : 'base'];"
        "const { data } = c.getContext('2d').getImageData(b.x, b.y, b.w, b.h);"
        "return new Set(new Uint32Array(data.buffer)).size; })()",
        name,
    )


def test_traces_that_fade_are_drawn_at_every_frame(page):
    page.enter(count="")
    page.begin()
    page.browser.run(
        "plexor.view.set({decay: 2});"
        "const first = plexor.stack.painted;"
        "globalThis.seen = {frames: 0, drawn: 0};"
        "const look = () => { seen.frames++; seen.drawn = plexor.stack.painted - first;"
        "if (seen.frames < 100) requestAnimationFrame(look); };"
        "requestAnimationFrame(look)"
    )
    page.until("seen.frames === 100")
    assert page.js("seen.drawn") >= 90


@pytest.mark.parametrize(
    ("width", "dark"), [(1400, False), (1400, True), (400, False), (400, True)]
)
def test_no_picture_is_blank_on_any_screen_and_nothing_is_wider_than_it(page, width, dark):
    page.browser.screen(width, 900, dark=dark)
    page.run_to_end(count="2k")
    for name in ("persistence", "histogram", "tail", "waterfall"):
        assert colours_in(page, name) > 8, name
    assert page.js("document.documentElement.scrollWidth") <= width
    paper = page.js("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(15, 18, 22)" if dark else "rgb(255, 255, 255)")


def test_a_channel_that_is_hidden_is_drawn_nowhere(page):
    page.run_to_end(rate="50k", count="2k")
    before = colours_in(page, "tail")
    page.js("[0, 1, 2].forEach((n) => plexor.view.toggle(n))")
    page.until("!plexor.stack.waiting")
    assert colours_in(page, "tail") < before


class Silent(http.server.SimpleHTTPRequestHandler):
    """A site of somebody else."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>another</title>")

    def log_message(self, *arguments):
        pass


def test_a_page_of_another_origin_cannot_connect_and_the_run_goes_on(page):
    page.enter(rate="50k", count="")
    page.begin()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        driver, first = page.browser.driver, page.browser.driver.current_window_handle
        driver.switch_to.new_window("tab")
        driver.get(f"http://127.0.0.1:{other.server_port}/")
        for address in (page.served.address, page.served.address.rsplit("/", 2)[0] + "/guess/"):
            said = page.browser.run(
                "window.said = ''; const s = new WebSocket(arguments[0].replace('http', 'ws')"
                " + 'live'); s.onopen = () => said = 'open'; s.onclose = () => said ||= 'closed'"
                "; s.onmessage = () => said = 'told'",
                address,
            )
            said = page.browser.until("return window.said")
            assert said == "closed"
        page.browser.errors()
        driver.close()
        driver.switch_to.window(first)
        other.shutdown()
    strikes = page.js("plexor.feed.frame.strikes")
    page.until("plexor.feed.frame.strikes > arguments[0]", strikes)
    page.click("stop")
    page.end()
