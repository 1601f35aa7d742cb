# SPDX-License-Identifier: Apache-2.0
"""Simulated instruments of a few lines, the processes they leave, and bytes off a link."""

import sys
import textwrap
import time
from pathlib import Path

from ...fake_device import wait_until


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
    print(f"listening tcp://127.0.0.1:{listener.getsockname()[1]}", flush=True)
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
