# SPDX-License-Identifier: Apache-2.0
"""Files of a bound: what is read, the line of each key, and what is said of a wrong file."""

import tomllib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.base.errors import UsageError
from plexor_lab.bound.files.source import MOST_BYTES, line_of, open_file, parse_csv, parse_tables

TEXT = '''\
# section.2.x = 1
title = """
[section.1]
x = 3
"""
"a.b" = 1

[section.1]
x = 1
y.read = 2 # z = 4
[section.2]
x = { read = 1,
  write = 2 }
'''.replace(",\n ", ",")


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ((), 1),
        (("title",), 2),
        (("a.b",), 6),
        (("section",), 8),
        (("section", "1"), 8),
        (("section", "1", "x"), 9),
        (("section", "1", "y"), 10),
        (("section", "1", "y", "read"), 10),
        (("section", "2"), 11),
        (("section", "2", "x"), 12),
        (("section", "2", "x", "write"), 12),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_key_has_the_line_on_which_it_begins(keys, line, end):
    assert line_of(TEXT.replace("\n", end), keys) == line


@pytest.mark.parametrize(
    "before", ["'''\nx = 1\n'''", '"""\n\\"\n"""', "[\n1,\n2\n]", "[\n]", '"\\"\\"\\""']
)
def test_a_value_over_several_lines_does_not_move_the_lines_of_others(before):
    text = f"a = 0\nb = {before}\nx = 1\n"
    assert line_of(text, ("a",)) == 1
    assert line_of(text, ("b",)) == 2
    assert line_of(text, ("x",)) == text.count("\n")


@given(st.lists(st.sampled_from(["", "# c = 1", "[t{}]", "k{} = 1", '"q {}" = "x"', "d.{} = 2"])))
def test_every_key_of_a_file_is_found_on_its_line(kinds):
    lines = [kind.format(number) for number, kind in enumerate(kinds)]
    table = ()
    for number, line in enumerate(lines, 1):
        keys = None
        if line.startswith("["):
            table = keys = (line[1:-1],)
        elif "=" in line and not line.startswith("#"):
            (key, value), *_ = tomllib.loads(line).items()
            keys = (*table, key, *(value if isinstance(value, dict) else ()))
        if keys is not None:
            assert line_of("\n".join(lines), keys) == number


def test_a_key_that_is_missing_has_the_line_of_its_table():
    file = parse_tables("f.toml", TEXT)
    assert file.spot("", "section", "2", "none").place() == "f.toml:11"
    assert file.spot("", "none").place() == "f.toml:1"


def test_decimals_of_a_file_are_exact():
    assert parse_tables("f.toml", "a = 13.889").tables["a"] == Decimal("13.889")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb = ", "f.toml:2: Invalid value; must be TOML"),
        ("a = 1\na = 2\n", "f.toml:2: Cannot overwrite a value; must be TOML, each key and table"),
        ("[a]\n[b]\n[a]\n", "f.toml:3: Cannot declare ('a',) twice; must be TOML, each key and"),
        ('a = 1\nb = """x\n', "f.toml:2: "),
        ("a = " + "9" * 5000, "f.toml: Exceeds the limit"),
        ("a = " + "[" * 10_000, "f.toml: "),
    ],
)
def test_malformed_toml_is_said_with_its_line(text, said):
    with pytest.raises(UsageError) as caught:
        parse_tables("f.toml", text)
    assert str(caught.value).startswith(said)
    assert "must be TOML" in str(caught.value)


def test_rows_of_csv_have_their_lines_and_no_blanks_around_cells():
    found = parse_csv("f.csv", '\n a , b \n1,"x\ny"\n\n,\n 2 , 3\n', ("b", "a"))
    assert found.header == ("a", "b")
    assert found.header_line == 2
    assert found.rows == ((3, {"a": "1", "b": "x\ny"}), (7, {"a": "2", "b": "3"}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f.csv:1: no column 'a'; must have a, b"),
        ("\na,c\n", "f.csv:2: no column 'b'; must have a, b"),
        ("a;b\n", "f.csv:1: no column 'a'; must have a, b"),
        ("a,b,a\n", "f.csv:1: column 'a' is there twice; must have a, b"),
        ("a,b,c\n", "f.csv:1: 'c' is no column; must have a, b"),
        ("a,b,\n", "f.csv:1: '' is no column; must have a, b"),
        ("a,b\n1,2\n1\n", "f.csv:3: 1 cell; must be 2, as in the header"),
        ("a,b\n1,2,3\n", "f.csv:2: 3 cells; must be 2, as in the header"),
        ('a,b\n1,2\n1,"2"x\n', "f.csv:3: ',' expected after '\"'; must be CSV"),
        ('a,b\n1,"2\n3\n', "f.csv:2: unexpected end of data; must be CSV"),
    ],
)
def test_malformed_csv_is_said_with_its_line(text, said):
    with pytest.raises(UsageError) as caught:
        parse_csv("f.csv", text, ("a", "b"))
    assert str(caught.value).startswith(said)


def test_a_file_with_more_columns_is_taken_where_each_is_a_region():
    found = parse_csv("f.csv", "a,r\n1,2\n", ("a",), extra_columns=True)
    assert found.rows == ((2, {"a": "1", "r": "2"}),)
    with pytest.raises(UsageError, match="must have a, and a column for each region"):
        parse_csv("f.csv", "a,\n1,2\n", ("a",), extra_columns=True)


def test_a_column_that_may_be_there_is_taken_and_others_are_refused():
    assert parse_csv("f.csv", "a,b\n1,2\n", ("a",), ("b",)).rows[0][1] == {
        "a": "1",
        "b": "2",
    }
    assert parse_csv("f.csv", "a\n1\n", ("a",), ("b",)).rows[0][1] == {"a": "1"}
    with pytest.raises(UsageError, match="'c' is no column; must have a; may have b"):
        parse_csv("f.csv", "a,c\n1,2\n", ("a",), ("b",))


def test_a_spreadsheets_byte_order_mark_is_left_out(tmp_path):
    (tmp_path / "f.CSV").write_bytes(b"\xef\xbb\xbfa\r\n1\r\n")
    assert open_file(tmp_path / "f.CSV", ("a",)).rows == ((2, {"a": "1"}),)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("none.toml", None, "none.toml: cannot read: No such file or directory"),
        ("f.txt", b"", "f.txt: must be a file that ends in .toml or .csv"),
        ("f.toml", b"a = 1\nb = '\xff'", "f.toml:2: not UTF-8 text; must be UTF-8"),
        ("f.csv", b"\xff", "f.csv:1: not UTF-8 text; must be UTF-8"),
        ("f.csv", bytes(MOST_BYTES + 1), f"f.csv: {MOST_BYTES + 1} bytes; must be at most"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(tmp_path, name, data, said):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError) as caught:
        open_file(tmp_path / name, ("a",))
    assert str(caught.value).startswith(f"{tmp_path}/{said}")
