# SPDX-License-Identifier: Apache-2.0
"""The executor's sources build for another board, with one header of their own."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import plexor_sim
from plexor_sim.packages import default_cache, freertos_kernel
from plexor_sim.riscv import FirmwareError, compile_firmware

FIRMWARE = Path(plexor_sim.__file__).parent / "firmware"
DOCUMENT = Path(__file__).resolve().parents[4] / "docs/do/executor.md"
SOURCES = ("executor.c", "executor_message.c", "executor_schedule.c")
BOARD = """
#pragma once
#include <stdint.h>
#define BOARD_TIMECODE_BITS 12
#define BOARD_INTERRUPT freertos_risc_v_application_interrupt_handler
#define PORT(place) (*(volatile uint32_t *)(0x10000000u + 4 * (place)))
static inline void board_start(void) { PORT(0) = 3; }
static inline void board_ready(void) {}
static inline uint32_t board_timecode(void) { return PORT(1) & 0xfff; }
static inline uint32_t board_timecode_is_gray(void) { return 1; }
static inline uint32_t board_stepped(void) { return PORT(2); }
static inline uint32_t board_serial_waits(void) { return PORT(3); }
static inline uint8_t board_serial_read(void) { return (uint8_t)PORT(4); }
static inline uint32_t board_serial_has_room(void) { return PORT(5); }
static inline void board_serial_write(uint8_t byte) { PORT(6) = byte; }
static inline void board_fire(uint8_t code) { PORT(7) = code; }
"""
KERNEL = """
#include "FreeRTOS.h"
#include "task.h"
void assert_failed(uint32_t line) { (void)line; for (;;) {} }
void vApplicationStackOverflowHook(TaskHandle_t task, char *name) { (void)task; (void)name; }
"""
NAMES = set(re.findall(r"(BOARD_[A-Z_]+|board_\w+)", BOARD))


def built(folder: Path, board: str) -> Path:
    """Build copies of the sources with a board's header; return the ELF file."""
    for name in (*SOURCES, "executor.h"):
        shutil.copy(FIRMWARE / name, folder)
    (folder / "executor_board.h").write_text(board)
    (folder / "kernel.c").write_text(KERNEL)
    # All of this simulated system but its registers: startup, layout and the kernel's settings.
    for name in ("FreeRTOSConfig.h", "start.S", "loads.c", "soc.h"):
        shutil.copy(FIRMWARE / name, folder)
    cache = default_cache()
    kernel = freertos_kernel(cache)
    port = kernel / "portable/GCC/RISC-V"
    sources = [folder / name for name in (*SOURCES, "kernel.c", "start.S", "loads.c")]
    sources += [kernel / name for name in ("tasks.c", "queue.c", "list.c")]
    sources += [port / "port.c", port / "portASM.S"]
    extensions = port / "chip_specific_extensions/RISCV_MTIME_CLINT_no_extensions"
    host = Path(__file__).resolve().parents[4] / "host/plexor/firmware"
    includes = [folder, FIRMWARE / "libc", host, kernel / "include", port, extensions]
    compile_firmware(sources, includes, folder / "board.elf", cache)
    return folder / "board.elf"


def test_the_sources_build_with_another_boards_header(tmp_path: Path) -> None:
    assert built(tmp_path, BOARD).read_bytes()[:4] == b"\x7fELF"


@pytest.mark.parametrize("name", sorted(NAMES - {"BOARD_INTERRUPT"}))
def test_the_sources_use_each_thing_that_a_board_supplies(tmp_path: Path, name: str) -> None:
    without = "\n".join(line for line in BOARD.splitlines() if not re.search(rf"\b{name}\b", line))
    with pytest.raises((FirmwareError, subprocess.SubprocessError), match=name):
        built(tmp_path, without)


def test_the_document_lists_what_a_board_supplies() -> None:
    listed = set(re.findall(r"`(BOARD_[A-Z_]+|board_\w+)`", DOCUMENT.read_text()))
    own = (FIRMWARE / "executor_board.h").read_text()
    supplied = set(re.findall(r"#define (BOARD_\w+)|\b(board_\w+)\(", own))
    assert listed == NAMES == {one or other for one, other in supplied}
