"""A build for GPUs without its libraries."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import GPU_DRIVER, GPUS_VISIBLE_TO_TENSORFLOW, PYTHON
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

DRIVER_LIBRARY = "libcuda.so.1"


@check("H511", since="0.2", needs=("python", "imports"))
def cuda_not_found(here: Surroundings) -> Iterator[Finding]:
    """This TensorFlow is built for GPUs and a driver is installed, but CUDA libraries that it opens are missing.

    ## Why it matters
    TensorFlow opens CUDA and cuDNN when it starts. If one is missing, it writes a line to its log and uses the CPU: the
    program runs, many times slower. On a machine without a GPU, or with a build without CUDA, those lines mean nothing.

    ## What to do
    Install the libraries in the versions that this build asks for: `pip install 'tensorflow[and-cuda]'`.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    build = here.python.build
    if not here.python.tensorflow_places:
        yield here.fine("TensorFlow is not installed.")
        return
    if not build:
        yield here.unsure(
            "Could not check what TensorFlow was built for: it has no build information."
        )
        return
    wants = Fact("built for CUDA", bool(build.get("is_cuda_build")), "tensorflow build_info")
    missing = [name for name, where in here.python.cuda_libraries.items() if where is None]
    driver = here.text(GPU_DRIVER)
    if not build.get("is_cuda_build"):
        told = "; the installed driver is not used" if driver else ""
        yield here.fine(
            f"This TensorFlow is built without CUDA{told}: ignore messages about missing CUDA libraries.",
            wants, GPU_DRIVER,
        )  # fmt: skip
    elif driver is None:
        yield here.fine(
            "Built for CUDA, but this machine has no GPU: ignore messages about missing libraries.", wants
        )  # fmt: skip
    elif missing:
        versions = " and ".join(
            f"{name} {build[key]}" for name, key in (("CUDA", "cuda_version"), ("cuDNN", "cudnn_version")) if key in build
        )  # fmt: skip
        remedy = (
            Remedy("Give the container access to the driver.", ("docker run --gpus all …",))
            if missing == [DRIVER_LIBRARY]
            else Remedy(
                f"Install {versions or 'CUDA'}.",
                (here.python.install("tensorflow[and-cuda]"),),
            )
        )
        yield here.warning(
            f"The GPU will not be used: {', '.join(missing)} cannot be found.",
            wants, GPU_DRIVER, Fact("missing", " ".join(missing), "the rules of the dynamic loader"), remedies=(remedy,),
        )  # fmt: skip
    else:
        trial = here.python.trials.get("tensorflow")
        seen = trial.answers.get("gpus seen") if trial else None
        facts = (
            wants,
            GPU_DRIVER,
            Fact(GPUS_VISIBLE_TO_TENSORFLOW, seen, "a child process that asked it"),
        )
        if seen == 0:
            yield here.warning(
                "All libraries are there, but TensorFlow still sees no GPU.",
                *facts,
                remedies=(
                    Remedy(
                        "Let it log why.",
                        (f"TF_CPP_MAX_VLOG_LEVEL=1 {here.python.executable} -c 'import tensorflow as tf; tf.config.list_physical_devices()'",),
                    ),
                ),
            )  # fmt: skip
        else:
            yield here.fine("CUDA and cuDNN are found.", *facts)
