"""Two TensorFlows in one place."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.inside.start.code_owner import package_of
from outlive.model.fact_names import PYTHON
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.installation import TENSORFLOWS
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: These are what `tensorflow` itself brings on some platforms.
PARTS = ("tensorflow-intel", "tensorflow-macos", "tensorflow-cpu-aws")


@check(
    "H503",
    since="0.2",
    needs=("python",),
    prevents=("uncaught-exception", "native-op-crashed", "user-native-crashed"),
)
def several_tensorflows(here: Surroundings) -> Iterator[Finding]:
    """Several TensorFlow packages are installed over each other, or a file of yours hides the real one.

    ## Why it matters
    `tensorflow`, `tensorflow-cpu`, `tf-nightly` and others all install the same folder `tensorflow`. The second writes over the first, files of
    both remain, and the mixture fails in strange ways: a missing symbol, an undefined attribute, a crash in an operation. Removing one
    removes files of the other. A file `tensorflow.py` beside your script is imported instead of the real one.

    ## What to do
    Remove all of them, then install one. Rename the file or folder that hides the real one.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    found = [package for package in here.python.packages if package.name in TENSORFLOWS]
    whole = [package for package in found if package.name not in PARTS] or found[:1]
    facts = [Fact(package.name, package.version, package.folder) for package in whole]
    same_folder = [package for package in whole if package.folder == whole[0].folder]
    wrong = False
    if len({package.name for package in same_folder}) > 1 or len(same_folder) > 1:
        wrong = True
        names = dict.fromkeys(package.name for package in same_folder)
        told = " and ".join(f"{package.name} {package.version}" for package in same_folder)
        yield here.will_fail(
            f"{told} are installed on top of each other.",
            *facts,
            remedies=(
                Remedy(
                    "Remove them all and install one.",
                    (here.python.uninstall(*names), here.python.install(whole[0].name)),
                ),
            ),
        )  # fmt: skip
    places = here.python.tensorflow_places
    if len(places) > 1:
        wrong = True
        hides = not package_of(places[0])
        answer = here.will_fail if hides and places[0].endswith(".py") else here.warning
        yield answer(
            f"`import tensorflow` means {places[0]}, which hides {places[1]}.",
            *(Fact("found at", place, "sys.path") for place in places),
            remedies=(Remedy("Rename the one that hides the other, or remove one of them."),),
        )
    for path in here.python.remnants:
        wrong = True
        yield here.warning(
            f"An interrupted pip left {path} behind.",
            Fact("remnant", path, "site-packages"),
            remedies=(
                Remedy(
                    "Remove this leftover; Python can never import it.", (f"rm -rf -- '{path}'",), safe="'" not in path
                ),
            ),
        )  # fmt: skip
    if not wrong:
        told = f"One TensorFlow: {found[0].name} {found[0].version}" if found else "No TensorFlow"
        if not found and places:
            told = f"One TensorFlow: {places[0]}"
        yield here.fine(f"{told}.", *facts)
