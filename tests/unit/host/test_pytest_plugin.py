"""The plug-in's own work after a test that failed never hides that test."""

from types import SimpleNamespace

import pytest

from plexor import pytest_plugin


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
