# SPDX-License-Identifier: Apache-2.0
"""What `make house` counts: planted declarations are found, and today's tree has none too many."""

from tools import house

SPECS = """
class Shared(Spec):
    link: str = option(default="sim:", help="Link.")

class Probe(Shared):
    low: int = option(flag="--from")
    told: object = option(flag=None)
"""
COMMAND = """
@command("other:body", asked=Probe)
@click.option("--json", is_flag=True)
@time_option("--link", help="Again.")
def probe(asked):
    from late import thing  # noqa: PLC0415
"""
OTHER = """
@click.option("--from", "low")
def other(low): ...

class Probe: ...
"""


def planted(folder):
    for name, text in (("specs.py", SPECS), ("probe.py", COMMAND), ("other.py", OTHER)):
        (folder / name).write_text(text)
    return folder


def test_options_are_found_where_they_are_declared(tmp_path):
    fields, options = house.declared(planted(tmp_path))
    assert fields == {"--link": ["specs.py:3"], "--from": ["specs.py:6"]}
    assert {
        flag: [place.partition(":")[0] for place in places] for flag, places in options.items()
    } == {
        "--json": ["probe.py"],
        "--link": ["probe.py"],
        "--from": ["other.py"],
    }


def test_options_of_one_kind_of_value_are_copies_and_those_of_different_kinds_are_not(tmp_path):
    (tmp_path / "more.py").write_text(
        """
class One(Spec):
    low: Rate = option(converter=hertz, metavar="RATE", flag="--from")
    period: Time = option(converter=seconds, metavar="TIME")

class Two(Spec):
    start: Time = option(converter=seconds, metavar="TIME", flag="--from")
    period: Time = option(converter=seconds, metavar="TIME", help="Another.")
"""
    )
    assert house.copies(tmp_path) == {"--period": ["more.py:4", "more.py:8"]}


def test_an_option_beside_the_spec_of_its_command_is_one_too_many(tmp_path):
    folder = planted(tmp_path)
    (tmp_path / "other.py").write_text(OTHER.replace("class Probe: ...", ""))
    _, options = house.declared(folder)
    assert list(house.beside(options, folder)) == ["--link"]


def test_no_command_declares_an_option_of_its_spec_again():
    fields, options = house.declared()
    assert len(fields) >= 60
    assert house.beside(options) == {}


def test_namesakes_late_imports_and_floors_are_counted(tmp_path):
    folder = planted(tmp_path)
    assert house.namesakes(folder) == {"Probe": ["other.py:5", "specs.py:5"]}
    assert house.lazy(folder) == ["probe.py:6"]
    text = """
[[tool.importlinter.contracts]]
containers = ["plexor"]
layers = ["cli", "a | b"]
"""
    assert house.floors(text) == [["cli"], ["a", "b"]]


def test_each_class_of_the_host_has_a_name_of_its_own():
    assert house.namesakes() == {}


def test_questions_for_features_are_found_and_the_gateware_asks_in_few_places(tmp_path):
    (tmp_path / "asks.py").write_text(
        """
one = Feature.RING in geometry.features
two = Feature.RING not in features
three = geometry.features & (Feature.RING | Feature.SWEEP)
four = needed & ~geometry.features
less = ALL.features & ~Feature.RING
more = geometry.features | Feature.RING
other = Feature.RING in found
"""
    )
    places = [f"asks.py:{line}" for line in (2, 3, 4, 5)]
    assert sorted(house.feature_tests(tmp_path)) == places
    assert 0 < len(house.feature_tests()) <= 20


def test_the_figures_are_printed_with_their_lists(capsys):
    assert house.main(["--lists"]) == 0
    out = capsys.readouterr().out
    for name in ("options of Specs: ", "rooms: ", "floors: ", "  cli | pytest_plugin | scope\n"):
        assert name in out
