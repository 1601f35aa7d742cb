# SPDX-License-Identifier: Apache-2.0
"""The way into each program of the simulation, which never ends with a traceback."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Callable

EXIT_UNEXPECTED = 70
"""A fault of the program itself: EX_SOFTWARE of sysexits.h."""
EXIT_INTERRUPTED = 130


def entered(main: Callable[[], int]) -> int:
    """Run a program and return its exit code. An error that it does not expect is one line.

    A reader of its output may leave.
    """
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        print(f"error: a fault of Plexor itself: {text}{_reported(error)}", file=sys.stderr)
        return EXIT_UNEXPECTED
    return code


def _reported(error: Exception) -> str:
    """Write the traceback to a file, and return what to do with it."""
    try:
        handle, path = tempfile.mkstemp(".txt", "plexor-")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"command: {sys.argv}\n\n")
            file.writelines(traceback.format_exception(error))
    except (OSError, MemoryError, RecursionError):
        return "; report it"
    return f"; report it with {path}, which has the command and the traceback"
