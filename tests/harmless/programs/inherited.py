"""Print as JSON what a process inherits."""

import json
import os
import resource
import signal
import stat
import sys


def text_of(path):
    with open(path) as file:
        return file.read()


def status():
    wanted = (
        "SigBlk",
        "SigIgn",
        "SigPnd",
        "ShdPnd",
        "NoNewPrivs",
        "Seccomp",
        "Cpus_allowed",
        "Uid",
        "Gid",
        "Groups",
        "Umask",
    )
    lines = text_of("/proc/self/status").splitlines()
    found = dict(line.split(":", 1) for line in lines if line.split(":")[0] in wanted)
    internal = (
        1 << 31 | 1 << 32
    )  # posix_spawn of glibc ignores its own two, 32 and 33, in the child
    return {**found, "SigIgn": hex(int(found["SigIgn"], 16) & ~internal)}


def descriptors():
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + name)
            found[name] = [stat.S_IFMT(os.fstat(int(name)).st_mode), os.get_inheritable(int(name))]
        except OSError:
            continue
        if "/proc/" in target and "/fd" in target:
            del found[name]  # the one that lists the others
        elif ".fault" in target or "statm" in target:
            found[name].append("recorder")
    return found


def lasting(look, times=25):
    """What is there every time: the recorder opens a few files for a moment while it is loaded."""
    found = look()
    for _ in range(times):
        sum(range(200_000))
        now = look()
        found = {name: value for name, value in found.items() if now.get(name) == value}
    return found


def terminal():
    try:
        return os.tcgetpgrp(os.open("/dev/tty", os.O_RDWR)) == os.getpgrp()
    except OSError:
        return "none"


umask = os.umask(0)
os.umask(umask)
json.dump(
    {
        "environment": dict(os.environ),
        "descriptors": lasting(descriptors),
        "status": status(),
        "umask": umask,
        "cwd": os.getcwd(),
        "nice": os.nice(0),
        "limits": {
            n: resource.getrlimit(getattr(resource, n))
            for n in dir(resource)
            if n.startswith("RLIMIT_")
        },
        "handlers": {number: str(signal.getsignal(number)) for number in signal.valid_signals()},
        "timer": signal.getitimer(signal.ITIMER_REAL),
        "leader of the session": os.getsid(0) == int(sys.argv[1]) if len(sys.argv) > 1 else None,
        "session": os.getsid(0),
        "group": os.getpgrp(),
        "terminal": terminal(),
        "oom": text_of("/proc/self/oom_score_adj"),
        "cgroup": text_of("/proc/self/cgroup"),
    },
    sys.stdout,
)
