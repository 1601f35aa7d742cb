# SPDX-License-Identifier: Apache-2.0
"""The caller of a scan: told of steps, and its exceptions and stop end the scan."""

import pytest

from plexor.library.scans.watched import watched
from plexor.run.session.stop import Stop


def test_what_is_told_reaches_the_caller():
    told = []
    with watched(lambda *step: told.append(step), None) as tell:
        tell(1, 2)
        tell(3, 4)
    assert told == [(1, 2), (3, 4)]


def test_nobody_need_listen():
    with watched(None, None) as tell:
        tell(1)


def test_a_stop_ends_the_scan_by_an_interrupt_after_the_step_was_told():
    told, stop = [], Stop()
    with watched(told.append, stop) as tell:
        tell(1)
        stop.ask()
        with pytest.raises(KeyboardInterrupt):
            tell(2)
    assert told == [1, 2]


def failing(step):
    raise ZeroDivisionError(f"at {step}")


def scan(stop, done, raised=None):
    """Take a scan of one step, whose caller fails; note that what was found was kept."""
    with watched(failing, stop) as tell:
        with pytest.raises(KeyboardInterrupt):
            tell(1)
        done.append("kept")
        if raised is not None:
            raise raised


def test_an_exception_ends_the_scan_by_an_interrupt_and_is_raised_at_its_end():
    done = []
    with pytest.raises(ZeroDivisionError, match="at 1"):
        scan(None, done)
    assert done == ["kept"]


def test_it_is_raised_too_where_nothing_could_be_kept():
    with pytest.raises(ZeroDivisionError, match="at 1"):
        scan(None, [], KeyboardInterrupt())


def test_an_interrupt_of_the_user_stays_one():
    with pytest.raises(KeyboardInterrupt), watched(failing, None):
        raise KeyboardInterrupt


def test_what_the_scan_itself_raises_comes_first():
    with pytest.raises(OSError, match="disk"):
        scan(None, [], OSError("disk"))
