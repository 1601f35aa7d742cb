# SPDX-License-Identifier: Apache-2.0
"""The commit of a run is what git says of the repository around it."""

from plexor.files.archive import origin
from plexor.files.archive.origin import Origin, origin_of

from .planted import git


def repository(folder):
    """Make a repository of one commit; return its name, as git prints it."""
    git(folder, "init", "--quiet")
    (folder / "main.c").write_text("int main;")
    git(folder, "add", "main.c")
    git(folder, "commit", "--quiet", "--message", "One.")
    return git(folder, "rev-parse", "HEAD")


def test_a_run_in_a_repository_is_of_its_commit_and_branch(tmp_path):
    name = repository(tmp_path)
    (tmp_path / "runs" / "idle").mkdir(parents=True)
    assert origin_of(tmp_path / "runs" / "idle") == Origin(name, "main", False)


def test_a_kept_run_does_not_make_the_repository_dirty_but_a_change_does(tmp_path):
    repository(tmp_path)
    (tmp_path / "run.json").write_text("{}")
    assert origin_of(tmp_path).dirty is False
    (tmp_path / "main.c").write_text("int main = 1;")
    assert origin_of(tmp_path).dirty is True


def test_a_checkout_of_a_commit_has_no_branch(tmp_path):
    name = repository(tmp_path)
    git(tmp_path, "checkout", "--quiet", "--detach")
    assert origin_of(tmp_path) == Origin(name, None, False)


def test_without_a_repository_a_commit_or_git_nothing_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert origin_of(tmp_path) == Origin()
    git(tmp_path, "init", "--quiet")
    assert origin_of(tmp_path) == Origin()
    assert origin_of(tmp_path / "gone") == Origin()
    repository(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert origin_of(tmp_path) == Origin()


def test_a_git_that_does_not_answer_is_not_waited_for(tmp_path, monkeypatch):
    repository(tmp_path)
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(origin, "PATIENCE_S", 0.1)
    assert origin_of(tmp_path) == Origin()
