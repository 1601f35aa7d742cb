# SPDX-License-Identifier: Apache-2.0
"""The pages that pytest-plexor keeps of a failed test's runs. They never hide that test."""

import importlib
from types import SimpleNamespace

import pytest

from plexor import pytest_plugin
from plexor.base.errors import LinkError, UsageError
from plexor.pytest_plugin import (
    _RUNS,
    Plexor,
    _pages,
    pytest_addoption,
    pytest_configure,
    pytest_report_header,
    pytest_unconfigure,
)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (OSError(28, "No space left on device"), "cannot be kept: OSError: [Errno 28] No space"),
        (ZeroDivisionError("x"), "cannot be kept: ZeroDivisionError: x"),
    ],
)
def test_a_page_that_cannot_be_kept_is_told_beside_the_test(fault, said, monkeypatch):
    def broken(*_):
        raise fault

    monkeypatch.setattr(pytest_plugin, "_pages", broken)
    report = SimpleNamespace(failed=True, sections=[], longrepr=None)
    item = SimpleNamespace(config=SimpleNamespace(getoption=lambda _: "pages"))
    steps = pytest_plugin.pytest_runtest_makereport(item, SimpleNamespace(when="call"))
    next(steps)
    with pytest.raises(StopIteration) as done:
        steps.send(report)
    assert done.value.value is report
    ((name, text),) = report.sections
    assert name == "plexor pages"
    assert text.startswith(said)


def failed(*pages, nodeid="tests/test_a.py::test_reflex[20k idle]"):
    """Return a test that failed after runs with these pages."""
    item = SimpleNamespace(nodeid=nodeid, stash=pytest.Stash())
    if pages:
        item.stash[_RUNS] = [SimpleNamespace(page=lambda text=text: text) for text in pages]
    return item


def test_a_page_is_named_for_its_test(tmp_path):
    (path,) = _pages(failed("one"), tmp_path / "new" / "pages")
    assert path.read_text() == "one"
    assert path.name == "tests-test_a.py-test_reflex-20k-idle.html"


def test_the_pages_of_several_runs_are_numbered_from_1_in_their_order(tmp_path):
    paths = _pages(failed("one", "two", "three"), tmp_path)
    ends = ["-1.html", "-2.html", "-3.html"]
    assert [path.name for path in paths] == [
        f"tests-test_a.py-test_reflex-20k-idle{end}" for end in ends
    ]
    assert [path.read_text() for path in paths] == ["one", "two", "three"]


def test_a_test_without_runs_has_no_page(tmp_path):
    assert _pages(failed(), tmp_path / "pages") == []
    assert not (tmp_path / "pages").exists()


class Planted:
    """An instrument whose runs are counted, or fail with an error."""

    def __init__(self, link, dut):
        self.place = (link, dut)
        self.closed = 0
        self.error = None
        self.taken = []

    def run(self, **options):
        if self.error is not None:
            raise self.error
        self.taken.append(options)
        reading = SimpleNamespace(name="ISR", max_s=2e-6, missed=len(self.taken) - 1)
        return SimpleNamespace(simulated=True, channels=[reading])

    def close(self):
        self.closed += 1


@pytest.fixture
def opened(monkeypatch):
    """All instruments that a session opens, in their order."""
    found = []

    def planted(link, *, dut):
        found.append(Planted(link, dut))
        return found[-1]

    monkeypatch.setattr(importlib.import_module("plexor.library.open"), "open", planted)
    return found


def session(ini=None, **options):
    """Return the settings of a session without any instrument yet."""
    ini = {"plexor_link": "", "plexor_dut": ""} | (ini or {})
    config = SimpleNamespace(stash=pytest.Stash(), getoption=options.get, getini=ini.__getitem__)
    pytest_configure(config)
    return config


def test_of(config):
    return SimpleNamespace(config=config, stash=pytest.Stash(), user_properties=[])


test_of.__test__ = False


