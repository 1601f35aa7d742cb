"""A build with one bank, whose counts lie in one memory, counts what a build with two does."""

from bench import assert_equals_truth, run
from test_truth import DEVICES, settings

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry

ONE_BANK = Geometry(features=ALL_FEATURES & ~Feature.SNAPSHOT)


def test_a_build_with_one_bank_equals_the_truth(tmp_path):
    outcome = run(f"synthetic:{DEVICES['uniform']}", settings(500), tmp_path, geometry=ONE_BANK)
    truth = assert_equals_truth(outcome)
    assert truth.generated[8] == 1000
