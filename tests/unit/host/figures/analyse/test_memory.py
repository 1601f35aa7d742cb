# SPDX-License-Identifier: Apache-2.0
"""Long runs are analysed beside their events, in memory that has a bound."""

import subprocess
import sys
import tracemalloc

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.analyse.pairing import PairedBy, Standing
from plexor.files.store.run_folder import save
from plexor.model.results import Kind
from plexor.wire.decode import matched

from .long_run import long_run


@pytest.mark.parametrize(
    ("strikes", "missed", "first_missed", "most_bytes", "by"),
    [
        (250_000, 0.0, 0.0, 9, PairedBy.INTERVALS),
        (250_000, 0.001, 0.0, 15, PairedBy.SHAPE),
        # The last tenth alone misses strikes: most answers are proven, and compared with the rest.
        (250_000, 0.3, 0.9, 10, PairedBy.SHAPE),
        (450_000, 0.9, 0.0, 7, PairedBy.NOTHING),
    ],
)
def test_a_million_events_are_analysed_with_few_bytes_more_each(
    strikes, missed, first_missed, most_bytes, by, monkeypatch
):
    monkeypatch.setattr(matched, "PIECE", 1 << 13)
    run = long_run(strikes, missed, first_missed=first_missed)
    tracemalloc.start()
    found = analyse(run)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.valid
    assert found.channels[0].pairing.by == by
    assert peak < most_bytes * len(run.events)


@pytest.mark.parametrize("missed", [0.0, 0.01, 0.6])
@pytest.mark.parametrize("base", [0, 300])
@pytest.mark.parametrize("dither", [0, 64])
def test_figures_do_not_depend_on_the_size_of_pieces(missed, base, dither, monkeypatch):
    run = long_run(1500, missed, dither=dither)
    whole = analyse(run, base)
    monkeypatch.setattr(matched, "PIECE", 77)
    found = analyse(run, base)
    assert found.valid
    assert repr(found.channels[0].periods) == repr(whole.channels[0].periods)
    assert found.channels[0].pairing == whole.channels[0].pairing
    for kind in Kind:
        one, other = (each.channels[0].kinds[kind] for each in (found, whole))
        assert (one.span, one.cold, one.quantiles) == (other.span, other.cold, other.quantiles)
        assert one.variance_ticks2 == other.variance_ticks2
        for name in ("value_ticks", "time_ticks", "index", "start_ticks"):
            left, right = (getattr(each.samples, name).tolist() for each in (one, other))
            assert left == right


def test_answers_in_turn_are_proven_by_their_places_alone(monkeypatch):
    run = long_run(500)
    monkeypatch.setattr("plexor.figures.analyse.evidence._timed", None)
    found = analyse(run).channels[0].pairing
    assert (found.standing, found.by, found.proven) == (Standing.PROVEN, PairedBy.INTERVALS, 500)


_REPLAY = """
import sys
from plexor.cli import main
try:
    sys.argv[1:1] = ["show"]
    main()
finally:
    with open("/proc/self/status") as status:
        print(next(line for line in status if line.startswith("VmHWM")), file=sys.stderr)
"""


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("missed", "first_missed"), [(0.0, 0.0), (0.02, 0.0), (0.9, 0.0), (0.3, 0.9), (1.0, 0.0)]
)
def test_thirty_million_events_are_replayed_under_a_gigabyte(tmp_path, missed, first_missed):
    strikes = round(30_000_000 / (4 - 2 * missed * (1 - first_missed)))
    folder = save(long_run(strikes, missed, first_missed=first_missed), tmp_path / "run")
    command = [sys.executable, "-c", _REPLAY, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{strikes:,} strikes" in done.stdout
    _, peak, unit = done.stderr.split()
    assert unit == "kB"
    assert int(peak) * 1024 < 10**9
