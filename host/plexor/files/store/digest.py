# SPDX-License-Identifier: Apache-2.0
"""Digests of a run folder's files, in the format of the program `sha256sum`.

They show that a file was changed after the run was taken. They are no signature: who changes a file
on purpose can write its digest anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from plexor.base.disk.atomic import write_atomic

SUMS_FILE = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64}) [ *]([^/\0]+)")


def write_digests(folder: Path, moved: Mapping[str, Path] | None = None) -> None:
    """Write the digest of each file of a folder. Raises OSError.

    `moved` are files that will be moved into it, by their names there.
    """
    paths = {path.name: path for path in folder.iterdir() if path.name != SUMS_FILE}
    paths |= moved or {}
    lines = [f"{_digest(paths[name])}  {name}\n" for name in sorted(paths)]
    write_atomic(folder / SUMS_FILE, "".join(lines))


def changed_files(folder: Path) -> list[str]:
    """Return the names of the files of a folder that are not as their digests say.

    A folder of an older version has no digests, and nothing is known of its files. Digests that
    cannot be read were changed themselves. Raises OSError for a file that cannot be read.
    """
    sums = folder / SUMS_FILE
    if not sums.exists():
        return []
    lines = sums.read_bytes().decode("utf-8", "replace").splitlines()
    found = [_LINE.fullmatch(line) for line in lines]
    known = {match[2]: match[1] for match in found if match is not None}
    if not known or None in found:
        return [SUMS_FILE]
    return [
        name
        for name, digest in known.items()
        if (folder / name).is_file() and _digest(folder / name) != digest
    ]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
