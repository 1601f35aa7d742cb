"""The executor at the whole simulated instrument: its time, its fires and its line."""

import numpy as np
from executor_run import STEP_TICKS, TICK_PS, TIMECODE, executor, fires, paced, rises

from plexor.mixed.message import Kind, Message

RETIRED = np.dtype([("time_ps", "<i8"), ("pc", "<u4"), ("code", "<u4")])


def stores_of(path):
    """Return (time_ps, code) of each store to the code port that retired."""
    record = np.fromfile(path, RETIRED)
    return [(int(row["time_ps"]), int(row["code"])) for row in record[record["pc"] == 0]]


def test_lateness_is_that_of_the_stores_that_retire(tmp_path):
    path, steps = tmp_path / "retired.bin", 60
    with paced(executor(retired=path)) as run:
        run.line.send(Message(Kind.VERIFY, 1, 1, 8))
        run.prepare(steps)
        run.start()
        batch = run.until_end()
        start = run.start_ticks()
    due = rises(batch, TIMECODE)
    assert due.tolist() == [start + STEP_TICKS * n for n in range(1, steps + 1)]
    stores = stores_of(path)
    found = fires(batch)
    assert len(found) == steps
    # A tick shows an edge at or before it.
    assert found.tolist() == [[-(-time_ps // TICK_PS), code] for time_ps, code in stores]
    assert [code & 0x7F for _, code in stores] == [0x10 + n % 8 for n in range(steps)]
    late = found[:, 0] - due
    assert 0 < late.min()
    assert late.max() < 30_000
