"""No descriptor of the program's ever gets a byte of the recorder's."""

import sys

import pytest


@pytest.mark.death
@pytest.mark.parametrize("limit", ["ulimit -Sn 500;", ""], ids=["room above the limit", "no room"])
def test_a_crash_writes_nothing_into_files_that_took_every_number(limit, runner, program, tmp_path):
    command = [sys.executable, program("crashes_after_reusing_descriptors.py")]
    prefix = ["bash", "-c", f'{limit or "ulimit -Hn $(ulimit -Sn);"} exec "$@"', "bash"]

    watched = runner.bare(*prefix, *runner.command(*command), cwd=tmp_path)

    assert -11 == watched.status
    assert b"mine\n" == (tmp_path / "data").read_bytes()
