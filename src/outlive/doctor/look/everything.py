"""Put the view together: the machine, the installation, the kernels, and the cluster if it was asked for."""

from __future__ import annotations

from collections.abc import Mapping

from outlive.doctor.look.cpu import read_cpu
from outlive.doctor.look.disk import read_rooms
from outlive.doctor.look.environment import PythonNotFound, look_at_environment
from outlive.doctor.look.gpu import read_gpus
from outlive.doctor.look.kernels import read_kernels
from outlive.doctor.look.limits import read_limits
from outlive.doctor.look.memory import read_memory
from outlive.doctor.look.notes import Notes
from outlive.inside.machine.host import Host
from outlive.model.cluster import Cluster
from outlive.model.fact_names import (
    CUDA_VISIBLE_DEVICES,
    HDF5_DISABLE_VERSION_CHECK,
    KERAS_BACKEND,
    PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION,
    PYTHON,
    TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK,
    TF_FORCE_GPU_ALLOW_GROWTH,
    TF_USE_LEGACY_KERAS,
)
from outlive.model.surroundings import Surroundings

#: Variables that decide how TensorFlow and its libraries behave; none of them is a secret.
TELLING = (
    TF_USE_LEGACY_KERAS,
    KERAS_BACKEND,
    PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION,
    TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK,
    HDF5_DISABLE_VERSION_CHECK,
    CUDA_VISIBLE_DEVICES,
    TF_FORCE_GPU_ALLOW_GROWTH,
)


def look_around(
    host: Host,
    python: str | None,
    folder: str,
    variables: Mapping[str, str],
    architecture: str,
    *,
    trials: bool = True,
    cluster: Cluster | None = None,
) -> Surroundings:
    """Everything that a check may ask about; of an installation only if a Python is named.

    ``architecture`` is that of this process, for when the Python does not answer.
    """
    notes = Notes()
    read_cpu(host, architecture, notes)
    read_memory(host, variables, notes)
    read_limits(host, notes)
    for name in TELLING:
        if name in variables:
            notes.add(name, variables[name], "environment")
    environment = None
    if python is not None:
        try:
            environment, its = look_at_environment(
                host, python, variables, folder, notes, trials=trials
            )
            if its != architecture:
                read_cpu(host, its, notes)
        except PythonNotFound as error:
            notes.miss(PYTHON, str(error))
    gpus = read_gpus(host, variables, notes)
    return Surroundings(
        facts=notes.facts,
        gaps=notes.gaps,
        rooms=read_rooms(host, folder, variables),
        python=environment,
        gpus=gpus,
        kernels=read_kernels(host, environment.prefix, environment.executable, variables)
        if environment
        else (),
        cluster=cluster,
    )
