# SPDX-License-Identifier: Apache-2.0
"""Options of commands are those that a Spec declares: named, bounded and told once."""

import re
from fractions import Fraction
from pathlib import Path

import click
import pytest

from plexor.commands.defaults import CommandOption
from plexor.commands.specs import asks, one_of
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


@click.command()
@asks(probe=Probe)
@click.option("--json", "as_json", is_flag=True)
def command(probe, as_json):
    return probe, as_json


def run(*words):
    return command.main(list(words), standalone_mode=False)


def test_a_command_gets_the_spec_and_its_other_options():
    probe, as_json = run("--from", "20k", "--name", "a", "--name", "b", "--both", "--json")
    assert as_json
    assert probe == Probe(low="20k", names=["a", "b"], both=True)
    assert (probe.low, probe.names, probe.dwell, probe.width) == (20_000, ("a", "b"), 2000, None)


def test_a_command_with_an_option_beside_its_specs_is_refused():
    with pytest.raises(TypeError, match="probe: seed; the Spec has it"):

        @asks(asked=Probe)
        def probe(seed: int, asked: Probe) -> None: ...


def test_own_options_come_before_shared_ones_and_one_without_a_flag_has_none():
    flags = [found.opts[0] for found in command.params]
    assert flags == [
        *("--from", "--name", "--width", "--dwell", "--load-on", "--both", "--seed", "--json"),
    ]


@pytest.mark.parametrize(("metavar", "kind"), [("FILE", "file"), ("DIR", "dir")])
def test_a_shell_completes_the_names_of_files_and_folders(metavar, kind):
    class Kept(Spec):
        out: Path | None = option(
            converter=maybe(path_of), default=None, metavar=metavar, help="Kept there."
        )

    @click.command()
    @asks(kept=Kept)
    def keeps(kept):
        return kept

    (item,) = keeps.params[0].shell_complete(click.Context(keeps), "ab")
    assert (item.value, item.type) == ("ab", kind)
    assert command.params[0].shell_complete(click.Context(command), "2") == []


def test_an_option_that_names_options_does_so_by_their_flags():
    class Named(Shared):
        naming: Naming = option(default=plain, flag=None)

    @click.command()
    @asks(asked=Named)
    def named(asked):
        return asked.naming("seed")

    assert named.main([], standalone_mode=False) == "--seed"


def test_a_single_option_may_be_otherwise_in_a_command():
    @click.command()
    @one_of(Probe, "dwell", default=None, shows_default=False, help="Or none.")
    @one_of(Shared, "seed")
    def other(dwell, seed):
        return dwell, seed

    assert other.main([], standalone_mode=False) == (None, 1)
    assert other.main(["--dwell", "3k", "--seed", "2"], standalone_mode=False) == (3000, 2)
    assert other.params[0].help == "D. Or none."


def test_help_says_what_the_spec_says():
    text = " ".join(command.get_help(click.Context(command)).split())
    for said in ("--from RATE Lowest. [required]", "--dwell N D. [default: 2k]", "--both Both."):
        assert said in text
    assert isinstance(command.params[4], CommandOption)


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
    @click.command()
    @asks(where=Elsewhere)
    def opens(where):
        return where.executor

    assert opens.main([], standalone_mode=False) is None
    assert callable(opens.main(["--executor", "dask://h:8786"], standalone_mode=False))
    with pytest.raises(click.BadParameter, match=r"'cloud'.*local:PROCESSES"):
        opens.main(["--executor", "cloud"], standalone_mode=False)
