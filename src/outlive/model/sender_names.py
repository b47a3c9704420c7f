"""Who sends signals, in words that a person knows: a terminal, a shell, Docker, Slurm. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: By the name of the process as the kernel has it (15 letters at most), or the first word of its title.
SHELLS = frozenset({"sh", "bash", "zsh", "fish", "dash", "ksh", "csh", "tcsh"})
TERMINALS = {
    "sshd": "an SSH login",
    "sshd-session": "an SSH login",
    "mosh-server": "a mosh login",
    "tmux": "tmux",
    "screen": "screen",
    "login": "a login on the console",
    "xterm": "a terminal window",
    "gnome-terminal": "a terminal window",
    "gnome-terminal-": "a terminal window",
    "konsole": "a terminal window",
    "kitty": "a terminal window",
    "alacritty": "a terminal window",
    "xfce4-terminal": "a terminal window",
}
SCHEDULERS = {
    "slurmstepd": "Slurm",
    "slurmd": "Slurm",
    "pbs_mom": "PBS",
    "sge_shepherd": "Grid Engine",
    "sge_execd": "Grid Engine",
    "condor_starter": "HTCondor",
    "lsf_daemons": "LSF",
    "sbatchd": "LSF",
    "kubelet": "Kubernetes",
}
OTHERS = {
    "containerd-shim": "a container's runtime (Docker, containerd)",
    "dockerd": "Docker",
    "docker-init": "Docker",
    "conmon": "Podman",
    "runc": "a container's runtime",
    "systemd": "systemd",
    "init": "the init process",
    "cron": "cron",
    "crond": "cron",
    "atd": "at",
    "supervisord": "supervisord",
    "jupyter": "Jupyter",
    "jupyter-lab": "Jupyter",
    "jupyter-server": "Jupyter",
    "jupyter-noteboo": "Jupyter",
    "jupyterhub": "JupyterHub",
    "jupyterhub-sing": "JupyterHub",
    "code-server": "VS Code",
    "earlyoom": "the memory guard earlyoom",
    "systemd-oomd": "the memory guard systemd-oomd",
}
#: Who starts the ranks of a job, and ends the others when one has failed: by the name of the process, or by a word of its command line.
LAUNCHERS = {
    "orted": "mpirun",
    "orterun": "mpirun",
    "mpirun": "mpirun",
    "prted": "mpirun",
    "prterun": "mpirun",
    "mpiexec": "mpiexec",
    "mpiexec.hydra": "mpiexec",
    "hydra_pmi_proxy": "mpiexec",
    "slurmstepd": "srun",
    "slurmstepd-wlm": "srun",
    "srun": "srun",
    "raylet": "Ray",
    "torchrun": "torchrun",
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "accelerate": "accelerate",
    "deepspeed": "deepspeed",
    "horovodrun": "horovodrun",
}
#: Everything is below these two.
OF_EVERYBODY = frozenset({"systemd", "init"})
KNOWN = {**TERMINALS, **SCHEDULERS, **OTHERS}

SEPARATORS = re.compile(r"[:\s]")


def name_of(command: str) -> str:
    """The bare name in a command line, in a title (``sshd: user@pts/0``, ``tmux: server``) or as the kernel has it."""
    first = SEPARATORS.split(command.strip(), maxsplit=1)[0]
    return first.rpartition("/")[2].lstrip("-")


def known(command: str) -> str:
    """What a person calls this process, or nothing."""
    name = name_of(command)
    if name.startswith("containerd-shim"):
        name = "containerd-shim"
    return KNOWN.get(name, "")


def launcher(command: str) -> str:
    """Who starts the ranks of a job, by the command line of a process, or nothing."""
    words = (word.rpartition("/")[2] for word in command.split()[:4])
    return next((LAUNCHERS[word] for word in words if word in LAUNCHERS), "")


def scheduler_in(commands: Iterable[str]) -> str:
    """The batch system that one of these processes belongs to, or nothing."""
    return next((SCHEDULERS[name] for name in map(name_of, commands) if name in SCHEDULERS), "")


def keeps_a_terminal(command: str) -> bool:
    """Whether this is a shell or the like that hands a hang-up on to what it started: not one that runs a script."""
    name = name_of(command)
    if name in TERMINALS:
        return True
    rest = command.split(" ")[1:]
    return name in SHELLS and not any(word == "-c" or not word.startswith("-") for word in rest)


def lineage(ancestors: Iterable[str]) -> str:
    """The parent and, where that says little, the nearest one above it that a person knows: ``bash, in tmux``."""
    names = [name_of(name) or name for name in ancestors]
    if not names:
        return ""
    telling = (known(name) for name in names[1:] if name not in SHELLS | OF_EVERYBODY)
    above = next((words for words in telling if words), "")
    return f"{names[0]}, in {above}" if above and names[0] not in KNOWN else names[0]


#: What the kernel itself sends, when no process did.
OF_THE_KERNEL = {
    "SIGINT": "the terminal (Ctrl-C)",
    "SIGQUIT": "the terminal (Ctrl-\\)",
    "SIGHUP": "the terminal, which was closed",
    "SIGALRM": "a timer of the program",
    "SIGVTALRM": "a timer of the program",
    "SIGPROF": "a timer of the program",
    "SIGXCPU": "Linux, at the CPU time limit",
    "SIGXFSZ": "Linux, at the file size limit",
    "SIGPIPE": "Linux: nobody reads the pipe",
}


def kernel_words(signal: str) -> str:
    """On whose behalf the kernel sent this signal."""
    return OF_THE_KERNEL.get(signal, "Linux")
