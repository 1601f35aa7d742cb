"""Links by URI; a simulated instrument that cannot be orphaned."""

import os
import pty
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from plexor.errors import ExitCode, LinkError, UsageError
from plexor.link import LinkEndError, Reader, open_link
from plexor.link.sim import SimLink, sim_command

from ..fake_device import wait_until


def script(tmp_path, text):
    """A command that runs some Python."""
    path = tmp_path / "serve.py"
    path.write_text(textwrap.dedent(text))
    return [sys.executable, str(path)]


SERVE = """
    import os, socket, subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    open(sys.argv[0] + ".pids", "w").write(f"{os.getpid()} {child.pid}")
    listener = socket.create_server(("127.0.0.1", 0))
    print("device synthetic", flush=True)
    print(f"listening 127.0.0.1:{listener.getsockname()[1]}", flush=True)
    connection, _ = listener.accept()
    while data := connection.recv(100):
        connection.sendall(data)
        if data == b"crash":
            sys.exit("simulator: core dumped")
    time.sleep(600)
"""


def pids(tmp_path):
    return [int(word) for word in (tmp_path / "serve.py.pids").read_text().split()]


def gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def all_gone(tmp_path):
    return wait_until(lambda: all(gone(pid) for pid in pids(tmp_path)))


def read_some(link, count=1):
    data = b""
    deadline = time.monotonic() + 60
    while len(data) < count and time.monotonic() < deadline:
        data += link.read(1000, 0.1)
    return data


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "sim",
        "usb:1",
        "tcp://",
        "tcp://host",
        "tcp://host:99999",
        "tcp://host:x",
        "tcp://[::1",
        "serial:",
        "serial:/dev/x?baud=fast",
        "serial:/dev/x?baud=5",
        "serial:/dev/x?speed=9",
    ],
)
def test_a_uri_that_names_no_link_is_a_usage_error(uri):
    with pytest.raises(UsageError) as caught:
        open_link(uri)
    assert caught.value.exit_code == ExitCode.USAGE
    assert "\n" not in str(caught.value)


def test_two_names_for_the_device_are_a_usage_error():
    with pytest.raises(UsageError, match="name the device once"):
        open_link("sim:bare", dut="freertos")


@pytest.mark.parametrize(
    "uri", ["tcp://127.0.0.1:1", "serial:/dev/none", "file:/none", "tcp://no.such.host.invalid:9"]
)
def test_a_link_that_cannot_be_opened_is_one_clear_line(uri):
    with pytest.raises(LinkError) as caught:
        open_link(uri)
    assert uri.partition("?")[0] in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == ExitCode.LINK


def test_a_tcp_link_carries_bytes_both_ways_and_ends_with_the_other_side():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        link = open_link(f"tcp://127.0.0.1:{listener.getsockname()[1]}")
        other, _ = listener.accept()
        link.write(b"to the instrument")
        assert other.recv(100) == b"to the instrument"
        other.sendall(b"back")
        assert read_some(link, 4) == b"back"
        assert link.read(10, 0.01) == b""
        other.close()
        with pytest.raises(LinkEndError, match="closed the connection"):
            read_some(link)
        link.close()


def test_a_recording_is_read_to_its_end_and_takes_no_commands(tmp_path):
    path = tmp_path / "wire.bin"
    path.write_bytes(b"recorded")
    link = open_link(f"file:{path}")
    assert link.read(100, 1.0) == b"recorded"
    with pytest.raises(LinkEndError, match="has ended"):
        link.read(100, 1.0)
    with pytest.raises(LinkError, match="takes no commands"):
        link.write(b"x")
    link.close()


def test_a_serial_link_carries_bytes_both_ways():
    other, own = pty.openpty()
    link = open_link(f"serial:{os.ttyname(own)}?baud=3000000")
    link.write(b"\x01\x02")
    assert b"".join(os.read(other, 1) for _ in range(4)) == b"\x55\x00\x01\x02"
    os.write(other, b"\x00\xff\x11\x13")
    assert read_some(link, 4) == b"\x00\xff\x11\x13"
    assert link.read(10, 0.01) == b""
    link.close()
    os.close(own)
    os.close(other)


def test_a_port_that_is_not_there_is_told_once():
    with pytest.raises(LinkError, match=r"serial:/dev/none\?baud=\d+: cannot open: no such file"):
        open_link("serial:/dev/none")


def test_a_serial_port_is_held_alone():
    other, own = pty.openpty()
    link = open_link(f"serial:{os.ttyname(own)}")
    with pytest.raises(LinkError, match=r"cannot open: another program has it open$"):
        open_link(f"serial:{os.ttyname(own)}")
    link.close()
    os.close(own)
    os.close(other)


def test_a_simulated_instrument_serves_and_ends_with_its_link(tmp_path):
    link = SimLink(script(tmp_path, SERVE))
    assert link.device == "synthetic"
    link.write(b"hello")
    assert read_some(link, 5) == b"hello"
    link.close()
    assert all_gone(tmp_path)
    link.close()


