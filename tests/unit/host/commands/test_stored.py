"""What is read of a path: a scan, a run, or raw bytes off a link."""

import json

import pytest

from plexor.commands.stored import read_run, read_scan
from plexor.errors import ExitCode, IdentityError, StoreError
from plexor.phase import store as phase_store
from plexor.store.kept_json import document_of
from plexor.store.run_folder import save

from ..render.scans_to_draw import MASKS, phase_result
from . import kept_scans


def test_a_scan_is_read_of_its_folder_or_its_file(folder):
    file = folder / f"{folder.name}.json"
    scan, same = read_scan(folder), read_scan(file)
    assert scan.what.split()[0] == folder.name
    assert scan.document == same.document
    assert scan.text(100, False) == same.text(100, False)
    assert scan.code == ExitCode.PASS


def test_a_scan_is_shown_as_wide_and_as_coloured_as_asked(folder):
    scan = read_scan(folder)
    assert "\x1b[" not in scan.text(100, False)
    assert max(len(line) for line in scan.text(60, False).splitlines()) <= 60


@pytest.mark.parametrize(("reasons", "code"), [((), ExitCode.PASS), (("full",), ExitCode.INVALID)])
def test_a_phase_scan_that_is_invalid_ends_so(tmp_path, reasons, code):
    scan = phase_result(MASKS["none"], invalid_reasons=reasons)
    (tmp_path / "phase.json").write_text(json.dumps(document_of(phase_store.SCHEMA, scan)))
    assert read_scan(tmp_path).code is code


def test_a_run_beside_a_scan_is_read_by_its_file_alone(tmp_path, run_of):
    kept = kept_scans.keep("phase", tmp_path)
    save(run_of([[1000, 2000]]), tmp_path / "run")
    for file in (tmp_path / "run").iterdir():
        file.rename(kept / file.name)
    assert read_scan(kept).what == "phase scan"
    assert read_scan(kept / "run.json") is None
    assert read_run(kept / "run.json").strikes == 2


@pytest.mark.parametrize("name", ["run", "sweep.json", "none"])
def test_what_holds_no_scan_is_none(tmp_path, run_of, name):
    save(run_of([[1000]]), tmp_path / "run")
    (tmp_path / "sweep.json").mkdir()  # a folder of that name holds no sweep
    assert read_scan(tmp_path / name) is None


def test_a_folder_and_a_run_json_without_a_run_are_one_error_with_the_path(tmp_path):
    for path in (tmp_path, tmp_path / "run.json"):
        with pytest.raises(StoreError, match=str(tmp_path / "run.json")):
            read_run(path)


def test_any_other_file_is_taken_for_raw_bytes(tmp_path):
    (tmp_path / "wire.bin").write_bytes(b"no bytes of an instrument")
    with pytest.raises(IdentityError, match=r"wire\.bin"):
        read_run(tmp_path / "wire.bin")
