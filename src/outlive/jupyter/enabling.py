"""Switch Outlive on and off for Jupyter: three files, for a user or for an environment, each written whole and removed whole."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from contextlib import suppress

from outlive.errors import OutliveError
from outlive.inside.events.child_kernels import WRAPPER
from outlive.model.quick_dataclass import dataclass

EXTENSION = "outlive.jupyter.extension"
BRAKE = "outlive.jupyter.brake"
FORESEE = "outlive.jupyter.foresee"
HERE = os.path.dirname(os.path.abspath(__file__))


class JupyterMissing(OutliveError):
    """Jupyter is not installed in this environment."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where Jupyter looks for what is switched on."""

    name: str
    config: str
    data: str

    @property
    def server(self) -> str:
        """Makes the provisioner the default of every server."""
        return os.path.join(self.config, "jupyter_server_config.d", "outlive.json")

    @property
    def lab(self) -> str:
        """The toast in JupyterLab."""
        return os.path.join(self.data, "labextensions", "outlive")

    @property
    def kernel(self) -> str:
        """A kernel for launchers that know neither servers nor provisioners."""
        return os.path.join(self.data, "kernels", "outlive")

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """Each with what it does."""
        return (
            (self.server, "watches every kernel of a server"),
            (self.lab, "shows in JupyterLab why a kernel died"),
            (os.path.join(self.kernel, "kernel.json"), "adds a watched kernel for other launchers"),
        )


def scopes() -> dict[str, Scope]:
    """The two places: of this user, and of this environment."""
    try:
        from jupyter_core import paths
    except ImportError as error:
        raise JupyterMissing(
            "Jupyter is not installed in this environment.",
            "Install Outlive where Jupyter is:  pip install 'outlive[jupyter]'",
        ) from error
    return {
        "user": Scope("user", paths.jupyter_config_dir(), paths.jupyter_data_dir()),
        "env": Scope("env", paths.ENV_CONFIG_PATH[0], paths.ENV_JUPYTER_PATH[0]),
    }


def usual_scope() -> str:
    """In a virtual environment that one, otherwise the user."""
    return "env" if sys.prefix != sys.base_prefix else "user"


def enable(scope: Scope, brake: bool = False, foresee: bool = False) -> list[str]:
    """Write what is missing or old; the files that are there now."""
    asked = {EXTENSION: True, BRAKE: brake, FORESEE: foresee}
    extensions = {name: True for name, on in asked.items() if on}
    _write(scope.server, {"ServerApp": {"jpserver_extensions": extensions}})
    _copy(os.path.join(HERE, "labextension"), scope.lab)
    if importlib.util.find_spec("ipykernel") is not None:
        _write(os.path.join(scope.kernel, "kernel.json"), kernel_spec(brake, foresee))
    return [path for path, _ in scope.files if os.path.exists(path)]


def disable(scope: Scope) -> list[str]:
    """Remove what was written here, by name; tells what was removed. Other files stay, and so do the folders that hold them."""
    removed = [path for path, _ in scope.files if os.path.exists(path)]
    _remove_copy(os.path.join(HERE, "labextension"), scope.lab)
    for path in (os.path.join(scope.kernel, "kernel.json"), scope.server):
        if _is_ours(path):
            os.unlink(path)
    for folder in (scope.lab, scope.kernel):
        with suppress(OSError):  # not there, or not empty: a file of somebody else's is in it
            os.rmdir(folder)
    return removed


def kernel_spec(brake: bool, foresee: bool = False) -> dict[str, object]:
    """Python 3, with its supervisor in front."""
    python = sys.executable
    command = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    asked = {"--brake": brake, "--foresee": foresee}
    options = [word for name, on in asked.items() if on for word in (name, "on")]
    return {
        "argv": [python, "-m", WRAPPER, *options, "--", *command],
        "display_name": "Python 3 (Outlive)",
        "language": "python",
        "metadata": {"debugger": True},
    }


def _write(path: str, content: object) -> None:
    if os.path.lexists(path) and not _is_ours(path):
        raise OutliveError(
            f"{path} already exists and does not belong to Outlive.", "Move it away, and try again."
        )
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.write("\n")


def _is_ours(path: str) -> bool:
    """Tell whether a file of configuration is one that we have written: it names a module of ours."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(100_000)
    except OSError:
        return False
    return EXTENSION in text or WRAPPER in text


def _copy(source: str, target: str) -> None:
    _remove_copy(source, target)
    shutil.copytree(source, target, dirs_exist_ok=True)


def _remove_copy(source: str, target: str) -> None:
    """Remove from a folder the files that a copy puts there, by name, and its folders where nothing else is left in them."""
    for folder, _, names in os.walk(source, topdown=False):
        there = os.path.normpath(os.path.join(target, os.path.relpath(folder, source)))
        for name in names:
            with suppress(OSError):
                os.unlink(os.path.join(there, name))
        with suppress(OSError):
            os.rmdir(there)
