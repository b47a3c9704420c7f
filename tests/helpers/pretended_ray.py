"""As much of Ray as the driver uses, in this process: what is sent is pickled, what is called is called at once, and actors are lost when a test wants it.

The real thing is in test_ray.py; this is for what a driver does with losses, wherever Ray is not installed.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

from outlive.jobs.ray.seat import Seat


class RayError(Exception):
    pass


class RayTaskError(RayError):
    pass


class OutOfMemoryError(RayError):
    pass


class Errors:
    RayError = RayError
    RayTaskError = RayTaskError
    OutOfMemoryError = OutOfMemoryError


class Handle:
    """An actor. ``lost`` says with what a call fails, if it fails: it is given the number of the actor and the leases that are sent."""

    def __init__(self, ray: Ray, number: int, order: Any) -> None:
        self._ray = ray
        self._number = number
        self.seat = Seat(order)

    def __getattr__(self, name: str) -> Any:
        def remote(*words: Any) -> Reference:
            if name == "work" and (error := self._ray.lost(self._number, words[0])):
                return Reference(error)
            sent = pickle.loads(pickle.dumps(words))
            return Reference(pickle.loads(pickle.dumps(getattr(self.seat, name)(*sent))))

        return Remote(remote)


class Remote:
    def __init__(self, remote: Callable[..., Any]) -> None:
        self.remote = remote

    def options(self, **options: Any) -> Remote:
        return self


class Reference:
    def __init__(self, value: Any) -> None:
        self.value = value


class Ray:
    exceptions = Errors

    def __init__(self, lost: Callable[[int, Sequence[Any]], Exception | None]) -> None:
        self.lost = lost
        self.actors: list[Handle] = []

    def remote(self, kind: type) -> Remote:
        return Remote(self._actor)

    def _actor(self, order: Any) -> Handle:
        handle = Handle(self, len(self.actors), pickle.loads(pickle.dumps(order)))
        self.actors.append(handle)
        return handle

    def put(self, value: Any) -> Reference:
        return Reference(value)

    def get(self, reference: Reference) -> Any:
        if isinstance(reference.value, Exception):
            raise reference.value
        return reference.value

    def wait(
        self, calls: list[Any], num_returns: int, timeout: float
    ) -> tuple[list[Any], list[Any]]:
        return calls[:num_returns], calls[num_returns:]

    def kill(self, handle: Handle) -> None:
        """Nothing: it is in this process, and is closed when the test ends."""

    def get_runtime_context(self) -> Ray:
        return self

    def get_assigned_resources(self) -> dict[str, float]:
        return {"CPU": 1.0}

    def get_node_id(self) -> str:
        return "the only one"

    def nodes(self) -> list[dict[str, Any]]:
        resources = {"CPU": 2.0, "memory": 4e9}
        return [{"NodeID": "the only one", "Alive": True, "Resources": resources}]


class Cluster:
    """A connection to it."""

    lost = 0
    silent_seconds = 0.0

    def __init__(self, ray: Ray) -> None:
        self.ray = ray

    def room_for(self, cpus: float) -> int:
        return 2

    def close(self) -> None:
        pass
