"""What to write instead, by what a container is and what it keeps. Pure."""

from __future__ import annotations

from outlive.model.findings import Remedy, size
from outlive.model.memory import ARRAY_HELD, Holder
from outlive.model.patterns import bounded

#: Functions in the hands of a container: whatever they use stays alive with them.
FUNCTIONS = frozenset({"function", "method", "partial", "functools.partial", "builtins.function", "builtins.method"})  # fmt: skip
TENSORS = bounded(r"(?:tf\.Tensor|torch\.Tensor|torch\.nn\.parameter\.Parameter)\b")
MODELS = bounded(
    r"keras (?:Sequential|Functional|Model)\b|torch\.nn\.[\w.]{0,80}\b(?:Sequential|Module)\b"
)

#: Of what filled the memory: so much of it leaves room for the rest.
PART_THAT_FITS = 0.5


def advice_on(holder: Holder) -> tuple[Remedy, ...]:
    """Say what to change first, and what else would do."""
    name, many = holder.name, _that_fit(holder)
    each = f"{holder.counted} of them took {size(holder.bytes)}"
    keep = Remedy(
        f"Keep only the numbers you need in `{name}`, or write each result to disk as you go."
    )
    if holder.said_bound:
        room = f"{holder.length} elements of {size(holder.each)} filled the memory"
        return (
            Remedy(
                f"Lower the bound `{holder.said_bound}`: {room} before it was reached; about {many} fit."
            ),
            Remedy(f"Or make each element smaller, in `{name}`: a narrower type, or a path to it."),
        )
    if holder.kind == "queue":
        at = f" at {holder.made}" if holder.made else ""
        return (
            Remedy(
                f"Bound the queue{at}: queue.Queue(maxsize=8). Then who fills it waits for who empties it."
            ),
            Remedy("Or empty it faster: more workers, or less work for each item."),
        )
    if holder.kind == "lru_cache":
        return (
            Remedy(f"Bound the cache: lru_cache(maxsize={many}); {each}."),
            Remedy("Or cache what it was made from (a path), not the result."),
        )
    if holder.errors:
        return (
            Remedy(
                f"Keep the text, not the exception: str(error). An exception in `{name}` keeps its traceback, and with it all variables of the functions that it passed."
            ),
            Remedy("Or cut the traceback off: error.with_traceback(None)."),
        )
    if _last_part(holder.holds) in FUNCTIONS or _last_part(holder.within) in FUNCTIONS:
        return (
            Remedy(
                f"Take each function out of `{name}` when its owner is done: a function keeps every object it uses."
            ),
            Remedy("Or keep weak references: weakref.WeakMethod(…), weakref.ref(…)."),
        )
    if MODELS.search(holder.holds) or MODELS.search(holder.within):
        return (
            Remedy(
                f"Keep the score in `{name}`, not the model: save it (model.save(path)) and let go of it; then keras.backend.clear_session()."
            ),
        )
    if TENSORS.match(holder.holds) and not holder.inner_length:
        return (
            Remedy(
                f"Keep a number of each tensor in `{name}`: float(tf.reduce_mean(…)), or .item(). A tensor there takes {size(holder.each)}."
            ),
            Remedy(f"Or write it to disk as you go, or keep the newest: deque(maxlen={many})."),
        )
    if holder.kind == "deque":
        at = f" at {holder.made}" if holder.made else ""
        return (Remedy(f"Bound it{at}: deque(maxlen=…), with as many as are read; {each}."), keep)
    if holder.kind == "dict" and holder.inner_length <= holder.length:
        return (
            Remedy(
                f"Keep only the numbers you need in `{name}`, or drop the oldest: if len({name}) > {many}: {name}.pop(next(iter({name})))."
            ),
            Remedy("Or write each result to disk as you go."),
        )
    if ARRAY_HELD.fullmatch(holder.holds) or holder.kind not in ("list", "objects"):
        return (keep, Remedy(f"Or bound it, collections.deque(maxlen={many}): {each}."))
    return (
        Remedy(
            f"Keep only the numbers you need in `{name}`, or no more than {many} elements: {each}."
        ),
        Remedy("Or write each result to disk as you go."),
    )


def _last_part(name: str) -> str:
    return name.rpartition(".")[2]


def _that_fit(holder: Holder) -> int:
    """About half of what filled the memory, as a round number."""
    count = max(1, int(holder.counted * PART_THAT_FITS))
    unit = 10 ** (len(str(count)) - 1)
    return int(count // unit * unit)
