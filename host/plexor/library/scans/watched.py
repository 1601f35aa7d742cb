# SPDX-License-Identifier: Apache-2.0
"""Steps told to the caller of a scan, whose exceptions and stop end it without a loss."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import ParamSpec

from plexor.run.session.stop import Stop

P = ParamSpec("P")


@contextmanager
def watched(on_step: Callable[P, None] | None, stop: Stop | None) -> Generator[Callable[P, None]]:
    """Yield a callback for a scan's steps, which tells `on_step`.

    It ends the scan by KeyboardInterrupt if the stop is requested, or if `on_step` raises an
    exception. The end of the block then raises this exception, if nothing else was raised in it.
    """
    failures: list[Exception] = []

    def tell(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            if on_step is not None:
                on_step(*args, **kwargs)
        except Exception as error:
            failures.append(error)
            raise KeyboardInterrupt from error
        if stop is not None and stop.asked:
            raise KeyboardInterrupt

    try:
        yield tell
    except KeyboardInterrupt:
        if not failures:
            raise
    if failures:
        raise failures[0]
