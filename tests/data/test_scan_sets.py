"""`outlive scan` of whole sets, as the common tools lay them out: nothing is missing that is there, and no mending takes a set apart."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from conftest import Outlive
from made_datasets import SIDE, coco, detection, encoded, framed, jpeg, picture, voc
from outlive.data.scan.cache import Cache, stamp_of
from outlive.data.scan.engine import Checked, Settings, across, check, remember
from outlive.data.scan.find_files import files_below
from outlive.data.scan.flaws import Flaw


def written(root: Path, name: str, data: bytes | str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def flaws_in(folder: Path) -> list[Flaw]:
    found = [check(path, Settings()) for path in files_below([str(folder)])]
    return [flaw for one in found if one is not None for flaw in one.flaws]


def naming(*names: str) -> str:
    """A COCO file that speaks of these pictures."""
    data: dict[str, Any] = coco()
    one = {"width": SIDE, "height": SIDE // 2}
    data["images"] = [{**one, "id": at, "file_name": name} for at, name in enumerate(names, 1)]
    return json.dumps(data)


LAYOUTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "COCO": ("annotations/instances_val2017.json", naming("1.jpg"), ("val2017/1.jpg",)),
    "COCO below images": ("annotations/instances_val.json", naming("1.jpg"), ("images/val/1.jpg",)),
    "CVAT": ("annotations/instances_default.json", naming("1.jpg"), ("images/default/1.jpg",)),
    "one file over its splits": (
        "all.json",
        naming("1.jpg", "2.jpg"),
        ("train/1.jpg", "test/2.jpg"),
    ),
    "Roboflow": ("train/_annotations.coco.json", naming("1.jpg"), ("train/1.jpg", "valid/1.jpg")),
    "Oxford Pets": ("annotations/xmls/0.xml", voc(), ("images/0.jpg",)),
    "ImageNet": ("n01/0.xml", voc(file="0"), ("n01/0.JPEG",)),
    "YOLO, from a camera": ("labels/a/0.txt", "0 0.5 0.5 0.1 0.1\n", ("images/a/0.JPG",)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_picture_is_found_where_the_common_tools_put_it(tmp_path: Path, layout: str) -> None:
    annotations, text, pictures = LAYOUTS[layout]
    written(tmp_path, annotations, text)
    for name in pictures:
        written(tmp_path, name, jpeg())

    assert [] == flaws_in(tmp_path)

    (tmp_path / pictures[0]).unlink()

    assert ["file-missing"] == [flaw.slug for flaw in flaws_in(tmp_path)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lines.json", '{"a": 1}\n{"a": 2}\n'),
        ("settings.json", '// ours\n{"a": 1,}\n'),
        ("list.xml", '<!DOCTYPE plist SYSTEM "a.dtd"><plist/>'),
        ("matrix.txt", "1 20 30 40 50\n1 20 30 40 50\n"),
        ("0.txt", "a cat with 9 lives\n"),
        ("images/0.txt", "0 0.1 0.1 0.9 0.1 0.9 0.9\n0 0.5 0.5 0.1 0.1\n"),
    ],
)
def test_what_others_keep_beside_pictures_is_no_flaw(tmp_path: Path, name: str, text: str) -> None:
    written(tmp_path, "images/0.jpg", jpeg())
    written(tmp_path, name, text)

    assert [] == flaws_in(tmp_path)


@pytest.mark.parametrize("text", ["", '{"images": [{"id": 1'])
def test_annotations_that_were_cut_are_told(tmp_path: Path, text: str) -> None:
    written(tmp_path, "coco.json", text)

    assert ["annotations-unreadable"] == [flaw.slug for flaw in flaws_in(tmp_path)]


def test_pictures_that_all_lie_elsewhere_are_one_flaw(tmp_path: Path) -> None:
    written(tmp_path, "coco.json", naming("1.jpg", "2.jpg", "3.jpg"))

    assert ["file-missing"] == [flaw.slug for flaw in flaws_in(tmp_path)]


def test_no_mending_parts_annotations_from_their_pictures(outlive: Outlive, tmp_path: Path) -> None:
    written(tmp_path, "set/coco.json", naming("named.jpg", "bad.jpg"))
    for name in ("named.jpg", "free.jpg"):
        written(tmp_path, f"set/{name}", encoded(picture(), "PNG"))
    written(tmp_path, "set/bad.jpg", b"")
    words = ("scan", str(tmp_path / "set"), "--fix", "--quarantine", str(tmp_path / "set" / "bad"))

    told = [json.loads(outlive(*words, "--json").stdout) for _ in range(2)]

    left = sorted(path.name for path in (tmp_path / "set").iterdir())
    assert left == ["bad", "coco.json", "free.png", "named.jpg"]
    assert ["bad.jpg", "quarantine.jsonl"] == sorted(os.listdir(tmp_path / "set" / "bad"))
    acts = [[act["act"] for act in one["done"]] for one in told]
    assert acts == [["not renamed: annotations refer to it", "renamed", "moved"], acts[0][:1]]


RECORDS: dict[str, tuple[bytes, set[str]]] = {
    "boxes in bytes": (detection(xmin=[b"a", b"b"]), {"feature-type", "counts-differ"}),
    "labels in floats": (detection(label=[1.0, 2.0]), {"feature-type"}),
    "boxes without labels": (detection(label=None, text=None), {"feature-missing"}),
    "a height in bytes": (detection(height=[b"9"]), {"feature-type"}),
    "nothing": (b"", {"feature-missing"}),
}


@pytest.mark.parametrize("fault", RECORDS)
def test_a_record_unlike_the_others_is_found_whatever_the_file_is_called(
    tmp_path: Path, fault: str
) -> None:
    data, slugs = RECORDS[fault]
    written(tmp_path, "train-00000-of-00001", framed(detection()) * 3 + framed(data))
    (one,) = (check(path, Settings()) for path in files_below([str(tmp_path)]))
    assert one is not None and one.schema is not None

    found = [*one.flaws, *across([one], one.schema)]

    assert {(slug, 3) for slug in slugs} == {(flaw.slug, flaw.record) for flaw in found}


def test_a_name_that_is_no_text_costs_the_cache_nothing(outlive: Outlive, tmp_path: Path) -> None:
    for name in (b"a\xff.jpg", b"b.jpg", b"c.jpg"):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(jpeg())

    told = [json.loads(outlive("scan", str(tmp_path), "--json").stdout) for _ in range(2)]

    assert [0, 3] == [one["cached"] for one in told]


@pytest.mark.parametrize("slug", ["file-unreadable", "scanner-crashed"])
def test_what_may_be_better_the_next_time_is_not_remembered(tmp_path: Path, slug: str) -> None:
    path = tmp_path / "0.jpg"
    path.write_bytes(jpeg())
    cache = Cache(str(tmp_path / "cache"), "")

    remember(cache, str(path), stamp_of(str(path)), Checked(str(path), "picture", (Flaw(slug, str(path), ""),)))  # fmt: skip
    assert cache.get(str(path)) is None
    remember(cache, str(path), stamp_of(str(path)), Checked(str(path), "picture"))
    assert cache.get(str(path)) is not None
    cache.close()
