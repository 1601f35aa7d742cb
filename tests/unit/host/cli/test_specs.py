# SPDX-License-Identifier: Apache-2.0
"""Options of commands are those that a Spec declares: named, bounded and told once."""

import re
from fractions import Fraction
from pathlib import Path

import click
import pytest

from plexor.base.errors import UsageError
from plexor.cli.options import AsJson
from plexor.cli.specs import command, one_of
from plexor.library.specs.options import Elsewhere
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import (
    Naming,
    count,
    each,
    flag,
    hertz,
    path_of,
    plain,
    seconds,
    whole,
)


class Shared(Spec):
    seed: int = option(converter=whole(1, 9), default=1, metavar="N", help="A seed.")


class Probe(Shared):
    low: Fraction = option(converter=hertz, flag="--from", metavar="RATE", help="Lowest.")
    names: tuple[str, ...] = option(
        converter=each(str, str), default=(), many=True, flag="--name", metavar="NAME", help="One."
    )
    width: Fraction | None = option(
        converter=maybe(seconds), default=None, metavar="TIME", help="W."
    )
    dwell: int = option(converter=count, default="2k", shows_default=True, metavar="N", help="D.")
    load_on: str | None = option(
        converter=maybe(str), default=None, is_command=True, metavar="COMMAND", help="C."
    )
    both: bool = option(converter=flag, default=False, help="Both.")
    told: list[str] | None = option(default=None, flag=None)


def given(**asked):
    """The body of each command here: what it gets."""
    return asked


BODY = f"{__name__}:given"


@command(BODY, probe=Probe, shown=AsJson)
def probing():
    """Probe."""


def run(*words):
    return probing.main(list(words), standalone_mode=False)


def test_a_command_s_body_gets_an_object_of_each_spec():
    found = run("--from", "20k", "--name", "a", "--name", "b", "--both", "--json")
    assert found["shown"].as_json
    probe = found["probe"]
    assert probe == Probe(low="20k", names=["a", "b"], both=True)
    assert (probe.low, probe.names, probe.dwell, probe.width) == (20_000, ("a", "b"), 2000, None)


def test_an_option_that_is_declared_twice_is_refused():
    with pytest.raises(TypeError, match="probe: seed; declared twice"):

        @command(BODY, one_of(Shared, "seed"), asked=Probe)
        def probe() -> None: ...


def test_a_body_is_imported_when_its_command_is_called():
    @command("no_such_module:body", missing="this needs {}")
    def absent():
        pass

    with pytest.raises(UsageError, match=r"^this needs no_such_module$"):
        absent.main([], standalone_mode=False)

    @command("no_such_module:body")
    def broken():
        pass

    with pytest.raises(ModuleNotFoundError):
        broken.main([], standalone_mode=False)


def test_what_a_command_checks_is_refused_before_its_body_is_imported():
    @command("no_such_module:body", asked=Shared)
    def checks(asked):
        raise UsageError(f"seed {asked.seed}")

    with pytest.raises(click.UsageError, match=r"^seed 3$"):
        checks.main(["--seed", "3"], standalone_mode=False)


def test_own_options_come_before_shared_ones_and_one_without_a_flag_has_none():
    flags = [found.opts[0] for found in probing.params]
    assert flags == [
        *("--from", "--name", "--width", "--dwell", "--load-on", "--both", "--seed", "--json"),
    ]


@pytest.mark.parametrize(("metavar", "kind"), [("FILE", "file"), ("DIR", "dir")])
def test_a_shell_completes_the_names_of_files_and_folders(metavar, kind):
    class Kept(Spec):
        out: Path | None = option(
            converter=maybe(path_of), default=None, metavar=metavar, help="Kept there."
        )

    @command(BODY, kept=Kept)
    def keeps():
        pass

    (item,) = keeps.params[0].shell_complete(click.Context(keeps), "ab")
    assert (item.value, item.type) == ("ab", kind)
    assert probing.params[0].shell_complete(click.Context(probing), "2") == []


def test_an_option_that_names_options_does_so_by_their_flags():
    class Named(Shared):
        naming: Naming = option(default=plain, flag=None)

    @command(BODY, asked=Named)
    def named():
        pass

    with click.Context(named):
        assert named.main([], standalone_mode=False)["asked"].naming("seed") == "--seed"


def test_a_single_option_may_be_otherwise_in_a_command():
    dwell = one_of(Probe, "dwell", default=None, shows_default=False, help="Or none.")

    @command(BODY, dwell, one_of(Shared, "seed"))
    def other():
        pass

    assert other.main([], standalone_mode=False) == {"dwell": None, "seed": 1}
    words = ["--dwell", "3k", "--seed", "2"]
    assert other.main(words, standalone_mode=False) == {"dwell": 3000, "seed": 2}
    assert other.params[0].help == "D. Or none."


def test_help_says_what_the_spec_says():
    text = " ".join(probing.get_help(click.Context(probing)).split())
    for said in ("--from RATE Lowest. [required]", "--dwell N D. [default: 2k]", "--both Both."):
        assert said in text
    assert probing.params[4].is_command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Missing option '--from'"),
        (("--from", "fast"), "Invalid value for '--from'.*fast"),
        (("--from", "1k", "--seed", "10"), "Invalid value for '--seed'.*'10'; must be a whole"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_flag(words, said):
    with pytest.raises(click.UsageError) as refused:
        run(*words)
    assert re.search(said, refused.value.format_message())


def test_workers_are_opened_when_they_are_asked_and_refused_with_the_value():
    @command(BODY, where=Elsewhere)
    def opens():
        pass

    assert opens.main([], standalone_mode=False)["where"].executor is None
    found = opens.main(["--executor", "dask://h:8786"], standalone_mode=False)
    assert callable(found["where"].executor)
    with pytest.raises(click.BadParameter, match=r"'cloud'.*local:PROCESSES"):
        opens.main(["--executor", "cloud"], standalone_mode=False)
