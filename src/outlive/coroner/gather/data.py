"""Readings of data -> evidence: what the program held when an exception ended it, its pipeline, the files that were looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outlive.coroner.lines.origins import origin_of
from outlive.coroner.readings.readings import Payload, Readings, integer
from outlive.coroner.readings.source_lines import SourceLines
from outlive.inside.notes import kinds
from outlive.model.data import (
    BuiltStage,
    Feature,
    Held,
    Inspection,
    LookedAt,
    Pipeline,
    Scene,
    Shape,
    Shaped,
)
from outlive.model.findings import Place


def scene_of(readings: Readings) -> Scene:
    """What lay around the exception that ended the program."""
    principal = readings.principal
    notes = [
        *(
            note.get("scene") or {}
            for note in (principal.of_kind(kinds.SHOWN) if principal else ())[:1]
        ),
        *(principal.of_kind(kinds.SCENE) if principal is not None else ()),
    ]
    if not notes:
        return Scene()
    note = notes[-1]
    return Scene(
        tuple(_held(value, readings.lines) for value in note.get("values") or ()),
        _pipeline(note.get("pipeline"), readings.lines),
        str(note.get("operation", "")),
        _own(note.get("made"), readings.lines),
        str(note.get("cwd", "")),
    )


def _held(value: Mapping[str, Any], lines: SourceLines) -> Held:
    number = value.get("number")
    name, frame = str(value.get("name", "")), lines.place(value["frame"])
    made, made_by = origin_of(name, frame, lines)
    return Held(
        name=name,
        kind=str(value.get("kind", "")),
        frame=frame,
        shape=_shape(value.get("shape")),
        dtype=str(value.get("dtype", "")),
        path=str(value.get("path", "")),
        bytes=integer(value.get("bytes")),
        crc=integer(value.get("crc")),
        mode=str(value.get("mode", "")),
        not_finite=integer(value.get("not_finite")),
        count=integer(value.get("count")),
        shapes=tuple(
            Shaped(_shape(shape) or (), str(dtype), int(count), int(first))
            for (shape, dtype), count, first in value.get("shapes") or ()
        ),
        paths=tuple(str(path) for path in value.get("paths") or ()),
        number=number if isinstance(number, (int, float)) else None,
        made=made,
        made_by=made_by,
    )


def _shape(sides: Any) -> Shape | None:
    if not isinstance(sides, list):
        return None
    return tuple(side if isinstance(side, int) else None for side in sides)


def _pipeline(data: Any, lines: SourceLines) -> Pipeline | None:
    if not isinstance(data, dict):
        return None
    return Pipeline(
        stages=tuple(
            BuiltStage(str(stage.get("kind", "")), _own(stage.get("frames"), lines))
            for stage in data.get("stages") or ()
        ),
        files=tuple(str(name) for name in data.get("files") or ()),
    )


def _own(frames: Any, lines: SourceLines) -> Place | None:
    return next((place for place in lines.places(frames) if place.own), None)


def inspection_of(readings: Readings) -> Inspection:
    """What was seen in the files after the death."""
    note = readings.one(kinds.INSPECTION)
    return Inspection(
        files=tuple(_looked_at(file) for file in note.get("files") or ()),
        folder=str(note.get("folder", "")),
        seen=integer(note.get("seen")) or 0,
        bad=integer(note.get("bad")) or 0,
        whole=bool(note.get("whole", True)),
        others=tuple(str(name) for name in note.get("others") or ()),
        exists=str(note.get("exists", "")),
        similar=tuple(str(name) for name in note.get("similar") or ()),
    )


def _looked_at(file: Payload) -> LookedAt:
    return LookedAt(
        path=str(file.get("path", "")),
        known_by=str(file.get("known_by", "")),
        bytes=integer(file.get("bytes")),
        fault=str(file.get("fault", "")),
        record=integer(file.get("record")),
        offset=integer(file.get("offset")),
        detail=str(file.get("detail", "")),
        features=tuple(
            Feature(
                str(one.get("name", "")), str(one.get("kind", "")), integer(one.get("count")) or 0
            )
            for one in file.get("features") or ()
        ),
    )
