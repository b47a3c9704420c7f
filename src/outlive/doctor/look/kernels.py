"""Read the notebook kernels that are installed: which Python each runs, and whether Outlive watches it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from outlive.inside.machine.host import Host
from outlive.model.installation import Kernel

PROVISIONER = "outlive-provisioner"
WRAPPER_PACKAGE = "outlive.jupyter"

#: Jupyter replaces these by the Python that it runs on itself.
OWN_PYTHON = ("python", "python3")


def read_kernels(
    host: Host, prefix: str, python: str, variables: Mapping[str, str]
) -> tuple[Kernel, ...]:
    """Every kernel that Jupyter in this environment would offer, the first of each name."""
    server_wide = _watches_servers(host, prefix, variables)
    found: dict[str, Kernel] = {}
    for data in data_folders(prefix, variables):
        folder = f"{data}/kernels"
        try:
            names = sorted(os.listdir(host.root + folder))
        except OSError:
            continue
        for name in names:
            spec = _spec(host, f"{folder}/{name}/kernel.json")
            if spec is not None and name.lower() not in found:
                found[name.lower()] = _kernel(
                    host, name, f"{folder}/{name}", spec, python, server_wide
                )
    return tuple(found.values())


def data_folders(prefix: str, variables: Mapping[str, str]) -> list[str]:
    """Where Jupyter looks for kernels: ``jupyter --paths``."""
    home = variables.get("HOME", "")
    share = variables.get("XDG_DATA_HOME") or f"{home}/.local/share"
    named = [entry for entry in variables.get("JUPYTER_PATH", "").split(":") if entry]
    user = variables.get("JUPYTER_DATA_DIR") or f"{share}/jupyter"
    return [
        *named,
        user,
        f"{prefix}/share/jupyter",
        "/usr/local/share/jupyter",
        "/usr/share/jupyter",
    ]


def config_folders(prefix: str, variables: Mapping[str, str]) -> list[str]:
    """Where Jupyter looks for its settings."""
    user = variables.get("JUPYTER_CONFIG_DIR") or f"{variables.get('HOME', '')}/.jupyter"
    return [user, f"{prefix}/etc/jupyter", "/usr/local/etc/jupyter", "/etc/jupyter"]


def _watches_servers(host: Host, prefix: str, variables: Mapping[str, str]) -> bool:
    if variables.get("JUPYTER_DEFAULT_PROVISIONER_NAME") == PROVISIONER:
        return True
    return any(
        WRAPPER_PACKAGE in (host.read(f"{folder}/jupyter_server_config.d/outlive.json") or "")
        for folder in config_folders(prefix, variables)
    )


def _spec(host: Host, path: str) -> dict[str, Any] | None:
    try:
        spec = json.loads(host.read(path) or "")
    except ValueError:
        return None
    command = spec.get("argv") if isinstance(spec, dict) else None
    fits = isinstance(command, list) and command and all(isinstance(word, str) for word in command)
    return spec if fits else None


def _kernel(
    host: Host, name: str, folder: str, spec: dict[str, Any], python: str, server_wide: bool
) -> Kernel:
    command = spec["argv"]
    runs = python if command[0] in OWN_PYTHON else command[0]
    metadata = spec.get("metadata")
    chosen = metadata.get("kernel_provisioner") if isinstance(metadata, dict) else None
    provisioner = chosen.get("provisioner_name") if isinstance(chosen, dict) else None
    wrapped = any(word.startswith(WRAPPER_PACKAGE) for word in command)
    return Kernel(
        name=name,
        folder=folder,
        python=runs,
        exists="/" not in runs or os.path.exists(host.root + runs),
        watched=wrapped or provisioner == PROVISIONER or (server_wide and provisioner is None),
    )
