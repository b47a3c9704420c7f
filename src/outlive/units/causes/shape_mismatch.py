"""Two shapes that do not fit."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.data import Held
from outlive.model.evidence import Evidence
from outlive.model.fact_names import FILE
from outlive.model.findings import Confidence, Fact, Finding, Place, Remedy
from outlive.model.patterns import bounded
from outlive.units.complaint_facts import (
    complained,
    fact_of,
    facts_of_complaint,
    line_of,
    values_like,
)
from outlive.units.complaints import Complaint
from outlive.units.shape_advice import divided, flattened, is_one_hot, reshaped, shifted
from outlive.units.unit import cause

WRITTEN_SHAPE = bounded(r"[\[(][\d,\s\w?-]*[\])]")
LAST_AXIS = bounded(r"axis -1 of input shape to have value (\d+)")
RANK = bounded(r"(?:min_)?ndim=(\d+)")

#: Functions that read a picture with as many channels as the file has.
READS_PICTURE = frozenset(
    {"open", "imread", "decode_image", "decode_png", "decode_jpeg", "load_img", "imdecode"}
)

#: As Keras and TensorFlow tell the shape of what a layer was given.
TOLD_SHAPE = bounded(r"shape=(\([\dNone, ]*\))")

SAYS = {
    "signature": "The model was called with the shape {first}; it takes {second}.",
    "batch": "Elements of different shapes were put into one batch: {first} and {second}.",
    "generator": "The generator yielded the shape {first}; its signature promises {second}.",
    "labels": "A label has the value {first}, outside the model's classes {second}.",
    "index": "The index {first} is outside the table's rows {second}.",
    "loss": "The labels have the shape {first}, the model's output has {second}.",
    "samples": "There are {first} inputs and {second} labels.",
    "layer": "The layer `{name}` was given the shape {first}; it expects {second}.",
    "too small": "The input {first} is too small for the window {second} of the layer.",
    "channels": "A convolution for {second} channels was given {first}.",
    "lite": "Input {name} of the model was given the size {first}; it expects {second}.",
    "weights": "The saved weights have the shape {first}, the model's have {second}.",
    "assign": "A variable of shape {second} was assigned a value of shape {first}.",
    "reshape": "{first} values cannot be given the shape {second}.",
    "joined": "Arrays of different shapes were put together: {first} and {second}.",
    "unpacked": "The shape has {first} dimensions; the line unpacks it into {second}.",
    "dimensions": "An array of {first} dimensions was indexed with {second}.",
    "picture": "The picture has the shape {first}; it must {second}.",
    "converted": "A picture with {first} channel(s) was given to a conversion from another number of channels.",
    "": "The shapes {first} and {second} are incompatible.",
}


@cause(
    "D501",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "Incompatible shapes",
        "Matrix size-incompatible: In[0]",
        "Input 0 of layer is incompatible with the layer: expected shape",
        "logits and labels must be broadcastable",
        "Cannot batch tensors with different shapes in component 0",
        "operands could not be broadcast together with shapes",
    ),
)
def shape_mismatch(evidence: Evidence) -> Iterator[Finding]:
    """Two tensors, or a tensor and a layer, have shapes that do not fit.

    ## What happened
    Most often: a picture with transparency (4 channels) or without colour (1) for a model that takes 3; a single sample without
    a batch dimension; pictures of different sizes in one batch; labels for more classes than the last layer has units.

    ## How we know
    The operation or layer names the two shapes. Which of the program's variables have them, and on which line they were made, was read from
    the program as it ended.

    ## What to do
    See which of the two is wrong and change the line that makes it: `.convert("RGB")`, `channels=3`, `tf.image.resize`, `x[tf.newaxis, ...]`,
    `padded_batch`, the number of units in the last layer.
    """
    complaint = complained(evidence, "shape-mismatch")
    if complaint is None:
        return
    concerned = values_like(evidence, complaint)
    made = _picture_line(complaint, concerned)
    yield Finding(
        _says(complaint, concerned),
        (
            *facts_of_complaint(evidence, complaint),
            *(fact_of(held) for held in concerned[:4]),
            *_facts_of_picture(evidence),
        ),
        Confidence.LIKELY
        if complaint.variant == "own"
        else evidence.errors.sure_of(complaint.thrown),
        _remedies(complaint, concerned, line_of(evidence, complaint)),
        where=made or line_of(evidence, complaint),
    )


def _says(complaint: Complaint, concerned: tuple[Held, ...]) -> str:
    mixed = next((held for held in concerned if len(held.shapes) > 1), None)
    if complaint.variant == "joined" and mixed is not None:
        odd = min(mixed.shapes, key=lambda one: one.count)
        return f"`{mixed.name}` holds arrays of different shapes: {mixed.words}; element {odd.first} is the first that differs."
    if complaint.variant == "own":
        return (
            f"The program's own check of a shape failed{complaint.words and ': '}{complaint.words}."
        )
    if complaint.variant == "no shape":
        return "A picture has no known shape: tf.io.decode_image may return an animation (4 dimensions) or a picture (3)."
    if not complaint.first or (
        complaint.variant not in ("unpacked", "converted") and not complaint.second
    ):
        return f"Incompatible shapes: {complaint.words}."
    single = _taken_for_a_batch(complaint, concerned)
    if single is not None:
        return f"`{single.name}` has the shape {single.words}: a single example was taken for a batch of {(single.shape or (0,))[0]}; the batch dimension is missing."
    if complaint.variant == "loss" and is_one_hot(complaint.thrown.message):
        return f"The labels have the shape {complaint.first}, a column for each class; the loss takes one class number for each example."
    told = SAYS.get(complaint.variant, SAYS[""]).format(
        first=complaint.first, second=complaint.second, name=complaint.name
    )
    hint = _hint(complaint)
    return f"{told[:-1]}: {hint}." if hint else told


def _hint(complaint: Complaint) -> str:
    came, wanted = _channels(complaint)
    if (came, wanted) == (4, 3):
        return "4 channels mean a picture with transparency (RGBA)"
    if (came, wanted) == (1, 3):
        return "1 channel means a greyscale picture"
    if _lacks_batch(complaint):
        return "the batch dimension is missing"
    return ""


def _sides(shape: str) -> list[int | None]:
    """The sides of ``(1, None, 3)`` or ``[2,3]``."""
    if not WRITTEN_SHAPE.fullmatch(shape):
        return []
    words = [word.strip() for word in shape[1:-1].split(",") if word.strip()]
    return [int(word) if word.isdigit() else None for word in words]


def _channels(complaint: Complaint) -> tuple[int | None, int | None]:
    """How many channels came and were wanted, where the complaint is about pictures."""
    if complaint.variant == "channels":
        return _number(complaint.first), _number(complaint.second)
    came = _sides(complaint.first)
    if complaint.variant == "layer":
        wanted = LAST_AXIS.search(complaint.second)
        if wanted and len(came) == 4:
            return came[-1], int(wanted[1])
    other = _sides(complaint.second)
    if complaint.variant in ("signature", "layer", "batch", "") and len(came) == len(other) >= 3:
        return came[-1], other[-1]
    return None, None


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _lacks_batch(complaint: Complaint) -> bool:
    came, wanted = _sides(complaint.first), _sides(complaint.second)
    rank = RANK.search(complaint.second)
    if rank:
        return complaint.variant == "layer" and len(came) == int(rank[1]) - 1
    if complaint.variant not in ("signature", "layer") or len(came) != len(wanted) - 1:
        return False
    return all(side is None or side == one for side, one in zip(wanted[1:], came, strict=True))


def _taken_for_a_batch(complaint: Complaint, concerned: tuple[Held, ...]) -> Held | None:
    """Find the single picture that was taken for a batch of rows: Keras adds the axis that is missing then at the end, as channels.

    (28, 28, 1) so becomes 28 examples of (28, 1, 1), in which no window fits.
    """
    if complaint.variant != "too small":
        return None
    came = [_sides(shape) for shape in TOLD_SHAPE.findall(complaint.thrown.message)]
    for held in concerned:
        shape = held.shape or ()
        if len(shape) == 3 and any(one[-3:] == [*shape[1:], 1] for one in came if len(one) == 4):
            return held
    return None


def _picture_line(complaint: Complaint, concerned: tuple[Held, ...]) -> Place | None:
    """Channels are decided where the picture is read: that line should change."""
    came, wanted = _channels(complaint)
    if came not in (1, 2, 4) or wanted not in (1, 3, 4):
        return None
    for held in concerned:
        if held.made is not None and READS_PICTURE & set(held.made_by):
            return held.made
    return None


def _facts_of_picture(evidence: Evidence) -> Iterator[Fact]:
    for file in evidence.inspection.files[:1]:
        yield Fact(FILE, file.path, f"known by {file.known_by}", private=True)
        yield Fact("it holds", file.detail, "the file, read after the death")
        if evidence.inspection.seen > 1:
            yield Fact(
                "pictures of this kind there",
                f"{evidence.inspection.bad} of {evidence.inspection.seen} ({', '.join(evidence.inspection.others)})",
                "the other files, read after the death",
            )


def _by_its_figures(complaint: Complaint, name: str, where: Place | None) -> str:
    """What the figures of the two shapes tell about how to make one of the other."""
    first, second, message = complaint.first, complaint.second, complaint.thrown.message
    if complaint.variant in ("layer", "signature"):
        return reshaped(name, _sides(first), _sides(second))
    if complaint.variant == "joined":
        return flattened(_sides(first), _sides(second))
    if complaint.variant == "reshape":
        return divided(where.code if where else "", first, second)
    if complaint.variant == "labels":
        return shifted(message, second)
    if complaint.variant == "loss" and is_one_hot(message):
        return "The labels have a column for each class: use the loss 'categorical_crossentropy', or give class numbers, y.argmax(axis=-1)."
    return ""


def _remedies(
    complaint: Complaint, concerned: tuple[Held, ...], where: Place | None
) -> tuple[Remedy, ...]:
    came, wanted = _channels(complaint)
    name = concerned[0].name if concerned else "x"
    if came in (1, 2, 4) and wanted == 3:
        return (
            Remedy(
                'Read every picture with 3 channels: Image.open(path).convert("RGB"), or tf.io.decode_image(data, channels=3, expand_animations=False).'
            ),
        )
    if _lacks_batch(complaint) or _taken_for_a_batch(complaint, concerned):
        return (Remedy(f"Add the batch dimension: {name}[tf.newaxis, ...] (NumPy: {name}[None])."),)
    told = _by_its_figures(complaint, name, where)
    if told:
        return (Remedy(told),)
    texts = {
        "batch": "Bring all elements to one shape before .batch(…): tf.image.resize, or .padded_batch(…), or .ragged_batch(…).",
        "labels": "Make the last layer as wide as there are classes, or map the labels to 0 … classes-1.",
        "index": "Make the table as large as the highest index plus one (input_dim of an Embedding), or clip the indices.",
        "loss": "Make the last layer as wide as the labels, or use a matching loss (sparse_categorical_crossentropy for class numbers).",
        "samples": "Give as many labels as inputs; check where one of the two was filtered or cut.",
        "joined": "Find the element that differs and bring all to one shape first (resize, pad, crop).",
        "weights": "Build the model exactly as it was when saved, or load by name: load_weights(path, skip_mismatch=True).",
        "reshape": "Compute the shape from the data (-1 for one side), or find out why there are more or fewer values.",
        "unpacked": "Bring the array to the expected number of dimensions first, or unpack shape[:2].",
        "converted": f"Look at the picture's number of channels first: convert only where {name}.ndim == 3 and {name}.shape[2] == 3 (grey: cv2.COLOR_GRAY2BGR, with alpha: cv2.COLOR_BGRA2BGR).",
        "no shape": "Decode with a known number of dimensions: tf.io.decode_image(data, channels=3, expand_animations=False).",
        "too small": "Make the input larger, or use padding='same' or fewer pooling layers.",
        "generator": "Yield what output_signature promises, or leave sides open with None.",
    }
    return (
        Remedy(
            texts.get(
                complaint.variant,
                "Print the shapes before this line; fix the one you did not intend.",
            )
        ),
    )
