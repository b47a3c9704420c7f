"""A file that has no name (any more) is cut off under its mapping: what is told to do can be done."""

from __future__ import annotations

import json
import re

import pytest

from conftest import Outlive

pytestmark = pytest.mark.death

CUT_OFF = """
import mmap, os, sys
def file_of(kind):
    if kind == "temporary":
        return os.open(".", os.O_RDWR | os.O_TMPFILE)
    if kind == "memory":
        return os.memfd_create("numbers")
    handle = os.open("a file.bin", os.O_RDWR | os.O_CREAT)
    if kind == "deleted":
        os.unlink("a file.bin")
    return handle
handle = file_of(sys.argv[1])
os.write(handle, bytes(100_000))
view = mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
os.ftruncate(handle, 10)
print(view[99_999])
"""
CAUSED = {
    "temporary": "A mapped file without a name",
    "deleted": "The mapped file a file.bin, which had been deleted,",
    "named": "The mapped file a file.bin was truncated to 10 bytes",
}


def verdict_of(outlive: Outlive, kind: str) -> dict[str, object]:
    script = outlive.script("program.py", CUT_OFF)
    done = outlive("run", "--json", "--", "python", str(script), kind)
    assert -7 == done.status or 135 == done.status, done
    return json.loads(done.stderr[done.stderr.index("{") :])


@pytest.mark.parametrize("kind", CAUSED)
def test_a_file_is_called_by_what_it_is(outlive: Outlive, kind: str) -> None:
    cause = verdict_of(outlive, kind)["cause"]

    assert "mapped-file-truncated" == cause["slug"]
    assert cause["says"].startswith(CAUSED[kind])
    commands = [command for remedy in cause["remedies"] for command in remedy["commands"]]
    named = ["mv 'a file.bin'.new 'a file.bin'", "lsof 'a file.bin'"]
    assert (named if kind == "named" else []) == commands
    assert cause["remedies"][0]["text"]


def test_memory_behind_a_descriptor_is_no_file_to_rename(outlive: Outlive) -> None:
    told = verdict_of(outlive, "memory")

    findings = [told["cause"], *told["also"]]
    commands = [
        command
        for finding in findings
        if finding
        for remedy in finding["remedies"]
        for command in remedy["commands"]
    ]
    assert not [command for command in commands if re.search(r"memfd|#\d|deleted", command)]
