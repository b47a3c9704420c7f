"""A bad element costs itself and nothing else, and is named with its error."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import outlive
from conftest import UNWANTED
from outlive.data.formats.tfrecords import HEAD, masked
from outlive.errors import UsageError
from outlive.keep.skip.damaged_records import CHUNK, Files
from outlive.keep.skip.quarantine import Quarantine, TooManyBad
from outlive.keep.skip.wording import name_of, told

pytestmark = pytest.mark.timeout(300)  # one start of TensorFlow, on a machine that may be busy

PROGRAM = Path(__file__).parent.parent / "programs" / "skipping_pipelines.py"
COUNT = 200
BAD = [5, 6, 100, COUNT - 1]
OF_PICTURES = [
    "one by one", "in a batch", "shuffled, in any order", "read, shuffled, decoded", "zipped", "of a generator",
]  # fmt: skip
OF_RECORDS = ["records", "records shuffled", "records interleaved", "records parsed inside"]
OF_NUMBERS = [
    "one batch", "the last batch only", "no remainder", "in any order", "shapes differ", "large", "nothing in it",
    "shape unknown", "batches inside", "twice", "enumerated", "unbatched",
]  # fmt: skip
BAD_RECORDS = [
    ("a.tfrecord", 10, "the checksum of its data is wrong"),
    ("a.tfrecord", 40, "the checksum of its length is wrong"),
    ("b.tfrecord", 0, "the checksum of its data is wrong"),
    ("b.tfrecord", 50, "Could not parse example input"),
    ("c.tfrecord", 99, "the file ends 5 bytes before the record does"),
]


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One start of TensorFlow for all pipelines."""
    if importlib.util.find_spec("tensorflow") is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: TensorFlow is not installed")
        pytest.skip("TensorFlow is not installed")
    folder = tmp_path_factory.mktemp("pipelines")
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder)],
        env=kept | {"OUTLIVE_HOME": str(folder / "home")},
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.tf
@pytest.mark.parametrize("name", OF_PICTURES)
def test_only_the_bad_pictures_are_missing_and_each_is_named(
    played: dict[str, Any], name: str
) -> None:
    outcome = played[name]

    assert "" == outcome["error"]
    assert [one for one in range(COUNT) if one not in BAD] == sorted(outcome["values"])
    assert {f"{one}.jpg" for one in BAD} == {entry["file"] for entry in outcome["named"]}
    for entry in outcome["named"]:
        odd = int(entry["file"].split(".")[0]) % 2
        assert ("Input is empty" if odd else "jpeg::Uncompress failed") in entry["error"]
        assert "skipping_pipelines.py:" in entry["stage"]


@pytest.mark.tf
def test_what_every_epoch_skips_is_named_once(played: dict[str, Any]) -> None:
    outcome = played["filtered, twice"]

    assert 2 * (COUNT - len(BAD)) == len(outcome["values"])
    assert len(BAD) == len(outcome["named"])


@pytest.mark.tf
@pytest.mark.parametrize("name", OF_RECORDS)
def test_one_flipped_bit_costs_one_record(played: dict[str, Any], name: str) -> None:
    outcome = played[name]
    missing = [10, 40, 100, 150, 299]

    assert [one for one in range(300) if one not in missing] == sorted(outcome["values"]), outcome[
        "error"
    ]
    named = {(entry["file"], entry.get("record")): entry["error"] for entry in outcome["named"]}
    if name == "records interleaved":
        assert "No such file" in named.pop(("none.tfrecord", None))
    assert {(file, record) for file, record, _ in BAD_RECORDS} == named.keys()
    assert all(words in named[file, record] for file, record, words in BAD_RECORDS)


@pytest.mark.tf
def test_order_stays_where_there_is_one(played: dict[str, Any]) -> None:
    for name in ("one by one", "in a batch", "of a generator", "records"):
        assert sorted(played[name]["values"]) == played[name]["values"]


@pytest.mark.tf
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_a_pipeline_of_any_kind_loses_the_bad_elements_and_no_other(
    played: dict[str, Any], name: str
) -> None:
    outcome = played[name]
    wanted = [one for one in range(COUNT) if one not in BAD]

    assert ("", wanted) == (outcome["error"], sorted(outcome["values"]))
    assert ([] if name == "twice" else ["a bad one"] * len(BAD)) == [
        "a bad one" if "a bad one" in entry["error"] else entry["error"]
        for entry in outcome["named"]
    ]
    assert [] == outcome["unreached"]


