"""An extension of a Jupyter server that is switched on beside the other: kernels are stopped near their memory limit, not killed."""

from __future__ import annotations

from typing import Any

from outlive.jupyter.provisioner import OutliveProvisioner


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "outlive.jupyter.brake"}]


def _load_jupyter_server_extension(serverapp: Any) -> None:
    """Called by the server when it starts."""
    OutliveProvisioner.brake = True
