"""What a model takes and gives, in words; and whether that is a detector. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outlive.detection.detections import BOXES, CLASSES, COUNT, EXPECTED, SCORES
from outlive.jobs.plain_exception import Unfit
from outlive.model.quick_dataclass import dataclass

#: Other names for the same outputs: Keras detectors, and models converted by hand.
SAME = {
    BOXES: (BOXES, "boxes", "bboxes", "bbox"),
    SCORES: (SCORES, "scores", "confidence", "confidences"),
    CLASSES: (CLASSES, "classes", "labels", "class_ids"),
    COUNT: (COUNT, "num_detections", "num", "count", "valid_detections"),
}

NUMBERS = ("uint8", "int8", "float32", "float16", "float64", "int32")


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or an output of a model."""

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None  #: None: the rank is not known

    def __str__(self) -> str:
        if self.shape is None:
            return f"{self.name}: {self.dtype}, any shape"
        sides = ", ".join("any" if side is None else str(side) for side in self.shape)
        return f"{self.name}: {self.dtype} [{sides}]"


class NoDetector(Unfit):
    """The model is something else."""

    def __init__(self, why: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        told = [f"This model is not a known detector: {why}."]
        told += ["It takes", *(f"  {one}" for one in inputs)]
        told += ["It gives", *(f"  {one}" for one in outputs)]
        told += [
            "Expected: the signature of the Object Detection API: one picture, uint8 or float [1 or any, height, width, 3],",
            f"and the outputs {', '.join(EXPECTED)} (and {COUNT}).",
        ]
        super().__init__("shape-mismatch", "\n".join(told))


@dataclass(frozen=True, slots=True)
class Fit:
    """How pictures are given to a model, and how its answers are found."""

    input: Tensor
    outputs: Mapping[str, str]  #: our name -> the model's
    most: int  #: pictures at once
    height: int | None  #: None: any
    width: int | None
    used: tuple[int, int] | None = (
        None  #: height and width to which the model resizes any picture itself
    )

    @property
    def notes(self) -> list[str]:
        """Say what is done to the pictures so that they fit the model."""
        found = []
        if self.height and self.width:
            found.append(
                f"pictures are resized to {self.width}×{self.height}, as the model requires"
            )
        elif self.used:
            found.append(
                f"huge pictures are shrunk: the model uses {self.used[1]}×{self.used[0]} of each picture"
            )
        if self.input.dtype != "uint8":
            found.append(f"pictures are converted to {self.input.dtype}, as the model requires")
        return found


def fit(
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    most: int = 64,
    used: tuple[int, int] | None = None,
) -> Fit:
    """How this model is used; ``NoDetector`` says what it is when it cannot be."""
    pictures = [one for one in inputs if _takes_pictures(one)]
    if len(inputs) != 1 or not pictures:
        strings = any(one.dtype == "string" for one in inputs)
        why = (
            "it takes encoded pictures; export it with input_type image_tensor"
            if strings
            else f"it takes {len(inputs)} inputs, not one"
            if len(inputs) != 1
            else f"its input is not a picture ({inputs[0]})"
        )
        raise NoDetector(why, inputs, outputs)
    by_name = {one.name: one for one in outputs}
    known = {
        ours: next((name for name in names if name in by_name), None)
        for ours, names in SAME.items()
    }
    missing = [ours for ours in EXPECTED if known[ours] is None]
    if missing:
        raise NoDetector(f"it has no output {' and no '.join(missing)}", inputs, outputs)
    chosen = pictures[0]
    shape = chosen.shape or (None, None, None, 3)
    batch, height, width, _ = shape
    return Fit(
        chosen,
        {ours: name for ours, name in known.items() if name is not None},
        batch or most,
        height,
        width,
        used,
    )


def _takes_pictures(tensor: Tensor) -> bool:
    if tensor.dtype not in NUMBERS:
        return False
    return tensor.shape is None or (len(tensor.shape) == 4 and tensor.shape[3] in (3, None))
