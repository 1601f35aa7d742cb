# SPDX-License-Identifier: Apache-2.0
"""Programs whose codes have a known meaning: calls, a critical section, and a deadlock.

Pins say who is inside, so what the codes say is checked against them.
"""

import itertools

import pytest

from plexor_sim.packages import default_cache
from plexor_sim.riscv import Kind, riscv_device

from ..riscv_player import CLOCK_PS, Edges, Play, Played, player
from .reading import Codes, code, port_codes

MS = 10**9
RUN, READY, BLOCKED, SLEEPING, INHERIT, ENTER, EXIT, VALUE_A, VALUE_B = 1, 2, 3, 4, 5, 8, 9, 11, 12
LOW, HIGH = 1, 2
ROUND, HEAVY, LIGHT = 1, 2, 3
LOW_INSIDE, HIGH_INSIDE = 0, 1
CYCLES_OF_A_MARK = 40
"""At the most between a pin and the code beside it, with what the cache must fetch first."""


def program(name: str, **options: str) -> Play:
    """Return a player of the program."""
    build = riscv_device("freertos", default_cache(), {"program": name, **options})
    return player({"freertos": build})


@pytest.fixture(scope="module")
def critsec() -> Played:
    # Strikes at times in no simple ratio to the tick; the last one sets the end.
    strikes = [1_733_000_017 * number for number in range(1, 36)]
    played = program("critsec", codes="port")("freertos", strikes, "codes=port")
    assert played.code == 0, played.text
    return played


@pytest.fixture(scope="module")
def philosophers() -> Played:
    played = program("philosophers", codes="port")("freertos", [200 * MS], "codes=port")
    assert played.code == 0, played.text
    return played


@pytest.fixture(scope="module")
def calls() -> Played:
    played = program("calls", codes="port")("freertos", [25 * MS], "codes=port")
    assert played.code == 0, played.text
    return played


def stays(edges: Edges, pin: int) -> list[tuple[int, int]]:
    """Return rise and fall of each pulse of a pin."""
    times = [time_ps for time_ps, number, _ in edges if number == pin]
    return list(zip(times[::2], times[1::2], strict=False))


def times_of(codes: Codes, kind: int, number: int) -> list[int]:
    return [time_ps for time_ps, value in codes if value == code(kind, number)]


def test_the_low_task_holds_the_mutex_for_a_millisecond(critsec: Played) -> None:
    held = [fall - rise for rise, fall in stays(critsec.edges, LOW_INSIDE)]
    assert len(held) > 12
    assert min(held) >= MS
    # It looks at the time when it runs, and the high task may have to find the mutex taken first.
    assert max(held) < 1.05 * MS


def test_nobody_is_inside_beside_the_other(critsec: Played) -> None:
    both = sorted(stays(critsec.edges, LOW_INSIDE) + stays(critsec.edges, HIGH_INSIDE))
    assert all(fall < rise for (_, fall), (rise, _) in itertools.pairwise(both))


@pytest.mark.parametrize("who", [LOW_INSIDE, HIGH_INSIDE])
def test_codes_say_who_is_inside_when_the_pins_do(critsec: Played, who: int) -> None:
    codes = port_codes(critsec.edges)
    inside = stays(critsec.edges, who)
    said = zip(times_of(codes, ENTER, who), times_of(codes, EXIT, who), strict=False)
    for (rise, fall), (enter, leave) in zip(inside, said, strict=True):
        assert 0 < rise - enter <= CYCLES_OF_A_MARK * CLOCK_PS
        assert 0 < leave - fall <= CYCLES_OF_A_MARK * CLOCK_PS


def test_the_low_task_inherits_while_it_is_inside_and_the_high_one_waits(critsec: Played) -> None:
    codes = port_codes(critsec.edges)
    inside = stays(critsec.edges, LOW_INSIDE)
    inherited = times_of(codes, INHERIT, LOW)
    assert len(inherited) > 5
    for time_ps in inherited:
        ((_, fall),) = [each for each in inside if each[0] < time_ps < each[1] + 10**6]
        after = [value for when, value in codes if when > time_ps and value >> 4 in (RUN, BLOCKED)]
        assert after[:2] == [code(BLOCKED, HIGH), code(RUN, LOW)]
        # When it gives the mutex, the high one gets it.
        left = [value for when, value in codes if when > max(fall, time_ps)]
        kinds = [(EXIT, LOW_INSIDE), (RUN, LOW), (READY, HIGH), (RUN, HIGH), (ENTER, HIGH_INSIDE)]
        wanted = [code(*each) for each in kinds]
        assert [value for value in left if value in wanted][:5] == wanted


