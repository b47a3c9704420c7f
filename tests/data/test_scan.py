"""`outlive scan`: every fault is found and named, a clean set gives none, and no file can end the scan."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from conftest import Outlive
from made_datasets import (
    HTML,
    LABEL_MAP,
    SIDE,
    bomb_png,
    clean_folder,
    coco,
    detection,
    encoded,
    example,
    flipped,
    framed,
    gif,
    jpeg,
    picture,
    rotated_jpeg,
    sixteen_bit_png,
    voc,
)
from outlive.data.formats import tf_examples, tfrecords
from outlive.data.formats.protobuf import NotProtobuf
from outlive.data.scan.cache import Cache
from outlive.data.scan.engine import Checked, Settings, across, check, scan
from outlive.data.scan.examples import Schema
from outlive.data.scan.find_files import files_below
from outlive.data.scan.flaws import KINDS, Flaw
from outlive.data.scan.labels import read_label_map

NAN, INFINITE = float("nan"), float("inf")


def flaws_in(folder: Path, budget: int | None = None) -> list[Flaw]:
    """As the command finds them, without its workers."""
    labels = read_label_map(str(folder / "map.pbtxt")) if (folder / "map.pbtxt").exists() else {}
    settings = Settings(budget, labels)
    checked = [one for path in files_below([str(folder)]) if (one := check(path, settings))]
    schema = Schema()
    for one in checked:
        schema.add(one.schema or Schema())
    return [*(flaw for one in checked for flaw in one.flaws), *across(checked, schema)]


def slugs_in(folder: Path) -> set[str]:
    return {flaw.slug for flaw in flaws_in(folder)}


def scanned(outlive: Outlive, folder: Path, *words: str) -> dict[str, Any]:
    done = outlive("scan", str(folder), "--labels", str(folder / "map.pbtxt"), "--json", *words)
    assert done.status in (0, 1), done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert done.status == (1 if told["flaws"] else 0)
    return told


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    return clean_folder(tmp_path / "set")


def test_a_clean_set_has_no_flaw(outlive: Outlive, clean: Path) -> None:
    told = scanned(outlive, clean)

    assert [] == told["flaws"]
    assert told["checked"] == 5 + 5 + 4


def with_preview(data: bytes) -> bytes:
    """As cameras write them: a whole JPEG in a part before the picture."""
    return data[:2] + b"\xff\xe1" + (len(data) + 2).to_bytes(2, "big") + data + data[2:]


def with_hole(data: bytes) -> bytes:
    middle = len(data) * 2 // 3
    return data[:middle] + bytes(200) + data[middle + 200 :]


def test_a_film_behind_a_picture_is_no_flaw(tmp_path: Path) -> None:
    """Telephones put one there; some of its bytes look like marks of JPEG."""
    film = b"\0\0\0\x18ftypmp42" + b"\xff\xda" + bytes(9000)
    (tmp_path / "moving.jpg").write_bytes(with_preview(jpeg()) + film)

    assert [] == flaws_in(tmp_path)


PICTURES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "truncated": ("0.jpg", lambda: jpeg()[: len(jpeg()) // 2], "image-truncated"),
    "empty": ("0.jpg", lambda: b"", "image-empty"),
    "html": ("0.jpg", lambda: HTML, "not-an-image"),
    "zeros": ("0.jpg", lambda: bytes(5000), "not-an-image"),
    "png in a jpg": ("0.jpg", lambda: encoded(picture(), "PNG"), "wrong-extension"),
    "gif": ("g.gif", lambda: gif(1), "format-not-decoded"),
    "animated gif": ("g.gif", lambda: gif(3), "image-animated"),
    "webp": ("w.webp", lambda: encoded(picture(), "WEBP"), "format-not-decoded"),
    "tiff": ("t.tiff", lambda: encoded(picture(), "TIFF"), "format-not-decoded"),
    "cmyk": ("0.jpg", lambda: encoded(picture("CMYK"), "JPEG"), "image-cmyk"),
    "sixteen bits": ("s.png", sixteen_bit_png, "image-sixteen-bit"),
    "transparent": ("a.png", lambda: encoded(picture("RGBA"), "PNG"), "image-alpha"),
    "grey among colours": ("0.jpg", lambda: encoded(picture("L"), "JPEG"), "image-grey"),
    "rotated": ("0.jpg", rotated_jpeg, "image-rotated"),
    "bomb": ("b.png", bomb_png, "decompression-bomb"),
    "png cut": ("p0.png", lambda: encoded(picture(), "PNG")[:-40], "image-truncated"),
    "png without its end": ("p0.png", lambda: encoded(picture(), "PNG")[:-12], "image-truncated"),
    "a hole in a jpg": ("0.jpg", lambda: with_hole(jpeg()), "image-corrupt"),
    "a preview and no more": ("0.jpg", lambda: with_preview(jpeg())[:-300], "image-truncated"),
    "png damaged": ("p0.png", lambda: flipped(encoded(picture(), "PNG"), 900), "image-corrupt"),
}


@pytest.mark.parametrize("fault", PICTURES)
def test_a_bad_picture_is_found(clean: Path, fault: str) -> None:
    name, make, slug = PICTURES[fault]
    (clean / "images" / name).write_bytes(make())

    flaws = flaws_in(clean / "images")

    assert [slug] == [flaw.slug for flaw in flaws]
    assert flaws[0].path.endswith(name)
    assert flaws[0].kind.remedy


RECORDS: dict[str, tuple[dict[str, Any], str]] = {
    "inverted": ({"xmin": [0.9, 0.2], "xmax": [0.1, 0.9]}, "box-inverted"),
    "counts differ": ({"ymin": [0.1]}, "counts-differ"),
    "too few labels": ({"label": [1]}, "counts-differ"),
    "extra labels": ({"label": [1, 2, 1]}, "counts-differ"),
    "above one": ({"xmax": [0.5, 1.4]}, "box-outside"),
    "negative": ({"xmin": [-0.3, 0.2]}, "box-outside"),
    "pixels": ({"xmin": [10.0, 5.0], "xmax": [50.0, 60.0], "ymin": [3.0, 4.0], "ymax": [30.0, 40.0]}, "box-units"),
    "no area": ({"xmin": [0.5, 0.2], "xmax": [0.5, 0.9]}, "box-empty"),
    "nan": ({"xmin": [NAN, 0.2]}, "box-not-finite"),
    "infinite": ({"xmax": [INFINITE, 0.9]}, "box-not-finite"),
    "label 0": ({"label": [0, 2]}, "label-unknown"),
    "label out of range": ({"label": [1, 99]}, "label-unknown"),
    "text not in the map": ({"text": [b"cat", b"fox"]}, "label-unknown"),
    "sides swapped": ({"width": [SIDE // 2], "height": [SIDE]}, "size-disagrees"),
    "no picture": ({"encoded": None}, "image-empty"),
    "empty picture": ({"encoded": [b""]}, "image-empty"),
    "cut picture": ({"encoded": [jpeg()[:1000]]}, "image-truncated"),
    "html": ({"encoded": [HTML]}, "not-an-image"),
    "gif": ({"encoded": [gif(1)]}, "format-not-decoded"),
    "wrong format": ({"format": [b"png"]}, "format-disagrees"),
    "rotated": ({"encoded": [rotated_jpeg()]}, "image-rotated"),
    "another type": ({"filename": [7]}, "feature-type"),
    "feature missing": ({"filename": None}, "feature-missing"),
}  # fmt: skip


@pytest.mark.parametrize("fault", RECORDS)
def test_a_bad_record_is_found_by_its_number(clean: Path, fault: str) -> None:
    changes, slug = RECORDS[fault]
    parts = [framed(detection(seed)) for seed in range(5)]
    parts[3] = framed(detection(3, **changes))
    (clean / "data.tfrecord").write_bytes(b"".join(parts))

    flaws = flaws_in(clean)

    assert slug in {flaw.slug for flaw in flaws}
    assert {3} == {flaw.record for flaw in flaws}
    assert {str(clean / "data.tfrecord")} == {flaw.path for flaw in flaws}


def test_a_flipped_bit_costs_one_record_and_its_offset_is_told(clean: Path) -> None:
    parts = [framed(detection(seed)) for seed in range(5)]
    before = len(parts[0])
    parts[1] = flipped(parts[1], len(parts[1]) // 2)
    (clean / "data.tfrecord").write_bytes(b"".join(parts))

    (flaw,) = flaws_in(clean)

    assert ("records-corrupt", 1, before) == (flaw.slug, flaw.record, flaw.offset)


def test_after_a_damaged_length_the_other_records_are_still_read() -> None:
    parts = [framed(bytes([number]) * 50) for number in range(4)]
    data = parts[0] + flipped(parts[1], 2) + parts[2] + parts[3]

    read = [record.data for record in tfrecords.records(data)]

    assert [bytes(one)[:1] for one in read if one is not None] == [b"\0", b"\2", b"\3"]


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_file_that_was_cut_is_told_as_cut(clean: Path, cut: int) -> None:
    data = b"".join(framed(detection(seed)) for seed in range(3))
    (clean / "data.tfrecord").write_bytes(data[:-cut])

    (flaw,) = flaws_in(clean)

    assert ("records-truncated", 2) == (flaw.slug, flaw.record)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_packed_files_are_read(clean: Path, pack: Callable[[bytes], bytes]) -> None:
    (clean / "data.tfrecord").write_bytes(pack(b"".join(framed(detection(i)) for i in range(3))))

    assert [] == flaws_in(clean)


def test_text_instead_of_records_is_told(clean: Path) -> None:
    (clean / "data.tfrecord").write_bytes(HTML * 10)

    assert {"records-corrupt"} == slugs_in(clean)


@given(st.binary(max_size=400))
def test_no_bytes_make_the_record_reader_fail(data: bytes) -> None:
    list(tfrecords.records(data))
    try:
        tf_examples.features(memoryview(data))
    except NotProtobuf:
        pass


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=8),
        st.one_of(
            st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5),
            st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=5),
            st.lists(st.binary(max_size=9), min_size=1, max_size=5),
        ),
        max_size=4,
    )
)
def test_an_example_is_read_as_it_was_written(features: dict[str, Any]) -> None:
    (record,) = tfrecords.records(framed(example(features)))
    assert record.data is not None
    found = tf_examples.features(record.data)

    assert {name: [bytes(one) if isinstance(one, memoryview) else one for one in values] for name, (_, values) in found.items()} == features  # fmt: skip


COCO: dict[str, tuple[dict[str, Any], str]] = {
    "negative side": ({"bbox": [5, 5, -3, 4]}, "box-inverted"),
    "no area": ({"bbox": [5, 5, 0, 4]}, "box-empty"),
    "outside": ({"bbox": [90, 5, 30, 4]}, "box-outside"),
    "unit square": ({"bbox": [0.1, 0.1, 0.3, 0.3]}, "box-units"),
    "nan": ({"bbox": [NAN, 1, 2, 3]}, "box-not-finite"),
    "three numbers": ({"bbox": [1, 2, 3]}, "counts-differ"),
    "category": ({"category_id": 9}, "label-unknown"),
    "image": ({"image_id": 9}, "file-missing"),
}


@pytest.mark.parametrize("fault", COCO)
def test_a_bad_coco_annotation_is_found(clean: Path, fault: str) -> None:
    changes, slug = COCO[fault]
    (clean / "coco.json").write_text(json.dumps(coco(**changes)))

    assert slug in slugs_in(clean)


def test_a_coco_file_is_compared_with_its_pictures(clean: Path) -> None:
    data = coco()
    data["images"] += [
        {"id": 2, "file_name": "gone.jpg", "width": 1, "height": 1},
        {"id": 3, "file_name": "1.jpg", "width": SIDE // 2, "height": SIDE},
        {"id": 4, "file_name": "0.jpg", "width": SIDE, "height": SIDE // 2},
    ]
    data["annotations"] *= 2
    (clean / "coco.json").write_text(json.dumps(data))

    slugs = [flaw.slug for flaw in flaws_in(clean)]

    assert sorted(slugs) == ["duplicate", "duplicate", "file-missing", "size-disagrees"]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        (voc(name="fox"), "label-unknown"),
        (voc(box=(25, 5, 5, 25)), "box-inverted"),
        (voc(box=(5, 5, 5, 25)), "box-empty"),
        (voc(box=(5, 5, 500, 25)), "box-outside"),
        (voc(box=(5, 5, 25)), "counts-differ"),
        (voc(box=("nan", 5, 25, 25)), "box-not-finite"),
        (voc(size=(SIDE // 2, SIDE)), "size-disagrees"),
        (voc(file="gone.jpg"), "file-missing"),
        ("<annotation><object>", "annotations-unreadable"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><annotation/>', "annotations-unreadable"),
    ],
)
def test_a_bad_voc_file_is_found(clean: Path, text: str, slug: str) -> None:
    (clean / "voc" / "0.xml").write_text(text)

    assert slug in slugs_in(clean)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("7 0.5 0.5 0.1 0.1", "label-unknown"),
        ("0 48 24 10 10", "box-units"),
        ("0 0.95 0.5 0.4 0.1", "box-outside"),
        ("0 0.5 0.5 0 0.1", "box-empty"),
        ("0 0.5 0.5 0.1", "counts-differ"),
        ("0 0.5 0.5 nan 0.1", "box-not-finite"),
        ("0 0,5 0,5 0,1 0,1", "box-not-finite"),
        ("0 0.1 0.1 0.9 0.1 nan 0.9", "box-not-finite"),
        ("0 0.1 0.1 0.9 0.1 1.5 0.9", "box-outside"),
        ("0 0.5 0.5 0.1 0.1\n0 0.5 0.5 0.1 0.1", "duplicate"),
    ],
)
def test_a_bad_yolo_line_is_found(clean: Path, text: str, slug: str) -> None:
    (clean / "labels" / "0.txt").write_text("1 0.5 0.5 0.2 0.2\n" + text + "\n")

    assert slug in slugs_in(clean)


def test_the_second_scan_reads_only_what_is_new(outlive: Outlive, clean: Path) -> None:
    (clean / "images" / "1.jpg").write_bytes(b"")
    first = scanned(outlive, clean)
    second = scanned(outlive, clean)
    (clean / "images" / "1.jpg").write_bytes(jpeg())
    third = scanned(outlive, clean)

    assert (0, first["checked"]) == (first["cached"], second["cached"])
    assert first["flaws"] == second["flaws"] != []
    assert (third["checked"] - 1, []) == (third["cached"], third["flaws"])
    assert 0 == scanned(outlive, clean, "--no-cache")["cached"]


def test_a_decoder_that_dies_costs_one_file(
    clean: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that crashes on one picture, as broken decoders do: workers load it in place of simplejpeg."""
    (tmp_path / "simplejpeg.py").write_text(
        "import os, signal\n"
        "def decode_jpeg(data, **options):\n"
        f"    if len(data) == {len(jpeg(2))}:\n"
        "        os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    files = list(files_below([str(clean / "images")]))
    fatal = [
        path for path in files if path.endswith(".jpg") and os.path.getsize(path) == len(jpeg(2))
    ]

    found = list(scan(files, Settings(jobs=2), Cache(None, "")))

    flaws = [flaw for one in found if one for flaw in one.flaws]
    assert fatal
    assert sorted(fatal) == sorted(flaw.path for flaw in flaws)
    assert {("scanner-crashed", "its decoder crashed (SIGSEGV)")} == {
        (flaw.slug, flaw.says) for flaw in flaws
    }
    assert sorted(files) == sorted(one.path for one in found if one)


@pytest.mark.death
@pytest.mark.parametrize(
    ("act", "says"),
    [
        ("ctypes.string_at(0)", "its decoder crashed (SIGSEGV)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "its decoder crashed (SIGKILL)"),
        ("signal.pause()", "its check took over 2 s and was stopped"),
    ],
)
def test_pictures_that_kill_or_hang_are_named_and_the_scan_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, says: str
) -> None:
    """Two of many, with two workers: one of the first and one of the last."""
    (tmp_path / "simplejpeg.py").write_text(
        "import ctypes, os, signal\n"
        "def decode_jpeg(data, **options):\n"
        f"    if len(data) == {len(jpeg(2))}:\n"
        f"        {act}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("outlive.data.scan.engine.SECONDS_PER_STEP", 2.0)
    images = tmp_path / "images"
    images.mkdir()
    for number in range(80):
        (images / f"{number:02}.jpg").write_bytes(jpeg(2 if number in (3, 77) else 1))
    files = list(files_below([str(images)]))

    found = [one for one in scan(files, Settings(jobs=2), Cache(None, "")) if one]

    assert sorted(files) == sorted(one.path for one in found)
    assert [(files[3], says), (files[77], says)] == sorted(
        (flaw.path, flaw.says) for one in found for flaw in one.flaws
    )


@pytest.mark.death
def test_a_set_of_which_every_picture_kills_is_told_picture_by_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "simplejpeg.py").write_text(
        "import ctypes\ndef decode_jpeg(data, **options):\n    ctypes.string_at(0)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    images = tmp_path / "images"
    images.mkdir()
    for number in range(6):
        (images / f"{number}.jpg").write_bytes(jpeg())
    files = list(files_below([str(images)]))

    found = [one for one in scan(files, Settings(jobs=1), Cache(None, "")) if one]

    assert files == sorted(flaw.path for one in found for flaw in one.flaws)


def test_a_scan_that_is_interrupted_goes_on_where_it_was(
    outlive: Outlive, clean: Path, tmp_path: Path
) -> None:
    """A decoder that stops at the third picture, and says that it has come there."""
    os.mkfifo(tmp_path / "reached")
    (tmp_path / "simplejpeg.py").write_text(
        "import signal\n"
        "def decode_jpeg(data, **options):\n"
        f"    if len(data) == {len(jpeg(2))}:\n"
        f"        open({str(tmp_path / 'reached')!r}, 'w').close()\n"
        "        signal.pause()\n"
    )
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from outlive.__main__ import main; sys.exit(main(sys.argv[1:]))"
    images = str(clean / "images")

    with subprocess.Popen(
        [sys.executable, "-c", code, "scan", images, "--jobs", "1"],
        env=outlive.environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as scanning:
        (tmp_path / "reached").read_text()
        scanning.send_signal(signal.SIGINT)
        told = scanning.communicate(timeout=60)[1]
    again = outlive("scan", images)

    assert 130 == scanning.returncode
    assert "to resume" in told
    assert "2 unchanged since an earlier scan); no problems" in again.stdout


class InterruptedCache(Cache):
    """Ctrl-C comes just when the first result is to be written."""

    came = False

    def put(self, entries: Any) -> None:
        if not self.came:
            self.came = True
            os.kill(os.getpid(), signal.SIGINT)
        super().put(entries)


def test_an_interrupt_while_a_result_is_written_loses_none(clean: Path, tmp_path: Path) -> None:
    files = list(files_below([str(clean / "images")]))
    database = str(tmp_path / "cache.sqlite")
    cache = InterruptedCache(database, "same")
    heard: list[Checked | None] = []

    with pytest.raises(KeyboardInterrupt):
        heard.extend(scan(files, Settings(), cache))
    cache.close()
    kept = Cache(database, "same")

    assert heard
    assert {one.path for one in heard if one} <= {path for path in files if kept.get(path)}
    assert signal.default_int_handler is signal.getsignal(signal.SIGINT)


def test_odd_files_are_left_alone_or_told(outlive: Outlive, clean: Path) -> None:
    images = clean / "images"
    (images / "readme.txt").write_text("Pictures of cats.\n")
    (images / ".hidden.jpg").write_bytes(b"")
    (images / "notes.json").write_text('{"a": 1}')
    os.mkfifo(images / "pipe.jpg")
    os.symlink("nowhere.jpg", images / "link.jpg")
    (images / "a\nb\x1b[31m.jpg").write_bytes(b"")

    told = scanned(outlive, clean)

    assert {"file-missing", "image-empty"} == {flaw["slug"] for flaw in told["flaws"]}
    shown = outlive("scan", str(images)).stdout
    assert "\x1b" not in shown
    assert "image-empty" in shown


def test_names_are_mended_and_stoppers_set_aside_only_when_asked(
    outlive: Outlive, clean: Path
) -> None:
    images, aside = clean / "images", outlive.folder / "aside"
    (images / "9.jpg").write_bytes(encoded(picture(), "PNG"))
    (images / "sub").mkdir()
    (images / "sub" / "8.jpg").write_bytes(b"")
    before = sorted(path.name for path in images.rglob("*"))
    words = ("scan", str(images), "--fix", "--quarantine", str(aside))

    assert 1 == outlive(*words, "--dry-run").status
    assert before == sorted(path.name for path in images.rglob("*"))
    assert 1 == outlive(*words).status
    assert (images / "9.png").exists() and not (images / "9.jpg").exists()
    assert not (images / "sub" / "8.jpg").exists()
    entries = [json.loads(line) for line in (aside / "quarantine.jsonl").read_text().splitlines()]
    assert [(images / "sub" / "8.jpg").as_posix()] == [entry["from"] for entry in entries]
    assert Path(entries[0]["to"]).read_bytes() == b""
    assert 0 == outlive("scan", str(images)).status


def test_what_tensorflow_cannot_decode_is_written_anew_without_loss_and_kept(
    outlive: Outlive, clean: Path
) -> None:
    images = clean / "images"
    photo = picture()
    photo.save(images / "a.tif")
    photo.save(images / "b.webp", lossless=True)
    photo.save(images / "c.webp", "TIFF")
    photo.save(images / "moving.gif", save_all=True, append_images=[photo.rotate(90)])
    cmyk = (photo.convert("CMYK"), images / "print.tif")
    cmyk[0].save(cmyk[1])
    before = {path.name: path.read_bytes() for path in images.iterdir()}

    assert 1 == outlive("scan", str(images), "--fix").status

    for name in ("a.png", "b.png", "c.png"):
        with Image.open(images / name) as mended:
            assert photo.tobytes() == mended.convert("RGB").tobytes()
    kept = {path.name: path.read_bytes() for path in (images / ".outlive-originals").iterdir()}
    assert {name: before[name] for name in ("a.tif", "b.webp", "c.webp")} == kept
    assert (images / "moving.gif").exists() and (images / "print.tif").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LABEL_MAP, {1: {"cat"}, 2: {"dog"}}),
        ("cat\ndog\n", {1: {"cat"}, 2: {"dog"}}),
        ("???\ncat\n???\ndog\n", {1: {"cat"}, 3: {"dog"}}),
        ('["__background__", "cat", "dog"]', {1: {"cat"}, 2: {"dog"}}),
        ('["cat", "dog"]', {1: {"cat"}, 2: {"dog"}}),
        ('{"3": "cat"}', {3: {"cat"}}),
    ],
)
def test_label_maps_of_all_kinds(tmp_path: Path, text: str, expected: dict[int, set[str]]) -> None:
    (tmp_path / "map").write_text(text)

    assert expected == {
        number: set(names) for number, names in read_label_map(str(tmp_path / "map")).items()
    }


