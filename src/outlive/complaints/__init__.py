"""What an exception complains about: a file, a record, a shape, a dtype, a number, as its words tell it. Pure.

The tables of words are in ``data`` and ``tensors``. The first row that fits an exception decides, so that no two causes claim the
same one; an exception that hands another on is asked first.
"""

from __future__ import annotations

from outlive.complaints.data import DATA
from outlive.complaints.tensors import TENSORS
from outlive.complaints.wording import Complaint, complaint_in
from outlive.observed import Thrown

__all__ = ["Complaint", "complaint_of"]


def complaint_of(thrown: Thrown) -> Complaint | None:
    """What an exception, or one that it only hands on, complains about."""
    return complaint_in(thrown, (*DATA, *TENSORS))
