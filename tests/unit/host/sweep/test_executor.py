"""Workers in processes of their own: an interrupt is not theirs."""

import signal

from plexor.sweep.executor import Workers, parse_executor


def test_a_worker_leaves_an_interrupt_to_the_process_that_asked_for_its_job():
    with Workers(parse_executor("local:1")) as workers:
        assert workers.submit(signal.raise_signal, signal.SIGINT).result() is None
