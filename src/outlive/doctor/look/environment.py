"""Look at one Python and what is installed for it: everything that can be had without loading a library, and trials in children."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.data.formats.elf import Elf, NotElf, read_elf
from outlive.doctor.look import compiled, cuda
from outlive.doctor.look.asking import Answer, Question, close_all
from outlive.doctor.look.generated import read_generated
from outlive.doctor.look.instructions import AVX2, instruction_needs
from outlive.doctor.look.loader import Loader
from outlive.doctor.look.notes import Notes
from outlive.doctor.look.packages import (
    Installed,
    installer_of,
    owners,
    places_of,
    read_installed,
    site_folders,
)
from outlive.doctor.look.tree import files_of_interest
from outlive.inside.machine.host import Host
from outlive.model import surroundings_at_death
from outlive.model.fact_names import PYTHON
from outlive.model.installation import Environment, Package, Trial, Unmet
from outlive.model.surroundings_at_death import Installation
from outlive.recorder.environment_maker import made_by

#: Seconds in which a Python answers; what does not is not a Python.
DESCRIBE_SECONDS = 30

#: TensorFlow takes 3 s here when its files are in memory, and up to a minute from a slow disk.
TRIAL_SECONDS = 120
TRIALS = ("numpy", "h5py", "tensorflow")

OBJECT_DETECTION = ("model_lib_v2.py", "model_main_tf2.py", "exporter_main_v2.py")


class PythonNotFound(Exception):
    """The examined Python could not be asked; the message says why."""


def look_at_environment(
    host: Host,
    python: str,
    variables: Mapping[str, str],
    folder: str,
    notes: Notes,
    *,
    trials: bool = True,
) -> tuple[Environment, str]:
    """The environment, and the architecture that its Python runs on."""
    about = _describe(python, variables)
    path = [str(entry) for entry in about["path"]]
    places = places_of("tensorflow", [folder, *path] if folder else path)
    questions = _start_trials(python, path, variables) if trials else {}
    try:
        return _look(host, about, path, places, variables, questions, notes), about["machine"]
    finally:
        close_all(list(questions.values()))


def _describe(python: str, variables: Mapping[str, str]) -> dict[str, Any]:
    question = Question(python, "describe", variables=variables, seconds=DESCRIBE_SECONDS)
    answer = question.answer()
    if answer.told is None:
        said = answer.errors.strip().splitlines()
        why = question.why_not or (said[-1] if said else f"it ended with status {answer.status}")
        if answer.timed_out:
            why = f"no answer within {DESCRIBE_SECONDS} s"
        raise PythonNotFound(f"{python} does not behave like Python: {why}")
    return answer.told


def _start_trials(
    python: str, path: Sequence[str], variables: Mapping[str, str]
) -> dict[str, Question]:
    """Start with the slowest: the rest is looked at meanwhile."""
    wanted = [module for module in reversed(TRIALS) if places_of(module, path)]
    return {
        module: Question(python, "try_import", module, variables=variables, seconds=TRIAL_SECONDS)
        for module in wanted
    }


def _look(
    host: Host,
    about: dict[str, Any],
    path: Sequence[str],
    places: tuple[str, ...],
    variables: Mapping[str, str],
    questions: Mapping[str, Question],
    notes: Notes,
) -> Environment:
    folders = site_folders(path)
    sites = [read_installed(folder) for folder in folders]
    packages = _first_of_each(sites)
    files: list[compiled.Compiled] = []
    generated = []
    for folder in folders:
        known, found = owners(folder), files_of_interest(folder)
        files += compiled.read_compiled(folder, found, known)
        generated += read_generated(folder, found, known)
    machine = about["machine"]
    loader = Loader(host.root, _program(about, machine), variables, [item.elf for item in files])
    build = cuda.build_information(places[0]) if places else {}
    environment = Environment(
        executable=about["executable"],
        version=tuple(about["version"]),
        prefix=about["prefix"],
        packages=packages,
        manager=_manager(about, packages),
        tensorflow_places=places,
        remnants=tuple(path for site in sites for path in site.remnants),
        unresolved=tuple(compiled.unresolved(files, loader, machine)),
        misfits=tuple(compiled.misfits(files, machine, about["suffixes"])),
        numpy_users=tuple(compiled.numpy_users(files)),
        generated=tuple(generated),
        instructions=tuple(instruction_needs(files, _worth_sampling(files, notes))),
        unmet=_unmet(about["requirements"]),
        trials={
            module: _trial(module, question.answer()) for module, question in questions.items()
        },
        compiled_files=len(files),
        build=build,
        cuda_libraries=cuda.cuda_libraries(build, folders, loader),
        object_detection=_object_detection(path),
    )
    notes.add(
        PYTHON, f"{environment.executable} ({'.'.join(map(str, environment.version))})", "sys"
    )
    return environment


def _first_of_each(sites: Sequence[Installed]) -> tuple[Package, ...]:
    """All that is installed; of the same name twice, both, in the order in which Python looks."""
    return tuple(package for site in sites for package in site.packages)


def _manager(about: dict[str, Any], packages: Sequence[Package]) -> Installation:
    """Find the tool that installs packages here, although each package may have come by another."""
    maker, locked = made_by(about["prefix"])
    known = {
        package.name: surroundings_at_death.Package(
            package.name, package.version, installer_of(package)
        )
        for package in reversed(packages)
    }
    return Installation(about["prefix"], about["executable"], maker, locked, known)


def _program(about: dict[str, Any], machine: str) -> Elf:
    """The interpreter's own file: its search path counts for everything that it loads."""
    try:
        return read_elf(about["binary"])
    except NotElf:
        return Elf(about["binary"], machine)


def _worth_sampling(files: Sequence[compiled.Compiled], notes: Notes) -> list[str]:
    """TensorFlow always; every package where the processor lacks something that a sample can tell."""
    every = dict.fromkeys(item.package for item in files)
    flags = notes.facts["cpu flags"].value if "cpu flags" in notes.facts else ""
    if set(AVX2) <= set(str(flags).split()):
        return [name for name in every if name.startswith(("tensorflow", "tf-nightly"))]
    return list(every)


def _unmet(rows: list[list[str | None]] | None) -> tuple[Unmet, ...] | None:
    if rows is None:
        return None
    return tuple(Unmet(str(row[0]), str(row[1]), row[2]) for row in rows)


def _trial(module: str, answer: Answer) -> Trial:
    told = dict(answer.told or {})
    status = answer.status
    died = status is not None and status < 0
    return Trial(
        module=module,
        seconds=round(answer.seconds, 1),
        exit_code=None if died else status,
        signal=_signal_name(-status) if status is not None and died else None,
        timed_out=answer.timed_out,
        error=str(told.pop("error", "")).strip().partition("\n")[0],
        said=answer.errors[-4000:],
        answers=told,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _object_detection(path: Sequence[str]) -> str | None:
    """Where TensorFlow's Object Detection API lies: told from other packages of that name by its own programs."""
    for place in places_of("object_detection", path):
        if any(os.path.exists(f"{place}/{name}") for name in OBJECT_DETECTION):
            return place
    return None
