"""``outlive.detect``: the objects in each picture, as they are found."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from outlive.detection.detections import from_plain
from outlive.detection.inputs import inputs_from, must_exist
from outlive.detection.job import Detection
from outlive.detection.models.runtimes import with_runtime
from outlive.detection.results import need_arrow
from outlive.detection.settings import Settings, label_names
from outlive.model.findings import Verdict
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Object:
    """One object in a picture; its box as shares of the picture: top, left, bottom, right."""

    label: int
    name: str
    score: float
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Detected:
    """One picture and what is in it, or the verdict on the worker that died of it."""

    input: str
    width: int = 0
    height: int = 0
    objects: tuple[Object, ...] = ()
    verdict: Verdict | None = None

    @property
    def good(self) -> bool:
        """Whether it was done."""
        return self.verdict is None


def detect(
    model: str | os.PathLike[str],
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    labels: str | None = None,
    min_score: float = 0.3,
    batch: int = 32,
    memory: int | None = None,
    deadline: float | None = None,
    max_side: int | None = None,
    tile: int | None = None,
    every: int = 1,
    runtime: str = "auto",
    pixels: str = "0..255",
    out: str | None = None,
    resume: bool = False,
    format: str = "parquet",
) -> Iterator[Detected]:
    """Run a detector over pictures, folders, patterns and videos in a worker that may die; yield each picture as it is done.

    With ``out`` everything is kept there as `outlive detect` keeps it; with ``resume`` what is there already is not done again, and not
    yielded.
    """
    words = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    names = [os.fspath(word) for word in words]
    must_exist(names)
    settings = Settings(
        os.fspath(model), runtime, min_score, batch, memory, deadline, max_side, pixels,
        label_names(labels), format, tile, every,
    )  # fmt: skip
    settings = with_runtime(settings.checked(), lambda words: None)
    if out is not None and format == "parquet":
        need_arrow()
    detection = Detection(settings, lambda: inputs_from(names), out, resume)
    try:
        for answers in detection.answers():
            for one in answers:
                if one.verdict is not None:
                    yield Detected(one.name, verdict=one.verdict)
                    continue
                objects = tuple(
                    Object(
                        found.label, settings.labels.get(found.label, ""), found.score, found.box
                    )
                    for found in from_plain(one.value)
                )
                yield Detected(one.name, one.value["width"], one.value["height"], objects)
        detection.finish()
    finally:
        detection.close()
