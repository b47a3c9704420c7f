"""Protobuf and the code that its compiler made."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.installed import Generated, Version
from outlive.model import Fact, Finding, Remedy
from outlive.surroundings import Surroundings
from outlive.unit import check

#: The first runtime that refuses code whose descriptors are written in plain Python.
REFUSES_OLD_STYLE: Version = (4,)


@check("H506", since="0.2", needs=("python",), prevents=("protobuf-mismatch",))
def generated_code_unfit(here: Surroundings) -> Iterator[Finding]:
    """The installed protobuf does not fit the code that was generated for it.

    ## Why it matters
    Generated code (`*_pb2.py`) needs a runtime that is not older than the compiler that made it, and from protobuf 4 on code of before
    3.19 is refused: "Descriptors cannot be created directly", "cannot import name 'builder'", "Detected incompatible Protobuf
    Gencode/Runtime versions". TensorFlow, TensorBoard, the Object Detection API and many others bring such code.

    ## What to do
    Install a protobuf that is new enough for all of it; generate old code again with a newer `protoc`.
    """
    if here.python is None:
        yield here.unknown("python")
        return
    protobuf = here.python.package("protobuf")
    if protobuf is None:
        if here.python.generated:
            yield here.will_fail(
                f"{here.python.generated[0].package} brings generated code, and protobuf is not installed.",
                Fact("generated code", here.python.generated[0].file, "site-packages"),
                remedies=(Remedy("Install it.", (here.python.install("protobuf"),)),),
            )
        else:
            yield here.fine("No generated code, and no protobuf.")
        return
    runtime = _padded(protobuf.numbers)
    installed = Fact("protobuf", protobuf.version, protobuf.folder)
    unfit = [item for item in here.python.generated if _unfit(item, runtime, here)]
    for item in unfit:
        code = Fact("generated code", item.file, item.package)
        made = ".".join(map(str, item.made_by))
        if item.old_style:
            yield here.will_fail(
                f"{item.package} holds code that a protoc before 3.19 made; protobuf {protobuf.version} refuses it.",
                installed,
                code,
                remedies=(
                    Remedy("Install a newer version of the package, or make the code again.", (here.python.install(item.package, upgrade=True), "protoc --python_out=. *.proto")),
                    Remedy("Or use the slow reader that takes it.", ("export PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python",)),
                ),
            )  # fmt: skip
        else:
            yield here.will_fail(
                f"{item.package} holds code for protobuf {made} or later, and {protobuf.version} is installed.",
                installed,
                code,
                remedies=(
                    Remedy(
                        "Install a newer protobuf.", (here.python.install(f"protobuf>={made}"),)
                    ),
                ),
            )
    if not unfit:
        count = sum({item.package: item.count for item in here.python.generated}.values())
        yield here.fine(f"protobuf {protobuf.version} fits {count} generated files.", installed)


def _padded(version: Version) -> Version:
    return (*version, 0, 0, 0)[:3]


def _unfit(item: Generated, runtime: Version, here: Surroundings) -> bool:
    if item.old_style:
        slow = here.text("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION") == "python"
        return runtime >= REFUSES_OLD_STYLE and not slow
    unchecked = (here.text("TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK") or "").lower() == "true"
    return runtime < _padded(item.made_by) and not unchecked
