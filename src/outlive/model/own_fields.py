"""The fields of a noun that are its own, for whoever walks through all that a noun holds."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def own_fields(noun: DataclassInstance | type[DataclassInstance]) -> list[Field[Any]]:
    """Name the fields by which a noun is compared: what else it holds is another's, and would be met once for each part that rests on it."""
    return [field for field in fields(noun) if field.compare]
