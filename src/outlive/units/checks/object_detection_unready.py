"""The Object Detection API on this TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import PYTHON, TF_USE_LEGACY_KERAS
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.installation import Environment
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: From here on `tf.keras` is Keras 3 and `tf.estimator` is gone.
KERAS_3_CAME = (2, 16)

#: The first setuptools without ``pkg_resources``.
NO_PKG_RESOURCES = (81,)

#: tensorflow-io 0.37 is built for TensorFlow 2.16.
LAST_IO, IO_BUILT_FOR = (0, 37), (2, 16)


@check("H513", since="0.2", needs=("python",), prevents=("uncaught-exception",))
def object_detection_unready(here: Surroundings) -> Iterator[Finding]:
    """The Object Detection API is installed, but something that it needs with this TensorFlow is missing.

    ## Why it matters
    The API is no longer maintained for new dependencies. On TensorFlow 2.16 and later it trains only with Keras 2 (`tf-keras`,
    `TF_USE_LEGACY_KERAS=1`), without `tf.estimator`, with a setuptools that still has `pkg_resources`, and with the packages that its setup
    names. Otherwise it fails late, after the data set has been prepared.

    ## What to do
    Install what is named, or use TensorFlow 2.15, the last that it was made for. For detection without it: `outlive detect`.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    python = here.python
    if python.object_detection is None:
        yield here.fine("The Object Detection API is not installed.")
        return
    place = Fact("Object Detection API", python.object_detection, "sys.path")
    problems = [*_missing(python), *_with_keras_3(here, python)]
    for says, command in problems:
        yield here.warning(
            f"The Object Detection API {says}.",
            place,
            remedies=(Remedy("Give it what it needs.", (command,)),),
        )
    if not problems:
        yield here.fine("The Object Detection API has what it needs.", place)


def _missing(python: Environment) -> Iterator[tuple[str, str]]:
    for name in ("tf-slim", "pycocotools", "lvis", "matplotlib", "pillow", "scipy", "tensorboard"):
        if python.package(name) is None:
            yield f"needs {name}, but it is not installed", python.install(name)
    setuptools = python.package("setuptools")
    if setuptools is None or setuptools.numbers >= NO_PKG_RESOURCES:
        has = f"{setuptools.version} is installed" if setuptools else "none is installed"
        yield (
            f"needs pkg_resources from setuptools before 81, but {has}",
            python.install("setuptools<81"),
        )


def _with_keras_3(here: Surroundings, python: Environment) -> Iterator[tuple[str, str]]:
    tensorflow = python.tensorflow
    if tensorflow is None or tensorflow.numbers[:2] < KERAS_3_CAME:
        return
    series = ".".join(map(str, tensorflow.numbers[:2]))
    if python.package("tf-keras") is None:
        yield f"needs Keras 2 on TensorFlow {series}, but tf-keras is not installed", python.install(f"tf-keras=={series}.*")  # fmt: skip
    if here.text(TF_USE_LEGACY_KERAS) not in ("1", "true", "True"):
        yield "needs TF_USE_LEGACY_KERAS=1, but it is not set", "export TF_USE_LEGACY_KERAS=1"
    if python.package("tensorflow-estimator") is None:
        yield (
            f"uses tf.estimator in places, which TensorFlow {series} does not have",
            python.install("tensorflow==2.15.*"),
        )
    extra = python.package("tensorflow-io")
    if extra is not None and extra.numbers[:2] <= LAST_IO and tensorflow.numbers[:2] > IO_BUILT_FOR:
        yield (
            f"imports tensorflow-io {extra.version}, which is built for TensorFlow 2.16 at most",
            python.install("tensorflow-io", upgrade=True),
        )
