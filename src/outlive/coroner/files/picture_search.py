"""Which picture an exception is about, what is wrong with it, and how many more are like it."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import replace

from outlive.coroner.files.candidates import MAX_CULPRITS, MAX_FILES, MAX_NAMES, length_of
from outlive.coroner.files.missing_search import MissingSearch
from outlive.data.formats.file_faults import PICTURE_NAMES, fault_of, picture_in
from outlive.model.data import Inspection, LookedAt

#: Where Pillow begins to warn: three bytes for each make 270 MB.
HUGE_PIXELS = 89_478_485


class PictureSearch(MissingSearch):
    """The search for the picture that an exception is about, after the death."""

    def _image(self) -> Inspection | None:
        """The picture with a fault that is best known; one without a visible fault only if nothing else can be meant."""
        named = [
            inner
            for one in self._named()
            if one.path.lower().endswith(PICTURE_NAMES) or one.known_by == "the message"
            for inner in self._judged(one)
        ]
        told = [one for one in named if one.known_by == "the message"]
        culprits = told or [one for one in named if one.fault][:1]
        in_a_graph = self._scene.made is not None  # then it was in no variable
        if not culprits and not in_a_graph:  # what was held is proof, though no fault be seen
            culprits = [inner for one in self._contents() for inner in self._judged(one)][:1]
        for others in (self._of_pipeline(), self._listed()):
            if not culprits:
                judged = (inner for one in others for inner in self._judged(one))
                culprits = [one for one in judged if one.fault and self._fits(one)][:MAX_CULPRITS]
        if not culprits and not in_a_graph:
            culprits = named[:1]
        if not culprits:
            return self._missing() if self._complaint.variant == "not read" else None
        return self._with_others(culprits, PICTURE_NAMES)

    def _fits(self, candidate: LookedAt) -> bool:
        return self._complaint.size is None or candidate.bytes == self._complaint.size

    def _judged(self, candidate: LookedAt) -> list[LookedAt]:
        """The file with its length and fault, if it is one."""
        length = length_of(candidate.path)
        if length is None:
            return []
        picture = picture_in(candidate.path)
        detail = (
            f"{picture.width}×{picture.height} pixels, {picture.words}"
            if picture is not None
            else ""
        )
        fault = fault_of(candidate.path)
        if self._complaint.kind == "decompression-bomb" and picture is not None:
            huge = picture.width * picture.height >= HUGE_PIXELS
            fault = f"promises {picture.width}×{picture.height} pixels" if huge else ""
        return [replace(candidate, bytes=length, fault=fault, detail=detail)]

    def _with_others(self, culprits: Sequence[LookedAt], endings: tuple[str, ...]) -> Inspection:
        """How many of the same kind in the same folder are bad too."""
        folder = os.path.dirname(culprits[0].path)
        try:
            names = sorted(name for name in os.listdir(folder) if name.lower().endswith(endings))
        except OSError:
            names = []
        seen, bad = 0, []
        for name in names[:MAX_FILES]:
            if not self._in_time:
                break
            path = os.path.join(folder, name)
            if length_of(path) is not None:
                seen += 1
                if fault_of(path):
                    bad.append(name)
        return Inspection(
            files=tuple(culprits),
            folder=folder,
            seen=seen,
            bad=len(bad),
            whole=seen == len(names),
            others=tuple(bad[:MAX_NAMES]),
        )

    def _shapes(self) -> Inspection | None:
        """The picture that the shape came from, and how many more of its kind there are."""
        for candidate in self._named():
            if not candidate.path.lower().endswith(PICTURE_NAMES):
                continue
            picture = picture_in(candidate.path) if length_of(candidate.path) is not None else None
            if picture is None:
                continue
            culprit = self._judged(candidate)[0]
            folder = os.path.dirname(candidate.path)
            seen, other = 0, []
            for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*")))[:MAX_FILES]:
                one = picture_in(path) if self._in_time and length_of(path) is not None else None
                if one is not None:
                    seen += 1
                    if one.channels == picture.channels:
                        other.append(os.path.basename(path))
            return Inspection(
                files=(culprit,),
                folder=folder,
                seen=seen,
                bad=len(other),
                others=tuple(other[:MAX_NAMES]),
            )
        return None
