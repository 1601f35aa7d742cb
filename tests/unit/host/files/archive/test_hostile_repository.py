# SPDX-License-Identifier: Apache-2.0
"""A repository whose configuration names programs gets its answer, and none of them is run."""

import os
import subprocess

import pytest

from plexor.files.archive.origin import origin_of
from plexor.files.store.run_folder import save
from plexor.library.archive import Archive

from .planted import git, planted


def program(folder):
    """Write a program that leaves a file beside itself; return the program and that file."""
    path, mark = folder / "program", folder / "ran"
    path.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    path.chmod(0o755)
    return path, mark


def repository(folder):
    """Make a repository of one commit whose file has another time than its index says."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "main.c").write_text("int main;")
    git(folder, "add", "main.c")
    git(folder, "commit", "--quiet", "--message", "One.")
    touched(folder)
    return folder


def touched(folder):
    """Give a file another time, so that git has to look into it."""
    path = folder / "main.c"
    time_s = path.stat().st_mtime - 1000
    os.utime(path, (time_s, time_s))


def fsmonitor(folder, run):
    git(folder, "config", "core.fsmonitor", run)


def hook(folder, run):
    path = folder / ".git" / "hooks" / "post-index-change"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n'{run}' </dev/null\n")
    path.chmod(0o755)


def hooks_path(folder, run):
    hooks = folder.parent / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").symlink_to(run)
    git(folder, "config", "core.hooksPath", str(hooks))


def clean(folder, run, kind="clean"):
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("* filter=a.b=c\n")
    git(folder, "config", f"filter.a.b=c.{kind}", run)
    git(folder, "config", "filter.a.b=c.required", "true")


def process(folder, run):
    clean(folder, run, "process")


def included(folder, run):
    clean(folder, run)
    config = folder / ".git" / "config"
    (folder / ".git" / "more").write_text(config.read_text())
    config.write_text("[include]\n\tpath = more\n")


def in_worktree(folder, run):
    clean(folder, run)
    config = folder / ".git" / "config"
    (folder / ".git" / "config.worktree").write_text(config.read_text())
    config.write_text(
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n"
    )


def submodule(folder, run, plant=fsmonitor):
    below = repository(folder / "below")
    git(folder, "add", "below")
    git(folder, "commit", "--quiet", "--message", "Two.")
    plant(below, run)


def submodule_filter(folder, run):
    submodule(folder, run, clean)


def promisor(folder, run):
    """Leave the commit's tree to be fetched from a remote that a program serves."""
    tree = git(folder, "rev-parse", "HEAD^{tree}")
    (folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    (folder / ".git" / "config").write_text(
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
        f'[remote "origin"]\n\turl = {folder}\n\tpromisor = true\n\tuploadpack = {run}\n'
    )


def promisor_ssh(folder, run):
    promisor(folder, run)
    config = folder / ".git" / "config"
    config.write_text(
        config.read_text().replace(f"url = {folder}", "url = a@b.invalid:c")
        + f"[core]\n\tsshCommand = {run}\n[ssh]\n\tvariant = simple\n"
    )


def promisor_ext(folder, run):
    promisor(folder, run)
    config = folder / ".git" / "config"
    config.write_text(
        config.read_text().replace(f"url = {folder}", f"url = ext::{run}")
        + '[protocol "ext"]\n\tallow = always\n'
    )


WAYS = (
    fsmonitor,
    hook,
    hooks_path,
    clean,
    process,
    included,
    in_worktree,
    submodule,
    submodule_filter,
    promisor,
    promisor_ssh,
    promisor_ext,
)


@pytest.mark.parametrize("plant", WAYS, ids=lambda way: way.__name__)
def test_no_program_that_a_repository_names_is_run(plant, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    run, mark = program(tmp_path)
    folder = repository(tmp_path / "project")
    plant(folder, str(run))
    # The plain command shows that the way is one.
    subprocess.run(["git", "-C", folder, "status"], capture_output=True, check=False, timeout=20)
    assert mark.exists()
    mark.unlink()
    for path in (folder, folder / "below"):
        if path.exists():
            touched(path)
    assert origin_of(folder).commit is not None
    assert not mark.exists()


def test_a_change_in_a_submodule_makes_a_repository_dirty(tmp_path):
    folder = repository(tmp_path / "project")
    submodule(folder, "", lambda *_: None)
    assert origin_of(folder).dirty is False
    (folder / "below" / "main.c").write_text("int other;")
    assert origin_of(folder).dirty is True


def test_a_submodule_that_leads_back_to_its_repository_is_asked_once(tmp_path):
    folder = repository(tmp_path / "project")
    submodule(folder, "", lambda *_: None)
    git(folder / "below", "rev-parse", "HEAD")
    for path in sorted((folder / "below").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (folder / "below").rmdir()
    (folder / "below").symlink_to(".")
    assert origin_of(folder).commit is not None


def test_what_filters_that_do_not_run_would_say_is_not_known(tmp_path):
    folder = repository(tmp_path / "project")
    clean(folder, "cat")
    assert origin_of(folder).dirty is False
    (folder / "main.c").write_text("int other;")
    assert origin_of(folder).dirty is None


def test_a_repository_in_a_run_is_ignored(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    save(planted(1000), tmp_path / "run")
    git(tmp_path / "run", "init", "--quiet")
    git(tmp_path / "run", "add", "run.json")
    git(tmp_path / "run", "commit", "--quiet", "--message", "One.")
    archive = Archive(tmp_path / "archive")
    archive.add(tmp_path / "run")
    archive.add(tmp_path / "run" / "run.json")
    assert [each.origin.commit for each in archive.log().runs] == [None]


def test_git_answers_of_the_folder_whatever_the_environment_names(tmp_path, monkeypatch):
    folder, other = repository(tmp_path / "project"), repository(tmp_path / "other")
    git(other, "commit", "--quiet", "--allow-empty", "--message", "Two.")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    named = origin_of(folder).commit
    monkeypatch.delenv("GIT_DIR")
    assert named == git(folder, "rev-parse", "HEAD")
