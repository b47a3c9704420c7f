"""What to write instead, by the words of an exception that no cause of its own explains. Pure."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from outlive.model.events import Thrown
from outlive.model.patterns import bounded

Say = Callable[[re.Match[str], str], str]  #: from what the message said, and the code of the line

#: NumPy 2.0 took these names away (its release notes), and what stands for them.
GONE_FROM_NUMPY = {
    "float_": "float64", "complex_": "complex128", "unicode_": "str_", "string_": "bytes_", "Inf": "inf", "Infinity": "inf", "NaN": "nan",
    "infty": "inf", "product": "prod", "cumproduct": "cumprod", "sometrue": "any", "alltrue": "all", "in1d": "isin", "row_stack": "vstack",
    "trapz": "trapezoid", "float": "float64", "int": "int64", "bool": "bool_", "object": "object_", "NINF": "-inf", "PINF": "inf", "cfloat": "complex128",
}  # fmt: skip

#: Packages whose names are not those of their modules.
PACKAGES = {
    "cv2": "opencv-python-headless", "PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml", "skimage": "scikit-image", "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil", "google.protobuf": "protobuf", "tensorflow_hub": "tensorflow-hub", "object_detection": "tf-models-official",
}  # fmt: skip

#: What stands before the dot of an attribute.
OWNER = bounded(r"[A-Za-z_][\w.]{0,80}(?:\[\w{0,20}\])?\Z")
LONGEST_OWNER = 100

DECIMAL_COMMA = bounded(r"[-+]?\d{1,30},\d{1,30}")


def _none(found: re.Match[str], code: str) -> str:
    before, asked, _ = code.partition(f".{found[1]}")
    owner = OWNER.search(before[-LONGEST_OWNER:]) if asked else None
    name = f"`{owner[0]}`" if owner else "A value on this line"
    return f"{name} is None here: look at the line that made it. Calls that find nothing give None without an error (cv2.imread, re.match, dict.get): check there, `is None`, and name what is missing."


def _number(found: re.Match[str], code: str) -> str:
    value = found[1]
    if DECIMAL_COMMA.fullmatch(value.strip()):
        return f"{value!r} has a decimal comma: replace it first, text.replace(',', '.'), or read with pandas.read_csv(…, decimal=',')."
    if not value.strip():
        return "A field is empty: skip the row, or take float('nan') for it."
    return f"{value[:40]!r} is not a number: skip or correct the row that has it (print the row's number where this line fails)."


def _gone(found: re.Match[str], code: str) -> str:
    name = found[1]
    new = GONE_FROM_NUMPY.get(name)
    if new is None:
        return ""
    return f"NumPy no longer has `{name}`: write numpy.{new.lstrip('-')}; where it is another package's line, update that package, or install pip install 'numpy<2'."


def _key(found: re.Match[str], code: str) -> str:
    owner = re.search(r"([A-Za-z_][\w.]{0,80})\[(?!:)([^\[\]]{1,80})\]", code)
    if owner is None:
        return ""
    return f"`{owner[1]}` has no key {found[0][:80]}: check it first (if {owner[2]} in {owner[1]}), or take {owner[1]}.get({owner[2]}), and say what is allowed."


def _hidden(found: re.Match[str], code: str) -> str:
    name = found[1]
    if name not in sys.stdlib_module_names:
        return ""
    return f"A file of your own, {name}.py or a folder {name}, hides Python's module `{name}`: print({name}.__file__) shows it. Rename it, or put its folder behind in sys.path (append, not insert)."


def _missing(found: re.Match[str], code: str) -> str:
    name = found[1].partition(".")[0]
    package = PACKAGES.get(name, name)
    return f"Install it for the Python that runs the program: python -m pip install {package}; or, if it is only for one optional part, import it in a try and do without."


def _plain(text: str) -> Say:
    return lambda found, code: text


#: Classes, words, and what to do. The first that fits decides.
ADVICE: tuple[tuple[tuple[str, ...], re.Pattern[str], Say], ...] = (
    (("AttributeError",), bounded(r"'NoneType' object has no attribute '(\w{1,60})'"), _none),
    (("ValueError",), bounded(r"could not convert string to float: '([^'\n]{0,200})'"), _number),
    (("AttributeError",), bounded(r"module '(\w{1,60})' has no attribute '\w{1,60}'(?! \(most likely due to a circular)"), _hidden),
    (("ModuleNotFoundError",), bounded(r"No module named '([\w.]{1,100})'"), _missing),
    (("ImportError",), bounded(r"cannot import name '(\w{1,60})' from '(?:numpy)'"), _gone),
    (("AttributeError",), bounded(r"module 'numpy' has no attribute '(\w{1,60})'|`np\.(\w{1,60})` was removed"), lambda found, code: _gone(found, code) if found[1] else ""),
    (("KeyError",), bounded(r"\A'[^'\n]{1,200}'\Z|\A-?\d{1,20}\Z"), _key),
    (("RuntimeError",), bounded(r"Graph is finalized and cannot be modified"), _plain("Build the operations of this line before the session: MonitoredSession, Supervisor and finalize() close the graph for new ones. Then only run them inside it.")),
    (("ValueError", "RuntimeError", "TypeError"), bounded(r"is not an element of this graph|must be from the same graph"), _plain("The tensor belongs to another graph than the session: run it in the session that was made for its graph (tf.compat.v1.Session(graph=tensor.graph)), or take the tensor of this session's own model.")),
    (("FailedPreconditionError",), bounded(r"Attempting to use uninitialized value|Could not find variable"), _plain("Run tf.compat.v1.global_variables_initializer() first, and restore the checkpoint after it: a restore sets only what the checkpoint has (an optimizer's slots are often not in it).")),
)  # fmt: skip


def advice_on(error: Thrown, code: str) -> str:
    """Say what to do about an exception; nothing where its words are not known."""
    for link in reversed(error.chain()):
        for classes, pattern, say in ADVICE:
            found = pattern.search(link.message) if link.is_a(*classes) else None
            said = say(found, link.own.code if link.own else code) if found is not None else ""
            if said:
                return said
    return ""
