# SPDX-License-Identifier: Apache-2.0
"""Each module has a test of its name, or a reason here why it has none."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = {
    "host/plexor": "tests/unit/host",
    "host/plexor_lab": "tests/unit/host/lab",
    "hdl/plexor_hdl": "tests/unit/hdl",
    "sim/plexor_sim": "tests/unit/sim",
    "soc/plexor_soc": "tests/unit/soc",
}
"""Where the tests of a package are, in the same folders."""
CONTRACTS = {
    "host/plexor/protocol": "tests/contract",
    "host/plexor/cli": "tests/system",
    "host/plexor/cli/explain": "tests/system",
    "host/plexor/cli/scans": "tests/system",
    "host/plexor/cli/upkeep": "tests/system",
}
"""Where tests of a room may be as well."""

REASONS = {
    "host/plexor/model/columns.py": "two names; tests/unit/host/show/test_table.py shows them",
    "host/plexor/__main__.py": "calls the command line, and nothing else",
    "hdl/plexor_hdl/instrument.py": "wires stages; tests/cocotb/whole/test_instrument.py runs it",
    "hdl/plexor_hdl/code_wires.py": "wires stages; tests/system/test_code_tables.py runs it",
    "hdl/plexor_hdl/schedule_wires.py": "wires stages; tests/system/test_due_times.py runs it",
    "hdl/plexor_hdl/control/register_bus.py": "declares a signature",
    "hdl/plexor_hdl/uart_instrument.py": "wires two components; tests/system/test_uart.py runs it",
    "hdl/plexor_hdl/uplink/frame_parts.py": "declares layouts",
    "host/plexor/cli/declared/archive.py": "declares; test_declared.py finds each body",
    "host/plexor/cli/declared/live.py": "declares; test_declared.py finds each body",
    "host/plexor/cli/declared/scans.py": "declares; test_declared.py finds each body",
    "host/plexor/cli/declared/stored.py": "declares; test_declared.py finds each body",
    "host/plexor/cli/declared/upkeep.py": "declares; test_declared.py finds each body",
    "host/plexor/wire/decode/matched.py": "declares what matching takes and gives",
    "sim/plexor_sim/devices.py": "finds devices by name; test_manifest.py does so",
    "soc/plexor_soc/front_end.py": "wires pads; tests/front/test_litex.py runs it",
    "soc/plexor_soc/simulated.py": "wires a system; tests/system/test_litex.py runs it",
    "soc/plexor_soc/target.py": "wires a system; tests/gateware/test_soc.py builds it",
    "soc/plexor_soc/uart.py": "wires a UART; tests/system/test_litex.py runs it",
    "sim/plexor_sim/examples/echo.py": "is an example; test_sketch.py and test_build.py play it",
    "sim/plexor_sim/examples/test_reflexes.py": "is an example; test_pytest_plugin.py runs it",
    "host/plexor/model/code_array.py": "declares an array",
    "host/plexor/model/code_tables.py": "declares what a chip counts of codes",
    "host/plexor/library/parts/files.py": "names what is public; plexor_lab uses each name",
    "host/plexor/library/parts/page.py": "names what is public; plexor_lab uses each name",
    "host/plexor/library/parts/phase.py": "names what is public; plexor_lab uses each name",
    "host/plexor/library/parts/picture.py": "names what is public; plexor_lab uses each name",
    "host/plexor/library/parts/results.py": "names what is public; plexor_lab uses each name",
    "host/plexor/library/parts/show.py": "names what is public; plexor_lab uses each name",
    "host/plexor/base/shown.py": "declares; test_drawing.py writes a file of each suffix",
    "host/plexor/library/parts/run.py": "names what is public; plexor_lab uses each name",
    "host/plexor_lab/study/command.py": "test_systems.py runs `plexor lab table`",
    "host/plexor_lab/study/body.py": "test_systems.py runs `plexor lab table`",
    "host/plexor_lab/bench/body.py": "test_command.py runs `plexor lab bench`",
    "host/plexor_lab/bound/body.py": "test_command.py runs `plexor lab bound`",
    "host/plexor_lab/mixed/goal.py": "test_spec.py makes goals of what is asked",
    "host/plexor_lab/offers.py": "declares the commands; test_extensions.py finds them",
    "host/plexor/model/numbers.py": "declares the bounds of pins and ticks",
    "host/plexor/protocol/identity.py": "declares what test_registers.py checks",
    "host/plexor/files/store/figure_types.py": "declares; test_document.py holds documents to it",
    "host/plexor/library/specs/scope_spec.py": "declares; test_declared.py finds what takes it",
    "host/plexor/scope/command.py": "starts the server; test_scope.py runs `plexor scope`",
    "host/plexor/scope/interface.py": "declares what the page needs of an instrument",
    "host/plexor/experiments/selftest/witness.py": "declares what two witnesses have in common",
}
"""What has no test of its name, and why."""


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
