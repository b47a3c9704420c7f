"""Keras 2 and 3."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import PYTHON, TF_USE_LEGACY_KERAS
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: From here on `tf.keras` is Keras 3.
KERAS_3_CAME = (2, 16)


@check("H504", since="0.2", needs=("python",), prevents=("uncaught-exception",))
def kerases_mixed(here: Surroundings) -> Iterator[Finding]:
    """The installed Keras does not work with this TensorFlow.

    ## Why it matters
    Until TensorFlow 2.15 `tf.keras` was Keras 2; from 2.16 on it is Keras 3, and Keras 2 is a package of its own, `tf-keras`, that is used
    when `TF_USE_LEGACY_KERAS=1` is set. With the wrong one the import fails, saved models do not load, and objects of the two do not
    mix.

    ## What to do
    Install the Keras that belongs to this TensorFlow; for old code, `tf-keras` of the same version.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    if here.python.tensorflow is None:
        yield here.fine("TensorFlow is not installed, so no Keras has to match it.")
        return
    python, tensorflow = here.python, here.python.tensorflow
    keras, legacy = python.package("keras"), python.package("tf-keras")
    asked = here.text(TF_USE_LEGACY_KERAS) in ("1", "true", "True")
    modern = tensorflow.numbers[:2] >= KERAS_3_CAME
    series = ".".join(map(str, tensorflow.numbers[:2]))
    facts = [
        Fact(package.name, package.version, package.folder)
        for package in (tensorflow, keras, legacy)
        if package is not None
    ]
    wrong = False
    if keras is not None and modern and keras.numbers[:1] < (3,):
        wrong = True
        yield here.will_fail(
            f"TensorFlow {series} needs Keras 3, but Keras {keras.version} is installed.",
            *facts,
            remedies=(Remedy("Install Keras 3.", (python.install("keras>=3"),)),),
        )
    elif keras is not None and not modern and keras.numbers[:1] >= (3,):
        wrong = True
        yield here.will_fail(
            f"TensorFlow {series} needs Keras 2, but Keras {keras.version} is installed.",
            *facts,
            remedies=(
                Remedy("Install the matching Keras.", (python.install(f"keras=={series}.*"),)),
            ),
        )
    elif keras is None and modern and not asked:
        wrong = True
        yield here.will_fail(
            f"TensorFlow {series} needs Keras 3, but no Keras is installed.",
            *facts,
            remedies=(Remedy("Install it.", (python.install("keras"),)),),
        )
    if asked and modern and legacy is None:
        wrong = True
        yield here.will_fail(
            "TF_USE_LEGACY_KERAS asks for Keras 2, but tf-keras is not installed.",
            TF_USE_LEGACY_KERAS,
            *facts,
            remedies=(Remedy("Install it.", (python.install(f"tf-keras=={series}.*"),)),),
        )
    if legacy is not None and legacy.numbers[:2] != tensorflow.numbers[:2]:
        wrong = True
        yield here.warning(
            f"tf-keras {legacy.version} does not match TensorFlow {tensorflow.version}.",
            *facts,
            remedies=(
                Remedy(
                    "Install the matching version.",
                    (python.install(f"tf-keras=={series}.*"),),
                ),
            ),
        )
    if not wrong:
        told = f"Keras {keras.version}" if keras else "Keras as part of it"
        yield here.fine(f"TensorFlow {series} with {told}.", *facts)
