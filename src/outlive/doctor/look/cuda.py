"""Read what TensorFlow was built for, and where the CUDA libraries lie that such a build opens at run time."""

from __future__ import annotations

import ast
import glob
from collections.abc import Mapping, Sequence

from outlive.doctor.look.loader import Loader
from outlive.model.findings import Value
from outlive.model.installation import version_of

#: By the major version of CUDA: the libraries that TensorFlow opens by name, and theirs.
LIBRARIES = {
    11: {"cudart": "11.0", "cublas": "11", "cufft": "10", "cusolver": "11", "cusparse": "11"},
    12: {"cudart": "12", "cublas": "12", "cufft": "11", "cusolver": "11", "cusparse": "12"},
}
DRIVER_LIBRARY = "libcuda.so.1"


def build_information(folder: str) -> Mapping[str, Value]:
    """Read what ``tf.sysconfig.get_build_info()`` would return from its source, without running it."""
    try:
        with open(f"{folder}/python/platform/build_info.py", encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.value.args:
            try:
                pairs = dict(ast.literal_eval(node.value.args[0]))
            except (ValueError, TypeError):
                continue
            return {str(name): _plain(value) for name, value in pairs.items()}
    return {}


def _plain(value: object) -> Value:
    return value if isinstance(value, str | int | float) or value is None else repr(value)


def cuda_libraries(
    build: Mapping[str, Value], folders: Sequence[str], loader: Loader
) -> dict[str, str | None]:
    """Library -> where it lies; empty for a build without CUDA."""
    if not build.get("is_cuda_build"):
        return {}
    wheels = [path for folder in folders for path in sorted(glob.glob(f"{folder}/nvidia/*/lib"))]
    major = (version_of(str(build.get("cuda_version", ""))) or (0,))[0]
    cudnn = (version_of(str(build.get("cudnn_version", ""))) or (0,))[0]
    names = [f"lib{name}.so.{ending}" for name, ending in LIBRARIES.get(major, {}).items()]
    if cudnn:
        names.append(f"libcudnn.so.{cudnn}")
    return {name: loader.anywhere(name, wheels) for name in (DRIVER_LIBRARY, *names)}
