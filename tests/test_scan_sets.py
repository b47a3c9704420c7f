"""`outlive scan` of whole sets, as the common tools lay them out: nothing is missing that is there, and no mending takes a set apart."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from conftest import Outlive
from datasets import SIDE, coco, encoded, jpeg, picture, voc
from outlive.scan.cache import Cache, stamp_of
from outlive.scan.engine import Checked, Settings, check, remember
from outlive.scan.finding import files_below
from outlive.scan.flaws import Flaw


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
    assert acts == [["not renamed, annotations name it so", "renamed", "moved"], acts[0][:1]]


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
