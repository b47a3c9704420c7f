"""A journal that was cut off at any byte has lost nothing that it had reported."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from outlive.errors import UsageError
from outlive.jobs.results_journal import (
    JOURNAL_NAME,
    Busy,
    CannotWrite,
    Journal,
    read_journal,
    writing,
)

IDENTITY = {"model": "abc", "minimum score": 0.3}


def filled(folder: Path, count: int) -> Path:
    journal = Journal(str(folder), IDENTITY, resume=False)
    for number in range(count):
        journal.append({"n": number, "text": "ä" * number})
    journal.close()
    return folder / JOURNAL_NAME


def test_whatever_is_cut_off_the_lines_before_stay_and_more_can_be_written(tmp_path: Path) -> None:
    path = filled(tmp_path / "job", 4)
    data = path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]

    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        whole = sum(end <= cut for end in ends)
        journal = Journal(str(tmp_path / "job"), IDENTITY, resume=True)
        journal.append({"n": "last"})
        journal.close()
        assert [*range(whole), "last"] == [record["n"] for record in read_journal(str(path))]


def test_a_line_that_was_changed_ends_the_journal(tmp_path: Path) -> None:
    path = filled(tmp_path / "job", 4)
    data = bytearray(path.read_bytes())
    data[data.index(b'"n":2') + 4] = ord("7")
    path.write_bytes(data)

    assert [0, 1] == [record["n"] for record in read_journal(str(path))]


def test_a_folder_with_a_job_is_not_written_without_being_asked(tmp_path: Path) -> None:
    filled(tmp_path / "job", 1)

    with pytest.raises(UsageError) as refused:
        Journal(str(tmp_path / "job"), IDENTITY, resume=False)

    assert "--resume" in refused.value.help


def test_a_job_with_another_model_is_not_mixed_in(tmp_path: Path) -> None:
    filled(tmp_path / "job", 1)

    with pytest.raises(UsageError, match="another model: 'abc', not 'xyz'"):
        Journal(str(tmp_path / "job"), {**IDENTITY, "model": "xyz"}, resume=True)


def test_a_job_that_came_to_nothing_is_in_nobodys_way(tmp_path: Path) -> None:
    filled(tmp_path / "job", 0)

    Journal(str(tmp_path / "job"), {**IDENTITY, "model": "xyz"}, resume=False).close()


def test_two_jobs_do_not_write_one_folder(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "job"), IDENTITY, resume=False)

    with pytest.raises(Busy):
        Journal(str(tmp_path / "job"), IDENTITY, resume=True)

    journal.close()
    Journal(str(tmp_path / "job"), IDENTITY, resume=True).close()


def test_the_job_file_can_be_read_by_others(tmp_path: Path) -> None:
    filled(tmp_path / "job", 1)

    told = json.loads((tmp_path / "job" / "job.json").read_text())

    assert ("outlive.job/1", IDENTITY) == (told["schema"], told["identity"])


def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(CannotWrite, match=r"file cannot be written: File exists\.") as refused:
        Journal(str(tmp_path / "file"), {}, resume=False)
    assert "another --out" in refused.value.help

    with pytest.raises(CannotWrite, match="No space left") as full, writing("found"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert "--resume" in full.value.help


@pytest.mark.parametrize("name", ["journal.jsonl", "results.csv"])
def test_a_file_of_the_users_is_neither_cut_off_nor_written_over(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine\nall of it\n")

    with pytest.raises(UsageError, match="not from a job of Outlive"):
        Journal(str(tmp_path), IDENTITY, resume=True, writes=("results.csv",))

    assert "mine\nall of it\n" == (tmp_path / name).read_text()


@pytest.mark.parametrize("text", ["{}", "[1]", '{"schema": "outlive.job/1"}', '{"name": "mine"}'])
def test_a_job_file_of_somebody_elses_is_left_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / "job.json").write_text(text)

    with pytest.raises(UsageError, match="not from a job of Outlive"):
        Journal(str(tmp_path), IDENTITY, resume=True)

    assert text == (tmp_path / "job.json").read_text()
