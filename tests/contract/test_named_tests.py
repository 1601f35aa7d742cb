"""Each module has a test of its name, or a reason here why it has none."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = {
    "host/plexor": "tests/unit/host",
    "hdl/plexor_hdl": "tests/unit/hdl",
    "sim/plexor_sim": "tests/unit/sim",
    "soc/plexor_soc": "tests/unit/soc",
}
"""Where the tests of a package are, in the same folders."""
CONTRACTS = {"host/plexor/protocol": "tests/contract"}
"""Where tests of a room may be as well."""

REASONS = {
    "host/plexor/__main__.py": "calls the command line, and nothing else",
    "host/plexor/errors.py": "declares kinds of errors and their exit codes",
    "host/plexor/selftest/witness.py": "declares what two witnesses have in common",
}
"""What has no test of its name, and why."""

# --- to be written: taken out as each test comes, and this marker with the last of them ---
TO_BE_WRITTEN: dict[str, str] = {
    "host/plexor": "cli",
    "host/plexor/commands": (
        "burst calibrate conclude devices doctor identify measure pairs parameters phase pins "
        "presets progress replay report selftest sim stored sweep table workers"
    ),
    "host/plexor/session": "fetch progress",
    "hdl/plexor_hdl/build": "boards profiles",
    "hdl/plexor_hdl/capture": "edges pins word_queues",
    "hdl/plexor_hdl/control": "register_memory",
    "hdl/plexor_hdl/front": "divider ecp5 ice40 phases sampler serialiser up5k",
    "hdl/plexor_hdl": "instrument interfaces uart_instrument",
    "hdl/plexor_hdl/lib": (
        "addresses clearing frame_bytes history memory_reader split_sum squares word_sums"
    ),
    "hdl/plexor_hdl/match": "accept ages own_edges turns verdicts",
    "hdl/plexor_hdl/results": (
        "bin_places count_places count_queue folding plain_bins record_words step_memory upper"
    ),
    "hdl/plexor_hdl/stimulus": "burst_painter outputs painter random scheduler",
    "hdl/plexor_hdl/uplink": "frame_parts uplink",
    "sim/plexor_sim": "device_forms devices verilog",
    "sim/plexor_sim/golden": (
        "edges ending frames instrument matcher memory random settings stimulus table"
    ),
    "soc/plexor_soc": "core datagrams front_end simulated system target uart",
}
REASONS |= {
    f"{room}/{name}.py": "to be written"
    for room, names in TO_BE_WRITTEN.items()
    for name in names.split()
}
# --- end of what is to be written ---


def modules(package: Path) -> set[Path]:
    """Return the modules of a package, from its folder on."""
    found = (path.relative_to(package) for path in package.rglob("*.py"))
    return {path for path in found if path.name != "__init__.py"}


def named_by(room: set[str], folders: list[Path]) -> set[str]:
    """Return the modules of a room whose name a test has, alone or with more behind it.

    Of two names that a test begins with the longer one is meant.
    """
    found = set()
    for path in (path for folder in folders for path in folder.glob("test_*.py")):
        name = path.stem.removeprefix("test_")
        meant = [module for module in room if f"{name}_".startswith(f"{module}_")]
        found |= {max(meant, key=len)} if meant else set()
    return found


def untested(package: str) -> set[str]:
    """Return the modules of a package that have no test of their name."""
    rooms: dict[Path, set[str]] = {}
    for module in modules(ROOT / package):
        rooms.setdefault(module.parent, set()).add(module.stem)
    found = set()
    for room, names in rooms.items():
        folders = [ROOT / TESTS[package] / room]
        if f"{package}/{room}" in CONTRACTS:
            folders.append(ROOT / CONTRACTS[f"{package}/{room}"])
        found |= {
            (Path(package) / room / f"{n}.py").as_posix() for n in names - named_by(names, folders)
        }
    return found


@pytest.mark.parametrize("package", TESTS)
def test_each_module_has_a_test_of_its_name_or_a_reason(package):
    assert sorted(untested(package) - set(REASONS)) == []


def test_no_reason_is_kept_for_a_module_that_has_a_test_or_is_gone():
    without = set().union(*map(untested, TESTS))
    assert sorted(set(REASONS) - without) == []


def test_a_test_is_of_one_module_and_of_none_whose_name_only_begins_alike(tmp_path):
    for name in ("test_bin.py", "test_binsof.py", "bins.py", "test_bins.txt", "test_run_folder.py"):
        (tmp_path / name).touch()
    room = {"bins", "run", "run_folder"}
    assert named_by(room, [tmp_path]) == {"run_folder"}
    (tmp_path / "test_bins_of_falls.py").touch()
    (tmp_path / "test_run_folder_lost.py").touch()
    assert named_by(room, [tmp_path]) == {"bins", "run_folder"}
    (tmp_path / "test_run.py").touch()
    assert named_by(room, [tmp_path]) == room
