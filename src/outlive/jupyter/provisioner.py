"""The provisioner that Jupyter starts kernels with: the local one, with a supervisor in front of the kernel."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from typing import Any, ClassVar

from jupyter_client.provisioning import LocalProvisioner

from outlive.inside.events.child_kernels import WRAPPER
from outlive.inside.notes import links

NAME = "outlive-provisioner"

Listener = Callable[[str, dict[str, Any]], None]


class OutliveProvisioner(LocalProvisioner):  # type: ignore[misc]  # untyped where Jupyter is not installed
    """Starts a kernel as the local provisioner does, with its supervisor."""

    #: Told of every death of a kernel; set by the server extension.
    listener: ClassVar[Listener | None] = None

    #: Stop a cell before the kernel's memory killer does; set by the extension ``outlive.jupyter.brake``.
    brake: ClassVar[bool] = False

    #: Look at each cell before it runs; set by the extension ``outlive.jupyter.foresee``.
    foresee: ClassVar[bool] = False

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """The kernel's command, with the supervisor's before it."""
        environment = kwargs.get("env") or os.environ
        if (
            WRAPPER in cmd or links.FOLDER_VARIABLE in environment
        ):  # it has one, or `outlive run` gives it one
            return await super().launch_kernel(cmd, **kwargs)
        if self.listener is None:
            return await super().launch_kernel([*self._wrapper(), "--", *cmd], **kwargs)
        hears, tells = os.pipe()
        try:
            command = [*self._wrapper(), "--tell", str(tells), "--", *cmd]
            result = await super().launch_kernel(command, pass_fds=(tells,), **kwargs)
        except BaseException:
            os.close(hears)
            raise
        finally:
            os.close(tells)
        asyncio.get_running_loop().add_reader(hears, self._hear, hears)
        return result

    def _wrapper(self) -> list[str]:
        asked = {"--brake": self.brake, "--foresee": self.foresee}
        options = [word for name, on in asked.items() if on for word in (name, "on")]
        return [sys.executable, "-m", WRAPPER, *options]

    def _hear(self, hears: int) -> None:
        """The supervisor has something to tell, or is gone."""
        text = os.read(hears, 65536)
        if not text:
            asyncio.get_running_loop().remove_reader(hears)
            os.close(hears)
        elif self.listener is not None:
            for line in text.splitlines():
                type(self).listener(str(self.kernel_id), json.loads(line))  # type: ignore[misc]
