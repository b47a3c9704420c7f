"""No TensorFlow for this Python."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import PYTHON
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check("H501", since="0.2", needs=("python",), prevents=("uncaught-exception",))
def tensorflow_missing(here: Surroundings) -> Iterator[Finding]:
    """TensorFlow is not installed for the Python that was checked.

    ## Why it matters
    Most machines have several Pythons. `pip` may install into one of them while the script or the notebook runs with
    another: "No module named 'tensorflow'".

    ## What to do
    Install it with the Python that runs the program: `python -m pip install tensorflow`, not `pip install tensorflow`.
    Or check the other Python: `outlive doctor --python PATH`.
    """
    if here.python is None:
        yield here.will_fail(
            f"This Python does not start: {here.gaps.get('python', 'not asked')}.",
            remedies=(Remedy("Recreate the environment.", ("python3 -m venv fresh",)),),
        )
        return
    found, version = here.python.tensorflow, ".".join(map(str, here.python.version))
    if found is not None:
        yield here.fine(
            f"{found.name} {found.version} for Python {version}.", PYTHON, Fact("installed in", found.folder, "metadata")
        )  # fmt: skip
    elif here.python.tensorflow_places:
        yield here.fine(
            f"TensorFlow without metadata for Python {version}.",
            Fact("found at", here.python.tensorflow_places[0], "sys.path"),
        )
    else:
        yield here.will_fail(
            f"TensorFlow is not installed for this Python {version}.",
            PYTHON,
            remedies=(
                Remedy(
                    "Install it with this Python, or check the Python that runs your program.",
                    (here.python.install("tensorflow"), "outlive doctor --python PATH"),
                ),
            ),
        )  # fmt: skip