@pytest.mark.parametrize(
    ("options", "ini", "place"),
    [
        ({}, {}, ("sim:", None)),
        ({"plexor_dut": "bare"}, {}, ("sim:", "bare")),
        ({}, {"plexor_link": "tcp://h:1"}, ("tcp://h:1", None)),
        ({"plexor_link": "tcp://i:2"}, {"plexor_link": "tcp://h:1"}, ("tcp://i:2", None)),
        ({}, {"plexor_dut": "synthetic"}, ("sim:", "synthetic")),
    ],
)
def test_the_command_line_names_the_instrument_or_else_the_ini_file(opened, options, ini, place):
    config = session(ini, **options)
    assert Plexor(test_of(config)).instrument.place == place
    assert Plexor(test_of(config)).instrument is opened[0]
    assert len(opened) == 1


def test_each_run_of_a_test_is_kept_with_it_and_its_figures_are_properties(opened):
    item = test_of(session())
    one, two = (Plexor(item).measure(rate=rate) for rate in ("1k", "2k"))
    assert item.stash[_RUNS] == [one, two]
    assert opened[0].taken == [{"rate": "1k"}, {"rate": "2k"}]
    first = [("plexor.simulated", True), ("plexor.ISR.max_s", 2e-6), ("plexor.ISR.missed", 0)]
    assert item.user_properties == [*first, *first[:2], ("plexor.ISR.missed", 1)]


@pytest.mark.parametrize(("error", "closed"), [(LinkError("gone"), 1), (UsageError("rate"), 0)])
def test_after_a_broken_link_the_next_test_gets_a_new_one(opened, error, closed):
    config = session()
    Plexor(test_of(config)).measure()
    opened[0].error = error
    with pytest.raises(type(error)):
        Plexor(test_of(config)).measure()
    opened[0].error = None
    Plexor(test_of(config)).measure()
    assert [one.closed for one in opened] == [closed, *[0] * closed]


def test_all_instruments_are_closed_at_the_end_of_the_session(opened):
    places = iter(["sim:", "tcp://h:1"])
    config = session()
    config.getoption = lambda name: next(places) if name == "plexor_link" else ""
    assert Plexor(test_of(config)).instrument is not Plexor(test_of(config)).instrument
    pytest_unconfigure(config)
    assert [one.closed for one in opened] == [1, 1]
    pytest_unconfigure(config)
    assert [one.closed for one in opened] == [1, 1]
    pytest_unconfigure(SimpleNamespace(stash=pytest.Stash()))


def test_each_option_of_the_command_line_but_the_folder_is_one_of_the_ini_file_too():
    options, ini = [], {}
    group = SimpleNamespace(addoption=lambda name, **_: options.append(name))
    pytest_addoption(
        SimpleNamespace(
            getgroup=lambda *_: group,
            addini=lambda name, text, default: ini.update({name: default}),
        )
    )
    names = ["link", "dut", "save", "compare", "fail-on"]
    assert options == [f"--plexor-{name}" for name in (*names, "page")]
    assert ini == {f"plexor_{name.replace('-', '_')}": "" for name in names}


def test_a_budget_that_is_broken_shows_the_test_and_not_the_plugin(monkeypatch):
    def broken(*_, **__):
        raise AssertionError("ISR: max")

    monkeypatch.setattr(importlib.import_module("plexor.library.require"), "require", broken)
    with pytest.raises(AssertionError, match="ISR: max") as caught:
        Plexor(test_of(session())).require(None, max="1us")
    assert [e.name for e in caught.traceback if e.ishidden(caught)] == ["require"]


def test_a_session_says_with_how_many_runs_it_compares_and_at_what_a_test_fails(tmp_path):
    for name in ("a", "b", "no run"):
        (tmp_path / name).mkdir()
    for name in ("a", "b"):
        (tmp_path / name / "run.json").touch()
    places = {"plexor_compare": str(tmp_path), "plexor_fail_on": ""}
    (line,) = pytest_report_header(session(places))
    assert line == f"plexor: compared with what {tmp_path} keeps (2), fails on p99>+5%"
    (line,) = pytest_report_header(session(places | {"plexor_fail_on": "max>+1%"}))
    assert line.endswith(", fails on max>+1%")
    assert pytest_report_header(session({"plexor_compare": "", "plexor_fail_on": ""})) == []


