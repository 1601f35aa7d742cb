# SPDX-License-Identifier: Apache-2.0
"""`plexor board calibrate`: a calibration that could not be kept is printed, and then told."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from plexor import cli
from plexor.base.errors import StoreError
from plexor.cli.upkeep import calibrate as body


@pytest.mark.parametrize("unsaved", [None, StoreError("c.json: no room on the disk")])
def test_one_that_was_not_kept_says_so_after_its_figures(unsaved, monkeypatch, capsys, tmp_path):
    target = tmp_path / "c.json"
    found = SimpleNamespace(
        unsaved=unsaved,
        path=target,
        text=lambda **_: "the bins",
        calibration=SimpleNamespace(simulated=False),
    )
    instrument = SimpleNamespace(
        notes=(),
        device=SimpleNamespace(identity=SimpleNamespace(simulated=False)),
        calibrate=lambda **_: found,
    )
    monkeypatch.setattr(body, "open_any", lambda _: nullcontext(instrument))
    monkeypatch.setattr(body, "target_of", lambda *_: target)
    # The folder stays, so it may be one that cannot be replaced.
    monkeypatch.setattr(Path, "is_mount", lambda _: True)
    code = cli.main(["board", "calibrate", "--link", "serial:/dev/none"])
    out, err = capsys.readouterr()
    assert "the bins" in out
    assert (f"calibration kept in {target}" in err) == (unsaved is None)
    assert ("no room on the disk" in err) == (unsaved is not None)
    assert (code == 0) == (unsaved is None)