def test_what_is_taken_at_once_is_bounded():
    chunk = bytes(1 << 18)
    reader = Reader(Scripted(*[chunk] * 40))
    sizes = []
    while sum(sizes) < 40 * len(chunk):
        sizes.append(len(reader.take(5.0)))
    assert max(sizes) <= 1 << 20
    reader.close()


def test_a_simulated_instrument_says_why_it_has_another_device(tmp_path):
    lines = "fallback no cargo; using bare\\nfallback no core; using synthetic"
    said = f"print('{lines}', flush=True)\n"
    link = SimLink(script(tmp_path, said + textwrap.dedent(SERVE)))
    assert link.fallback == "no cargo; using bare; no core; using synthetic"
    link.close()


def test_a_simulated_instrument_that_crashes_says_its_last_line(tmp_path):
    link = SimLink(script(tmp_path, SERVE))
    link.write(b"crash")
    assert read_some(link, 5) == b"crash"
    with pytest.raises(LinkEndError, match=r"exit code 1.*core dumped"):
        read_some(link)
    link.close()
    assert all_gone(tmp_path)


@pytest.mark.parametrize(("code", "error"), [(2, UsageError), (1, LinkError), (0, LinkError)])
def test_a_simulated_instrument_that_does_not_start_says_why(tmp_path, code, error):
    text = f"""
        import sys
        print("building", file=sys.stderr)
        print("no such device: toaster", file=sys.stderr)
        sys.exit({code})
    """
    with pytest.raises(error, match=r"did not start.*no such device: toaster") as caught:
        SimLink(script(tmp_path, text))
    assert type(caught.value) is error


@pytest.mark.parametrize(
    "line", ["listening nowhere", "listening 127.0.0.1:0", "listening a:99999"]
)
def test_a_simulated_instrument_that_listens_nowhere_is_a_link_error(tmp_path, line):
    with pytest.raises(LinkError):
        SimLink(script(tmp_path, f"import time; print({line!r}, flush=True); time.sleep(60)"))


def holder(tmp_path, then):
    """A process that holds a simulated instrument and then does something."""
    path = tmp_path / "serve.py"
    path.write_text(textwrap.dedent(SERVE))
    source = f"""
import sys, time
from plexor.link.sim import SimLink
link = SimLink([sys.executable, {str(path)!r}])
print("up", flush=True)
{then}
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    assert process.stdout.readline() == b"up\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_host_leaves_no_orphan(tmp_path, number):
    process = holder(tmp_path, "time.sleep(600)")
    process.send_signal(number)
    process.wait(60)
    process.stdout.close()
    assert all_gone(tmp_path)


def test_a_host_that_forgets_to_close_leaves_no_orphan(tmp_path):
    process = holder(tmp_path, "raise SystemExit")
    process.wait(60)
    process.stdout.close()
    assert all_gone(tmp_path)


def test_an_interrupt_while_it_starts_ends_a_simulated_instrument(tmp_path):
    text = """
        import os, sys, time
        open(sys.argv[0] + ".pids", "w").write(str(os.getpid()))
        time.sleep(600)
    """
    command = script(tmp_path, text)

    def interrupt():
        wait_until((tmp_path / "serve.py.pids").exists)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        SimLink(command)
    assert all_gone(tmp_path)


def test_the_command_of_a_simulated_instrument_names_the_device():
    assert sim_command("bare", ("--samples", "8"))[1:] == [
        "-m",
        "plexor_sim.serve",
        "--dut",
        "bare",
        "--samples",
        "8",
    ]


class Scripted:
    """A link that gives what it is told to."""

    name = "scripted:"

    def __init__(self, *chunks):
        self.chunks = list(chunks)

    def read(self, max_bytes, timeout_s):
        del max_bytes
        if not self.chunks:
            time.sleep(timeout_s)
            return b""
        chunk = self.chunks.pop(0)
        if isinstance(chunk, Exception):
            raise chunk
        return chunk

    def write(self, data):
        del data

    def close(self):
        self.chunks.clear()


def test_a_reader_gives_all_bytes_before_the_error_that_ends_the_link():
    reader = Reader(Scripted(b"a", b"b", LinkEndError("over"), b"never"))
    data = reader.take(1.0)
    while len(data) < 2:
        data += reader.take(1.0)
    assert data == b"ab"
    with pytest.raises(LinkEndError, match="over"):
        reader.take(0.0)
    reader.close()


def test_a_reader_that_nobody_takes_from_still_closes():
    reader = Reader(Scripted(*[b"x"] * 10_000))
    assert wait_until(reader._queue.full)
    reader.close()
    assert not reader._thread.is_alive()


def test_an_error_of_the_system_becomes_a_link_error():
    reader = Reader(Scripted(OSError(5, "Input/output error")))
    with pytest.raises(LinkError, match=r"scripted:.*Input/output error"):
        reader.take(1.0)
    reader.close()
