"""An argument that a function of NumPy does not have."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

WORDS = {
    "array": {"object", "dtype", "copy", "order", "subok", "ndmin", "like", "ndmax"}, "asarray": {"a", "dtype", "order", "device", "copy", "like"},
    "zeros": {"shape", "dtype", "order", "device", "like"}, "ones": {"shape", "dtype", "order", "device", "like"},
    "full": {"shape", "fill_value", "dtype", "order", "device", "like"}, "empty": {"shape", "dtype", "order", "device", "like"},
    "concatenate": {"arrays", "axis", "out", "dtype", "casting"}, "stack": {"arrays", "axis", "out", "dtype", "casting"},
    "reshape": {"a", "shape", "newshape", "order", "copy"}, "expand_dims": {"a", "axis"}, "argmax": {"a", "axis", "out", "keepdims"},
    "transpose": {"a", "axes"}, "vstack": {"tup", "dtype", "casting"}, "squeeze": {"a", "axis"}, "where": set(),
}  # fmt: skip


@rule(
    "R682",
    since="0.2",
    needs=("numpy",),
    prevents=("uncaught-exception",),
)
def unknown_argument(source: Source) -> Iterator[Finding]:
    """A function of NumPy gets an argument by a name that it does not know.

    ## Why it is bad
    The line ends with "got an unexpected keyword argument". Often a bracket stands in the wrong place, and the argument was meant for another
    function.

    ## Bad
        rows = np.array(keras.utils.pad_sequences([[1, 2]]), maxlen=10)

    ## Good
        rows = np.array(keras.utils.pad_sequences([[1, 2]], maxlen=10))
    """
    for name, words in WORDS.items():
        for call in source.calls(f"numpy.{name}"):
            for word in call.keywords:
                if word.arg is not None and word.arg not in words and not source.is_caught(call):
                    yield Finding(
                        f"`np.{name}` has no argument `{word.arg}`: this line ends with TypeError.",
                        remedies=(
                            Remedy(
                                "Look at the brackets: the argument may be meant for another function."
                            ),
                        ),
                        where=source.place(call),
                    )
