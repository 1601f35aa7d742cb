# SPDX-License-Identifier: Apache-2.0
"""What a caller may ask, declared once: each option with its type, its bounds, its flag and help.

From a field of a Spec follow the keyword in Python with its static type, the option on the command
line (`plexor.cli.specs`), the key of `plexor.toml` and the row in the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, replace
from functools import wraps
from typing import (
    Any,
    ClassVar,
    Concatenate,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    cast,
    dataclass_transform,
    overload,
)

from plexor.base.errors import UsageError
from plexor.library.specs.values import Naming, plain

In = TypeVar("In")
Out = TypeVar("Out")
P = ParamSpec("P")
Asked = TypeVar("Asked", bound="Spec")
Told_co = TypeVar("Told_co", bound="Spec", covariant=True)
Owner = TypeVar("Owner")
Given = TypeVar("Given")
Result = TypeVar("Result")
_OPTION = "option"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What a field of a Spec says beside its type."""

    converter: Callable[[Any], Any] | None
    """Reads a text or a number; what it returns reads as itself. None: a value stays as it is.

    Raises TypeError or ValueError with what would be right.
    """
    default: object
    """As a caller would give it; MISSING: it must be given."""
    help: str
    """One sentence or two, for the command line and for readers of the field."""
    flag: str | None
    """Its name on the command line; empty: made of its keyword; None: it has none."""
    metavar: str
    """Stands for its value on the command line; empty: it is given without one."""
    many: bool
    """Whether the command line may have it several times."""
    is_command: bool
    """Whether its value is a shell command."""
    shows_default: bool | str
    """Whether the command line's help shows the default, or how it says it."""
    choices: tuple[str, ...]
    """All values that it may have; empty: there are too many."""
    on_page: bool
    """Whether the live page may set it."""
    first: bool
    """Whether the first page of a command's help has it, where there are too many for one page."""
    topic: str = ""
    """What it is about, in the whole help; empty: what its Spec is about."""


def option(
    *,
    converter: Callable[[Any], Any] | None = None,
    default: object = MISSING,
    help: str = "",
    flag: str | None = "",
    metavar: str = "",
    many: bool = False,
    is_command: bool = False,
    shows_default: bool | str = False,
    choices: tuple[str, ...] = (),
    on_page: bool = False,
    first: bool = False,
    topic: str = "",
) -> Any:
    """Declare an option as a field of a Spec. See Option."""
    said = Option(
        converter=converter,
        default=default,
        help=help,
        flag=flag,
        metavar=metavar,
        many=many,
        is_command=is_command,
        shows_default=shows_default,
        choices=choices,
        on_page=on_page,
        first=first,
        topic=topic,
    )
    if default is MISSING:
        return field(metadata={_OPTION: said})
    exact = default if converter is None else converter(default)
    return field(default=exact, metadata={_OPTION: said})