@pytest.mark.tf
def test_nothing_but_bad_elements_is_an_end_without_batches(played: dict[str, Any]) -> None:
    assert [] == played["all bad"]["values"]
    assert 2 == len(played["all bad"]["named"])
    assert "more than at_most=1" in played["endless"]["error"]


@pytest.mark.tf
def test_iterators_do_not_get_in_each_others_way(played: dict[str, Any]) -> None:
    outcome = played["side by side"]

    assert [[one for one in range(COUNT) if one not in BAD]] * 3 == outcome["values"]
    assert ([8], len(BAD)) == (outcome["sizes"], outcome["named"])


@pytest.mark.tf
def test_too_many_end_the_run_with_a_clear_error(played: dict[str, Any]) -> None:
    outcome = played["too many"]

    assert "skip_bad has skipped 3 elements, more than at_most=2" in outcome["error"]
    assert "too many.jsonl" in outcome["error"]


@pytest.mark.tf
def test_clean_data_names_nothing(played: dict[str, Any]) -> None:
    assert {"values": [0, 1, 2, 3, 4], "named": [], "error": "", "unreached": []} == played["clean"]


@pytest.mark.tf
def test_what_is_not_reached_is_said_and_fails_as_it_would_have(played: dict[str, Any]) -> None:
    outcome = played["unknown stage"]

    assert any("WindowDataset" in said for said in outcome["unreached"])
    assert "Input is empty" in outcome["error"] or "jpeg" in outcome["error"]


@pytest.mark.tf
@pytest.mark.parametrize("name", ["lines", "lines interleaved"])
def test_a_text_file_that_is_not_there_costs_its_lines_and_is_named(
    played: dict[str, Any], name: str
) -> None:
    outcome = played[name]

    assert ("", [0, 0, 1, 1, 2, 2]) == (outcome["error"], sorted(outcome["values"]))
    assert ["none.txt"] == [entry["file"] for entry in outcome["named"]]


@pytest.mark.tf
def test_a_picture_that_is_not_there_is_named_as_a_file(played: dict[str, Any]) -> None:
    assert ["none.jpg"] == [entry.get("file") for entry in played["no such picture"]["named"]]


@pytest.mark.tf
def test_what_cannot_be_one_batch_ends_the_run_with_the_words_of_tensorflow(
    played: dict[str, Any],
) -> None:
    outcome = played["shapes unlike"]

    assert "Cannot batch tensors with different shapes in component 0." in outcome["error"]


@pytest.mark.tf
def test_what_was_skipped_before_an_iterator_was_given_up_is_named_at_the_end(
    played: dict[str, Any],
) -> None:
    entries = [json.loads(line) for line in Path(played["given up"]).read_text().splitlines()]

    assert {f"{one}.jpg" for one in BAD[:2]} <= {entry["file"] for entry in entries}


@pytest.mark.tf
def test_what_several_datasets_skip_is_named_once_in_one_log(played: dict[str, Any]) -> None:
    assert len(BAD) == played["several"]


@pytest.mark.tf
@pytest.mark.parametrize("way", ["by argument", "by closure", "by a strategy"])
def test_a_dataset_that_is_handed_over_loses_its_bad_elements_too(
    played: dict[str, Any], way: str
) -> None:
    outcome = played["handed over"]

    assert {COUNT - len(BAD)} == set(outcome[way])
    assert len(BAD) == outcome["named"]


@pytest.mark.tf
def test_keras_trains_on_it_and_saves_under_pressure(played: dict[str, Any]) -> None:
    assert {"named": len(BAD), "saved": True, "predicted": [300, 1]} == played["fit"]


def record(data: bytes) -> bytes:
    head = len(data).to_bytes(8, "little")
    return head + masked(head).to_bytes(4, "little") + data + masked(data).to_bytes(4, "little")


def read_through(
    files: Files, path: Path, good: int, data_bytes: int, packed: bool = False
) -> list[Any]:
    """As the pipeline does when TensorFlow's reader gave up after so many records."""
    number = files.open(str(path).encode(), packed)
    for first in range(0, good, CHUNK):
        count = min(CHUNK, good - first)
        if count == CHUNK or packed is None:
            files.read(number, count, count * data_bytes)
    found = []
    while (part := files.rest(number))[0]:
        found += zip(*part, strict=True)
    return found


