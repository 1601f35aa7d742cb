# SPDX-License-Identifier: Apache-2.0
"""Tables of calls: they add up, and equal what was planted."""

from collections import Counter
from fractions import Fraction

import pytest

from plexor.figures.codes.calls import calls_of
from plexor.figures.codes.profile import butterfly, graph, modules, top, tree
from plexor.protocol.codes import CodeClass

from ...coded import BITS, array
from .planted_calls import PlantedCalls

ENTER, EXIT = CodeClass.ENTER, CodeClass.EXIT


@pytest.fixture(scope="module")
def calls():
    return calls_of(array(PlantedCalls(7).codes), BITS).calls


def test_shares_of_own_time_add_up_to_all(calls):
    for lines in (top(calls), tree(calls), modules(calls, lambda number: str(number % 2))):
        assert sum(line.share for line in lines) == 1
        assert sum(line.own_ticks for line in lines) == sum(call.own_ticks for call in calls)


def test_a_function_with_87_percent_of_the_time_has_it():
    planted = [(0, ENTER, 1), (5, ENTER, 2), (92, EXIT, 2), (100, EXIT, 1)]
    first, second = top(calls_of(array(planted), BITS).calls)
    assert (first.key, first.share, second.share) == (2, Fraction(87, 100), Fraction(13, 100))


def test_top_is_in_order_of_time_or_of_calls(calls):
    times = [line.own_ticks for line in top(calls)]
    counts = [line.calls for line in top(calls, by="count")]
    assert times == sorted(times, reverse=True)
    assert counts == sorted(counts, reverse=True)
    assert times != counts


def test_each_path_has_its_calls_and_callers_come_before_callees(calls):
    lines = tree(calls)
    assert {line.key: line.calls for line in lines} == Counter(call.path for call in calls)
    seen = set()
    for line in lines:
        assert isinstance(line.key, tuple)
        assert line.key[:-1] in seen or len(line.key) == 1
        seen.add(line.key)


def test_of_recursive_calls_the_outermost_ones_time_counts():
    planted = [(0, ENTER, 1), (10, ENTER, 1), (30, EXIT, 1), (50, EXIT, 1)]
    (line,) = top(calls_of(array(planted), BITS).calls)
    assert (line.calls, line.total_ticks, line.own_ticks) == (2, 50, 50)


def test_edges_have_all_calls_and_outermost_ones_have_all_time(calls):
    edges = graph(calls)
    assert sum(edge.calls for edge in edges) == len(calls)
    outermost = [edge for edge in edges if edge.caller is None]
    assert sum(edge.total_ticks for edge in outermost) == sum(call.own_ticks for call in calls)


def test_the_edges_of_a_butterfly_are_those_of_its_function(calls):
    edges = graph(calls)
    for function in range(6):
        callers, callees = butterfly(calls, function)
        assert Counter(callers) == Counter(e for e in edges if e.callee == function)
        assert Counter(callees) == Counter(e for e in edges if e.caller == function)
        assert sum(e.calls for e in callers) == sum(c.function == function for c in calls)


def test_a_module_has_the_time_of_its_functions(calls):
    lines = {line.key: line for line in modules(calls, lambda number: "ab"[number % 2])}
    for name, odd in (("a", 0), ("b", 1)):
        own = [call for call in calls if call.function % 2 == odd]
        assert (lines[name].calls, lines[name].own_ticks) == (
            len(own),
            sum(call.own_ticks for call in own),
        )


def test_the_base_is_taken_from_each_call(calls):
    plain, less = top(calls), top(calls, 1)
    taken = sum(line.own_ticks for line in plain) - sum(line.own_ticks for line in less)
    assert taken == len(calls) + sum(call.own_calls for call in calls)
