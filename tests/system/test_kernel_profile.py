# SPDX-License-Identifier: Apache-2.0
"""`plexor explain` of FreeRTOS, against tables made from its retired instructions alone."""

from collections import Counter, defaultdict

import pytest

from plexor.figures.codes.profile import butterfly, graph, modules, tree

from .kernel_codes import told

CLOCK_PS = 8000
ISR_ENTER, ISR_EXIT, ENTER, EXIT = 6, 7, 8, 9
NAMES = {1: "round", 2: "heavy", 3: "light", 4: "recursive", 5: "leaf", 6: "stray"}


class Truth:
    """Calls of the one task, from (time_ticks, code) of retired stores; strays are kept apart.

    What is open at the end is no call. Time in interrupts is nobody's.
    """

    def __init__(self, stores):
        self.calls, self.strays = [], []
        stack, own, since = [], defaultdict(int), stores[0][0]
        interrupts = 0
        for now, code in stores:
            kind, number = code >> 4, code & 15
            if stack and not interrupts:
                own[stack[-1][1]] += now - since
            since = now
            interrupts += (kind == ISR_ENTER) - (kind == ISR_EXIT and interrupts > 0)
            if kind == ENTER:
                stack.append((number, len(self.calls) + len(stack) + 10**6 * now, now))
            elif kind == EXIT:
                if stack and stack[-1][0] == number:
                    _, key, enter = stack.pop()
                    path = (*(NAMES[each[0]] for each in stack), NAMES[number])
                    self.calls.append((path, enter, now, own[key]))
                else:
                    self.strays.append((NAMES[number], now))
        self.open = sorted((NAMES[number], enter) for number, _, enter in stack)

    def own_of(self, key):
        found = Counter()
        for path, _, _, own in self.calls:
            found[key(path)] += own
        return found


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calls")
    return told(folder, "codes=port,program=calls", time="19ms", rate="700", channels="ISR=ch0")


@pytest.fixture(scope="module")
def truth(found):
    return Truth(found.within(CLOCK_PS))


@pytest.fixture(scope="module")
def document(found):
    return found.run.profile().document()


def test_each_call_is_that_of_the_retired_stores(found, truth, document):
    start = found.run.result.start_ticks
    told_calls = sorted(
        (tuple(c["path"]), c["enter_ticks"] + start, c["exit_ticks"] + start, c["own_ticks"])
        for c in document["calls"]
    )
    mine = sorted(truth.calls)
    assert len(mine) > 150
    assert told_calls == mine
    assert max(path.count("recursive") for path, *_ in mine) == 3


def test_unmatched_exits_and_entries_are_all_named(found, truth, document):
    start = found.run.result.start_ticks

    def named(entries):
        return sorted((e["function"], e["time_ticks"] + start) for e in entries)

    assert named(document["unmatched_entries"]) == truth.open
    exits = named(document["unmatched_exits"])
    assert sorted(e for e in exits if e[0] == "stray") == sorted(
        e for e in truth.strays if e[0] == "stray"
    )
    assert len([e for e in exits if e[0] == "stray"]) >= 1


def rows_of(text):
    """Return the rows below a view's head: name, then its columns."""
    return [line.split() for line in text.splitlines() if "%" in line]


def test_top_gives_the_planted_function_its_87_percent(found, truth):
    text = found.run.profile(view="top").text()
    own = truth.own_of(lambda path: path[-1])
    shares = {row[0]: next(word for word in row if word.endswith("%")) for row in rows_of(text)}
    every = sum(own.values())
    assert shares == {name: f"{100 * ticks / every:.1f}%" for name, ticks in own.items()}
    # Calls that the run's ends cut are none, so the share is not quite that of a round.
    assert round(float(shares["heavy"][:-1])) == 87


def test_trees_edges_and_traces_are_those_of_the_retired_stores(found, truth):
    text, _, _ = found.run.profile(view="trace").text(width=200).partition("without")
    rows = [line.split() for line in text.splitlines()]
    counted = Counter(word for row in rows for word in row if word in NAMES.values())
    assert counted == Counter(path[-1] for path, *_ in truth.calls)
    calls = found.run.profile().coded.calls.calls
    names = {None: None, **NAMES}
    edges = {(names[e.caller], names[e.callee]): e.calls for e in graph(calls)}
    assert edges == Counter((path[-2] if path[1:] else None, path[-1]) for path, *_ in truth.calls)
    callers, callees = butterfly(calls, 4)
    assert {names[e.caller] for e in callers} - {None} == {"round", "recursive"}
    assert {names[e.callee] for e in callees} == {"leaf", "recursive"}
    lines = {tuple(NAMES[n] for n in line.key): line for line in tree(calls)}
    own = truth.own_of(lambda path: path)
    assert {path: line.own_ticks for path, line in lines.items()} == own
    (module,) = modules(calls, lambda number: "-")
    assert module.own_ticks == sum(own.values())


def test_a_base_is_subtracted_from_raw_times(found, truth):
    document = found.run.profile(base="100ns").document()
    base = 200
    leaves = [call for call in document["calls"] if call["path"][-1] == "leaf"]
    assert len(leaves) > 50
    for call in leaves:
        assert call["corrected_own_ticks"] == call["own_ticks"] - base
        assert call["corrected_total_ticks"] == call["total_ticks"] - base
    whole = next(call for call in document["calls"] if call["path"] == ["round"])
    inside = [
        (path, enter)
        for path, enter, exit_, _ in truth.calls
        if whole["enter_ticks"] < enter - found.run.result.start_ticks
        and exit_ - found.run.result.start_ticks < whole["exit_ticks"]
    ]
    assert whole["corrected_total_ticks"] == whole["total_ticks"] - base * (1 + len(inside))


@pytest.mark.parametrize("view", ["top", "modules", "tree"])
def test_shares_sum_to_all(found, view):
    text = found.run.profile(view=view).text()
    shares = [float(word[:-1]) for row in rows_of(text) for word in row if word.endswith("%")]
    assert sum(shares) == pytest.approx(100, abs=0.05 * len(shares))
