# SPDX-License-Identifier: Apache-2.0
"""The pages that pytest-plexor keeps of a failed test's runs. They never hide that test."""

from types import SimpleNamespace

import pytest

from plexor import pytest_plugin
from plexor.pytest_plugin import _RUNS, _pages


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
    report = SimpleNamespace(failed=True, sections=[])
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
