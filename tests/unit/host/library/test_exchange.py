# SPDX-License-Identifier: Apache-2.0
"""`plexor.library.exchange`: what a script calls, with texts or numbers."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.files.imports.signals import ChannelSignal, StrikeSignal
from plexor.library.exchange import CAPTURES, FORMATS, export, import_capture
from plexor.library.run import Run
from plexor.library.specs.options import POLICIES
from plexor.protocol.registers import Policy

from ..show.export import planted


def test_a_run_is_written_to_one_file_or_to_several(tmp_path):
    export(Run(planted.run()), tmp_path / "a.md")
    limits = tmp_path / "limits.toml"
    limits.write_text('[all]\nmax = "1 s"\n')
    export(Run(planted.run()), [str(tmp_path / "b.md"), tmp_path / "b.xml"], str(limits))
    assert sorted(path.name for path in tmp_path.glob("[ab].*")) == ["a.md", "b.md", "b.xml"]
    assert "budget limits" in (tmp_path / "b.md").read_text()


def test_texts_numbers_and_objects_mean_the_same(tmp_path):
    export(Run(planted.run()), tmp_path / "a.vcd")
    runs = [
        import_capture(
            tmp_path / "a.vcd",
            channels=channels,
            strikes=strikes,
            timeout=timeout,
            deadline=deadline,
        )
        for channels, strikes, timeout, deadline in (
            (["ISR=ISR", "TASK=TASK"], ["strike0"], "900ns", "200ns"),
            (
                [ChannelSignal("ISR", "ISR"), ChannelSignal("TASK", "TASK")],
                [StrikeSignal("strike0")],
                9e-7,
                Fraction(200, 10**9),
            ),
        )
    ]
    runs = [run.result for run in runs]
    assert runs[0] == runs[1]
    assert runs[0].channels[0].deadline_ticks == 200
    assert runs[0].settings.timeout_s == Fraction(9, 10**7)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"policy": "newest"}, "policy: 'newest'; must be one of oldest, latest, window"),
        ({"timeout": "5"}, "'5'; must be a number with a unit"),
        ({"channels": ["ISR"]}, "channel: 'ISR'; did you mean ISR=ISR"),
        ({"strikes": ["a:b"]}, "strike: 'a:b'"),
    ],
)
def test_a_wrong_option_is_a_usage_error(options, line, tmp_path):
    with pytest.raises(UsageError, match=line):
        import_capture(tmp_path / "a.vcd", **{"channels": ["ISR=a"]} | options)


def test_what_can_be_asked_for_is_listed():
    assert {".vcd", ".fst", ".ghw", ".sr", ".csv"} <= set(CAPTURES)
    assert all(FORMATS.values())
    assert {Policy[name.upper()] for name in POLICIES} == set(Policy)