def test_the_rest_of_a_damaged_file_is_read(tmp_path: Path) -> None:
    parts = [record(b"%04d" % number) for number in range(3 * CHUNK)]
    parts[CHUNK + 4] = parts[CHUNK + 4][: HEAD.size] + b"xxxx" + parts[CHUNK + 4][-4:]
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(b"".join(parts))
    packed.write_bytes(gzip.compress(b"".join(parts)))
    for path, compressed in ((plain, False), (packed, True)):
        quarantine = Quarantine(tmp_path / f"{path.name}.jsonl", 10)

        found = read_through(Files(quarantine), path, CHUNK + 4, 4, compressed)

        wanted = [n for n in range(CHUNK, 3 * CHUNK) if n != CHUNK + 4]
        assert [(n, b"%04d" % n) for n in wanted] == found
        (line,) = (tmp_path / f"{path.name}.jsonl").read_text().splitlines()
        assert CHUNK + 4 == json.loads(line)["record"]


def test_a_whole_file_is_not_read_twice(tmp_path: Path) -> None:
    path = tmp_path / "whole"
    path.write_bytes(b"".join(record(b"data") for _ in range(2 * CHUNK)))
    quarantine = Quarantine(tmp_path / "log", 10)

    assert [] == read_through(Files(quarantine), path, 2 * CHUNK, 4)
    assert 0 == quarantine.count


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    quarantine = Quarantine(tmp_path / "log", 10)
    files = Files(quarantine)

    number = files.open(str(folder).encode(), False)

    assert (-1, ([], [])) == (number, files.rest(number))
    assert "Is a directory" in (tmp_path / "log").read_text()


def test_the_quarantine_holds_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    token, password = "ghp_" + "a1B2" * 9, "correct-horse-battery"
    monkeypatch.setenv("DB_PASSWORD", password)

    quarantine = Quarantine(tmp_path / "log", 9)
    quarantine.add(f"{'x ' * 240}{token} {password}", file=f"https://me:{password}@host/a.jpg")

    told = (tmp_path / "log").read_text() + caplog.text
    assert "https://***@host/a.jpg" in told
    assert token[4:12] not in told and password not in told


def test_the_quarantine_counts_each_thing_once_and_refuses_too_many(tmp_path: Path) -> None:
    quarantine = Quarantine(tmp_path / "log", 1)
    for _ in range(3):
        quarantine.add("broken", file="a.jpg")
    quarantine.refuse_more()
    quarantine.add("broken", file="b.jpg", record=None)

    with pytest.raises(TooManyBad, match="skipped 2 elements"):
        quarantine.refuse_more()
    entries = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [{"file": "a.jpg", "error": "broken"}, {"file": "b.jpg", "error": "broken"}] == [
        {key: value for key, value in entry.items() if key != "time"} for entry in entries
    ]


def test_an_element_is_named_by_its_file_its_record_or_its_values(tmp_path: Path) -> None:
    file = tmp_path / "a.jpg"
    file.write_bytes(b"")

    assert {"file": "x.tfrecord", "record": 7} == name_of(b"x.tfrecord#7", [])
    assert {"file": str(file)} == name_of(b"", [3, str(file).encode()])
    assert {"element": ["3", "cat"]} == name_of(b"0", [3, b"cat"])
    assert {"file": "no.jpg"} == name_of(b"0", [3, b"no.jpg"], "NotFoundError: no.jpg; No such")
    assert {"element": ["3", "no"]} == name_of(b"0", [3, b"no"], "ValueError: no such thing")


def test_an_error_of_tensorflow_is_told_by_its_own_words() -> None:
    class InvalidArgumentError(Exception):
        def __init__(self, message: str) -> None:
            super().__init__(message)
            self.message = message

    graph = "Graph execution error:\n\nDetected at node X defined at\n\nInput is empty.\n\t [[{{node X}}]] [Op:f]"
    eager = "{{function_node __wrapped__DecodeJpeg_device_/job}} Input is empty. [Op:DecodeJpeg]"

    for text in (graph, eager):
        assert "InvalidArgumentError: Input is empty." == told(InvalidArgumentError(text))
    assert "parse: \\xff" == told(UnicodeDecodeError("utf-8", b"{{node f}} parse: \xff", 0, 1, "x"))


def test_what_cannot_be_asked_for_is_refused() -> None:
    for dataset, at_most in (([1, 2], 5), (None, -1)):
        with pytest.raises(UsageError):
            outlive.skip_bad(dataset, at_most=at_most)


def test_a_log_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    Quarantine(tmp_path / "new.jsonl", 1)

    assert [] == list(tmp_path.iterdir())
    for path in (tmp_path, tmp_path / "none" / "bad.jsonl"):
        with pytest.raises(UsageError, match="Cannot write the list"):
            Quarantine(path, 1)
