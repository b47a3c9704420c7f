"""What an exception complains about: a file, a record, a shape, a dtype, a number, as its words tell it. Pure.

The tables of words are in ``data`` and ``tensors`` (and what that gathers). The first row that fits an exception decides, so that no two causes claim the
same one; an exception that hands another on is asked first.
"""

from __future__ import annotations

from outlive.model.data import Scene
from outlive.model.events import Thrown
from outlive.units.complaints.data import DATA
from outlive.units.complaints.tensors import TENSORS
from outlive.units.complaints.wording import Complaint, complaint_in

__all__ = ["Complaint", "complaint_of"]

#: Functions that return None instead of raising when they cannot read a picture, as OpenCV's do.
SILENT_READERS = frozenset({"imread", "imdecode"})


def complaint_of(thrown: Thrown, scene: Scene) -> Complaint | None:
    """What an exception, or one that it only hands on, complains about."""
    return complaint_in(thrown, (*DATA, *TENSORS)) or _picture_not_read(thrown, scene)


def _picture_not_read(thrown: Thrown, scene: Scene) -> Complaint | None:
    """None where a picture should be: the reader said nothing, and the next line failed."""
    for link in thrown.passed_on():
        nothing = "NoneType" in link.message or ".empty()" in link.message
        if not nothing or not link.is_a("AttributeError", "TypeError", "error"):
            continue
        for held in scene.values:
            reader = next((name for name in held.made_by if name in SILENT_READERS), "")
            if held.kind == "None" and reader:
                return Complaint(
                    "corrupt-image",
                    link,
                    f"{reader} returned nothing for `{held.name}`",
                    "not read",
                )
    return None
