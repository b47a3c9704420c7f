"""A JSON file of annotations that was copied while it was being written."""
# expect: corrupt-record PROVEN
# ending: 1
# names: instances.json

import json
from pathlib import Path
from typing import Any


def annotations(path: Path) -> list[dict[str, Any]]:
    with path.open() as file:
        return json.load(file)["annotations"]  # <- here


def run(lost: int) -> None:
    boxes = [{"id": number, "bbox": [0, 0, 5, 5]} for number in range(20)]
    text = json.dumps({"annotations": boxes})
    Path("instances.json").write_text(text[: len(text) - lost])
    print(len(annotations(Path("instances.json"))))


def die() -> None:
    run(100)


def spare() -> None:
    run(0)
