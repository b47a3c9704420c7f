"""Notebook kernels and their Pythons."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import PYTHON
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check(
    "H601", since="0.2", needs=("python",), prevents=("stale-notebook-state", "uncaught-exception")
)
def kernel_unready(here: Surroundings) -> Iterator[Finding]:
    """A notebook kernel names a Python that does not exist, or no kernel uses the Python that you install packages into.

    ## Why it matters
    A notebook does not run with the Python of the terminal but with the one that its kernel names. An environment that was moved or
    removed leaves a kernel that cannot start ("No such file or directory", a kernel that restarts forever); an environment without a
    kernel of its own leaves the notebook in another one, where what you have just installed is missing.

    ## What to do
    Install the kernel again from the environment that it should run in. With `outlive jupyter enable`, a kernel that
    dies says why.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    if not here.kernels:
        yield here.fine("No notebook kernel is installed.")
        return
    python = here.python.executable
    install = Remedy(
        "Install the kernel from this environment.",
        (f"{python} -m ipykernel install --user --name myenv",),
    )
    wrong = False
    for kernel in here.kernels:
        if not kernel.exists:
            wrong = True
            yield here.will_fail(
                f"The kernel {kernel.name} runs {kernel.python}, which does not exist.",
                Fact("kernel", kernel.folder, "kernel.json"),
                remedies=(
                    install,
                    Remedy("Or remove it.", (f"jupyter kernelspec remove {kernel.name}",)),
                ),
            )
    mine = [kernel for kernel in here.kernels if kernel.python == python]
    if here.python.package("ipykernel") is not None and not mine:
        wrong = True
        others = ", ".join(f"{kernel.name} ({kernel.python})" for kernel in here.kernels[:3])
        yield here.warning(
            f"No kernel runs this Python: a notebook would use another Python, {others}.",
            *(Fact("kernel", kernel.folder, "kernel.json") for kernel in here.kernels),
            remedies=(install,),
        )
    if not wrong:
        told = "; ".join(
            f"{kernel.name} runs {kernel.python}, {'watched' if kernel.watched else 'not watched'} by Outlive"
            for kernel in here.kernels
        )
        hint = "" if all(kernel.watched for kernel in here.kernels) else " (outlive jupyter enable)"
        yield here.fine(
            f"{told}{hint}.",
            *(Fact("kernel", kernel.folder, "kernel.json") for kernel in here.kernels),
        )
