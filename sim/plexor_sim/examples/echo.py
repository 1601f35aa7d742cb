# SPDX-License-Identifier: Apache-2.0
"""A sketch of a device: each rise of a strike is answered by a pulse."""

from plexor_sim.libraries.sketch import Sketch


class Device(Sketch):
    """Answers strike 0 on output 0."""

    def __init__(self, delay_ps: str = "300000", width_ps: str = "50000") -> None:
        self.delay_ps = int(delay_ps)
        self.width_ps = int(width_ps)

    def struck(self, time_ps: int, number: int, level: int) -> None:
        """Answer a rise."""
        if number or not level:
            return
        self.drive(time_ps + self.delay_ps, 0, 1)
        self.drive(time_ps + self.delay_ps + self.width_ps, 0, 0)
