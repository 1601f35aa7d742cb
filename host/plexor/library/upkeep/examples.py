# SPDX-License-Identifier: Apache-2.0
"""The examples that come with the simulated instrument, copied for their user."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from plexor.base.disk.atomic import write_bytes
from plexor.base.disk.errors import writing
from plexor.base.errors import UsageError
from plexor.library.upkeep.desk import need_simulator


def copy_examples(folder: Path) -> list[Path]:
    """Copy the examples into a new folder; return the files.

    Raises LinkError if the simulated instrument is not installed, UsageError for a folder that has
    something in it, and StoreError for one that cannot be written.
    """
    need_simulator()
    spec = find_spec("plexor_sim")
    places = () if spec is None else spec.submodule_search_locations or ()
    sources = sorted(
        path for place in places for path in (Path(place) / "examples").iterdir() if path.is_file()
    )
    with writing(folder):
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder}: is not empty; name a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        for source in sources:
            write_bytes(folder / source.name, source.read_bytes())
    return [folder / source.name for source in sources]
