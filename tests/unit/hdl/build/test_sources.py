# SPDX-License-Identifier: Apache-2.0
"""What of a source makes a difference to what is built."""

from plexor_hdl.build.sources import code


def test_a_build_is_of_what_python_reads_and_not_of_what_people_read():
    said = (
        '"""Places."""\nLIMIT = 3  # most\n"""Of hops."""\ndef f():\n    """Do."""\n    return 1\n'
    )
    other = 'LIMIT = 3\n\ndef f():\n    "Do so."\n    return 1\n'
    assert code(said) == code(other)
    assert code(said) != code(other.replace("3", "4"))
    assert code('x = "a"') != code('x = "b"')
