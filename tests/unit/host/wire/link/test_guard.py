# SPDX-License-Identifier: Apache-2.0
"""A command that does not outlive whoever started it, however that ends."""

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager

import pytest

from plexor.wire.link import guard

from ...fake_device import wait_until
from .served import SERVE, all_gone, gone


@contextmanager
def guarded(source):
    """Yield a process that runs some Python under the guard; whatever fails, it is ended."""
    limited = f"import signal; signal.alarm(60)\n{textwrap.dedent(source)}"
    command = [sys.executable, guard.__file__, sys.executable, "-c", limited]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("raise SystemExit(0)", 0),
        ("raise SystemExit(3)", 3),
        # As a shell has it: 128 and the signal's number.
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137),
    ],
)
def test_the_exit_code_is_the_commands(source, code):
    with guarded(source) as process:
        assert process.wait(20) == code


def test_what_is_written_goes_on_to_the_command():
    with guarded("print(input()[::-1])") as process:
        process.stdin.write(b"abc\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"cba\n"


def test_a_command_that_takes_no_notice_of_its_end_is_killed(tmp_path):
    path = tmp_path / "pid"
    source = f"""
        import os, signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        open({str(path)!r} + ".part", "w").write(str(os.getpid()))
        os.rename({str(path)!r} + ".part", {str(path)!r})
        time.sleep(600)
    """
    with guarded(source) as process:
        assert wait_until(path.exists)
        process.stdin.close()
        assert process.wait(20) == 128 + signal.SIGKILL
    assert gone(int(path.read_text()))


def test_a_command_ends_when_its_guard_is_told_to():
    with guarded("import time; print('here', flush=True); time.sleep(600)") as process:
        assert process.stdout.readline() == b"here\n"
        process.terminate()
        assert process.wait(20) == 128 + signal.SIGTERM


def test_what_a_command_leaves_behind_ends_with_it():
    source = """
        import subprocess, sys
        child = subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(600)"], stdout=subprocess.DEVNULL
        )
        print(child.pid)
    """
    with guarded(source) as process:
        pid = int(process.stdout.readline())
        assert process.wait(20) == 0
    assert wait_until(lambda: gone(pid))


def test_an_interrupt_is_the_holders_and_does_not_end_the_command():
    with guarded("print('up', flush=True); print(input())") as process:
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGINT)
        process.stdin.write(b"still here\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"still here\n"
        assert process.wait(20) == 0


def holder(tmp_path, then):
    """A process that holds a simulated instrument and then does something."""
    path = tmp_path / "serve.py"
    path.write_text(textwrap.dedent(SERVE))
    source = f"""
import sys, time
from plexor.wire.link.sim import SimLink
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
    process.wait(20)
    process.stdout.close()
    assert all_gone(tmp_path)


def test_a_host_that_forgets_to_close_leaves_no_orphan(tmp_path):
    process = holder(tmp_path, "raise SystemExit")
    process.wait(20)
    process.stdout.close()
    assert all_gone(tmp_path)
