"""Switch Outlive on and off for Jupyter: three files, for a user or for an environment, each written whole and removed whole."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from dataclasses import dataclass

from outlive.errors import OutliveError
from outlive.record.inside.kernels import WRAPPER

EXTENSION = "outlive.jupyter.extension"
BRAKE = "outlive.jupyter.brake"
HERE = os.path.dirname(os.path.abspath(__file__))


class JupyterMissing(OutliveError):
    """There is no Jupyter in this environment."""


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
            (self.server, "every kernel of a server is watched"),
            (self.lab, "JupyterLab shows why a kernel died"),
            (os.path.join(self.kernel, "kernel.json"), "a watched kernel for other launchers"),
        )


def scopes() -> dict[str, Scope]:
    """The two places: of this user, and of this environment."""
    try:
        from jupyter_core import paths
    except ImportError as error:
        raise JupyterMissing(
            "There is no Jupyter in this environment.",
            "Install Outlive where Jupyter is:  pip install 'outlive[jupyter]'",
        ) from error
    return {
        "user": Scope("user", paths.jupyter_config_dir(), paths.jupyter_data_dir()),
        "env": Scope("env", paths.ENV_CONFIG_PATH[0], paths.ENV_JUPYTER_PATH[0]),
    }


def usual_scope() -> str:
    """In a virtual environment that one, otherwise the user."""
    return "env" if sys.prefix != sys.base_prefix else "user"


def enable(scope: Scope, brake: bool = False) -> list[str]:
    """Write what is missing or old; the files that are there now."""
    extensions = {EXTENSION: True, **({BRAKE: True} if brake else {})}
    _write(scope.server, {"ServerApp": {"jpserver_extensions": extensions}})
    _copy(os.path.join(HERE, "labextension"), scope.lab)
    if importlib.util.find_spec("ipykernel") is not None:
        _write(os.path.join(scope.kernel, "kernel.json"), kernel_spec(brake))
    return [path for path, _ in scope.files if os.path.exists(path)]


def disable(scope: Scope) -> list[str]:
    """Remove it all, and the folders that are empty then; what was removed."""
    removed = [path for path, _ in scope.files if os.path.exists(path)]
    for path in (scope.lab, scope.kernel):
        shutil.rmtree(path, ignore_errors=True)
    try:
        os.unlink(scope.server)
    except OSError:
        pass
    for path, _ in scope.files:
        _remove_empty(os.path.dirname(path))
    return removed


def kernel_spec(brake: bool) -> dict[str, object]:
    """Python 3, with its supervisor in front."""
    python = sys.executable
    command = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    return {
        "argv": [python, "-m", WRAPPER, *(["--brake", "on"] if brake else []), "--", *command],
        "display_name": "Python 3 (Outlive)",
        "language": "python",
        "metadata": {"debugger": True},
    }


def _write(path: str, content: object) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.write("\n")


def _copy(source: str, target: str) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def _remove_empty(folder: str) -> None:
    """Upwards, until one is not empty."""
    while True:
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            pass
        except OSError:
            return
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent
