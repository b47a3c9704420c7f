"""Read the processor: what it can do, how much of it this cgroup really gives."""

from __future__ import annotations

from outlive.doctor.look.notes import Notes
from outlive.inside.machine.cpu_quota import smallest_quota
from outlive.inside.machine.host import Host, whole
from outlive.model.fact_names import (
    ARCHITECTURE,
    CPU,
    CPU_FLAGS,
    CPU_QUOTA,
    CPUS_ALLOWED,
    CPUS_OF_THE_MACHINE,
    EMULATOR,
    GENERIC_CPU,
)

#: Names by which emulators and hypervisors that hide instructions show themselves in ``/proc/cpuinfo``.
MODEL_OF_NONE = ("QEMU Virtual CPU", "QEMU TCG CPU", "Common KVM processor", "Common 32-bit KVM")
ROSETTA = "VirtualApple"

CPUINFO = "/proc/cpuinfo"
STATUS = "/proc/self/status"


def read_cpu(host: Host, architecture: str, notes: Notes) -> None:
    """``architecture`` is that of the examined Python, as ``uname`` tells it there."""
    fields = first_processor(host.read(CPUINFO) or "")
    notes.add(ARCHITECTURE, architecture or None, "uname")
    notes.add(CPU, fields.get("model name"), CPUINFO)
    notes.add(CPU_FLAGS, fields.get("flags") or fields.get("Features"), CPUINFO)
    _read_emulator(fields, architecture, notes)
    notes.add(CPUS_OF_THE_MACHINE, _online(host), "/sys/devices/system/cpu/online")
    notes.add(CPUS_ALLOWED, _allowed(host), f"{STATUS}: Cpus_allowed_list")
    _read_quota(host, notes)


def first_processor(text: str) -> dict[str, str]:
    """The fields of the first processor in ``/proc/cpuinfo``."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if not line.strip() and found:
            break
        if colon:
            found[name.strip()] = value.strip()
    return found


def _read_emulator(fields: dict[str, str], architecture: str, notes: Notes) -> None:
    """A processor of another kind than the Python was built for is emulated."""
    vendor = fields.get("vendor_id", "")
    if vendor == ROSETTA:
        notes.add(EMULATOR, "Rosetta 2 on an Apple processor", f"{CPUINFO}: vendor_id")
    elif architecture == "x86_64" and "CPU implementer" in fields:
        notes.add(EMULATOR, "an x86 emulator on an ARM processor", f"{CPUINFO}: CPU implementer")
    elif fields.get("model name", "").startswith(MODEL_OF_NONE):
        notes.add(GENERIC_CPU, fields["model name"], f"{CPUINFO}: model name")


def count_of(listing: str) -> int | None:
    """Count the processors in a list as Linux writes it: ``0-3,8``."""
    total = 0
    for part in listing.strip().split(","):
        first, dash, last = part.partition("-")
        begin, end = whole(first), whole(last) if dash else whole(first)
        if begin is None or end is None:
            return None
        total += end - begin + 1
    return total


def _online(host: Host) -> int | None:
    return count_of(host.read("/sys/devices/system/cpu/online") or "")


def _allowed(host: Host) -> int | None:
    for line in (host.read(STATUS) or "").splitlines():
        if line.startswith("Cpus_allowed_list:"):
            return count_of(line.partition(":")[2])
    return None


def _read_quota(host: Host, notes: Notes) -> None:
    """The smallest quota of every ancestor cgroup, in processors."""
    smallest = smallest_quota(host)
    if smallest is not None:
        notes.add(CPU_QUOTA, round(smallest.cpus, 2), smallest.source)
    elif not host.groups("cpu"):
        notes.miss(CPU_QUOTA, "no CPU cgroup is visible")
