"""The nouns of data: what the program held when an exception ended it, the pipeline it came from, the files that were looked at."""

from __future__ import annotations

from outlive.model.findings import Place
from outlive.model.quick_dataclass import dataclass

Shape = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Shaped:
    """Some elements of a list that have one shape and dtype."""

    shape: Shape
    dtype: str
    count: int
    first: int  #: position of the first of them


@dataclass(frozen=True, slots=True)
class Held:
    """A value that the user's code had a name for when the exception passed through it."""

    name: str
    kind: str  #: numpy.ndarray, tf.Tensor, PIL.Image, str, bytes, list, None
    frame: Place
    shape: Shape | None = None
    dtype: str = ""
    path: str = ""  #: a text that looks like the name of a file
    bytes: int | None = None  #: length of data
    crc: int | None = None  #: checksum of that data
    mode: str = ""  #: of a picture
    not_finite: int | None = None  #: how many of its numbers are NaN or infinite
    count: int | None = None  #: elements of a list
    shapes: tuple[Shaped, ...] = ()  #: of the arrays in a list
    paths: tuple[str, ...] = ()  #: the names of files in a list
    number: int | float | None = None
    made: Place | None = None  #: the line that gave it its value
    made_by: tuple[str, ...] = ()  #: bare names of the functions that this line calls

    @property
    def words(self) -> str:
        """As a person writes it: ``(240, 320, 4) uint8``."""
        if self.shapes:
            return ", ".join(
                f"{one.count} × {words_of(one.shape, one.dtype)}" for one in self.shapes
            )
        if self.kind == "PIL.Image" and self.shape and len(self.shape) == 2:
            return f"a picture of {self.shape[1]}×{self.shape[0]} pixels, mode {self.mode}"
        return words_of(self.shape, self.dtype) if self.shape is not None else self.kind


def words_of(shape: Shape, dtype: str = "") -> str:
    """A shape as NumPy prints it, with its dtype."""
    sides = ", ".join(str(side) for side in shape)
    return f"({sides}{',' if len(shape) == 1 else ''}) {dtype}".strip()


@dataclass(frozen=True, slots=True)
class BuiltStage:
    """A stage of the pipeline that failed."""

    kind: str  #: as TensorFlow's class is called: Map, ParallelMap, Batch, TFRecord …
    place: Place | None  #: the user's line that built it


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The tf.data pipeline that an exception came out of."""

    stages: tuple[BuiltStage, ...]  #: from the end to the sources
    files: tuple[str, ...] = ()  #: that its sources name

    def line_of(self, *kinds: str) -> Place | None:
        """The line that built the stage of one of these kinds that is nearest to the source."""
        found = [stage.place for stage in self.stages if stage.kind in kinds and stage.place]
        return found[-1] if found else None

    @property
    def reads(self) -> Place | None:
        """The line that built the stage which reads files."""
        read = self.line_of("TFRecord", "TextLine", "FixedLengthRecord", "Csv", "FromGenerator")
        # A reader that a function of the pipeline makes is known only by the stage that calls the function.
        return read or self.line_of("ParallelInterleave", "Interleave", "FlatMap")


@dataclass(frozen=True, slots=True)
class Scene:
    """What lay around when an exception ended the program."""

    values: tuple[Held, ...] = ()  #: of the innermost frame first
    pipeline: Pipeline | None = None
    operation: str = ""  #: the kind of the graph's node that failed
    made: Place | None = None  #: the user's line that made this node
    folder: str = ""  #: where the program stood


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of a record, as it was written."""

    name: str
    kind: str  #: bytes, float, int64; nothing: it is empty
    count: int  #: values


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A file that was looked at after the death."""

    path: str
    known_by: (
        str  #: how it was found: "the message", "the variable `path`", "the pipeline's files", …
    )
    bytes: int | None = None  #: None: there is no such file
    fault: str = ""  #: what is wrong with it, to follow its name in a sentence
    record: int | None = None  #: the bad record, counted from 0
    offset: int | None = None  #: where it begins
    detail: str = ""  #: what else was seen: the features of a record, the kind of a picture
    features: tuple[Feature, ...] = ()  #: of a record

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Inspection:
    """A quick look, after the death, at the files that an exception is about."""

    files: tuple[LookedAt, ...] = ()  #: the culprits
    folder: str = ""  #: where they lie
    seen: int = 0  #: files of the same kind that were looked at there
    bad: int = 0  #: how many of these have a fault
    whole: bool = True  #: all of them were looked at, not only as many as time allowed
    others: tuple[str, ...] = ()  #: names of some of the bad ones
    exists: str = ""  #: of a missing path: the part that does exist
    similar: tuple[str, ...] = ()  #: names there that resemble the missing one
