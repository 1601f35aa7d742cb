# SPDX-License-Identifier: Apache-2.0
"""Where a run's device comes from: the commit of the user's repository, as git names it.

Whoever wrote a repository wrote its configuration, and that can name programs for git to run. Here
git runs none of them: `_git` is the one door to it.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 30
"""Wall time that git has for an answer; repositories on shared storage are slow."""
_SAFE = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.alternateRefsCommand": "",
    "safe.bareRepository": "explicit",
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES")
"""Variables of the user that hold, such as those that lead to safe.directory."""
_OWN = ("local", "worktree")
"""Scopes of a repository's own configuration."""
_COMMANDS = ("clean", "smudge", "process")
_SUBMODULE = "160000"


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
    branch = _git(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    return Origin(commit, branch, _dirty(folder))


def _dirty(folder: Path) -> bool | None:
    """Return whether tracked files differ from the commit, those of submodules too.

    A difference in a repository with filters of its own may be the filters', as these do not run;
    then it is not known.
    """
    # A submodule has a configuration of its own, which must not run anything either: each is asked
    # as a repository of its own. One that names itself as its submodule is asked once.
    states: dict[Path, bool | None] = {}
    folders: list[Path] = [folder]
    while folders:
        path = folders.pop()
        top = _git(path, "rev-parse", "--show-toplevel")
        if top is None:
            return None
        if Path(top) not in states:
            states[Path(top)] = _changed(Path(top))
            folders += _submodules(Path(top))
    known = set(states.values())
    return True if True in known else (None if None in known else False)


def _changed(top: Path) -> bool | None:
    """Return whether the tracked files of one repository differ from its commit."""
    filters = _filters(top)
    if filters is None:
        return None
    status = ("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
    changes = _git(top, *status, settings=filters)
    return None if changes is None or (changes and filters) else bool(changes)


def _filters(folder: Path) -> dict[str, str] | None:
    """Return what disables the filters that a repository itself names; None where git fails."""
    listed = _git(folder, "config", "--list", "--show-scope", "--includes", "-z", "--name-only")
    if listed is None:
        return None
    words = listed.split("\0")
    names = {
        name.rpartition(".")[0]
        for scope, name in zip(words[::2], words[1::2], strict=False)
        if scope in _OWN and name.startswith("filter.") and name.rpartition(".")[2] in _COMMANDS
    }
    off = {f"{name}.{command}": "" for name in names for command in _COMMANDS}
    return off | {f"{name}.required": "false" for name in names}


def _submodules(top: Path) -> list[Path]:
    """Return the folders of the submodules that are checked out."""
    listed = _git(top, "ls-files", "--stage", "-z") or ""
    lines = (line.partition("\t") for line in listed.split("\0"))
    paths = (top / name for mode, _, name in lines if mode.startswith(_SUBMODULE))
    return [path for path in paths if (path / ".git").exists()]


def _git(folder: Path, *arguments: str, settings: dict[str, str] | None = None) -> str | None:
    """Return what git prints; None where it fails. It runs no program that a repository names.

    Repositories of other owners are refused by git itself, but for those in safe.directory.
    """
    known = _SAFE | (settings or {})
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own |= {name: os.environ[name] for name in _KEPT if name in os.environ}
    own |= _ENVIRONMENT | {"GIT_CONFIG_COUNT": str(len(known))}
    for number, (name, value) in enumerate(known.items()):
        own |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    try:
        done = subprocess.run(
            ["git", "--no-pager", "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
            env=own,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="surrogateescape").strip() if done.returncode == 0 else None
