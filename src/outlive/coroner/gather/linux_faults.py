"""What the kernel log says about a fault: the address and the object, for programs that nothing could be loaded into. Pure."""

from __future__ import annotations

import re

from outlive.model.crash import FaultAddress, NativeFrame, Site
from outlive.model.patterns import bounded
from outlive.recorder.crash.mappings import NULL_BYTES

#: x86: ``name[pid]: segfault at 10 ip 00007f… sp … error 4 in libc.so.6[167ad8,7f…+156000]``; the first number in brackets is new.
SEGFAULT = bounded(
    r"\[(?P<pid>\d+)\]: segfault at (?P<address>[0-9a-f]+) ip (?P<ip>[0-9a-f]+) sp [0-9a-f]+ error \d+"
    r"(?: in (?P<object>.{1,255}?)\[(?:(?P<offset>[0-9a-f]+),)?(?P<start>[0-9a-f]+)\+[0-9a-f]+\])?"
)
#: ``traps: name[pid] general protection fault ip:… sp:… error:0 in libfoo.so[…]``, ``trap invalid opcode``, ``trap divide error``.
TRAP = bounded(
    r"traps: .{0,40}\[(?P<pid>\d+)\] (?P<what>general protection|trap invalid opcode|trap divide error).{0,40} ip:(?P<ip>[0-9a-f]+) "
    r"sp:[0-9a-f]+ error:[0-9a-f]+(?: in (?P<object>.{1,255}?)\[(?:(?P<offset>[0-9a-f]+),)?(?P<start>[0-9a-f]+)\+[0-9a-f]+\])?"
)
SIGNALS = {
    "general protection": "SIGSEGV",
    "trap invalid opcode": "SIGILL",
    "trap divide error": "SIGFPE",
}


def fault_in(line: str) -> tuple[int, str, Site] | None:
    """The thread's number, the signal and the place, if the line is about a fault."""
    found = SEGFAULT.search(line) or TRAP.search(line)
    if found is None:
        return None
    what = found.groupdict().get("what")
    address = int(found["address"], 16) if not what else None
    if what:
        fault = FaultAddress("no-address") if what == "general protection" else None
    else:
        kind = "null" if address is not None and address < NULL_BYTES else "unknown"
        fault = FaultAddress(kind, address, execution=address == int(found["ip"], 16))
    return int(found["pid"]), SIGNALS.get(what or "", "SIGSEGV"), Site(_frames(found), fault=fault)


def _frames(found: re.Match[str]) -> tuple[NativeFrame, ...]:
    """The kernel knows the object's name without its folder, and (lately) the place in it."""
    if not found["object"]:
        return ()
    counter, start = int(found["ip"], 16), int(found["start"], 16)
    offset = int(found["offset"], 16) if found["offset"] else counter - start
    return (NativeFrame(f"/{found['object']}", offset),)
