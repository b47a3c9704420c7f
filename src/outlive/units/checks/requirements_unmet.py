"""What packages ask of each other."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import PYTHON
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: Packages that TensorFlow programs stand on; others are counted, not told one by one.
OURS = ("tensorflow", "tf-", "keras", "numpy", "h5py", "protobuf", "tensorboard", "ml-dtypes", "object-detection")  # fmt: skip
MOST_TOLD = 5


@check("H510", since="0.2", needs=("python",), prevents=("uncaught-exception",))
def requirements_unmet(here: Surroundings) -> Iterator[Finding]:
    """A package requires another package, or a version of one, that is not installed.

    ## Why it matters
    `pip install` of one package can change the version of another one; pip says so once, among many lines. Later an
    import fails, or something works differently.

    ## What to do
    Install what is required. Or install the packages together in one command, so that pip finds versions that fit all.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    if here.python.unmet is None:
        yield here.unsure(
            "Could not check: reading requirements needs Python 3.8 or later with `packaging` or pip."
        )
        return
    ours = [item for item in here.python.unmet if item.package.startswith(OURS)]
    for item in ours[:MOST_TOLD]:
        has = f"{item.installed} is installed" if item.installed else "it is not installed"
        yield here.warning(
            f"{item.package} requires {item.requirement}, but {has}.",
            Fact("required", item.requirement, f"metadata of {item.package}"),
            Fact("installed", item.installed or "no", "metadata"),
            remedies=(
                Remedy(
                    "Install what it requires.",
                    (here.python.install(item.requirement),),
                ),
            ),
        )
    others = len(here.python.unmet) - len(ours[:MOST_TOLD])
    if others:
        yield here.warning(
            f"{others} {'requirements' if others > 1 else 'requirement'} of other packages {'are' if others > 1 else 'is'} not met.",
            remedies=(Remedy("See which.", (f"{here.python.executable} -m pip check",)),),
        )
    if not here.python.unmet:
        yield here.fine(f"The requirements of all packages ({len(here.python.packages)}) are met.")
