# SPDX-License-Identifier: Apache-2.0
"""A farm: each cell measured once, kept and archived, whatever interrupts it."""

import json
import os
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from plexor.base.disk.lock import Held
from plexor.base.errors import ExitCode, LinkError, StoreError, UsageError
from plexor.experiments import engine
from plexor.experiments.pool import Workers
from plexor.files.archive.origin import Origin
from plexor.library import farm as under_test
from plexor.library.archive import Archive
from plexor.library.cells.cell import Cell
from plexor.library.farm import CellState, Farm, farm

from ..files.archive.planted import git, planted
from ..plain_text import columns_and_colour

TEXT = """
[measure]
rate = "20k"
count = 400
[instruments]
left = "tcp://left:1"
right = "sim:"
[loads.none]
[loads.busy]
load = "on"
[builds.main]
[builds.topic]
"""
NAMES = [
    f"{a}/{b}/{c}" for a in ("left", "right") for b in ("none", "busy") for c in ("main", "topic")
]


class Bench:
    """A farm whose cells are measured by a function here, in threads."""

    def __init__(self, folder):
        self.folder = folder
        self.file = folder / "farm.toml"
        self.file.write_text(TEXT)
        self.taken = Counter()
        self.told = []
        self.fails = {}

    def take(self, cell):
        self.taken[cell.name] += 1
        if cell.name in self.fails:
            raise self.fails[cell.name]
        number = NAMES.index(cell.name)
        return planted(1000 + number, number, device=cell.device)

    def __call__(self, **options):
        return farm(
            self.file,
            executor=lambda: ThreadPoolExecutor(2),
            archive=self.folder / "archive",
            on_cell=lambda found, done, total: self.told.append((found.cell.name, done, total)),
            **options,
        )

    def archived(self):
        return [each.configuration for each in Archive(self.folder / "archive").log().runs]


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    found = Bench(tmp_path)
    monkeypatch.setattr(Cell, "take", lambda cell, found=found: found.take(cell))
    monkeypatch.setattr(engine, "POLL_S", 0.01)
    return found


def places(configurations):
    return sorted(
        "/".join(each[axis] for axis in ("instrument", "load", "build")) for each in configurations
    )


def test_every_cell_is_measured_kept_and_archived_once(bench, tmp_path):
    found = bench()
    assert bench.taken == Counter(NAMES)
    assert [each.cell.name for each in found.outcomes] == NAMES
    assert {each.state for each in found.outcomes} == {CellState.MEASURED}
    assert places(bench.archived()) == sorted(NAMES)
    assert all((tmp_path / "farm" / name / "run.json").is_file() for name in NAMES)
    assert [done for _, done, _ in bench.told] == list(range(1, 9))
    assert {total for *_, total in bench.told} == {8}
    assert (found.exit_code(), found.simulated) == (ExitCode.PASS, True)
    first = found.outcomes[0].figures[0]
    assert (first.name, first.max_s) == ("ISR", pytest.approx(1.009e-6))
    assert "8 of 8 cells have a run" in found.text()
    assert json.loads(json.dumps(found.document()))["exit_code"] == 0


def test_a_cell_that_is_measured_is_not_measured_again(bench):
    bench.fails = {name: LinkError("refused") for name in NAMES[3:]}
    found = bench()
    assert [each.state for each in found.outcomes] == [CellState.MEASURED] * 3 + [
        CellState.FAILED
    ] * 5
    assert (found.exit_code(), found.outcomes[3].reason) == (ExitCode.LINK, "refused")
    bench.fails = {}
    found = bench()
    assert bench.taken == Counter(NAMES) + Counter(NAMES[3:])
    assert [each.state for each in found.outcomes] == [CellState.KEPT] * 3 + [
        CellState.MEASURED
    ] * 5
    assert places(bench.archived()) == sorted(NAMES)
    found = bench()
    assert {each.state for each in found.outcomes} == {CellState.KEPT}
    assert sum(bench.taken.values()) == 13
    assert len(bench.archived()) == 8


def test_a_farm_that_ends_between_keeping_and_archiving_archives_when_it_goes_on(
    bench, tmp_path, monkeypatch
):
    add = Archive.keep

    class KilledError(BaseException):
        pass

    def killed(self, result, origin):
        raise KilledError

    monkeypatch.setattr(Archive, "keep", killed)
    with pytest.raises(KilledError):
        bench()
    monkeypatch.setattr(Archive, "keep", add)
    kept = [name for name in NAMES if (tmp_path / "farm" / name).exists()]
    assert kept
    found = bench()
    assert [each.cell.name for each in found.outcomes if each.state == CellState.KEPT] == kept
    assert places(bench.archived()) == sorted(NAMES)
    assert all(bench.taken[name] == 1 for name in kept)


