"""The memory of a kernel and the limit that it has, for the gauge in JupyterLab's status bar.

Nothing is read until a page asks, and a page asks only while somebody sees it. It is read from outside, as the recorder does it, so no kernel notices;
see ADR 27.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web

from outlive.inside.machine.host import Host
from outlive.jupyter.provisioner import OutliveProvisioner
from outlive.recorder.sampler import Sampler, process_stat
from outlive.recorder.watching.watching import Watching

#: From here on the limit that is nearest is the one to look at, even if it is the whole machine's.
NEARLY = 0.6

#: What a watch said is shown for so long.
SECONDS_SHOWN = 300.0

PATH = r"outlive/memory/(?P<kernel>[\w-]+)"


class Gauge:
    """Reads the memory of one kernel."""

    def __init__(self, host: Host, supervisor: int) -> None:
        self._host = host
        self._sampler = Sampler(host, supervisor)
        self._watching = Watching()
        self._said: list[tuple[float, str]] = []

    def read(self) -> dict[str, Any] | None:
        """The kernel with all that it has started, what is used of the tightest limit, that limit, and what the watches say; nothing when it is gone."""
        self._sampler.look_for_descendants()
        family = [process_stat(self._host, pid) for pid in self._sampler.tree]
        found = [stat for stat in family if stat is not None]
        if not found:
            return None
        kernel = sum(stat.rss_bytes for stat in found)
        total, available = self._host.memory()
        sample: dict[str, Any] = {"groups": self._sampler.read_groups()}
        if available is not None:
            sample |= {"available": available, "machine": total}
        used, limit = shown_limit(self._sampler.limits(sample))
        mapped = sum(stat.vm_bytes for stat in found)
        warnings = self._warnings(sample | {"tree": kernel, "rss": kernel, "vm": mapped})
        return {
            "kernel_bytes": kernel,
            "used_bytes": used,
            "limit_bytes": limit,
            "warnings": warnings,
        }

    def _warnings(self, sample: dict[str, Any]) -> list[str]:
        """What the watches say of what this gauge has seen so far, or said lately."""
        at = time.monotonic()
        self._said += [(at, finding.says) for finding in self._watching.saw(sample | {"at": at})]
        return [says for said_at, says in self._said if at - said_at <= SECONDS_SHOWN]


def shown_limit(limits: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """What is used of a limit, and the limit: the smallest, unless another one is nearly reached."""
    nearest = max(limits, key=lambda it: it[0] / it[1], default=(0, 0))
    if nearest[1] and nearest[0] / nearest[1] >= NEARLY:
        return nearest
    return min(limits, key=lambda it: it[1], default=(0, 0))


class MemoryHandler(APIHandler):
    """``GET outlive/memory/KERNEL``; a page adds ``no_track_activity=1``, so that looking does not keep an idle server alive."""

    auth_resource = "kernels"

    @web.authenticated
    @authorized
    async def get(self, kernel: str) -> None:
        """Answer in JSON; 404 for a kernel that is not watched, or gone."""
        gauges: dict[int, Gauge] = self.settings["outlive_gauges"]
        pid = self._supervisor_of(kernel)
        if pid is None:
            raise web.HTTPError(404, "This kernel is not watched by Outlive.")
        gauge = gauges.get(pid) or gauges.setdefault(pid, Gauge(Host(), pid))
        found = await asyncio.to_thread(gauge.read)  # near a limit reading takes its time
        if found is None:
            gauges.pop(pid, None)
            raise web.HTTPError(404, "The kernel is gone.")
        self.finish(found)

    def _supervisor_of(self, kernel: str) -> int | None:
        if kernel not in self.kernel_manager:
            return None
        provisioner = self.kernel_manager.get_kernel(kernel).provisioner
        watched = isinstance(provisioner, OutliveProvisioner)
        return provisioner.pid if watched else None


def add_gauge(serverapp: Any) -> None:
    """Let a server answer what a gauge asks."""
    application = getattr(serverapp, "web_app", None)
    if application is None:
        return
    application.settings["outlive_gauges"] = {}
    path = url_path_join(application.settings["base_url"], PATH)
    application.add_handlers(".*$", [(path, MemoryHandler)])
