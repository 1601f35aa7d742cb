# SPDX-License-Identifier: Apache-2.0
"""What a file of Plexor's own says of its run is believed; of others, nothing."""

from plexor.files.imports.exported import ExportedRun, exported_run, moment

OWN = """	program: Plexor 0.1.0
	simulated: yes
	valid: yes
	started: 2026-11-21T08:00:00+00:00
	tick_fs: 1041667
	dropped_on_chip: 0
	lost_on_link: 0
	device.os: a: b
"""


def test_a_simulated_run_stays_simulated():
    started = "2026-11-21T08:00:00+00:00"
    assert exported_run(OWN) == ExportedRun(1_041_667, 0, True, started, (), {"os": "a: b"})


def test_files_of_others_say_nothing():
    assert ExportedRun() == ExportedRun(None, 0, False, "", (), {})
    assert exported_run(OWN.replace("Plexor", "Other")) == ExportedRun()
    assert exported_run("") == ExportedRun()


def test_a_file_begins_a_tick_before_its_run_at_most():
    for text, ticks in (("0", 0), ("1", 1), ("9", 1)):
        assert exported_run(f"{OWN}lead_ticks: {text}\n").lead_ticks == ticks


def test_an_invalid_run_stays_invalid():
    found = exported_run(OWN.replace("valid: yes", "valid: no: edges were dropped; and more"))
    assert found.invalid_reasons == (
        "the file says that its run is invalid: edges were dropped; and more",
    )


def test_a_run_with_lost_events_is_invalid_as_a_capture():
    found = exported_run(OWN.replace("on_chip: 0", "on_chip: 2").replace("link: 0", "link: 5"))
    assert found.invalid_reasons == ("the file says that 7 events of its run are missing",)


def test_nonsense_is_as_if_it_were_not_there():
    text = OWN.replace("1041667", "x").replace("2026-11-21T08:00:00+00:00", "soon")
    found = exported_run(text.replace("on_chip: 0", "on_chip: " + "9" * 5000))
    assert (found.tick_fs, found.started, found.invalid_reasons) == (None, "", ())
    assert moment("2026-11-21") == "2026-11-21"