@pytest.mark.parametrize(
    "words",
    [
        ("scan",),
        ("scan", "no-such-folder"),
        ("scan", ".", "--labels", "gone"),
        ("scan", ".", "--budget", "many"),
    ],
)
def test_wrong_usage_has_a_word(outlive: Outlive, words: tuple[str, ...]) -> None:
    done = outlive(*words)

    assert 2 == done.status
    assert done.stderr


@pytest.mark.parametrize(
    ("name", "more"), [("", "It is empty."), ("notes.md", "Of its 1 files none")]
)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_where_there_is_nothing_to_check_nothing_is_good(
    outlive: Outlive, name: str, more: str, form: tuple[str, ...]
) -> None:
    (outlive.folder / "empty").mkdir()
    if name:
        (outlive.folder / "empty" / name).touch()

    done = outlive("scan", "empty", *form)

    assert (2, "") == (done.status, done.stdout)
    assert "Nothing to check in 'empty'" in done.stderr and more in done.stderr


def test_an_empty_folder_among_others_is_named(outlive: Outlive, clean: Path) -> None:
    (outlive.folder / "empty").mkdir()

    done = outlive("scan", str(clean), "empty")

    assert 0 == done.status
    assert "outlive: nothing to check in 'empty'." in done.stderr


def test_a_small_budget_makes_large_pictures_flaws(clean: Path) -> None:
    (clean / "images" / "large.png").write_bytes(encoded(picture(width=400, height=400), "PNG"))

    assert ["image-too-large"] == [flaw.slug for flaw in flaws_in(clean, 1_000_000)]


