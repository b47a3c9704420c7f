"""Pictures of OpenCV for a model that was trained on others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Who has one of these has thought of the order.
SWAPPING = ("cvtColor", "::-1", "BGR2", "IMREAD_", "swapRB", "RGB2", "split(")
LOADERS = (
    "tf.saved_model.load",
    "keras.models.load_model",
    "keras.saving.load_model",
    "tensorflow_hub.load",
    "tf.lite.Interpreter",
)
PUBLISHED = ("keras.applications.", "tensorflow_hub.")


@rule(
    "R687",
    since="0.2",
    needs=("cv2",),
    prevents=("uncaught-exception",),
)
def bgr_into_rgb_model(source: Source) -> Iterator[Finding]:
    """A picture that OpenCV read goes to a trained model, and nothing swaps its colours.

    ## Why it is bad
    OpenCV gives blue, green, red. Nearly every published model was trained on red, green, blue: it runs, and finds less, or other
    things.

    ## Bad
        model = keras.applications.MobileNetV2()
        picture = cv2.imread("holiday.jpg")
        if picture is None:
            raise FileNotFoundError("holiday.jpg")
        scores = model.predict_on_batch(cv2.resize(picture, (224, 224))[None])

    ## Good
        model = keras.applications.MobileNetV2()
        picture = cv2.imread("holiday.jpg")
        if picture is None:
            raise FileNotFoundError("holiday.jpg")
        picture = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
        scores = model.predict_on_batch(cv2.resize(picture, (224, 224))[None])
    """
    if any(word in source.text for word in SWAPPING):
        return
    trained = any(source.calls(*LOADERS)) or any(
        name.startswith(PUBLISHED) for name in _called(source)
    )
    for call in source.calls("cv2.imread"):
        if trained and source.argument(call, 1, "flags") is None:
            yield Finding(
                "OpenCV gives blue, green, red; most trained models want red, green, blue, and nothing swaps them.",
                confidence=Confidence.POSSIBLE,
                remedies=(Remedy("Swap them: cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)."),),
                where=source.place(call),
            )
            return


def _called(source: Source) -> Iterator[str]:
    for call in source.every(ast.Call):
        yield source.called(call.func)
