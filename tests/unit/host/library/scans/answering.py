# SPDX-License-Identifier: Apache-2.0
"""A device with a planted knee, asked by the real code of scans: no simulator."""

from concurrent.futures import Executor, Future

from plexor.base.errors import InvalidRunError
from plexor.experiments.job import RunCheck
from plexor.experiments.step import RateFigures, RateStep
from plexor.figures.judge.verdict import Outcome
from plexor.protocol.memory import ResponseClass

TICK_FS = 10**6


class Answering(Executor):
    """Takes steps at once. Rates up to `most_hz` and bursts up to `longest` are answered.

    `fails_after`: so many steps are taken, and the next one fails.
    """

    def __init__(self, most_hz=40_000, longest=5, fails_after=None):
        self.most_hz = most_hz
        self.longest = longest
        self.fails_after = fails_after
        self.jobs = []

    def submit(self, work, job):
        future = Future()
        if isinstance(job, RunCheck):
            future.set_result(None)
        elif self.fails_after is not None and len(self.jobs) >= self.fails_after:
            future.set_exception(InvalidRunError("the cable fell out"))
        else:
            self.jobs.append(job)
            future.set_result((self._step(job),))
        return future

    def _step(self, job):
        burst = job.settings.strikes[0].burst
        answered = job.rate_hz <= self.most_hz and burst <= self.longest
        classes = dict.fromkeys(ResponseClass, 0) | {
            ResponseClass.ANSWERED: 1000 if answered else 400,
            ResponseClass.MISSED: 0 if answered else 600,
            ResponseClass.STRIKES: 1000,
        }
        channels = tuple(
            RateFigures(
                channel.label,
                1000,
                classes,
                min_ticks=300,
                max_ticks=900,
                p50_ticks=310,
                p99_ticks=800,
                rms_ticks=1.5,
                verdict=Outcome.PASS if answered else Outcome.FAIL,
                reason="" if answered else "missed",
            )
            for channel in job.settings.channels
        )
        return RateStep(TICK_FS, True, job.load, job.rate_hz, job.for_channel, 1000, channels)