def test_what_tensorflow_writes_is_read(tmp_path: Path) -> None:
    """In a child: TensorFlow is not loaded into the process of the tests."""
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("TensorFlow is not installed")
    path = tmp_path / "real.tfrecord"
    text = f"""
import tensorflow as tf
f = tf.train.Feature
with tf.io.TFRecordWriter({str(path)!r}) as out:
    for n in range(3):
        out.write(tf.train.Example(features=tf.train.Features(feature={{
            "i": f(int64_list=tf.train.Int64List(value=[n, -n])),
            "x": f(float_list=tf.train.FloatList(value=[0.5, n])),
            "s": f(bytes_list=tf.train.BytesList(value=[b"a" * n])),
        }})).SerializeToString())
"""
    subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, timeout=100)

    read = [
        tf_examples.features(one.data) for one in tfrecords.records(path.read_bytes()) if one.data
    ]

    assert [found["i"] for found in read] == [("int64", [n, -n]) for n in range(3)]
    assert [found["x"] for found in read] == [("float", [0.5, float(n)]) for n in range(3)]
    assert [] == flaws_in(tmp_path)


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(lambda seed: jpeg(seed), id="pictures"),
        pytest.param(lambda seed: b"\x08\x01\x12\x04" + bytes(range(seed, 60)), id="tensors"),
        pytest.param(lambda seed: b"BM, a line of text %d" % seed, id="texts"),
    ],
)
def test_records_may_hold_anything_as_long_as_they_agree(
    clean: Path, record: Callable[[int], bytes]
) -> None:
    (clean / "other.tfrecord").write_bytes(b"".join(framed(record(seed)) for seed in range(5)))

    assert [] == flaws_in(clean)