def maybe(converter: Callable[[In], Out]) -> Callable[[In | None], Out | None]:
    """Return the converter of an option that may be None: nothing was asked."""

    def converted(value: In | None) -> Out | None:
        return None if value is None else converter(value)

    return converted


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option,))
class Spec:
    """Options that belong together. A subclass has one field for each, made by `option`.

    An object has them exact. A value that cannot be read raises UsageError with its keyword.
    `told` has what the help of an option that a subclass shares says there beside: its default, or
    what it is for. `topic` says what its own options are about.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    _told: ClassVar[Mapping[str, str]] = {}
    _topic: ClassVar[str] = ""
    _given: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, told: Mapping[str, str] | None = None, topic: str = "") -> None:
        # Its methods are those below: made for each class, they would take a millisecond each time.
        dataclass(kw_only=True, init=False, repr=False, eq=False)(cls)
        shared = [vars(kind).get("_told", {}) for kind in reversed(cls.__mro__[1:])]
        cls._told = {name: said for own in (*shared, told or {}) for name, said in own.items()}
        cls._topic = topic

    def __init__(self, **values: Any) -> None:
        for name, said in self.options().items():
            if name in values:
                value = _exact(said, values.pop(name), name)
            elif said.default is MISSING:
                raise TypeError(f"{type(self).__name__}: {name} is missing")
            else:
                value = self.__dataclass_fields__[name].default
            object.__setattr__(self, name, value)
        if values:
            raise TypeError(f"{type(self).__name__}: has no {', '.join(values)}")
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check what options say together; raise UsageError."""

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spec) or type(self) is not type(other):
            return NotImplemented
        return self.keywords() == other.keywords()

    def __hash__(self) -> int:
        return hash(tuple(self.keywords().values()))

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.keywords().items())
        return f"{type(self).__name__}({said})"

    @classmethod
    def options(cls) -> Mapping[str, Option]:
        """Return its options by their keywords: its own, then those that it shares with others."""
        said: dict[str, Option] = {one.name: one.metadata[_OPTION] for one in fields(cls)}
        for name, more in cls._told.items():
            said[name] = replace(said[name], help=f"{said[name].help} {more}")
        bases = (kind for kind in cls.__mro__ if issubclass(kind, Spec))
        return {
            name: said[name]
            if said[name].topic or not kind._topic
            else replace(said[name], topic=kind._topic)
            for kind in bases
            for name in kind.__annotations__
            if name in said
        }

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return options by their keywords. Those that are None have their defaults.

        Raises UsageError for a keyword that is none, an option that must be given and a value that
        cannot be read; `naming`, if it is one of them, gives their names in it.
        """
        naming: Naming = given.get("naming") or plain
        known = cls.options()
        for name in given:
            if name not in known:
                listed = sorted(known, key=lambda each: known[each].flag is None)
                raise UsageError(f"{name}: no such option; must be one of {', '.join(listed)}")
        asked = {name: value for name, value in given.items() if value is not None}
        for name, said in known.items():
            if said.default is MISSING and name not in asked:
                raise UsageError(f"{name}: is missing; it must be given")
        spec = cls(
            **{name: _exact(known[name], value, naming(name)) for name, value in asked.items()}
        )
        object.__setattr__(spec, "_given", frozenset(asked))
        return spec

    @property
    def given(self) -> frozenset[str]:
        """The options that `of` was given, by their keywords; otherwise those without a default."""
        return self._given or frozenset(
            one.name for one in fields(self) if getattr(self, one.name) != one.default
        )

    def keywords(self) -> dict[str, Any]:
        """Return its options by their keywords, as a caller gives them."""
        return {name: getattr(self, name) for name in self.options()}


class Named(Spec):
    """How messages name options."""

    naming: Naming = option(default=plain, flag=None)
    """Gives an option's name in the words of the caller."""


def _exact(said: Option, value: object, name: str) -> object:
    """Return an option's exact value; raise UsageError with its name."""
    if said.converter is None:
        return value
    try:
        return said.converter(value)
    except (TypeError, ValueError) as error:
        text = str(error)
        raise UsageError(text if text.startswith(name) else f"{name}: {text}") from error


class Taking(Protocol[Told_co, P]):
    """The decorator of a function whose last parameter is a Spec."""

    @overload
    def __call__(
        self, method: Callable[[Owner, Told_co], Result], /
    ) -> Callable[Concatenate[Owner, P], Result]: ...

    @overload
    def __call__(
        self, method: Callable[[Owner, Given, Told_co], Result], /
    ) -> Callable[Concatenate[Owner, Given, P], Result]: ...


def takes(spec: Callable[P, Asked]) -> Taking[Asked, P]:
    """Return the decorator of a function that gets a Spec: it is called with the Spec's keywords.

    `spec` is the Spec's class. What stands before it, one or two, is given by its place.
    """
    kind = cast("type[Asked]", spec)

    def decorated(method: Callable[..., Any]) -> Callable[..., Any]:
        places = method.__code__.co_argcount - 1

        @wraps(method)
        def called(*given: Any, **options: Any) -> Any:
            if len(given) > places:
                raise UsageError(f"{given[places]!r}; options are given by their keywords")
            return method(*given, kind.of(options))

        return called

    return cast("Taking[Asked, P]", decorated)
