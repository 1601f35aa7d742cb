"""Where a run's device comes from: the commit of the user's repository, as git names it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 30
"""Wall time that git has for an answer; repositories on shared storage are slow."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A commit, its branch, and whether files differ from it. None: not known."""

    commit: str | None = None
    branch: str | None = None
    dirty: bool | None = None


def origin_of(folder: Path) -> Origin:
    """Return the commit that is checked out in the repository around a folder.

    Without a repository, a commit or git itself, nothing is known. Files that git does not track do
    not count as changes, or each run that is kept in the repository would be one.
    """
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return Origin()
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    branch = _git(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    return Origin(commit, branch, None if changes is None else bool(changes))


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what git prints; None where it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None