def test_a_record_that_is_no_example_among_examples_is_found(clean: Path) -> None:
    parts = [detection(0), detection(1), b"\xff\xff nonsense", detection(3)]
    (clean / "data.tfrecord").write_bytes(b"".join(map(framed, parts)))

    assert [("record-unreadable", 2)] == [(flaw.slug, flaw.record) for flaw in flaws_in(clean)]


@pytest.mark.parametrize(
    ("bad", "slug"),
    [(jpeg()[:900], "image-truncated"), (b"", "image-empty"), (HTML, "not-an-image")],
)
def test_a_bad_picture_is_found_whatever_its_feature_is_called(
    clean: Path, bad: bytes, slug: str
) -> None:
    pictures = [jpeg(0), jpeg(1), bad, jpeg(3)]
    examples = [example({"photo": [data], "who": [b"cat"]}) for data in pictures]
    (clean / "faces.tfrecord").write_bytes(b"".join(map(framed, examples)))

    (flaw,) = flaws_in(clean)

    assert (slug, 2) == (flaw.slug, flaw.record)
    assert "'photo'" in flaw.says


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_a_packed_file_is_read_as_far_as_it_is_whole(
    clean: Path, pack: Callable[[bytes], bytes]
) -> None:
    packed = pack(b"".join(framed(detection(seed)) for seed in range(4)))
    (clean / "data.tfrecord").write_bytes(packed[: len(packed) * 2 // 3])

    flaws = flaws_in(clean)

    assert {"records-truncated"} == {flaw.slug for flaw in flaws}
    assert 0 < (flaws[0].record or 0) < 4


def test_an_annotated_object_that_is_there_twice_is_found(clean: Path) -> None:
    data = coco()
    data["annotations"].append(data["annotations"][0] | {"id": 2})
    (clean / "coco.json").write_text(json.dumps(data))
    twice = voc().replace("</annotation>", voc().partition("</size>")[2])
    (clean / "voc" / "0.xml").write_text(twice)
    doubled = {side: [0.1, 0.1] for side in ("xmin", "ymin")} | {
        side: [0.5, 0.5] for side in ("xmax", "ymax")
    }
    one = detection(1, **doubled, label=[1, 1], text=[b"cat", b"cat"])
    (clean / "data.tfrecord").write_bytes(framed(detection(0)) + framed(one))

    found = {(flaw.slug, Path(flaw.path).suffix) for flaw in flaws_in(clean)}

    assert {("duplicate", suffix) for suffix in (".json", ".xml", ".tfrecord")} == found


def test_categories_that_the_label_map_lacks_are_found(clean: Path) -> None:
    data = coco()
    data["categories"].append({"id": 3, "name": "fox"})
    (clean / "coco.json").write_text(json.dumps(data))

    assert ["label-unknown"] == [flaw.slug for flaw in flaws_in(clean)]


def test_an_annotation_is_judged_anew_when_its_picture_has_come(
    outlive: Outlive, clean: Path
) -> None:
    data = coco()
    data["images"].append({"id": 2, "file_name": "late.jpg", "width": SIDE, "height": SIDE // 2})
    (clean / "coco.json").write_text(json.dumps(data))

    before = scanned(outlive, clean)
    (clean / "images" / "late.jpg").write_bytes(jpeg())
    after = scanned(outlive, clean)

    assert ["file-missing"] == [flaw["slug"] for flaw in before["flaws"]]
    assert [] == after["flaws"]


def test_a_large_file_of_records_is_never_whole_in_memory(clean: Path) -> None:
    """40 MB of records, packed and not, in a process that may take 24 MB more than it has."""
    big = clean / "big.tfrecord"
    with open(big, "wb") as file:
        for seed in range(40):
            file.write(framed(example({"x": [os.urandom(1 << 20)], "n": [seed]})))
    (clean / "big.tfrecord.gz").write_bytes(gzip.compress(big.read_bytes(), 1))
    code = f"""
import resource
from outlive.data.scan.examples import check_records
lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
most = (int(lines["VmData"].split()[0]) << 10) + (24 << 20)
resource.setrlimit(resource.RLIMIT_DATA, (most, most))
for name in ({str(big) + ".gz"!r}, {str(big)!r}):
    flaws, schema = check_records(name, None, {{}})
    assert (flaws, schema.records) == ([], 40), flaws
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)


def test_every_kind_of_flaw_is_in_the_manual() -> None:
    page = (Path(__file__).parents[2] / "docs" / "scanning.md").read_text(encoding="utf-8")

    assert [] == [kind.slug for kind in KINDS.values() if f"| `{kind.slug}` | {kind.remedy} |" not in page]  # fmt: skip
