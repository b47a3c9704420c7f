"""TensorFlow has no kernel for an operation: whether a dtype is why, or the device.

The message lists every kernel, with its device and the dtypes that it takes. Only where a device that is there has kernels, and none of them takes what was given, another dtype would help.
"""

from __future__ import annotations

from outlive.model.patterns import bounded

#: ``{{node MatMul}} = MatMul[T=DT_UINT8, …]``, and ``Op 'MatMul' used by {{node MatMul}} with these attrs: [T=DT_UINT8, …]``.
ASKED = bounded(
    r"(?:=\s|Op ')(?P<name>\w+)(?:\[|'[^\n]{0,600}?with these attrs: \[)(?P<attributes>[^\n]{0,2000})"
)
ATTRIBUTE = bounded(r"\b(?P<name>\w+)=DT_(?P<type>\w+)", most=100)
THERE = bounded(r"Registered devices: \[(?P<devices>[^\]\n]{0,300})\]")
KERNEL = bounded(r"device='(?P<device>\w{1,60})'(?P<rest>[^\n]{0,2000})", most=2100)
TAKES = bounded(r"(?P<name>\w+) in \[(?P<types>[^\]\n]{0,1000})\]", most=1100)


def refused_dtype(message: str) -> dict[str, str] | None:
    """The operation, the dtype that it was given and those that its kernels take; None where the dtype is not why there is no kernel."""
    asked = ASKED.search(message)
    if asked is None:
        return None
    given = {found["name"]: found["type"] for found in ATTRIBUTE.finditer(asked["attributes"])}
    there = THERE.search(message)
    devices = {word.strip() for word in there["devices"].split(",")} if there else {"CPU"}
    taken: dict[str, list[str]] = {}
    for kernel in KERNEL.finditer(message):
        if kernel["device"] not in devices:
            continue
        refused = [
            (found["name"], types)
            for found in TAKES.finditer(kernel["rest"])
            for types in [_types(found["types"])]
            if found["name"] in given and given[found["name"]] not in types
        ]
        if not refused:
            return None  # this one takes them: it is refused for another reason
        for name, types in refused:
            taken.setdefault(name, []).extend(
                word for word in types if word not in taken.get(name, ())
            )
    if not taken:
        return None
    name = max(taken, key=lambda name: len(taken[name]))
    return {
        "name": asked["name"],
        "first": given[name].lower(),
        "second": ", ".join(word.lower() for word in taken[name]),
    }


def _types(listed: str) -> list[str]:
    return [word.strip().removeprefix("DT_") for word in listed.split(",")]
