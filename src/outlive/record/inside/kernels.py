"""In a program that runs notebooks (nbclient, papermill, nbconvert, a server): its kernels are watched too.

Each gets a supervisor of its own, which outlives it and answers the running cell in its place.
"""

from __future__ import annotations

import os

from .hooks import like

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping, Optional

#: A link in the record's folder: the Python that Outlive itself runs on.
PYTHON_NAME = "python"

#: A link in the record's folder: kernels are to be stopped in time, too.
BRAKE_NAME = "brake"

WRAPPER = "outlive.jupyter.ipykernel_launcher"


class Kernels:
    """Puts a supervisor in front of every kernel that this program starts."""

    def __init__(self, folder: str, path: str) -> None:
        self._folder = folder
        self._path = path  # what Outlive put into PYTHONPATH

    def wrap_launcher(self, module: Any) -> None:
        """``jupyter_client.launcher``: where kernels are started."""
        real = module.launch_kernel

        @like(real)
        def launch_kernel(cmd: Any, *args: Any, **kwargs: Any) -> Any:
            covered = self._covered(cmd)
            if covered is not None:
                cmd = covered
                kwargs["env"] = self._without_recorder(kwargs.get("env"))
            return real(cmd, *args, **kwargs)

        module.launch_kernel = launch_kernel

    def _covered(self, command: Any) -> Optional[List[str]]:
        """The command with the supervisor in front of it; nothing when it has one, or none can be had."""
        try:
            words = [str(word) for word in command]
            if WRAPPER in words or not os.path.isdir(self._folder):
                return None
            python = os.readlink(os.path.join(self._folder, PYTHON_NAME))
        except (OSError, TypeError, ValueError):
            return None
        brake = ["--brake", "on"] if os.path.islink(os.path.join(self._folder, BRAKE_NAME)) else []
        return [python, "-m", WRAPPER, "--within", self._folder, *brake, "--", *words]

    def _without_recorder(self, environment: Optional[Mapping[str, str]]) -> Dict[str, str]:
        """The supervisor is no part of the program; it gives the kernel a recorder of its own."""
        kept = dict(os.environ if environment is None else environment)
        kept.pop("OUTLIVE_RECORD_FOLDER", None)
        entries = kept.get("PYTHONPATH", "").split(os.pathsep)
        kept["PYTHONPATH"] = os.pathsep.join(entry for entry in entries if entry != self._path)
        if not kept["PYTHONPATH"]:
            del kept["PYTHONPATH"]
        return kept
