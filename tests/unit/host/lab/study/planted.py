# SPDX-License-Identifier: Apache-2.0
"""Two systems of planted figures, side by side."""

from fractions import Fraction

from plexor_lab.study.systems import Jitter, Systems, changes, inequalities
from plexor_lab.study.text import systems_text

from ...sweeps import figures, knee, result, step

US = Fraction(1, 10**6)


def one_system(name, knees, jitter=(0, 0), latency=(2500, 16_000), **other):
    """Return a sweep of both pins: brackets by (load, pin), the same latency everywhere."""
    loads = list(dict.fromkeys(load for load, _ in knees))
    pins = {
        load: tuple(
            figures(pin, latency=ticks + each, jitter=each)
            for pin, ticks, each in zip(("IST", "APP"), latency, (100, jitter[place]), strict=True)
        )
        for place, load in enumerate(loads)
    }
    steps = [step(load, rate, *pins[load]) for load in loads for rate in (20_000, 40_000)]
    found = [knee(load, pin, *ends) for (load, pin), ends in knees.items()]
    return result(steps, found, device={"dut": name}, **other)


CE30 = one_system(
    "ce30",
    {
        ("none", "IST"): (100_000, 101_000),
        ("none", "APP"): (60_000, 60_600),
        ("polygons", "IST"): (80_000, 80_800),
        ("polygons", "APP"): (27_000, 27_300),
    },
    jitter=(0, 90_000),
)
CENET = one_system(
    "cenet:seed=3",
    {
        ("none", "IST"): (47_000, 47_470),
        ("none", "APP"): (40_000, 40_400),
        ("polygons", "IST"): (47_000, 47_470),
        ("polygons", "APP"): (39_200, 39_592),
    },
    jitter=(12_000, 4000),
    latency=(6300, 53_000),
)


def systems(*added, jitter=Jitter.SPAN_128):
    """Return rows of sweeps and runs, each a path with what it holds."""
    found = Systems(jitter)
    for path, entry in added:
        (found.add_sweep if hasattr(entry, "knees") else found.add_run)(path, entry)
    return found.rows()


GOLDEN = """\
system      load  interrupt p50  jitter128  saturation   task p50  jitter128  saturation
ce30        none         2.5 µs     100 ns     100 kHz      16 µs        0 s      60 kHz
                      simulated  simulated   simulated  simulated  simulated   simulated
ce30    polygons         2.5 µs     100 ns      80 kHz      16 µs      90 µs      27 kHz
                      simulated  simulated   simulated  simulated  simulated   simulated
cenet       none         6.3 µs     100 ns      47 kHz      53 µs      12 µs      40 kHz
                      simulated  simulated   simulated  simulated  simulated   simulated
cenet   polygons         6.3 µs     100 ns      47 kHz      53 µs       4 µs    39.2 kHz
                      simulated  simulated   simulated  simulated  simulated   simulated
latency and jitter at 20 kHz: s1, s2
saturation, the highest rate that keeps missed<1%@95%, width 1 µs: s1, s2

Change of the saturation frequency under load
system      load        pin   change     by the brackets
ce30    polygons  interrupt  -20.0 %  -20.8 % to -19.2 %  simulated
ce30    polygons       task  -55.0 %  -55.4 % to -54.5 %  simulated
cenet   polygons  interrupt   +0.0 %    -1.0 % to +1.0 %  simulated
cenet   polygons       task   -2.0 %    -3.0 % to -1.0 %  simulated

Is the task's jitter128 lower under load?
no   ce30, polygons 90 µs ≥ 0 s ce30, none (simulated)
no   ce30, polygons 90 µs ≥ 4 µs cenet, polygons (simulated)
yes  cenet, polygons 4 µs < 12 µs cenet, none (simulated)
yes  cenet, polygons 4 µs < 90 µs ce30, polygons (simulated)

Reference, measured by others: C. Tacke, L. Ricci, "Benchmarking Real-Time Determinism in Windows
CE", COTS Journal
system       load    IST latency     jitter128     saturation    APP latency  jitter128  saturation
CE 3.0       none        ~2.5 µs             .     > 100 kHz?          16 µs          .           .
                    reference R1                 reference R8   reference R2
CE 3.0   polygons              .         ~5 µs         80 kHz       ≤ 133 µs          .           .
                                  reference R3   reference R9   reference R4
CE .NET      none              .             .        47 kHz?              .          .           .
                                                reference R11
CE .NET  polygons        6.3 µs?             .        47 kHz?         53 µs?          .           .
                   reference R13                reference R11  reference R14
CE 3.0, polygons, APP: early peaks at about 15 and 30 µs (reference R5)
CE 3.0, polygons, IST: all completed within about 50 µs (reference R6)
CE 3.0, polygons, APP: all completed within about 125 µs (reference R7)
CE 3.0, polygons, APP: saturation changes by more than 50 % (reference R10)
CE .NET, polygons, APP: saturation changes by about 2 % (reference R12)
CE .NET, polygons, APP: jitter less than when idle, and than that of CE 3.0 under load (reference
R15)
. not in the text   ? the load is not explicit

For 5 µs, reference: microseconds: test with care, and consider an answer in hardware.
"""
# By arithmetic: 80/100, 27/60, 47/47, 39.2/40, less 1; bounds 80/101 and 80.8/100, 27/60.6 and
# 27.3/60, 47/47.47 and 47.47/47, 39.2/40.4 and 39.592/40.


def written(rows, sweeps, **options):
    options = {"jitter": Jitter.SPAN_128} | options
    jitter = options.pop("jitter")
    return systems_text(
        rows,
        changes(rows),
        inequalities(rows),
        sweeps,
        jitter,
        **{"width": 100, "colour": False} | options,
    )