def test_values_of_32_bits_are_the_numbers_of_the_rounds(critsec: Played) -> None:
    parts = [
        value & 15 for _, value in port_codes(critsec.edges) if value >> 4 in (VALUE_A, VALUE_B)
    ]
    parts = parts[len(parts) % 8 :]  # the first began before time zero
    values = [
        sum(part << 4 * k for k, part in enumerate(parts[at : at + 8]))
        for at in range(0, len(parts), 8)
    ]
    assert len(values) > 12
    assert values == list(range(values[0], values[0] + len(values)))


def test_nobody_eats_with_a_stick_of_a_neighbour_who_eats(philosophers: Played) -> None:
    meals = [stays(philosophers.edges, who) for who in range(5)]
    assert all(len(each) >= 5 for each in meals)
    for who, each in enumerate(meals):
        both = sorted(each + meals[(who + 1) % 5])
        assert all(fall < rise for (_, fall), (rise, _) in itertools.pairwise(both))


def test_philosophers_stop_at_a_known_time_each_waiting_for_a_stick(philosophers: Played) -> None:
    codes = port_codes(philosophers.edges)
    blocked = [(time_ps, value & 15) for time_ps, value in codes if value >> 4 == BLOCKED][-5:]
    assert {who for _, who in blocked} == {1, 2, 3, 4, 5}
    # From tick 20 on they take one stick; five ticks later they wait for the other.
    assert all(24 * MS < time_ps < 29 * MS for time_ps, _ in blocked)
    assert codes[-1][1] == code(RUN, 0)
    assert codes[-1][0] < 29 * MS
    assert codes[-1] == (max(time_ps for time_ps, *_ in philosophers.edges), code(RUN, 0))


def test_the_function_that_is_heavy_takes_87_percent(calls: Played) -> None:
    codes = port_codes(calls.edges)
    rounds = times_of(codes, ENTER, ROUND)
    entered, left = times_of(codes, ENTER, HEAVY), times_of(codes, EXIT, HEAVY)
    spent = sum(b - a for a, b in zip(entered[: len(rounds) - 1], left, strict=False))
    inside = zip(
        times_of(codes, ENTER, LIGHT)[::2], times_of(codes, EXIT, LIGHT)[::2], strict=False
    )
    spent -= sum(b - a for a, b in list(inside)[: len(rounds) - 1])
    assert len(rounds) > 20
    assert abs(spent / (rounds[-1] - rounds[0]) - 0.87) < 0.001
    for (rise, fall), enter, leave in zip(stays(calls.edges, 1), entered, left, strict=False):
        assert 0 < rise - enter <= CYCLES_OF_A_MARK * CLOCK_PS
        assert 0 < leave - fall <= CYCLES_OF_A_MARK * CLOCK_PS


def test_calls_nest_as_the_program_does_and_stray_exits_are_every_eighth(calls: Played) -> None:
    recursion: list[str] = ["leaf", "leaf"]
    for _ in range(2):
        recursion = ["leaf", "recursive", *recursion, "/recursive", "leaf"]
    wanted = ["heavy", "light", "/heavy", "light", "recursive", *recursion, "/recursive"]
    names = {1: "round", 2: "heavy", 3: "light", 4: "recursive", 5: "leaf", 6: "stray"}
    found: list[list[str]] = []
    for _, value in port_codes(calls.edges):
        name = names.get(value & 15, "")
        if value == code(ENTER, ROUND):
            found.append([])
        elif value >> 4 == ENTER:
            found[-1].append(name)
        elif value >> 4 == EXIT and name in ("heavy", "recursive", "round", "stray"):
            found[-1].append(f"/{name}")
    assert len(found) > 20
    for number, one in enumerate(found[:-1], 1):
        assert one == [*wanted, "/round", *["/stray"] * (number % 8 == 0)]


@pytest.mark.parametrize("name", ["calls", "critsec", "philosophers"])
def test_a_program_does_the_same_without_codes(name: str) -> None:
    played = program(name)("freertos", [18 * MS])
    assert played.code == 0, played.text
    assert len(stays(played.edges, 1)) >= 5
    assert all(pin < 8 for _, pin, _ in played.edges)


@pytest.mark.parametrize(("kind", "name"), [("bare", "critsec"), ("freertos", "coffee")])
def test_a_program_that_a_device_does_not_have_is_refused(kind: Kind, name: str) -> None:
    with pytest.raises(ValueError, match=f"program={name}: {kind} has strikes"):
        riscv_device(kind, default_cache(), {"program": name})
