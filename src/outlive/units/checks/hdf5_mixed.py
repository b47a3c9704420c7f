"""h5py and its HDF5."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import PYTHON
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.installation import version_of
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check(
    "H507",
    since="0.2",
    needs=("python", "imports"),
    prevents=("corrupt-weights", "uncaught-exception"),
)
def hdf5_mixed(here: Surroundings) -> Iterator[Finding]:
    """h5py does not load, or loads a different HDF5 from the one it was built with.

    ## Why it matters
    Keras reads and writes `.h5` weights through h5py. When an HDF5 of another version is found first (a module system,
    conda beside pip), HDF5 aborts the process at the first file: "Headers are 1.14.2, library is 1.10.4", SIGABRT.

    ## What to do
    Install h5py and HDF5 from one source; the h5py wheel contains its own HDF5.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    h5py = here.python.package("h5py")
    if h5py is None:
        yield here.fine("h5py is not installed; only .h5 files need it.")
        return
    again = (
        Remedy(
            "Install the wheel that bundles its own HDF5.",
            (here.python.install("h5py", again=True),),
        ),
    )
    trial = here.python.trials.get("h5py")
    installed = Fact("h5py", h5py.version, h5py.folder)
    if trial is None:
        yield here.unsure("Importing h5py was not tried.", installed)
        return
    if not trial.lived:
        why = trial.error or (
            f"killed by {trial.signal}" if trial.signal else f"exit status {trial.exit_code}"
        )
        if trial.timed_out:
            why = f"did not finish within {trial.seconds:.0f} s"
        yield here.will_fail(f"`import h5py` failed: {why}.", installed, remedies=again)
        return
    got, built = str(trial.answers.get("hdf5")), str(trial.answers.get("hdf5 built") or "")
    facts = (
        installed,
        Fact("HDF5 loaded", got, "h5py.version"),
        Fact("HDF5 built with", built, "h5py.version"),
    )
    if built and version_of(built)[:3] != version_of(got)[:3]:
        yield here.warning(
            f"h5py was built with HDF5 {built} but loads {got}.", *facts, remedies=again
        )
    else:
        yield here.fine(f"h5py {h5py.version} with the HDF5 {got} that it was built with.", *facts)
