"""In a program that runs notebooks (nbclient, papermill, nbconvert, a server): its kernels are watched too.

Each gets a supervisor of its own, which outlives it and answers the running cell in its place.
"""

from __future__ import annotations

import os

from ..notes import links
from ..start.methods import like

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping, Optional

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
            python = os.readlink(links.link_in(self._folder, links.PYTHON))
        except (OSError, TypeError, ValueError):
            return None
        braked = os.path.islink(links.link_in(self._folder, links.BRAKE))
        brake = ["--brake", "on"] if braked else []
        return [python, "-m", WRAPPER, "--within", self._folder, *brake, "--", *words]

    def _without_recorder(self, environment: Optional[Mapping[str, str]]) -> Dict[str, str]:
        """Take the recorder out of the environment: the kernel gets a recorder of its own from its supervisor."""
        kept = dict(os.environ if environment is None else environment)
        kept.pop(links.FOLDER_VARIABLE, None)
        entries = kept.get("PYTHONPATH", "").split(os.pathsep)
        kept["PYTHONPATH"] = os.pathsep.join(entry for entry in entries if entry != self._path)
        if not kept["PYTHONPATH"]:
            del kept["PYTHONPATH"]
        return kept
