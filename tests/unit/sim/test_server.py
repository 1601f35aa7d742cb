# SPDX-License-Identifier: Apache-2.0
"""A simulator as a process: lines, exit codes, clients that come and go, owners that die."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from plexor.protocol.geometry import Geometry
from plexor_sim.build import build
from plexor_sim.packages import default_cache
from plexor_sim.riscv import DeviceBuild
from plexor_sim.server import Server, SimulatorError

GEOMETRY = Geometry(channels=2, strikes=1, samples=8)
DEPTH = 256
END_S = 120
"""Wall time for what ends by itself, on the busiest machine."""
WORDS = bytes([1]) + bytes(DEPTH - 1)

ECHO = """
module plexor (
  input clk, input rst, input [15:0] samples, output [7:0] strikes, output load, input gate,
  input clock_lost,
  output [1:0] input_select, output [2:0] loopback_output,
  input [7:0] rx__payload, input rx__valid, output rx__ready,
  output [7:0] tx__payload, output tx__valid, input tx__ready
);
  assign strikes = 0;
  assign input_select = 0;
  assign loopback_output = 0;
  assign load = gate;
  assign rx__ready = !full | tx__ready;
  assign tx__valid = full;
  assign tx__payload = data;
  reg full = 0;
  reg [7:0] data;
  always @(posedge clk)
    if (rst) full <= 0;
    else begin
      if (rx__ready) full <= rx__valid;
      if (rx__ready & rx__valid) data <= rx__payload;
    end
endmodule
"""

UART_ECHO = """
module plexor (
  input clk, input rst, input [15:0] samples, output [7:0] strikes, output load, input gate,
  input clock_lost,
  output [1:0] input_select, output [2:0] loopback_output,
  input uart_rx, uart_hold, output uart_tx
);
  reg level = 1;
  assign strikes = 0;
  assign input_select = 0;
  assign loopback_output = 0;
  assign load = 0;
  assign uart_tx = level;
  always @(posedge clk) level <= rst | uart_rx;
endmodule
"""


@pytest.fixture(scope="module")
def echo(scripted: DeviceBuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a simulator whose core sends back each byte."""
    core = tmp_path_factory.mktemp("echo") / "echo.v"
    core.write_text(ECHO)
    return build(GEOMETRY, scripted, default_cache(), core=core)


@pytest.fixture(scope="module")
def uart_echo(scripted: DeviceBuild, tmp_path_factory: pytest.TempPathFactory) -> Path:
    core = tmp_path_factory.mktemp("uart") / "echo.v"
    core.write_text(UART_ECHO)
    return build(GEOMETRY, scripted, default_cache(), uart=True, core=core)


@pytest.fixture(scope="module")
def probe(simulator: Callable[[Geometry, DeviceBuild], Path], scripted: DeviceBuild) -> Path:
    return simulator(GEOMETRY, scripted)