def compared(config, monkeypatch, *names, reason=""):
    """Return a test whose runs were compared, and with what each was."""
    seen = []
    whole = SimpleNamespace(reason=lambda: reason, notes=["the boards differ"], text=lambda: "p50")

    def compare(before, run, *, fail_on):
        seen.append((before, run, fail_on))
        return whole

    monkeypatch.setattr(pytest_plugin.plexor_api, "compare", compare)
    item = test_of(config)
    said = [pytest_plugin._why_worse(item, name, f"run {name}") for name in names]
    return item, said, seen


def test_a_run_is_compared_with_the_one_of_its_name_and_one_without_is_alone(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    config = session({"plexor_compare": str(tmp_path), "plexor_fail_on": "max>+1%"})
    item, said, seen = compared(config, monkeypatch, "a", "b")
    assert seen == [(tmp_path / "a", "run a", "max>+1%")]
    assert said == ["", ""]
    assert [name for _, name in item.user_properties] == ["b"]
    worse = "ISR.p50: slower"
    _, said, _ = compared(config, monkeypatch, "a", "b", reason=worse)
    assert said == [f"{worse}\nthe boards differ\np50", ""]
    nothing = session({"plexor_compare": "", "plexor_fail_on": ""})
    item, said, seen = compared(nothing, monkeypatch, "a", reason=worse)
    assert (item.user_properties, said, seen) == ([], [""], [])


@pytest.mark.parametrize(
    ("passed", "failed", "line"),
    [
        ([["a", "b"], []], [["c"]], "plexor: runs without an earlier one in kept: 3"),
        ([[]], [[]], None),
        ([], [], None),
    ],
)
def test_the_summary_counts_the_runs_that_had_none_to_be_compared_with(passed, failed, line):
    def report(names, outcome):
        alone = [(pytest_plugin._ALONE, name) for name in names]
        properties = [("plexor.simulated", True), *alone]
        return pytest.TestReport(
            "t", ("t.py", 1, "t"), {}, outcome, None, "call", user_properties=properties
        )

    reports = {
        "passed": [report(names, "passed") for names in passed],
        "failed": [report(names, "failed") for names in failed],
    }
    lines = []
    reporter = SimpleNamespace(getreports=reports.__getitem__, write_line=lines.append)
    config = session({"plexor_compare": "kept"})
    pytest_plugin.pytest_terminal_summary(reporter, config)
    assert lines == ([] if line is None else [line])


@pytest.mark.parametrize(("reason", "kept"), [("", 2), ("ISR.p50: slower", 0)])
def test_the_runs_of_a_test_that_passes_and_is_not_worse_are_kept_in_place_of_those_before(
    reason, kept, tmp_path, monkeypatch
):
    saved = []
    folder = tmp_path / "kept"
    places = {"plexor_save": str(folder), "plexor_compare": "", "plexor_fail_on": ""}
    item = test_of(session(places))
    item.nodeid = "t.py::test_a"
    run = SimpleNamespace(save=lambda place, force: saved.append((place, force)))
    item.stash[_RUNS] = [run, run]
    monkeypatch.setattr(pytest_plugin, "_why_worse", lambda *_: reason)
    steps = pytest_plugin.pytest_runtest_call(item)
    next(steps)
    with pytest.raises(pytest.fail.Exception if reason else StopIteration) as done:
        steps.send("passed")
    names = ("t.py-test_a-1", "t.py-test_a-2")[:kept]
    assert saved == [(folder / name, True) for name in names]
    if reason:
        assert str(done.value) == f"{reason}\n{reason}"
        return
    assert done.value.value == "passed"
