"""Frames of videos, through OpenCV: how many there are is asked in a worker too, since a decoder may crash on what it is given."""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.errors import OutliveError
from outlive.jobs.endure import endure
from outlive.jobs.executor import TaskName
from outlive.jobs.local_executor import LocalExecutor
from outlive.jobs.plain_exception import Unfit
from outlive.jobs.worker import Ready

#: Frames that were read on the way to one that was asked for first.
REMEMBERED = 24

#: Between the name of a video and the number of a frame.
MARK = "#"


def need_opencv() -> None:
    """Say at the start what is missing."""
    if importlib.util.find_spec("cv2") is None:
        raise OutliveError(
            "Videos are read with OpenCV, which is not installed.", "pip install 'outlive[video]'"
        )


def frames_of(path: str, every: int) -> range:
    """The numbers of the frames that are looked at. A video that cannot be opened has one: it goes to quarantine with its cause."""
    job = LocalExecutor(
        TaskName("outlive.detection.images.videos:make", {}, ("outlive.detection.images.videos",)),
        [{"path": path}],
    )
    count = 1
    for answers in endure(job, None, lambda item: str(item["path"])):
        for one in answers:
            count = max(1, int(one.value)) if one.good else 1
    return range(0, count, every)


def make(**arguments: Any) -> CountTask:
    """The worker's task; named by the parent."""
    return CountTask()


class CountTask:
    """How many frames a video has."""

    most = 1
    room_bytes = None
    facts: Mapping[str, Any] = {}

    def prepare(self, item: Mapping[str, Any]) -> Ready:
        """Hand the video on as it is; there is nothing to prepare."""
        return Ready(item)

    def run(self, things: Sequence[Mapping[str, Any]]) -> list[int]:
        """Count the frames of each video, as its header says."""
        cv: Any = importlib.import_module("cv2")
        return [int(_opened(cv, thing["path"]).get(cv.CAP_PROP_FRAME_COUNT)) for thing in things]


class Frames:
    """One video, read forwards as long as that is possible; several threads may ask."""

    def __init__(self, path: str) -> None:
        self._cv: Any = importlib.import_module("cv2")
        self._path = path
        self._video = _opened(self._cv, path)
        self._next = 0
        self._known: OrderedDict[int, Any] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, number: int) -> Any:
        """A frame as RGB."""
        with self._lock:
            if number in self._known:
                return self._known.pop(number)
            if number < self._next or number > self._next + REMEMBERED:
                self._video.set(self._cv.CAP_PROP_POS_FRAMES, number)
                self._next = number
            while True:
                good, frame = self._video.read()
                if not good:
                    raise Unfit(
                        "corrupt-image",
                        f"Frame {number} of `{self._path}` cannot be decoded.",
                        "Convert the video again:  ffmpeg -i FILE -c:v libx264 new.mp4",
                    )
                at, self._next = self._next, self._next + 1
                colours = self._cv.cvtColor(frame, self._cv.COLOR_BGR2RGB)
                if at == number:
                    return colours
                self._known[at] = colours
                while len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)


def _opened(cv: Any, path: str) -> Any:
    video = cv.VideoCapture(path)
    if not video.isOpened():
        raise Unfit(
            "corrupt-image", f"The video `{path}` cannot be opened.", "Is it whole?  ffprobe FILE"
        )
    return video
