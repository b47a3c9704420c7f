"""What a job hands to its workers: each picture, and each frame of each video."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from outlive.data.addresses import absolute, is_address
from outlive.detection.images.videos import MARK, frames_of, need_opencv
from outlive.detection.inputs import is_video
from outlive.errors import UsageError


class Items:
    """All inputs of a job, listed anew each time that they are gone through."""

    def __init__(
        self,
        names: Callable[[], Iterable[str]],
        every: int,
        out: str | None = None,
        everywhere: bool = False,
    ) -> None:
        self._everywhere = everywhere  #: on another machine a relative path is another file
        self._names = names
        self._every = every
        self._own = os.path.join(absolute(out), "") if out is not None else ""
        self._frames: dict[str, range] = {}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Every picture, and every frame of every video."""
        for name in self._names():
            if self._own and absolute(name).startswith(self._own):
                continue  # annotated copies of our own, in a folder of pictures
            path = absolute(name) if self._everywhere else name
            if is_video(name) and is_address(name):
                raise UsageError(
                    f"{name} is a video, and videos are read from folders only.", "Copy it first."
                )
            if not is_video(name):
                yield {"path": path, "name": name}
                continue
            if name not in self._frames:
                need_opencv()
                self._frames[name] = frames_of(name, self._every)
            for number in self._frames[name]:
                yield {"path": path, "frame": number, "name": f"{name}{MARK}{number}"}


def name_of(item: Mapping[str, Any]) -> str:
    """What an input is called in the results."""
    return str(item["name"])


def path_of(item: Mapping[str, Any]) -> str:
    """Where its file is."""
    return absolute(str(item["path"]))


def refuse_no_input(names: Callable[[], Iterable[str]]) -> None:
    """Say at the start that there is nothing to do."""
    if next(iter(names()), None) is None:
        raise UsageError(
            "The inputs contain no picture and no video.",
            "Folders are searched for .jpg, .png, .gif, .webp, .bmp, .tif and videos; a file given by name is used as is.",
        )
