# SPDX-License-Identifier: Apache-2.0
"""The rules of the house that no linter holds: what may be in a file, and what must be."""

import ast
import hashlib
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
# SHA-256 of the words of the licence, as Debian has it in its common-licenses.
APACHE_2_0 = "0ffddef9e48f8a09aed5caf2d44f7ba1c1be2d9b8e0a6f693b1635b2d5566645"
TESTED = {"sim", "gateware", "soc", "cluster", "scope", "archive", "export", "pictures", "dev"}
INSTALLED = {"demo": {"sim"}, "test": TESTED}
PROFILES = INSTALLED | {"flash": TESTED | {"flash"}}
"""Lock files, and the extras that each must hold; those that tests need are installed."""
# Written in parts, or this file would break its own rule.
REGISTRY_HOSTS = [
    rf"\b{host}\b"
    for host in (
        r"pypi\." + "org",
        r"python" + r"hosted\.org",
        r"crates\." + "io",
        r"registry\." + r"npmjs\.org",
        r"deb\." + r"debian\.org",
        r"static\." + r"rust-lang\.org",
    )
]
MACHINE_PATHS = [r"/(?:" + "work|farm)/[a-z]", "/" + r"root/", "/" + r"home/[a-z]", "/" + "tmp/v/"]


@cache
def tracked() -> tuple[Path, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(path for path in paths if path.is_file())


@cache
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def text_files() -> list[tuple[Path, str]]:
    found = []
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content:
            found.append((path.relative_to(ROOT), content.decode()))
    return found


def matches(patterns: list[str]) -> list[str]:
    wrong = re.compile("|".join(patterns))
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, content in text_files()
        for number, line in enumerate(content.splitlines(), 1)
        if wrong.search(line)
    ]


def lock(profile: str) -> dict[str, list[str]]:
    """Return the locked versions of each package; more than one where markers choose."""
    entries: dict[str, list[str]] = {}
    text = (ROOT / "requirements" / f"{profile}.lock").read_text()
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE):
        entries.setdefault(canonicalize_name(name), []).append(version)
    return entries


def declared(profile: str) -> list[Requirement]:
    """Return what pyproject.toml asks of a profile, and to build the package."""
    table = project()["project"]
    lines = [*table["dependencies"], *project()["build-system"]["requires"]]
    for extra in PROFILES[profile]:
        lines += table["optional-dependencies"][extra]
    return [Requirement(line) for line in lines]


def left_out() -> set[str]:
    """Return the packages that pyproject.toml has nobody install, though others need them."""
    lines = map(Requirement, project()["tool"]["uv"]["override-dependencies"])
    return {
        canonicalize_name(line.name)
        for line in lines
        if line.marker is not None and not line.marker.evaluate()
    }


def test_no_tracked_file_names_a_registry_host():
    assert matches(REGISTRY_HOSTS) == []


def test_no_tracked_file_names_a_path_of_one_machine():
    assert matches(MACHINE_PATHS) == []


def test_nothing_tells_to_install_plexor_from_an_index():
    # It is on none; what works is a path, of a clone.
    assert matches([r"pip install (?:-\S+ )*['\"]?" + "plexor"]) == []


def test_no_tracked_file_is_a_megabyte():
    assert [str(path) for path in tracked() if path.stat().st_size > 1 << 20] == []


def test_no_test_is_skipped_for_want_of_something():
    # Written in parts, or this file would break its own rule.
    assert matches([r"\b(?:import" + r"orskip|pytest\.skip|mark\.skip|mark\.x" + r"fail)"]) == []


def test_the_licence_is_apache_2_0_word_for_word():
    lines = (ROOT / "LICENSE").read_text().split()
    assert hashlib.sha256(" ".join(lines).encode()).hexdigest() == APACHE_2_0
    assert project()["project"]["license"] == "Apache-2.0"