def receive(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count and (got := client.recv(65536)):
        data += got
    return data


def connect(server: Server) -> socket.socket:
    return socket.create_connection(server.address, END_S)


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(condition: Callable[[], bool], timeout_s: float = 60) -> bool:
    deadline = time.monotonic() + timeout_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


DATA = bytes(range(256)) * 64
ENDLESS = 1_000_000
STALL_S = 0.5
"""Processor time of a simulator that is held up."""


@pytest.mark.parametrize("stall", [[], ["--stall", "0.5,3"], ["--stall", "0.95,9"]])
def test_every_byte_passes_both_ways_in_order_however_the_link_stalls(
    echo: Path, stall: list[str]
) -> None:
    with Server(echo, arguments=stall) as server, connect(server) as client:
        client.sendall(DATA)
        assert receive(client, len(DATA)) == DATA


def accepted(server: Server) -> int:
    """Return how many bytes go to an echo before it is held up, by a client that does not read."""
    with socket.socket() as client:
        # What lies in this client's own buffers is not the server's.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        client.connect(server.address)
        client.setblocking(False)
        count, worked_s = 0, processor_s(server.pid)
        # It has taken all that it takes once it has worked for long without taking more.
        while count < ENDLESS and processor_s(server.pid) - worked_s < STALL_S:
            try:
                count += client.send(DATA)
                worked_s = processor_s(server.pid)
            except BlockingIOError:
                time.sleep(0.01)
    return count


def test_a_buffer_bounds_what_lies_on_the_way_to_a_client_that_does_not_read(echo: Path) -> None:
    with Server(echo, arguments=["--buffer", "65536"]) as server:
        # Besides it there are the queues of the simulator and of the kernel, both ways.
        assert 65536 <= accepted(server) < ENDLESS


def test_a_link_that_is_full_takes_nothing(echo: Path) -> None:
    with Server(echo, arguments=["--stall", "full"]) as server, connect(server) as client:
        client.sendall(DATA)
        client.settimeout(0.5)
        with pytest.raises(TimeoutError):
            client.recv(1)


@pytest.mark.full
@pytest.mark.parametrize("divisor", [4, 8, 33])
def test_every_byte_passes_a_uart_at_its_divisor(uart_echo: Path, divisor: int) -> None:
    arguments = ["--uart-divisor", str(divisor)]
    with Server(uart_echo, arguments=arguments) as server, connect(server) as client:
        client.sendall(DATA[:2048])
        assert receive(client, 2050) == b"\x55\x00" + DATA[:2048]


def test_the_next_client_starts_with_nothing_of_the_last(echo: Path) -> None:
    with Server(echo) as server:
        for _ in range(3):
            with connect(server) as client:
                client.sendall(b"left behind" * 1000)
        with connect(server) as client:
            time.sleep(0.2)
            client.setblocking(False)
            stray = b""
            try:
                while got := client.recv(65536):
                    stray += got
            except BlockingIOError:
                pass
            # At most the byte that the core itself still held.
            assert len(stray) <= 1


def test_time_stands_still_and_no_processor_runs_without_a_client(
    probe: Path, tmp_path: Path
) -> None:
    log = tmp_path / "truth"
    with Server(probe, "script=/dev/null", ["--truth", str(log)]) as server:
        before = processor_s(server.pid)
        time.sleep(1)
        assert processor_s(server.pid) - before < 0.1
        with connect(server) as client:
            client.sendall(WORDS)
            receive(client, DEPTH)
        first_ps = int.from_bytes(log.read_bytes()[:8], "little") if log.stat().st_size else 0
        assert first_ps < 10**12


def test_once_ends_with_its_first_client_and_the_truth_is_complete(
    probe: Path, tmp_path: Path
) -> None:
    log = tmp_path / "truth"
    with Server(probe, "script=/dev/null", ["--once", "--truth", str(log)]) as server:
        with connect(server) as client:
            client.sendall(WORDS)
            receive(client, DEPTH)
        assert server.wait(END_S) == 0
    # Rise and fall of the strike, rise and fall of the load.
    assert len(log.read_bytes()) == 4 * 16


def test_lingering_goes_on_without_a_client_and_then_ends(echo: Path) -> None:
    with Server(echo, arguments=["--once", "--linger", "1"]) as server:
        connect(server).close()
        started = time.monotonic()
        assert server.wait(END_S) == 0
        assert time.monotonic() - started > 0.8


def test_a_limit_of_cycles_ends_a_free_run(echo: Path) -> None:
    with Server(echo, arguments=["--free", "--max-cycles", "100000"]) as server:
        assert server.wait(END_S) == 0


def test_the_gate_changes_at_its_core_clocks(echo: Path, tmp_path: Path) -> None:
    log = tmp_path / "truth"
    arguments = ["--gate", "100,150", "--free", "--max-cycles", "1000", "--truth", str(log)]
    with Server(echo, arguments=arguments) as server:
        server.wait(END_S)
    records = log.read_bytes()
    times = [int.from_bytes(records[n : n + 8], "little") for n in range(0, len(records), 16)]
    # The echo core's load output is its gate input, unregistered: seen in the next clock's word.
    assert times == [101 * 8000, 151 * 8000]


def test_the_trace_of_the_pins_is_a_vcd_in_ps(echo: Path, tmp_path: Path) -> None:
    trace = tmp_path / "pins.vcd"
    arguments = ["--gate", "100", "--free", "--max-cycles", "200", "--trace-pins", str(trace)]
    with Server(echo, arguments=arguments) as server:
        server.wait(END_S)
    text = trace.read_text()
    assert "$timescale 1ps $end" in text
    assert text.endswith("#808000\n11\n")


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (["--bogus"], "", "--bogus: no such option"),
        (["--max-cycles", "0"], "", "--max-cycles 0: an integer from 1"),
        (["--stall", "2,1"], "", "--stall 2: a number from 0 to 0.999 is needed"),
        (["--gate", "5,5"], "", "--gate 5: an integer from 6"),
        ([], "colour=red", "'colour': the options are script, quiet, throw, late"),
    ],
)
def test_bad_usage_is_one_line_and_code_2(
    echo: Path, arguments: list[str], options: str, sentence: str
) -> None:
    with pytest.raises(SimulatorError, match=f"^error: {sentence}") as caught:
        Server(echo, options, arguments)
    assert caught.value.exit_code == 2


def test_a_truth_log_that_cannot_be_written_is_code_4(echo: Path) -> None:
    with pytest.raises(SimulatorError, match="/no/such: cannot be written") as caught:
        Server(echo, arguments=["--truth", "/no/such"])
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("option", ["--truth", "--trace-pins"])
def test_a_full_disk_is_one_line_and_code_4(probe: Path, option: str) -> None:
    with Server(probe, "script=/dev/null", ["--once", option, "/dev/full"]) as server:
        # It may end before it has answered.
        with suppress(ConnectionError), connect(server) as client:
            client.sendall(WORDS)
            receive(client, DEPTH)
        sentence = "^error: /dev/full: cannot be written: No space left on device$"
        with pytest.raises(SimulatorError, match=sentence) as caught:
            server.wait(END_S)
    assert caught.value.exit_code == 4


def test_a_simulator_dies_with_the_process_that_started_it(echo: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from plexor_sim.server import Server\n"
        f"server = Server(Path({str(echo)!r})); print(server.pid, flush=True); time.sleep(60)"
    )
    owner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    assert alive(pid)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    assert wait_until(lambda: not alive(pid), 10)


def test_it_listens_on_loopback_only(echo: Path) -> None:
    with Server(echo) as server:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        listening = [
            row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{server.port:04X}")
        ]
        assert listening == [f"0100007F:{server.port:04X}"]
