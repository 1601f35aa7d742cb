# SPDX-License-Identifier: Apache-2.0
"""The ports of plexor_trace.h: what their stores do to the pins, by the chips' data sheets."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from plexor_sim.packages import default_cache
from plexor_sim.riscv import trace_headers
from plexor_sim.toolchain import find_tools

PROGRAM = """
#include <cstdint>
#include <cstdio>
static uint32_t port = 0xffffffff;
#define PLEXOR_ADDRESS &port
#include "plexor_trace.h"
int main() {
  PLEXOR_SET(5); std::printf("%u\\n", port);
  PLEXOR_ISR_EXIT(15); std::printf("%u\\n", port);
  PLEXOR_RUN(0); std::printf("%u\\n", port);
}
"""
CODES = [10 << 4 | 5, 7 << 4 | 15, 1 << 4]
SHIFT = 3
MASK = 0xFF << SHIFT


def stored(port: str, folder: Path) -> list[int]:
    """Return what the port's register holds after each of three codes."""
    source, program = folder / "ports.cpp", folder / "ports"
    source.write_text(PROGRAM)
    flags = [f"-DPLEXOR_PORT=PLEXOR_PORT_{port}", f"-DPLEXOR_SHIFT={SHIFT}"]
    command = [*find_tools().compiler, "-Wall", "-Wextra", "-Werror", f"-I{trace_headers()}"]
    subprocess.run([*command, *flags, str(source), "-o", str(program)], check=True)
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


def test_a_plain_port_is_the_code_and_nothing_else(tmp_path: Path) -> None:
    assert stored("GPIO", tmp_path) == [code << SHIFT for code in CODES]


def test_a_store_to_bsrr_writes_the_pins_of_the_port_and_no_other(tmp_path: Path) -> None:
    others = 0b1010000000000101
    pins = others
    for word, code in zip(stored("STM32", tmp_path), CODES, strict=True):
        # RM0090: the upper half resets pins, the lower half sets them; setting wins.
        pins = pins & ~(word >> 16) | word & 0xFFFF
        assert pins == code << SHIFT | others & ~MASK


def compiled(folder: Path, target: str, cpu: str, *flags: str) -> str:
    """Return the assembly of a function that sends a code, or the compiler's errors."""
    source, assembly = folder / "port.c", folder / "port.s"
    source.write_text('#include "plexor_trace.h"\nvoid send(void) { PLEXOR_SET(5); }\n')
    command = [sys.executable, "-m", "ziglang", "cc", "-target", target, f"-mcpu={cpu}", "-O2"]
    command += ["-ffreestanding", "-Wall", "-S", "-o", str(assembly), f"-I{trace_headers()}"]
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(default_cache() / "zig")}
    done = subprocess.run(
        [*command, *flags, str(source)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    return assembly.read_text() if done.returncode == 0 else done.stderr


def instructions(assembly: str) -> list[str]:
    """Return the mnemonics of a function's instructions."""
    words = (line.split()[0] for line in assembly.splitlines() if line[:1] == "\t" and line.split())
    return [word for word in words if not word.startswith((".", "@"))]


def test_rp2040_toggles_what_differs_while_interrupts_are_off(tmp_path: Path) -> None:
    found = instructions(
        compiled(
            tmp_path, "thumb-freestanding-eabi", "cortex_m0plus", "-DPLEXOR_PORT=PLEXOR_PORT_RP2040"
        )
    )
    stores = [index for index, word in enumerate(found) if word.startswith("str")]
    assert len(stores) == 1
    masked = [found.index(word) for word in ("mrs", "cpsid", "msr")]
    assert masked[0] < masked[1] < stores[0] < masked[2]


def test_an_stm32_sends_a_code_with_one_store(tmp_path: Path) -> None:
    assembly = compiled(
        tmp_path,
        "thumb-freestanding-eabi",
        "cortex_m4",
        "-DPLEXOR_PORT=PLEXOR_PORT_STM32",
        "-DPLEXOR_ADDRESS=0x40020018u",
    )
    found = instructions(assembly)
    assert sum(word.startswith("str") for word in found) == 1
    assert not any(word.startswith(("ldr", "mrs")) for word in found)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["-DPLEXOR_PORT=9"], "PLEXOR_PORT must be one of"),
        (["-DPLEXOR_CODE_BITS=5"], "PLEXOR_CODE_BITS must be 6 to 16"),
        (["-DPLEXOR_PORT=PLEXOR_PORT_STM32", "-DPLEXOR_SHIFT=9"], "a port of an STM32 has 16 pins"),
        (["-DPLEXOR_PORT=PLEXOR_PORT_VEXRISCV", "-DPLEXOR_CODE_BITS=9"], "device's port has 8"),
    ],
)
def test_a_port_that_cannot_be_is_refused(flags: list[str], says: str, tmp_path: Path) -> None:
    assert says in compiled(tmp_path, "riscv32-freestanding-none", "generic_rv32", *flags)


def test_a_value_has_as_many_codes_as_its_32_bits_need(tmp_path: Path) -> None:
    source, program = tmp_path / "value.cpp", tmp_path / "value"
    source.write_text("""
#include <cstdint>
#include <cstdio>
static uint32_t kept[32], *next = kept;
#define PLEXOR_PORT PLEXOR_PORT_GPIO
#define PLEXOR_ADDRESS next++
#include "plexor_trace.h"
int main() {
  PLEXOR_VALUE(0xfedcba98u);
  for (uint32_t *code = kept; code < next; code++) std::printf("%u\\n", *code);
}
""")
    for bits, parts in ((6, 16), (8, 8), (10, 6), (16, 3)):
        flags = [f"-I{trace_headers()}", f"-DPLEXOR_CODE_BITS={bits}"]
        command = [*find_tools().compiler, *flags, str(source), "-o", str(program)]
        subprocess.run(command, check=True)
        done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
        codes = [int(line) for line in done.stdout.split()]
        width = bits - 4
        assert [code >> width for code in codes] == list(
            itertools.islice(itertools.cycle((11, 12)), parts)
        )
        value = sum((code % (1 << width)) << width * k for k, code in enumerate(codes))
        assert value == 0xFEDCBA98
