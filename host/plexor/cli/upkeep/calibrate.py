# SPDX-License-Identifier: Apache-2.0
"""`plexor board calibrate`: where the bins of each channel end."""

from __future__ import annotations

import sys
from dataclasses import replace

from plexor.base.errors import UsageError
from plexor.cli.conclude import show
from plexor.cli.declared.upkeep import Forgetting
from plexor.cli.options import AsJson
from plexor.cli.output import check_outputs
from plexor.cli.parameters import option_name, usage
from plexor.library.open import open_any
from plexor.library.upkeep.calibrate import forgotten, reference_of, target_of
from plexor.library.upkeep.specs import CalibrateSpec


def calibrate(link: str, asked: CalibrateSpec, forgetting: Forgetting, shown: AsJson) -> None:
    """Measure bins and delays and keep them, or forget what is kept."""
    with usage():
        reference_of(asked.pps, asked.pps_time, option_name)
        if asked.wire is not None and not asked.jumpers:
            raise UsageError("--wire is the delay of jumpers; name them with --jumper")
    if forgetting.forget:
        with open_any(link) as instrument:
            _say(f"removed {forgotten(instrument.device)}")
        return
    with open_any(link) as instrument:
        for note in instrument.notes:
            _say(note)
        target = target_of(instrument.device, asked.path)
        check_outputs(target, folder=target.parent, whole=False)
        with usage():
            asked = replace(asked, path=target, on_line=_say)
            found = instrument.calibrate(**asked.keywords())
    show(found, shown.as_json)
    if found.unsaved is not None:
        raise found.unsaved
    applied = f"; it is applied with --calibration {found.path}"
    _say(f"calibration kept in {found.path}{applied if found.calibration.simulated else ''}")


def _say(line: str) -> None:
    print(f"plexor: {line}", file=sys.stderr)