def test_every_dependency_says_what_it_is_for():
    text = (ROOT / "pyproject.toml").read_text()
    table = project()["project"]
    groups = [table["dependencies"], *table["optional-dependencies"].values()]
    for requirement in (entry for group in groups for entry in group):
        lines = [line for line in text.splitlines() if f'"{requirement}"' in line]
        assert lines, requirement
        for line in lines:
            assert re.search(r'",\s*# \w.{5}', line), f"{requirement} has no comment"


def test_the_makefile_calls_and_has_no_logic():
    text = (ROOT / "Makefile").read_text()
    assert not re.search(r"^\s*-?(?:if|ifdef|ifeq|ifneq|else|define|include)\b", text, re.MULTILINE)
    recipes = [line[1:] for line in text.splitlines() if line.startswith("\t")]
    assert recipes
    for line in recipes:
        assert not re.search(r"[;|&<>`\\]|\$\(\w+ |\$\$", line), f"logic in the Makefile: {line}"


def test_ci_runs_the_test_command_of_the_readme():
    assert re.search(r"^\s*(?:\w+=\S+ )*make test$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    assert re.search(r"^\s*make test\b", (ROOT / "README.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize("profile", PROFILES)
def test_lock_files_hold_versions_that_pyproject_asks_for(profile):
    locked = lock(profile)
    for requirement in declared(profile):
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement} is not in requirements/{profile}.lock; make lock"
        for version in versions:
            assert version in requirement.specifier, f"{requirement}: locked {version}; make lock"


@pytest.mark.parametrize("profile", INSTALLED)
def test_lock_files_hold_all_that_locked_packages_need(profile):
    locked = lock(profile)
    waiting = [(entry.name, extra) for entry in declared(profile) for extra in {"", *entry.extras}]
    seen = set()
    while waiting:
        name, extra = waiting.pop()
        name = canonicalize_name(name)
        if (name, extra) in seen or name in left_out():
            continue
        seen.add((name, extra))
        assert name in locked, f"{name} is not in requirements/{profile}.lock; make lock"
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:
            pytest.fail(f"{name} is locked but not installed; make setup")
        for need in map(Requirement, needs):
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                waiting += [(need.name, found) for found in {"", *need.extras}]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_locked_package_has_checksums(profile):
    text = (ROOT / "requirements" / f"{profile}.lock").read_text()
    entries = re.split(r"\n(?=\w)", text.strip())
    assert len(entries) >= len(declared(profile))
    for entry in entries:
        assert re.search(r"\n +--hash=sha256:[0-9a-f]{64}", entry), entry.splitlines()[0]


@pytest.mark.parametrize("profile", INSTALLED)
def test_all_lock_files_hold_the_same_versions(profile):
    some, everything = lock(profile), lock("flash")
    assert {name: everything.get(name) for name in some} == some


def test_the_environment_holds_the_locked_versions():
    installed = {
        name: found
        for name, versions in lock("test").items()
        if (found := _version(name)) is not None and found not in versions
    }
    assert installed == {}, "not as locked; make setup"


def _version(name: str) -> str | None:
    try:
        return distribution(name).version
    except PackageNotFoundError:
        return None


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports, relative ones as such."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
    return found


def test_the_protocol_imports_the_standard_library_and_itself_only():
    files = sorted((ROOT / "host" / "plexor" / "protocol").rglob("*.py"))
    assert files
    for path in files:
        for module in imported(path):
            own = module == "plexor.protocol" or module.startswith("plexor.protocol.")
            standard = module.split(".")[0] in sys.stdlib_module_names
            assert own or standard, f"{path.name} imports {module}"


def test_the_tools_of_set_up_import_the_standard_library_only():
    for name in ("setup", "system", "lock", "demo", "lint"):
        for module in imported(ROOT / "tools" / f"{name}.py"):
            root = module.split(".")[0]
            assert root == "tools" or root in sys.stdlib_module_names, f"{name} imports {module}"
