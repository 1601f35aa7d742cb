# SPDX-License-Identifier: Apache-2.0
"""A Spec has its options exact, or refuses them by their keywords."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.library.specs.spec import Spec, maybe, option, takes
from plexor.library.specs.values import Naming, each, flag, hertz, plain, seconds, whole


class Shared(Spec):
    seed: int = option(converter=whole(1, 9), default=1)


class Other(Spec):
    both: bool = option(converter=flag, default=False)


class Probe(Shared, Other):
    low: Fraction = option(converter=hertz, flag="--from")
    names: tuple[str, ...] = option(converter=each(str, str), default=())
    width: Fraction | None = option(converter=maybe(seconds), default=None)
    told: list[str] | None = option(default=None, flag=None)


def test_options_are_exact_and_have_their_defaults():
    probe = Probe(low="20k", names=["a", "b"], width="3us")
    assert (probe.low, probe.names, probe.width) == (20_000, ("a", "b"), Fraction(3, 10**6))
    assert (probe.seed, probe.both, probe.told) == (1, False, None)


def test_what_was_given_is_told_even_where_it_is_the_default():
    assert Probe.of({"low": "1k", "seed": 1, "width": None}).given == {"low", "seed"}
    assert Probe(low="1k", seed=1).given == {"low"}


def test_own_options_come_before_shared_ones_in_their_order():
    assert list(Probe.options()) == ["low", "names", "width", "told", "seed", "both"]
    assert Probe.options()["low"].flag == "--from"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "low: is missing; it must be given"),
        ({"low": None}, "low: is missing; it must be given"),
        (
            {"low": "1k", "high": 3},
            "high: no such option; must be one of low, names, width, seed, both",
        ),
        ({"low": "1k", "seed": 0}, "seed: 0; must be a whole number from 1 to 9"),
        ({"low": "1k", "both": 1}, "both: 1; must be True or False"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_keyword(given, said):
    with pytest.raises(UsageError, match=f"^{said}"):
        Probe.of(given)


def test_none_stands_for_the_default():
    assert Probe.of({"low": 3, "seed": None, "both": None}) == Probe(low=3)


def test_what_is_exact_reads_as_itself():
    probe = Probe(low=5, width="3us", names="a", told=["x"])
    given = {name: getattr(probe, name) for name in Probe.options()}
    assert Probe.of(given) == probe
    assert probe.told is given["told"]


def test_a_subclass_says_more_of_an_option_that_it_shares():
    class Aged(Spec):
        age: Fraction | None = option(converter=maybe(seconds), default=None, help="Age.")

    class Young(Aged, told={"age": "Default: 1s."}):
        pass

    class Younger(Young, told={"age": "At most."}):
        pass

    assert Aged.options()["age"].help == "Age."
    assert Young.options()["age"].help == "Age. Default: 1s."
    assert Younger.options()["age"].help == "Age. At most."
    assert Younger(age="3s").age == 3


def test_a_value_is_refused_by_the_name_that_the_caller_gives_it():
    class Named(Shared):
        naming: Naming = option(default=plain, flag=None)

    with pytest.raises(UsageError, match=r"^--seed: 0; must be"):
        Named.of({"seed": 0, "naming": lambda name: f"--{name}"})


def test_its_keywords_make_it_again():
    probe = Probe(low="20k", names=["a", "b"], width="3us")
    assert Probe(**probe.keywords()) == probe


def test_a_function_that_takes_a_spec_has_its_subjects_by_their_places():
    @takes(Probe)
    def probed(archive, channel, asked):
        return archive, channel, asked.low

    assert probed("a", "c", low="1k") == ("a", "c", 1000)
    with pytest.raises(UsageError, match="'2k'; options are given by their keywords"):
        probed("a", "c", "2k")
    with pytest.raises(TypeError, match="missing"):
        probed("a", low="1k")


def test_a_method_that_takes_a_spec_is_called_with_its_keywords():
    class Owner:
        @takes(Probe)
        def probe(self, asked):
            """Probe."""
            return self, asked

    owner = Owner()
    assert owner.probe(low="1k", seed=3) == (owner, Probe(low=1000, seed=3))
    assert Owner.probe.__doc__ == "Probe."
    with pytest.raises(UsageError, match="low: is missing"):
        owner.probe()
    with pytest.raises(UsageError, match="'1k'; options are given by their keywords"):
        owner.probe("1k")