def test_an_interrupt_keeps_what_is_under_way_and_leaves_the_rest_open(bench, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(engine, "wait", interrupted)
        found = bench()
    assert found.interrupted
    assert found.exit_code() == ExitCode.INTERRUPTED
    states = Counter(each.state for each in found.outcomes)
    assert states[CellState.OPEN] > 0
    found = bench()
    assert found.exit_code() == ExitCode.PASS
    assert max(bench.taken.values()) == 1


def test_runs_are_of_the_commit_of_the_file_or_of_the_build(bench, tmp_path):
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "farm.toml")
    git(tmp_path, "commit", "--quiet", "--message", "One.")
    bench.file.write_text(
        TEXT.replace("[builds.topic]", '[builds.topic]\ncommit = "t1"\nbranch = "topic"')
    )
    bench()
    origins = {
        each.configuration["build"]: each.origin
        for each in Archive(tmp_path / "archive").log().runs
    }
    head = git(tmp_path, "rev-parse", "HEAD")
    assert (origins["main"].commit, origins["main"].branch, origins["main"].dirty) == (
        *(head, "main", True),
    )
    assert (origins["topic"].commit, origins["topic"].branch, origins["topic"].dirty) == (
        *("t1", "topic", None),
    )


def test_a_folder_of_another_farm_is_neither_continued_nor_replaced_unless_asked(bench, tmp_path):
    bench()
    bench.file.write_text(TEXT.replace("20k", "10k"))
    with pytest.raises(UsageError, match="another farm: rate 10k, there 20k; name another"):
        bench()
    assert sum(bench.taken.values()) == 8
    bench(force=True)
    assert sum(bench.taken.values()) == 16
    other = tmp_path / "other"
    other.mkdir()
    (other / "main.c").touch()
    for force in (False, True):
        with pytest.raises(UsageError, match="holds no farm; name another folder"):
            bench(out=other, force=force)
    assert os.listdir(other) == ["main.c"]


def run_files(folder):
    """Return when the runs in a folder began, by the names of their cells."""
    return {
        path.parent.relative_to(folder).as_posix(): json.loads(path.read_text())["started"]
        for path in sorted(folder.rglob("run.json"))
    }


def test_force_leaves_an_archive_and_foreign_files_in_the_folder(bench, tmp_path):
    out = tmp_path / "farm"
    inside = Archive(out / "archive")
    bench()
    inside.keep(planted(9000, 99), Origin("c"))
    (out / "notes.txt").write_text("mine")
    (out / NAMES[0] / "notes.txt").write_text("mine too")
    bench.file.write_text(TEXT.replace("20k", "10k").replace("[builds.topic]", ""))
    found = bench(force=True)
    assert found.exit_code() == ExitCode.PASS
    assert inside.log().total == 1
    assert (out / "notes.txt").read_text() == "mine"
    assert (out / NAMES[0] / "notes.txt").read_text() == "mine too"
    # Cells that the farm no longer has are gone at its end.
    left = [name for name in NAMES if name.endswith("main")]
    assert sorted(run_files(out)) == sorted(left)
    assert not (out / NAMES[1]).exists()


def test_a_forced_farm_that_ends_early_has_lost_no_run_and_goes_on(bench, tmp_path, monkeypatch):
    out = tmp_path / "farm"
    bench()
    before = run_files(out)
    number = NAMES.index

    def later(cell):
        bench.taken[cell.name] += 1
        if len(bench.taken) > 3:
            raise LinkError("gone")
        return planted(5000, 100 + number(cell.name), device=cell.device)

    bench.taken.clear()
    monkeypatch.setattr(Cell, "take", later)
    found = bench(force=True)
    new = [each.cell.name for each in found.outcomes if each.state == CellState.MEASURED]
    assert len(new) == 3
    now = run_files(out)
    assert {name: now[name] for name in NAMES if name not in new} == {
        name: before[name] for name in NAMES if name not in new
    }
    assert all(now[name] != before[name] for name in new)
    # It goes on without force: what is older is measured again, what is new is not.
    monkeypatch.setattr(Cell, "take", lambda cell, bench=bench: bench.take(cell))
    bench.taken.clear()
    found = bench()
    assert sorted(bench.taken) == sorted(set(NAMES) - set(new))
    assert found.exit_code() == ExitCode.PASS


@pytest.mark.parametrize(
    ("file", "content"),
    [("run.json", b""), ("run.json", b"{"), ("histograms.parquet", b""), ("run.json", None)],
)
def test_a_damaged_run_is_set_aside_and_measured_again(bench, tmp_path, file, content, caplog):
    bench()
    cell = tmp_path / "farm" / NAMES[2]
    if content is None:
        (cell / "histograms.parquet").unlink()
    else:
        (cell / file).write_bytes(content)
    bench.taken.clear()
    found = bench()
    assert bench.taken == Counter([NAMES[2]])
    assert [each.state for each in found.outcomes].count(CellState.KEPT) == 7
    (told,) = caplog.messages
    assert f"cell {NAMES[2]} is measured again; set aside as main.damaged" in told
    assert (cell.with_name("main.damaged") / "run.json").exists()
    assert (cell / "run.json").stat().st_size > 0


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 60, b'{"format": 1, "fa', b"[]", b'{"format": 1}', b"\xff"]
)
def test_a_damaged_mark_is_refused_by_name_and_replaced_by_force(bench, tmp_path, content, caplog):
    bench()
    mark = tmp_path / "farm" / "farm.json"
    mark.write_bytes(content)
    with pytest.raises(StoreError, match=rf"^{mark}: cannot read: .*name another folder, or repl"):
        bench()
    assert mark.read_bytes() == content
    assert sum(bench.taken.values()) == 8
    assert bench(force=True).exit_code() == ExitCode.PASS
    assert sum(bench.taken.values()) == 16
    assert mark.with_name("farm.json.damaged").read_bytes() == content
    (told,) = caplog.messages
    assert told.endswith("; kept as farm.json.damaged, and every cell is measured anew")


