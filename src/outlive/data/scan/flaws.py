"""The nouns of a scan: a flaw, what it does to a run, and the table of all kinds."""

from __future__ import annotations

import enum

from outlive.model.quick_dataclass import dataclass


class Harm(enum.Enum):
    """What a flaw does to a run."""

    STOPS = "stops a run"
    SPOILS = "silently corrupts training"
    COSTS = "costs memory"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of flaw: what it does, and what a person can do about it."""

    slug: str
    harm: Harm
    remedy: str


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that is wrong with one file, or with one record or annotation in it."""

    slug: str
    path: str
    says: str
    record: int | None = None  #: its number in the file, from 0
    offset: int | None = None  #: the first bad byte

    @property
    def kind(self) -> Kind:
        """What is known about flaws of this kind."""
        return KINDS[self.slug]


_STOPS, _SPOILS, _COSTS = Harm.STOPS, Harm.SPOILS, Harm.COSTS

KINDS = {
    kind.slug: kind
    for kind in (
        Kind("file-unreadable", _STOPS, "Make it readable for the program, or remove it."),
        Kind("file-missing", _STOPS, "Add the file, or remove what refers to it."),
        Kind("scanner-crashed", _STOPS, "Its decoder crashed or hung: remove the file."),
        Kind("image-empty", _STOPS, "Download the file again, or remove it."),
        Kind("image-truncated", _STOPS, "Download the file again, or remove it."),
        Kind("image-corrupt", _STOPS, "Download the file again, or remove it."),
        Kind("not-an-image", _STOPS, "Download the file again: it contains something else."),
        Kind("image-animated", _STOPS, "Keep the first frame; TensorFlow decodes it to four dimensions."),
        Kind("format-not-decoded", _STOPS, "Convert it to JPEG or PNG (--fix does, without loss): many TensorFlow pipelines cannot decode it."),
        Kind("wrong-extension", _SPOILS, "Rename it (--fix does): tools that rely on the file name fail on it."),
        Kind("decompression-bomb", _COSTS, "Remove it, or scale it down before the run."),
        Kind("image-too-large", _COSTS, "Scale it down before the run, or decode it in parts."),
        Kind("image-cmyk", _SPOILS, "Convert it to RGB: decoders disagree about its colours."),
        Kind("image-sixteen-bit", _SPOILS, "Convert it to 8 bits, or decode it as uint16 on purpose."),
        Kind("image-alpha", _STOPS, "Decode with channels=3, or convert it to RGB: a model for three channels cannot take four."),
        Kind("image-grey", _SPOILS, "Decode with channels=3: the others in this set are in colour."),
        Kind("image-rotated", _SPOILS, "Turn the pixels upright and drop the EXIF tag: TensorFlow ignores it, so boxes do not match."),
        Kind("records-corrupt", _STOPS, "Rewrite the file; TensorFlow cannot read anything after this byte."),
        Kind("records-truncated", _STOPS, "Rewrite the file: its end is missing."),
        Kind("records-empty", _STOPS, "Rewrite the file, or remove it."),
        Kind("record-unreadable", _STOPS, "Rewrite the record: it is not a tf.train.Example."),
        Kind("feature-missing", _STOPS, "Give the feature a default_value, or write it for every record."),
        Kind("feature-type", _STOPS, "Write the feature with one type in all records."),
        Kind("counts-differ", _STOPS, "Write as many labels as boxes, and four coordinates for each."),
        Kind("box-not-finite", _STOPS, "Remove the box: the loss becomes NaN."),
        Kind("box-inverted", _STOPS, "Swap the coordinates, or remove the box."),
        Kind("box-empty", _SPOILS, "Remove the box: it has no area."),
        Kind("box-outside", _SPOILS, "Clip the box to the image, or fix it."),
        Kind("box-units", _SPOILS, "Use the unit the format requires; otherwise the loss explodes."),
        Kind("label-unknown", _SPOILS, "Add the label to the map, or fix it."),
        Kind("size-disagrees", _SPOILS, "Write the actual image size; swapped sides move every box."),
        Kind("format-disagrees", _SPOILS, "Write the actual format of the bytes."),
        Kind("duplicate", _SPOILS, "Keep one of them: duplicates leak between training and test."),
        Kind("annotations-unreadable", _STOPS, "Export the annotations again."),
    )
}  # fmt: skip
