# SPDX-License-Identifier: Apache-2.0
"""What the study of CreateThread says, column by column, and what follows from it by hand.

D. P. B. Renaux, R. E. de Góes, R. R. Linhares, "Performance Characterization of Real-Time Operating
Systems for Systems-on-Silicon", sections 5.1 and 5.2: columns i, t, c, s, b, r32, w32, r8, w8.
"""

from pathlib import Path

from plexor_lab.bound.estimate import estimate
from plexor_lab.bound.files.map_file import read_map
from plexor_lab.bound.files.model_file import read_model
from plexor_lab.bound.files.platform_file import read_platform
from plexor_lab.bound.model import AccessKind, RegionMap

EXAMPLES = Path(__file__).parents[5] / "sim" / "plexor_sim" / "examples"
N = 13
COLUMNS = (
    ("iram_text", AccessKind.READ),
    ("text", AccessKind.READ),
    ("const", AccessKind.READ),
    ("stack", AccessKind.ANY),
    ("branch", AccessKind.ANY),
    ("heap32", AccessKind.READ),
    ("heap32", AccessKind.WRITE),
    ("heap8", AccessKind.READ),
    ("heap8", AccessKind.WRITE),
)
COUNTS = {
    "1": (3, 13, 1, 17, 4, 1, 0, 0, 0),
    "2": (49, 268, 7, 32, 54, 12, 36, 19, 25),
    "3": (0, 18, 0, 0, 2, 2, 0, 0, 0),
}
COUNTS_AT_13 = (52, 515, 8, 49, 84, 39, 36, 19, 25)
PLATFORMS = (1, 2, 3)
TIMES_NS = {
    1: (14, 14, 70, 70, 250, 200, 200, 200, 200),
    2: (14, 14, 14, 14, 45, 14, 14, 14, 14),
    3: (14, 160, 160, 180, 450, 160, 200, 80, 120),
}
COLUMNS_NS = {
    1: (728, 7210, 560, 3430, 21000, 7800, 7200, 3800, 5000),
    2: (728, 7210, 112, 686, 3780, 546, 504, 266, 350),
    3: (728, 82400, 1280, 8820, 37800, 6240, 7200, 1520, 3000),
}
TOTAL_NS = {1: 56_728, 2: 14_182, 3: 148_988}
MEASURED_NS = {1: 51_111, 2: 14_137, 3: 146_400}
FIXED_NS = {1: 41_752, 2: 9_372, 3: 95_688}
PER_N_NS = {1: 1_152, 2: 370, 3: 4_100}
BLOCKED_NS = {1: 54_044, 2: 13_512, 3: 141_686}
OVER_PERCENT = {1: ("10.990", "9.902"), 2: ("0.318", "0.317"), 3: ("1.768", "1.737")}
"""Of what was measured, and of the estimate."""


def platform_file(number):
    return EXAMPLES / f"platform-{number}.toml"


def example(platform=1, model="createthread.toml"):
    """Return the estimate of the files that ship."""
    return estimate(
        read_model(EXAMPLES / model), read_platform(platform_file(platform)), RegionMap()
    )


def to_the_cycle():
    """Return the estimate of platform 2 with accesses of one cycle, by a map."""
    return estimate(
        read_model(EXAMPLES / "createthread.csv"),
        read_platform(EXAMPLES / "memory.toml"),
        read_map(EXAMPLES / "map.toml"),
    )