@pytest.mark.parametrize("force", [False, True])
def test_a_farm_of_another_version_is_refused(bench, tmp_path, force):
    bench()
    (tmp_path / "farm" / "farm.json").write_text('{"format": 2}')
    with pytest.raises(StoreError, match=r"farm.json: cannot read: format 2; .* that wrote it$"):
        bench(force=force)


def test_an_archive_that_cannot_be_taken_is_refused_before_anything_is_measured(bench, tmp_path):
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "archive.json").write_text('{"format": 2}')
    with pytest.raises(StoreError, match=r"archive.json: cannot read: format 2"):
        bench()
    assert not bench.taken


def test_a_farm_has_one_writer(bench, tmp_path):
    first = Held(tmp_path / "farm", "farm")
    with pytest.raises(UsageError, match=rf"^farm {tmp_path}/farm: process {os.getpid()} writes"):
        bench()
    first.close()
    bench()
    assert ".lock" not in os.listdir(tmp_path / "farm")


def test_another_commit_is_another_farm(bench, tmp_path):
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "One.")
    bench()
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "Two.")
    with pytest.raises(UsageError, match=r"another farm: commit \w{12}, there \w{12}; name"):
        bench()
    bench(out=tmp_path / "second")
    assert sum(bench.taken.values()) == 16


def test_a_run_that_proves_nothing_is_kept_and_told(bench, monkeypatch):
    take = bench.take
    bad = {"invalid_reasons": ("a bin is full",)}

    def invalid(cell):
        number = NAMES.index(cell.name)
        return planted(1000, number, device=cell.device, **bad) if number == 2 else take(cell)

    monkeypatch.setattr(Cell, "take", invalid)
    found = bench()
    assert found.exit_code() == ExitCode.INVALID
    assert "left/busy/main: PROVES NOTHING, measured now: a bin is full" in found.text()
    assert len(bench.archived()) == 8


def test_a_disk_that_is_full_ends_the_farm_in_one_line(bench, tmp_path, monkeypatch):
    def full(result, place):
        raise StoreError(f"{tmp_path}: cannot write: No space left on device")

    monkeypatch.setattr(under_test, "keep", full)
    with pytest.raises(StoreError, match="No space left"):
        bench()


def test_a_farm_that_cannot_be_read_begins_nothing(bench, tmp_path):
    bench.file.write_text("[")
    with pytest.raises(UsageError, match=r"farm\.toml"):
        bench()
    assert os.listdir(tmp_path) == ["farm.toml"]


def test_a_real_instrument_is_used_by_one_cell_at_a_time_and_simulated_ones_by_many(
    bench, monkeypatch
):
    bench.file.write_text(
        '[measure]\nrate = "20k"\ncount = 4\n[instruments]\nsim = "sim:"\nleft = "tcp://left:1"\n'
        'right = "tcp://right:1"\n[builds.a]\n[builds.b]\n[builds.c]\n'
    )
    lock, under_way, most = threading.Lock(), Counter(), Counter()

    def take(cell):
        with lock:
            under_way[cell.link] += 1
            most[cell.link] = max(most[cell.link], under_way[cell.link])
        time.sleep(0.01)
        with lock:
            under_way[cell.link] -= 1
        return planted(1000, sum(cell.name.encode()), device=cell.device)

    monkeypatch.setattr(Cell, "take", take)
    found = farm(
        bench.file, executor=lambda: ThreadPoolExecutor(8), archive=bench.folder / "archive"
    )
    assert {each.state for each in found.outcomes} == {CellState.MEASURED}
    assert most["tcp://left:1"] == most["tcp://right:1"] == 1
    assert most["sim:"] > 1


def test_a_cell_that_fails_does_not_keep_others_of_its_instrument_from_being_measured(bench):
    bench.fails = {NAMES[0]: LinkError("refused")}
    found = bench()
    lost = [each for each in found.outcomes if each.state == CellState.FAILED]
    assert [(each.cell.name, each.reason) for each in lost] == [(NAMES[0], "refused")]
    assert sum(each.done for each in found.outcomes) == len(NAMES) - 1


def test_an_instrument_that_no_worker_has_is_told_before_anything_is_measured(bench, monkeypatch):
    needed = []

    def offers(workers, needs):
        needed.append(needs)
        return needs != "left"

    monkeypatch.setattr(Workers, "offers", offers)
    found = bench()
    assert str(found.error) == (
        "instrument left: no Dask worker has it; start one beside it with --resources left=1"
    )
    assert needed == ["left"]
    assert not bench.taken


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Farm.text) == (100, False)
