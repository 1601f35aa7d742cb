# SPDX-License-Identifier: Apache-2.0
"""`Run.profile`: its six views, its document, and speedscope's file."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.explain.profile import Profile, module_of
from plexor.library.explain.specs import VIEWS
from plexor.library.run import Run
from plexor.model.codes import CodeName

from ...coded import coded_run
from ...plain_text import columns_and_colour

NAMES = (
    CodeName(8, 1, "main.c:loop"),
    CodeName(8, 2, "ack.c:AckAc2"),
    CodeName(1, 0, "main"),
)
PLANTED = [
    (1000, 1, 0), (2000, 8, 1), (7000, 8, 2), (94_000, 9, 2), (102_000, 9, 1), (104_000, 9, 3),
]  # fmt: skip


@pytest.fixture(scope="module")
def coded():
    return Run(coded_run(PLANTED, 110_000, NAMES))


def test_the_function_with_87_percent_of_the_time_is_printed_with_it(coded):
    first = coded.profile().text().splitlines()[4]
    assert "ack.c:AckAc2" in first
    assert "87.0%" in first


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [40, 100])
def test_each_view_names_what_was_called_within_the_terminals_width(coded, view, width):
    function = "ack.c:AckAc2" if view == "butterfly" else None
    text = coded.profile(view=view, function=function).text(width=width)
    assert max(map(len, text.splitlines())) <= width
    assert {"modules": "ack.c", "butterfly": "main.c:loop"}.get(view, "AckAc2") in text
    assert "Exits without an entry: 1: function 3" in " ".join(text.split())


def test_the_base_is_subtracted_in_the_document(coded):
    calls = coded.profile(view="trace", base="1us").document()["calls"]
    assert [(e["own_ticks"], e["corrected_own_ticks"]) for e in calls] == [
        (87_000, 86_000),
        (13_000, 11_000),
    ]
    assert calls[1]["path"] == ["main.c:loop"]
    assert calls[0]["actor"] == "task 0"


def test_speedscopes_file_opens_and_closes_each_call_at_its_nanosecond(coded):
    found = coded.profile().speedscope()
    (profile,) = found["profiles"]
    names = [frame["name"] for frame in found["shared"]["frames"]]
    assert [(e["type"], names[e["frame"]], e["at"]) for e in profile["events"]] == [
        ("O", "main.c:loop", 2000),
        ("O", "ack.c:AckAc2", 7000),
        ("C", "ack.c:AckAc2", 94_000),
        ("C", "main.c:loop", 102_000),
    ]
    assert (profile["name"], profile["unit"], profile["endValue"]) == (
        "main",
        "nanoseconds",
        110_000,
    )


@pytest.mark.parametrize(
    ("view", "function", "said"),
    [
        ("flame", None, "view: 'flame'; must be one of top, modules"),
        ("butterfly", None, "belong together"),
        ("top", "f", "belong together"),
        ("butterfly", "f", "function: 'f' was not called; called were: ack.c:AckAc2, main.c:loop"),
    ],
)
def test_a_view_or_function_that_is_not_there_is_refused(coded, view, function, said):
    with pytest.raises(UsageError, match=said):
        coded.profile(view=view, function=function)


def test_an_order_that_is_not_there_is_refused(coded):
    with pytest.raises(UsageError, match="by: 'name'; must be one of time, count"):
        coded.profile(by="name")


def test_a_module_is_what_stands_before_the_last_colon():
    assert [module_of(n) for n in ("a.c:f", "f", "ns::f", ":f")] == ["a.c", "-", "ns:", "-"]


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Profile.text) == (100, False)
