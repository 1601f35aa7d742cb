# SPDX-License-Identifier: Apache-2.0
"""Help on one page: the options that are used most; the others by topic, with `--help all`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from plexor.cli.meant import joined
from plexor.cli.parameters import SpecOption

MOST = 12
"""Options that a first page has."""
ALL = "all"
_SHORT = "short"
_FURTHER = "More"
"""Topic of options that have none."""

if TYPE_CHECKING:
    _Base = click.Command
else:
    _Base = object


class Helped(_Base):
    """A command whose help has a first page."""

    _asking: click.Option | None = None

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return `--help`, which may be followed by `all`, or in a group by a command's name."""
        if not ctx.help_option_names:
            return None
        if self._asking is None:
            self._asking = click.Option(
                ["-h", "--help"],
                is_flag=False,
                flag_value=_SHORT,
                expose_value=False,
                is_eager=True,
                callback=_shown,
                metavar=f"[{ALL}]",
                help="Show this page.",
            )
        return self._asking

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first page of options, or all by their topics."""
        options = options_of(self)
        whole = bool(ctx.meta.get(ALL))
        first = options if whole else first_page(options)
        topics: dict[str, list[tuple[str, str]]] = {}
        for option in first:
            record = option.get_help_record(ctx)
            if record is not None:
                topic = _topic(option) if whole else "Options"
                topics.setdefault(topic, []).append(record)
        for topic, rows in topics.items():
            with formatter.section(topic):
                formatter.write_dl(rows)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)
        if len(first) < len(options):
            formatter.write_paragraph()
            more = len(options) - len(first)
            formatter.write_text(f"{more} more options: {ctx.command_path} --help {ALL}")


class HelpedGroup(Helped, click.Group):
    """A group that lists its commands where none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print the help of a group that is called without a command."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, args)


class HelpedCommand(Helped, click.Command):
    """A command that a Spec gives its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; a number and its unit may be two words."""
        try:
            return super().parse_args(ctx, joined(self, args))
        except click.UsageError as error:
            # An option without its value does not say whose it is.
            error.ctx = error.ctx or ctx
            raise


def options_of(command: click.Command) -> list[click.Option]:
    """Return the options that a command's help has."""
    return [one for one in command.params if isinstance(one, click.Option) and not one.hidden]


def first_page(options: list[click.Option]) -> list[click.Option]:
    """Return the options of a first page: all of a few, or those that must be given or are first.

    That they are at most MOST is in tests/contract/test_surface.py.
    """
    if len(options) <= MOST:
        return options
    return [one for one in options if one.required or getattr(one, "first", False)]


def _topic(option: click.Option) -> str:
    return (option.topic if isinstance(option, SpecOption) else "") or _FURTHER


def _shown(ctx: click.Context, option: click.Parameter, value: Any) -> None:
    """Print the help that was asked for, and end."""
    if not value or ctx.resilient_parsing:
        return
    command = ctx.command
    inner = command.get_command(ctx, value) if isinstance(command, click.Group) else None
    if inner is not None:
        ctx, command = click.Context(inner, ctx, value), inner
    ctx.meta[ALL] = value == ALL
    click.echo(command.get_help(ctx), color=ctx.color)
    ctx.exit()
