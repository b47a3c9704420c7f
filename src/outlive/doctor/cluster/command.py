"""`outlive doctor --cluster` and its agents: read who is in the cluster, find the token, survey, or serve."""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections.abc import Mapping

from outlive.doctor.cluster.agent import AGENT_PORT, AGENT_SECONDS, Agent
from outlive.doctor.cluster.survey import WAIT_SECONDS, survey
from outlive.doctor.cluster.tasks import NoCluster, Tasks, find_tasks
from outlive.doctor.look.asking import Question
from outlive.doctor.look.environment import DESCRIBE_SECONDS
from outlive.doctor.look.packages import read_installed, site_folders
from outlive.errors import UsageError
from outlive.model.cluster import Cluster
from outlive.model.quick_dataclass import dataclass

TOKEN = "OUTLIVE_TOKEN"
SHORTEST_TOKEN = 16

#: What has to be the same on all hosts.
COMPARED = ("tensorflow", "keras", "tf-keras", "numpy", "protobuf", "h5py")


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """What the command line says about the cluster."""

    hosts: str | None = None
    agent_port: int = AGENT_PORT
    seconds: float = AGENT_SECONDS
    wait: float = WAIT_SECONDS


def serve(options: ClusterOptions, python: str, variables: Mapping[str, str]) -> int:
    """Be the agent of this host until we are told that it is done; status 0 then, 1 when nobody came."""
    agent = _agent(options, python, variables)
    print(
        f"outlive: the agent is listening on port {options.agent_port} for at most {options.seconds:.0f} s.",
        file=sys.stderr,
        flush=True,
    )
    if agent.serve():
        return 0
    print("outlive: no one finished the check; the agent's time is up.", file=sys.stderr)
    return 1


def look_at_cluster(
    options: ClusterOptions, python: str, variables: Mapping[str, str]
) -> Cluster | None:
    """Survey the cluster; ``None`` when this host is not the first of it and served as an agent instead."""
    tasks = _tasks(options, variables)
    token = _token(variables, tasks)
    if not tasks.first:
        _agent(options, python, variables).serve()
        return None
    try:
        ours = _agent(options, python, variables)
        threading.Thread(target=ours.serve, daemon=True).start()
    except UsageError:
        pass  # one is running here already
    return survey(tasks, token, options.agent_port, options.wait)


def _tasks(options: ClusterOptions, variables: Mapping[str, str]) -> Tasks:
    try:
        tasks = find_tasks(options.hosts, variables)
    except NoCluster as error:
        raise UsageError(
            f"No cluster found: {error}.",
            "For example:  outlive doctor --cluster --hosts host1:2222,host2:2222",
        ) from error
    if len(tasks.tasks) < 2:
        raise UsageError(
            f"{tasks.source} names {len(tasks.tasks)} hosts.", "A cluster has at least two."
        )
    return tasks


def _token(variables: Mapping[str, str], tasks: Tasks | None = None) -> bytes:
    token = variables.get(TOKEN, "")
    if len(token) >= SHORTEST_TOKEN:
        return token.encode()
    hosts = ", ".join(task.host for task in tasks.tasks) if tasks else "every host"
    raise UsageError(
        f"{TOKEN} is {'too short' if token else 'not set'}: agents answer only with the right token.",
        f"Start on {hosts}:  {TOKEN}={secrets.token_hex(16)} outlive doctor --agent   (and use the same here)",
    )


def _agent(options: ClusterOptions, python: str, variables: Mapping[str, str]) -> Agent:
    token = _token(variables)
    try:
        return Agent(token, versions_of(python, variables), options.agent_port, options.seconds)
    except OSError as error:
        raise UsageError(
            f"The agent cannot listen on port {options.agent_port}: {os.strerror(error.errno or 0)}.",
            "Choose another on all hosts:  --agent-port PORT",
        ) from error


def versions_of(python: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Read the versions that are compared between hosts from the metadata of the examined Python; nothing is imported."""
    told = Question(python, "describe", variables=variables, seconds=DESCRIBE_SECONDS).answer().told
    if told is None:
        return {}
    versions = {"python": ".".join(str(part) for part in told["version"])}
    for folder in site_folders([str(entry) for entry in told["path"]]):
        for package in read_installed(folder).packages:
            name = "tensorflow" if package.name == "tensorflow-cpu" else package.name
            if name in COMPARED:
                versions.setdefault(name, package.version)
    return versions
