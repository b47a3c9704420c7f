"""The extension of a Jupyter server: every kernel of it gets its supervisor, and JupyterLab is told of a death."""

from __future__ import annotations

from typing import Any

from jupyter_client.provisioning import KernelProvisionerFactory

from outlive.jupyter.gauge import add_gauge
from outlive.jupyter.provisioner import NAME, OutliveProvisioner

PLAIN_PROVISIONER = "local-provisioner"

#: What the supervisor of a kernel tells of a death.
TOLD = ("says", "where", "run", "cell_told", "notebook", "cell")

SCHEMA = {
    "$id": "https://events.outlive/kernel-died/v1",
    "version": "1",
    "title": "A kernel died",
    "description": "Sent once for every kernel that died unexpectedly.",
    "personal-data": True,
    "type": "object",
    "properties": {
        "kernel_id": {"type": "string", "title": "Which kernel"},
        "says": {"type": "string", "title": "Why, in one sentence"},
        "where": {"type": "string", "title": "The line of the cell, or nothing"},
        "run": {"type": "string", "title": "The name of its record"},
        "cell_told": {"type": "boolean", "title": "Whether a running cell shows the verdict"},
        "notebook": {"type": "string", "title": "The name of its notebook, or nothing"},
        "cell": {"type": "string", "title": "The front end's name of the running cell, or nothing"},
    },
    "required": ["kernel_id", *TOLD],
}


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "outlive.jupyter.extension"}]


def _load_jupyter_server_extension(serverapp: Any) -> None:
    """Called by the server when it starts."""
    factory = KernelProvisionerFactory.instance()
    if factory.default_provisioner_name == PLAIN_PROVISIONER:  # another one was chosen by somebody
        factory.default_provisioner_name = NAME
    add_gauge(serverapp)
    logger = getattr(serverapp, "event_logger", None)
    if logger is None:
        return
    logger.register_event_schema(SCHEMA)

    def tell(kernel: str, words: dict[str, Any]) -> None:
        data = {name: words[name] for name in TOLD}
        logger.emit(schema_id=SCHEMA["$id"], data={"kernel_id": kernel, **data})

    OutliveProvisioner.listener = staticmethod(tell)
