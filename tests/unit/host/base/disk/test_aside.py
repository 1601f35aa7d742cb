# SPDX-License-Identifier: Apache-2.0
"""Damaged files keep their content under another name, which is said."""

import itertools

from plexor.base.disk.aside import free, keep_copy, names_of, set_aside


def test_names_have_a_number_behind_the_first(tmp_path):
    names = itertools.islice(names_of(tmp_path / "v1.2", ".x"), 3)
    assert [path.name for path in names] == ["v1.2.x", "v1.2-2.x", "v1.2-3.x"]


def test_a_name_that_anything_has_is_not_free(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "nowhere")
    (tmp_path / "a-2").mkdir()
    assert free(tmp_path / "a") == tmp_path / "a-3"


def test_what_is_damaged_stays_under_another_name_which_is_said(tmp_path, caplog):
    for text in ("one", "two"):
        (tmp_path / "run.json").write_text(text)
        set_aside(tmp_path / "run.json", "run.json: cannot read: no JSON")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "run.json.damaged": "one",
        "run.json-2.damaged": "two",
    }
    assert caplog.messages == [
        "run.json: cannot read: no JSON; set aside as run.json.damaged",
        "run.json: cannot read: no JSON; set aside as run.json-2.damaged",
    ]


def test_a_copy_of_what_is_damaged_stays_beside_it(tmp_path):
    path = tmp_path / "farm.json"
    path.write_bytes(b"\0")
    assert [keep_copy(path).name for _ in range(2)] == ["farm.json.damaged", "farm.json-2.damaged"]
    assert {each.read_bytes() for each in tmp_path.iterdir()} == {b"\0"}
